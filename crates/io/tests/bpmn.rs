//! BPMN files: the nets of small processes and what these can do, what is refused, and what is said about the rest.

#[path = "bpmn/harness.rs"]
mod harness;
#[path = "bpmn/refused.rs"]
mod refused;

use fireset_io::{
    Source,
    net_file::{NetChoice, read_net},
};
use harness::{collaboration, definitions, flows, net_of, notes_of, process, runs, stuck_runs, sub};

const SHORT: usize = 6;

#[test]
fn flows_are_places_and_tasks_are_transitions() {
    let text = definitions(
        "<process id='p' name='Order'><startEvent id='s' name='ordered'/>\
         <userTask id='a' name='check\n the&#10;bill'/><endEvent id='e'/>\
         <sequenceFlow id='f' name='then' sourceRef='s' targetRef='a'/>\
         <sequenceFlow id='g' sourceRef='a' targetRef='e'/></process>",
    );
    let net = net_of(&text);
    assert_eq!(net.name, "Order");
    let places: Vec<&str> = net.nodes().places.iter().collect();
    assert_eq!(places, ["f", "g", "s.in"]);
    assert_eq!(net.nodes().places.label(0), "then");
    let transitions: Vec<&str> = net.nodes().transitions.iter().collect();
    assert_eq!(transitions, ["s", "a", "e"]);
    assert_eq!(net.nodes().transitions.label(1), "check the bill");
    assert_eq!(&*net.initial_marking().0, [0, 0, 1]);
    let ids: Vec<_> = net.nodes().transition_ids().collect();
    let place = |arcs: &[fireset_net::Arc]| arcs.iter().map(|arc| arc.place.index()).collect::<Vec<_>>();
    assert_eq!((place(net.pre(ids[1])), place(net.post(ids[1]))), (vec![0], vec![1]));
    assert_eq!((place(net.pre(ids[2])), place(net.post(ids[2]))), (vec![1], vec![]));
    assert!(!net.has_inhibitors());
}

#[test]
fn a_run_is_complete_when_no_token_is_left() {
    let file = fireset_io::bpmn::read(process("task a", "s>a a>e").as_bytes()).unwrap();
    assert_eq!(file.final_markings, [vec![]]);
}

#[test]
fn gateways_choose_synchronise_and_merge() {
    let block = |gateway: &str| {
        process(&format!("{gateway} g; {gateway} h; task a; task b"), "s>g g>a g>b a>h b>h h>e")
    };
    assert_eq!(runs(&block("exclusiveGateway"), SHORT), ["a", "b"]);
    assert_eq!(runs(&block("parallelGateway"), SHORT), ["ab", "ba"]);
    assert_eq!(runs(&block("inclusiveGateway"), SHORT), ["a", "ab", "b", "ba"]);
}

#[test]
fn a_parallel_join_behind_a_choice_is_stuck() {
    let text = process("exclusiveGateway g; parallelGateway h; task a; task b", "s>g g>a g>b a>h b>h h>e");
    assert!(runs(&text, SHORT).is_empty());
    assert_eq!(stuck_runs(&text, SHORT), ["a", "b"]);
}

#[test]
fn a_choice_that_joins_a_split_passes_on_each_token() {
    let text = process("parallelGateway g; exclusiveGateway h; task a", "s>g g>h g>h h>a a>e");
    assert_eq!(runs(&text, SHORT), ["aa"]);
}

#[test]
fn tasks_merge_and_split_without_gateways() {
    let text = process("task a; task b; task c; task d", "s>a a>b a>c b>d c>d d>e");
    assert_eq!(runs(&text, SHORT), ["abcdd", "abdcd", "acbdd", "acdbd"]);
}

#[test]
fn conditions_and_default_flows_of_a_task_choose_a_set() {
    let text = |default: &str| process(&format!("task a {default}; task b; task c"), "s>a a?b a?c b>e c>e");
    assert_eq!(runs(&text(""), SHORT), ["ab", "abc", "ac", "acb"]);
    let with_default = process("task a default=a-c; task b; task c", "s>a a?b a>c b>e c>e");
    assert_eq!(runs(&with_default, SHORT), ["ab", "ac"]);
    let with_plain_flow = process("task a; task b; task c", "s>a a?b a>c b>e c>e");
    assert_eq!(runs(&with_plain_flow, SHORT), ["abc", "ac", "acb"]);
}

