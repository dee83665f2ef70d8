//! Runs as pages that play them: one HTML file with the picture, its script and the run, which needs no network.
//!
//! What: the page begins with the picture in the marking where the run begins; each step has the places whose tokens change, as they
//! look before and after it, so that the script only exchanges parts of the picture. Test: `tests/pictures.rs`.

use fireset_net::{
    Branch, Evidence, Model, Step,
    replay::{self, Refusal},
};
use serde_json::{Value, json};

use crate::{
    net::DrawnMarkings,
    svg::{Picture, escape, tokens},
};

/// The page around the picture and the run.
const PAGE: &str = include_str!("animation.html");

/// A run that is played, with what is told of it.
#[derive(Clone, Debug, Default)]
pub struct AnimatedRun {
    /// The steps from the initial marking.
    pub steps: Vec<Step>,
    /// The number of steps after which the marking is that at the end, if the run goes on from there for ever.
    pub back_to: Option<usize>,
    /// What is told of each marking: one text more than there are steps.
    pub notes: Vec<String>,
}

impl AnimatedRun {
    /// The first run of some evidence, without notes; none where it has no run.
    pub fn of(evidence: &Evidence) -> Option<Self> {
        let (steps, back_to) = match evidence {
            Evidence::Trace(trace) => (trace.0.clone(), None),
            Evidence::Lasso(lasso) => {
                let back_to = (!lasso.cycle.is_empty()).then_some(lasso.prefix.len());
                (lasso.prefix.iter().chain(&lasso.cycle).cloned().collect(), back_to)
            }
            Evidence::Branching(branching) => match branching.runs.first() {
                Some(Branch { steps, .. }) => (steps.clone(), None),
                None => (Vec::new(), None),
            },
            Evidence::Certificate(_) => return None,
        };
        Some(Self { steps, back_to, notes: Vec::new() })
    }
}

/// A page that plays a run on the picture of its net.
pub fn page(model: &Model, picture: &Picture, run: &AnimatedRun, title: &str) -> Result<String, Refusal> {
    let steps = match model {
        Model::Plain(net) => frames(net, picture, run),
        Model::Coloured(net) => frames(net, picture, run),
    }?;
    let label = |step: &Step| {
        let title = model.nodes().transition_title(step.transition);
        format!("{title}{}", replay::show_binding(model, step))
    };
    let labels: Vec<String> = run.steps.iter().map(label).collect();
    let data = json!({ "steps": steps, "labels": labels, "notes": run.notes, "backTo": run.back_to });
    // A script ends at the first `</script`, also inside of a string.
    let data = data.to_string().replace("</", "<\\/");
    let page = PAGE.replace("@TITLE@", &escape(title));
    let (before, after) = page.split_once("@PICTURE@").expect("the page has a place for the picture");
    let (between, after) = after.split_once("@RUN@").expect("the page has a place for the run");
    Ok([before, &picture.svg(), between, &data, after].concat())
}

/// For each step the transition, and the places that it changes with their tokens before and after.
fn frames<S: DrawnMarkings>(net: &S, picture: &Picture, run: &AnimatedRun) -> Result<Vec<Value>, Refusal> {
    let mut now = net.initial();
    let mut frames = Vec::with_capacity(run.steps.len());
    for (at, step) in run.steps.iter().enumerate() {
        if step.transition.index() >= net.as_ref().transitions.len() {
            return Err(Refusal::NoTransition { at });
        }
        let next = net.fire(&now, step).map_err(|why| Refusal::Step { at, step: step.clone(), why })?;
        let mut places = Vec::new();
        for place in net.changed_places(step.transition) {
            let (before, after) = (net.drawn_tokens(&now, place), net.drawn_tokens(&next, place));
            if before != after {
                let (node, centre) = picture.node(place.index());
                let drawn = [tokens(node, &before, centre), tokens(node, &after, centre)];
                places.push(json!([place.index(), drawn[0], drawn[1]]));
            }
        }
        frames.push(json!({ "t": step.transition.index(), "places": places }));
        now = next;
    }
    Ok(frames)
}
