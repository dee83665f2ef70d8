//! Pictures and pages of random nets: well-formed, complete, the same in every run, and never asking for anything from a network.

use fireset_draw::{AnimatedRun, Picture, net_diagram, page};
use fireset_net::{Model, Semantics, Step};
use fireset_oracle::random::{self, NetShape, TestRng};
use quick_xml::{Reader, events::Event};
use serde_json::Value;

/// A label that is none of markup.
const HOSTILE: &str = "</script><b>\"&amp;\u{1} 'x\ny";

fn random_model(random: &mut TestRng, seed: u64) -> Model {
    let inhibitors = if random.percent(30) { 30 } else { 0 };
    match seed % 3 {
        0 => Model::Coloured(random::coloured(random, inhibitors)),
        _ => Model::Plain(random::net(random, &NetShape { inhibitors, ..NetShape::default() })),
    }
}

fn svg(model: &Model) -> String {
    let mut out = Vec::new();
    Picture::new(net_diagram(model)).to_svg(&mut out).expect("memory takes it");
    String::from_utf8(out).expect("text")
}

/// The values of an attribute on all elements of a document, which is well-formed.
fn values(svg: &str, attribute: &str) -> Vec<String> {
    let mut reader = Reader::from_str(svg);
    let mut values = Vec::new();
    loop {
        match reader.read_event().unwrap_or_else(|error| panic!("{error} in\n{svg}")) {
            Event::Eof => return values,
            Event::Start(element) | Event::Empty(element) => {
                for found in element.attributes() {
                    let found = found.expect("an attribute");
                    if found.key.as_ref() == attribute {
                        values.push(found.value.to_string());
                    }
                }
            }
            _ => {}
        }
    }
}

#[test]
fn pictures_have_every_node_and_arc() {
    for seed in 0..300 {
        let random = &mut TestRng::new(seed);
        let model = random_model(random, seed);
        let diagram = net_diagram(&model);
        let picture = svg(&model);
        assert_eq!(picture, svg(&model), "the same in every run");
        let ids = values(&picture, "id");
        for node in &diagram.nodes {
            assert_eq!(ids.iter().filter(|id| **id == node.id).count(), 1, "{picture}");
        }
        let classes = values(&picture, "class");
        let arcs = classes.iter().filter(|class| class.starts_with("arc")).count();
        assert_eq!(arcs, diagram.arcs.len(), "{picture}");
        assert!(!picture.contains("NaN") && !picture.contains("inf"), "{picture}");
    }
}

/// The middles and sizes of the shapes of nodes.
fn shapes(svg: &str) -> Vec<[f64; 4]> {
    let mut reader = Reader::from_str(svg);
    let mut shapes = Vec::new();
    while let Ok(event) = reader.read_event() {
        let element = match &event {
            Event::Eof => break,
            Event::Empty(element) => element,
            _ => continue,
        };
        let value = |name: &str| {
            let found = element.try_get_attribute(name).ok().flatten()?;
            found.value.parse::<f64>().ok()
        };
        let class = element.try_get_attribute("class").ok().flatten();
        match class.as_ref().map(|class| class.value.as_ref()) {
            Some("place") => {
                let [x, y, r] = ["cx", "cy", "r"].map(|name| value(name).expect("a number"));
                shapes.push([x, y, 2.0 * r, 2.0 * r]);
            }
            Some("transition") => {
                let [x, y, w, h] = ["x", "y", "width", "height"].map(|name| value(name).expect("a number"));
                shapes.push([x + w / 2.0, y + h / 2.0, w, h]);
            }
            _ => {}
        }
    }
    shapes
}

#[test]
fn nodes_do_not_cover_each_other() {
    let mut compared = 0;
    for seed in 0..200 {
        let random = &mut TestRng::new(seed);
        let shapes = shapes(&svg(&random_model(random, seed)));
        for (at, a) in shapes.iter().enumerate() {
            for b in &shapes[..at] {
                let apart = |i: usize| 2.0 * (a[i] - b[i]).abs() + 0.2 >= a[i + 2] + b[i + 2];
                assert!(apart(0) || apart(1), "seed {seed}: {a:?} covers {b:?}");
                compared += 1;
            }
        }
    }
    assert!(compared > 2_000, "{compared}");
}

/// A run of at most this number of steps.
fn run<S: Semantics>(random: &mut TestRng, net: &S, most: usize) -> Vec<Step> {
    let (mut now, mut steps) = (net.initial(), Vec::new());
    for _ in 0..most {
        let enabled = net.steps(&now);
        if enabled.is_empty() {
            break;
        }
        let step = random.pick(&enabled).clone();
        let Ok(next) = net.fire(&now, &step) else { break };
        now = next;
        steps.push(step);
    }
    steps
}

/// The data of the run in a page.
fn data(page: &str) -> Value {
    let (_, rest) = page.split_once("<script id=\"run\" type=\"application/json\">").expect("a run");
    let (data, _) = rest.split_once("</script>").expect("its end");
    serde_json::from_str(data).expect("JSON")
}

#[test]
fn pages_play_runs_and_need_no_network() {
    let mut changes = 0;
    for seed in 0..200 {
        let random = &mut TestRng::new(seed);
        let model = random_model(random, seed);
        let steps = match &model {
            Model::Plain(net) => run(random, net, 6),
            Model::Coloured(net) => run(random, net, 6),
        };
        let notes = vec![HOSTILE.to_owned(); steps.len() + 1];
        let animated = AnimatedRun { steps: steps.clone(), back_to: None, notes };
        let page =
            page(&model, &Picture::new(net_diagram(&model)), &animated, HOSTILE).expect("a run of the net");
        let outside = page.replace("xmlns=\"http://www.w3.org/2000/svg\"", "");
        assert!(!outside.contains("http:") && !outside.contains("https:") && !outside.contains("src="));
        assert_eq!(page.matches("</script>").count(), 2, "texts do not end the script");
        assert!(!page.contains("<b>\""), "texts are no markup");
        let data = data(&page);
        let frames = data["steps"].as_array().expect("steps");
        assert_eq!(frames.len(), steps.len());
        assert_eq!(data["notes"][0], HOSTILE);
        // What a step leaves is what the next one finds.
        let mut drawn: Vec<Option<&str>> = vec![None; model.nodes().places.len()];
        for (frame, step) in frames.iter().zip(&steps) {
            assert_eq!(frame["t"], step.transition.index());
            for change in frame["places"].as_array().expect("places") {
                let place = change[0].as_u64().expect("a place") as usize;
                let (before, after) = (change[1].as_str(), change[2].as_str());
                assert_ne!(before, after);
                match drawn[place] {
                    Some(known) => assert_eq!(Some(known), before),
                    None => {
                        assert!(page.contains(&format!("<g class=\"tokens\">{}</g>", before.expect("text"))))
                    }
                }
                drawn[place] = after;
                changes += 1;
            }
        }
    }
    assert!(changes > 500, "{changes}");
}