#[test]
fn an_inclusive_default_flow_is_taken_alone() {
    let text = process(
        "inclusiveGateway g default=g-c; inclusiveGateway h; task a; task b; task c",
        "s>g g>a g>b g>c a>h b>h c>h h>e",
    );
    assert_eq!(runs(&text, SHORT), ["a", "ab", "b", "ba", "c"]);
}

#[test]
fn an_inclusive_join_in_a_loop_waits_for_what_can_come() {
    let text = process(
        "inclusiveGateway g; inclusiveGateway h; exclusiveGateway m; exclusiveGateway x; task a; task b; task c",
        "s>m m>g g>a g>b a>h b>h h>c c>x x>m x>e",
    );
    let found = runs(&text, 4);
    for run in ["ac", "bc", "abc", "bac", "acac", "acbc", "bcac"] {
        assert!(found.contains(&run.to_owned()), "{run} in {found:?}");
    }
    // Each round ends with one c, whatever was chosen.
    assert!(!found.iter().any(|run| run.contains("cc")), "{found:?}");
    assert!(stuck_runs(&text, 4).is_empty());
}

#[test]
fn the_first_event_behind_an_event_based_gateway_decides() {
    let text = process(
        "eventBasedGateway g; catch:message a; catch:timer b; task c; parallelGateway h",
        "s>g g>a g>b a>c b>e c>e",
    );
    assert_eq!(runs(&text, SHORT), ["ac", "b"]);
    assert!(notes_of(&text).iter().any(|note| note.contains("timer")));
}

#[test]
fn an_event_based_gateway_without_events_waits_forever() {
    assert_eq!(stuck_runs(&process("task a; eventBasedGateway g", "s>a a>g"), SHORT), ["a"]);
}

#[test]
fn an_event_behind_two_gateways_has_a_transition_for_each() {
    let text = process(
        "parallelGateway x; eventBasedGateway g; eventBasedGateway h; catch:message a; catch:timer b; catch:signal c",
        "s>x x>g x>h g>a g>b h>a h>c a>e b>e c>e",
    );
    assert_eq!(runs(&text, SHORT), ["aa", "ab", "ac", "ba", "bc", "ca", "cb"]);
}

#[test]
fn an_interrupting_boundary_event_takes_the_tasks_place() {
    let text = process("task a; boundary:timer b on=a; task c", "s>a a>e b>c c>e");
    assert_eq!(runs(&text, SHORT), ["a", "bc"]);
}

#[test]
fn a_timer_that_does_not_interrupt_goes_off_once() {
    let text = process("task a; boundary:timer b on=a keep; task c", "s>a a>e b>c c>e");
    assert_eq!(runs(&text, SHORT), ["a", "bac", "bca"]);
    let cyclic = process("task a; boundary:cycle b on=a keep", "s>a a>e b>e");
    assert_eq!(runs(&cyclic, 3), ["a", "ba", "bba"]);
}

#[test]
fn two_timers_and_an_interruption_agree() {
    let text = process(
        "task a; boundary:timer b on=a keep; boundary:timer c on=a keep; boundary:message d on=a",
        "s>a a>e b>e c>e d>e",
    );
    let expected = ["a", "ba", "bca", "bcd", "bd", "ca", "cba", "cbd", "cd", "d"];
    assert_eq!(runs(&text, SHORT), expected);
    let named = text.replace("<task id='a'>", "<task id='a' name='work'>");
    let net = net_of(&named);
    let works = (0..net.nodes().transitions.len()).filter(|&at| net.nodes().transitions.label(at) == "work");
    let works: Vec<&str> = works.map(|at| net.nodes().transitions.get(at)).collect();
    assert_eq!(works, ["a", "a.2", "a.3", "a.4"]);
}

#[test]
fn a_terminate_event_ends_everything() {
    let text =
        process("parallelGateway g; task a; task b; task c; end:terminate t", "s>g g>a g>b a>t b>c c>e");
    assert_eq!(runs(&text, SHORT), ["a", "ab", "abc", "ba", "bac", "bca"]);
    assert!(stuck_runs(&text, SHORT).is_empty());
}

#[test]
fn a_sub_process_completes_when_it_is_empty() {
    let inner = sub("x", "start i; parallelGateway g; task a; task b", "i>g g>a g>b");
    let text = process(&format!("{inner}; task c"), "s>x x>c c>e");
    assert_eq!(runs(&text, SHORT), ["abc", "bac"]);
}

#[test]
fn a_sub_process_without_a_start_event_starts_all_its_first_nodes() {
    let inner = sub("x", "task a; task b", "");
    assert_eq!(runs(&process(&format!("{inner}; task c"), "s>x x>c c>e"), SHORT), ["abc", "bac"]);
}

#[test]
fn a_terminate_event_in_a_sub_process_ends_only_that() {
    let inner = sub("x", "start i; parallelGateway g; task a; task b; end:terminate t", "i>g g>a g>b a>t");
    let text = process(&format!("{inner}; task c"), "s>x x>c c>e");
    assert_eq!(runs(&text, SHORT), ["abc", "ac", "bac"]);
}

#[test]
fn tokens_of_an_interrupted_sub_process_do_not_come_back() {
    let inner =
        sub("x", "start i; parallelGateway g; task a; task b; parallelGateway h", "i>g g>a g>b a>h b>h");
    let nodes = format!("exclusiveGateway m; {inner}; boundary:timer d on=x");
    let text = process(&nodes, "s>m m>x x>e d>m");
    // After each interruption both tasks are to be done again.
    assert_eq!(runs(&text, 4), ["ab", "adab", "adba", "ba", "bdab", "bdba", "dab", "dba", "ddab", "ddba"]);
    assert!(stuck_runs(&text, 4).is_empty());
}

#[test]
fn errors_go_to_the_nearest_event_that_catches_them() {
    let inner = sub(
        "y",
        "start j; exclusiveGateway g; task a; task b; end:error:one t; end:error:two u",
        "j>g g>a g>b a>t b>u",
    );
    let outer = sub("x", &format!("start i; {inner}; boundary:error:one k on=y; task c"), "i>y k>c");
    let text = process(&format!("{outer}; boundary:error l on=x; task d; task f"), "s>x x>d d>e l>f f>e");
    assert_eq!(runs(&text, SHORT), ["acd", "bf"]);
}

#[test]
fn an_error_that_no_event_catches_ends_the_process() {
    let inner = sub("x", "start i; task a; end:error t", "i>a a>t");
    let text = process(&format!("parallelGateway g; {inner}; task b; task c"), "s>g g>x g>b b>c c>e");
    assert_eq!(runs(&text, SHORT), ["a", "ab", "abc", "ba", "bac", "bca"]);
}

#[test]
fn an_escalation_need_not_interrupt() {
    let inner = sub("x", "start i; throw:escalation t; task a", "i>t t>a");
    let keep = process(&format!("{inner}; boundary:escalation b on=x keep; task c"), "s>x x>e b>c c>e");
    assert_eq!(runs(&keep, SHORT), ["ac", "ca"]);
    let ends = process(&format!("{inner}; boundary:escalation b on=x; task c"), "s>x x>e b>c c>e");
    assert_eq!(runs(&ends, SHORT), ["c"]);
    let uncaught = process(&inner, "s>x x>e");
    assert_eq!(runs(&uncaught, SHORT), ["a"]);
}

#[test]
fn a_transaction_is_cancelled() {
    let inner = sub("x", "start i; exclusiveGateway g; task a; task b; end:cancel t", "i>g g>a g>b b>t");
    let inner = inner.replace("subProcess", "transaction");
    let text = process(&format!("{inner}; boundary:cancel k on=x; task c; task d"), "s>x x>c k>d c>e d>e");
    assert_eq!(runs(&text, SHORT), ["ac", "bd"]);
}

#[test]
fn loops_repeat_tasks_and_sub_processes() {
    let text = |marker: &str| process(&format!("task a {marker}; task b"), "s>a a>b b>e");
    assert_eq!(runs(&text("loop"), 3), ["aab", "ab"]);
    assert_eq!(runs(&text("loop-first"), 3), ["aab", "ab", "b"]);
    assert_eq!(runs(&text("sequential"), 3), ["aab", "ab", "b"]);
    assert_eq!(runs(&text("parallel"), 3), ["ab"]);
    let inner = sub("x loop", "start i; task a; task c", "i>a a>c");
    assert_eq!(runs(&process(&inner, "s>x x>e"), 5), ["ac", "acac"]);
}

#[test]
fn a_collapsed_sub_process_is_a_task() {
    assert_eq!(runs(&process("subProcess a; boundary:timer b on=a", "s>a a>e b>e"), SHORT), ["a", "b"]);
}

#[test]
fn link_events_are_flows() {
    let text = process("task a; throw:link:x t; catch:link:x c; task b", "s>a a>t c>b b>e");
    assert_eq!(runs(&text, SHORT), ["acb"]);
}

#[test]
fn one_of_several_start_events_occurs() {
    let text = process("start:message t; start:timer u; task a; task b; task c", "s>a t>b u>c a>e b>e c>e");
    assert_eq!(runs(&text, SHORT), ["a", "b", "c"]);
    assert!(notes_of(&text).iter().any(|note| note.contains("several start events")));
}

#[test]
fn without_a_start_event_all_first_nodes_start() {
    let text =
        definitions(&format!("<process id='p'>{}</process>", flows("task a; task b; task c", "a>c b>c")));
    assert_eq!(runs(&text, SHORT), ["abcc", "acbc", "bacc", "bcac"]);
}

#[test]
fn a_gateway_of_events_may_start_a_process() {
    let body =
        flows("eventBasedGateway g starts; catch:message a; catch:message b; task c", "g>a g>b a>c b>c");
    assert_eq!(runs(&definitions(&format!("<process id='p'>{body}</process>")), SHORT), ["ac", "bc"]);
}

#[test]
fn flows_with_a_loose_end_keep_their_tokens() {
    let text = process("task a; task b", "s>a a> >b b>e");
    assert!(runs(&text, SHORT).is_empty());
    assert_eq!(stuck_runs(&text, SHORT), ["a"]);
    assert!(notes_of(&text).iter().any(|note| note.contains("not drawn") && note.contains("a-")));
}

#[test]
fn nodes_without_a_flow_never_start_beside_a_start_event() {
    let text = process("task a; task b; parallelGateway g", "s>a b>g a>g g>e");
    assert_eq!(stuck_runs(&text, SHORT), ["a"]);
    assert!(notes_of(&text).iter().any(|note| note.contains("never get a token") && note.ends_with(": b")));
}

#[test]
fn messages_connect_pools() {
    let text = collaboration(
        &[
            ("task a; task b", "s>a a>b b>e"),
            ("start:message t; task c; catch:message d", "t>c c>d d>f; end f"),
        ],
        "a>t b>d",
    );
    assert_eq!(runs(&text, SHORT), ["abcdf", "acbdf"]);
    // The pool is started by the message alone.
    assert_eq!(net_of(&text).initial_marking().0.iter().sum::<u64>(), 1);
}

#[test]
fn a_task_that_asks_and_waits_does_not_block_itself() {
    let text = collaboration(
        &[("task a", "s>a a>e"), ("start:message t; task b; end:message f", "t>b b>f")],
        "a>t f>a",
    );
    assert_eq!(runs(&text, SHORT), ["bfa"]);
    assert!(stuck_runs(&text, SHORT).is_empty());
}

#[test]
fn a_message_that_never_comes_blocks() {
    let text = collaboration(
        &[("exclusiveGateway g; task a; task b", "s>g g>a g>b a>e b>e"), ("start t; catch:message c", "t>c")],
        "a>c",
    );
    assert_eq!((runs(&text, SHORT), stuck_runs(&text, SHORT)), (vec!["ac".to_owned()], vec!["b".to_owned()]));
}

#[test]
fn pools_without_a_process_answer_at_any_time() {
    let body = flows("start:message s; task a; end e", "s>a a>e");
    let text = definitions(&format!(
        "<collaboration id='c'><participant id='x'/><participant id='y' name='Shop' processRef='p'/>\
         <messageFlow id='m' sourceRef='x' targetRef='s'/><messageFlow id='n' sourceRef='a' targetRef='x'/>\
         <messageFlow id='o' sourceRef='a'/></collaboration><process id='p'>{body}</process>"
    ));
    assert_eq!(runs(&text, SHORT), ["a"]);
    assert_eq!(net_of(&text).name, "Shop");
    assert!(notes_of(&text).iter().any(|note| note.contains("pools without a process")));
}

#[test]
fn one_process_can_be_chosen() {
    let text = collaboration(&[("task a", "s>a a>e"), ("start:message t; task b", "t>b")], "a>t");
    let choose =
        |name| read_net(&Source::memory("x.bpmn", text.clone().into_bytes()), NetChoice::Named(name));
    for name in ["process1", "pool1", "Pool 1"] {
        let file = choose(name).unwrap();
        let transitions: Vec<&str> = file.model.nodes().transitions.iter().collect();
        assert_eq!(transitions, ["t", "b"], "{name}");
        // What the other pool would send can come at any time.
        assert!(file.notes.iter().any(|note| note.contains("can always be received")));
    }
    let error = choose("proces1").unwrap_err();
    assert!(error.message.contains("`proces1`") && error.hint.unwrap().contains("process1"));
}

#[test]
fn processes_without_a_collaboration_run_side_by_side() {
    let process =
        |id: &str, task: &str| format!("<process id='{id}'>{}</process>", flows(&format!("task {task}"), ""));
    let text = definitions(&(process("p", "a") + &process("q", "b")));
    assert_eq!(runs(&text, SHORT), ["ab", "ba"]);
}

#[test]
fn a_process_that_is_called_does_not_start_on_its_own() {
    let called = format!("<process id='q'>{}</process>", flows("task b", ""));
    let body = flows("callActivity a calledElement=q; task c", "a>c");
    let text = definitions(&format!("{called}<process id='p'>{body}</process>"));
    assert_eq!(runs(&text, SHORT), ["ac"]);
    assert!(notes_of(&text).iter().any(|note| note.contains("call activity") && note.ends_with(": a")));
}

#[test]
fn a_boundary_event_waits_for_its_message() {
    let text = |keep: &str| {
        collaboration(
            &[
                ("task a; task b", "s>a a>b b>e"),
                (&format!("start t; task c; boundary:message d on=c {keep}"), "t>c"),
            ],
            "a>d",
        )
    };
    assert_eq!(runs(&text(""), SHORT), ["abd", "adb"]);
    assert_eq!(stuck_runs(&text(""), SHORT), ["abc", "acb", "cab"]);
    assert_eq!(runs(&text("keep"), SHORT), ["abdc", "adbc", "adcb"]);
}

#[test]
fn an_event_with_several_triggers_waits_for_one_or_for_all() {
    let event = |attribute: &str| {
        let event = format!(
            "<intermediateCatchEvent id='c' {attribute}><messageEventDefinition/><timerEventDefinition/>\
             </intermediateCatchEvent>"
        );
        let nodes = format!("start t; {event}");
        collaboration(&[("task a", "s>a a>e"), (&nodes, "t>c")], "a>c")
    };
    // With another trigger the message need not come.
    assert_eq!(runs(&event(""), SHORT), ["ac", "ca"]);
    assert_eq!(runs(&event("parallelMultiple='true'"), SHORT), ["ac"]);
}

#[test]
fn ids_of_elements_and_of_parts_stay_apart() {
    let text = process(
        "task a; boundary:timer b on=a; task a.start; task a.active",
        "s>a a>a.start b>a.active a.start>e a.active>e",
    );
    let net = net_of(&text);
    assert!(
        net.nodes().transitions.find("a.start").is_some()
            && net.nodes().transitions.find("a.start'").is_some()
    );
}

#[test]
fn tags_may_have_any_prefix_and_the_content_decides_the_format() {
    for prefix in ["bpmn2:", "semantic:", ""] {
        let text = format!(
            "<?xml version='1.0'?><!-- a model --><{prefix}definitions xmlns='http://www.omg.org/spec/BPMN/20100524/MODEL'>\
             <{prefix}process id='p'><{prefix}task id='a'/></{prefix}process></{prefix}definitions>"
        );
        let file = read_net(&Source::memory("standard input", text.into_bytes()), NetChoice::Only).unwrap();
        assert_eq!(file.model.nodes().transitions.len(), 1);
    }
    let other = "<definitions xmlns='http://schemas.xmlsoap.org/wsdl/'><message/></definitions>";
    let error = read_net(&Source::memory("x", other.into()), NetChoice::Only).unwrap_err();
    assert!(error.message.contains("`<definitions>`"), "{error}");
}
