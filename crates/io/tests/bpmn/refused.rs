//! What has no meaning as a net, or none at all: each is refused at its element, by name.

use fireset_io::{Fault, bpmn};

use super::harness::{collaboration, definitions, process, sub};

/// The fault of a text must be at a mark of it and contain some words.
fn refused(text: &str, mark: &str, words: &str) -> Fault {
    let fault = bpmn::read(text.as_bytes()).expect_err(text);
    let at = text.find(mark).unwrap_or_else(|| panic!("`{mark}` is not in {text}"));
    assert!(fault.message.contains(words), "{fault:?} lacks `{words}`");
    assert_eq!(fault.offset, at as u64, "{fault:?} is not at `{mark}` in {text}");
    fault
}

#[test]
fn constructs_that_no_net_can_follow() {
    let one = |node: &str, mark: &str, words: &str| refused(&process(node, ""), mark, words);
    let fault = one("complexGateway g name=odd", "<complexGateway", "a complex gateway is not supported");
    assert_eq!(fault.element.as_deref(), Some("complexGateway g (\"odd\")"));
    one("adHocSubProcess g", "<adHocSubProcess", "an ad-hoc sub-process");
    one("subProcess g triggeredByEvent=true", "<subProcess", "event sub-processes");
    one("task g isForCompensation=true", "<task", "compensation");
    one("throw:compensate g", "<compensateEventDefinition", "compensation");
    one(
        "eventBasedGateway g eventGatewayType=Parallel",
        "<eventBasedGateway",
        "parallel event-based gateway",
    );
    one("task g completionQuantity=2", "<task", "completionQuantity 2");
    one("task g startQuantity=99999999999999999999", "<task", "startQuantity");
    let bounded = "<task id='g'><standardLoopCharacteristics loopMaximum='3'/></task>";
    one(bounded, "<standardLoop", "the loopMaximum 3");
    one("choreographyTask g", "<choreographyTask", "a choreography task");
    one("wizard g", "<wizard", "the element `<wizard>` of a process is unknown");
    one("catch:magic g", "<magicEventDefinition", "`<magicEventDefinition>` is unknown");
    let inner = sub("x parallel", "task a", "");
    refused(&process(&inner, "s>x"), "<subProcess", "several instances side by side");
}

#[test]
fn events_with_triggers_that_they_cannot_have() {
    let one = |node: &str, mark: &str, words: &str| refused(&process(node, ""), mark, words);
    one("throw:terminate g", "<intermediateThrowEvent", "cannot have a terminate event definition");
    one("throw:cancel g", "<intermediateThrowEvent", "cannot have a cancel event definition");
    one("catch:error g", "<intermediateCatchEvent", "cannot have an error event definition");
    one("end:timer g", "<endEvent", "cannot have a timer event definition");
    one("catch g", "<intermediateCatchEvent", "waits for nothing");
    one("task a; boundary g on=a", "<boundaryEvent", "waits for nothing");
    one("task a; boundary:error g on=a keep", "<boundaryEvent", "cannot have an error event definition");
    one("task a; boundary:cancel g on=a", "<task", "no transaction");
    one("end:cancel g", "<endEvent", "no cancel event");
    let inner = sub("x", "start:timer i; task a", "i>a");
    refused(&process(&inner, "s>x"), "<startEvent id='i'", "cannot have a timer event definition");
}

#[test]
fn flows_that_lead_to_the_wrong_element() {
    let one =
        |nodes: &str, arrows: &str, mark: &str, words: &str| refused(&process(nodes, arrows), mark, words);
    let fault = one("task abc", "s>abd", "<sequenceFlow", "no flow node has the id `abd`");
    assert!(fault.hint.unwrap().contains("`abc`"));
    one("task a", "e>a", "<sequenceFlow", "leaves an end event");
    one("task a", "a>s", "<sequenceFlow", "enters a start event");
    one("task a; boundary:timer b on=a", "s>b", "<sequenceFlow", "enters a boundary event");
    one("parallelGateway g", "g?e", "<sequenceFlow", "its source cannot choose");
    one("task a default=s-a", "s>a", "<task", "the default flow `s-a` does not leave the node");
    one("boundary:timer b on=z", "", "<boundaryEvent", "no activity has the id `z`");
    one("boundary:timer b on=e", "", "<boundaryEvent", "attached to no activity");
    one("throw:link:x a; catch:link:x b", "s>a a>e", "<intermediateThrowEvent", "throws a link");
    one("throw:link:x a", "s>a", "<intermediateThrowEvent", "no event catches the link \"x\"");
    one("catch:link:x a; catch:link:x b", "", "<intermediateCatchEvent id='b'", "two events catch the link");
    one("task a; eventBasedGateway g", "g>a", "<eventBasedGateway", "leads to no event, but to task a");
    let inner = sub("x", "task a", "");
    refused(&process(&inner, "s>a"), "<sequenceFlow", "crosses the border");
}

#[test]
fn ids_that_are_missing_or_used_twice() {
    refused(&process("task s", ""), "<task", "the id `s` is used twice");
    refused(&definitions("<process id='p'><task/></process>"), "<task", "no attribute `id`");
    refused(&process("boundary:timer b", ""), "<boundaryEvent", "no attribute `attachedToRef`");
}

#[test]
fn message_flows_at_the_wrong_nodes() {
    let pools = |nodes: &str, messages: &str| collaboration(&[("task a", "s>a a>e"), (nodes, "")], messages);
    refused(&pools("catch:timer t", "a>t"), "<messageFlow", "receives no messages");
    refused(&pools("catch:message t", "t>a"), "<messageFlow", "sends no messages");
    refused(&pools("task t", "x>t"), "<messageFlow", "no flow node or participant has the id `x`");
    refused(
        &pools("task t", "pool1>t").replace("pool0", "pool1"),
        "<participant id='pool1' name='Pool 1'",
        "used twice",
    );
}

#[test]
fn choices_and_joins_that_are_too_large() {
    let wide = |count: usize| "g>h ".repeat(count);
    let join = process("parallelGateway g; inclusiveGateway h", &wide(9));
    refused(&join, "<inclusiveGateway", "joins more than 8");
    let split = process("inclusiveGateway g; exclusiveGateway h", &wide(11));
    refused(&split, "<inclusiveGateway", "more than 10 conditional flows");
    let mut deep = "task a".to_owned();
    for level in 0..41 {
        deep = sub(&format!("x{level}"), &deep, "");
    }
    let fault = bpmn::read(process(&deep, "").as_bytes()).unwrap_err();
    assert!(fault.message.contains("nest more than 40 levels"), "{fault:?}");
}

#[test]
fn files_without_a_process() {
    let text = definitions("<choreography id='c'/>");
    refused(&text, "<choreography", "a choreography, but no process");
    refused(&definitions("<conversation id='c'/>"), "<conversation", "a conversation");
    let fault = refused(&definitions("<BPMNDiagram id='x'/>"), "<definitions", "has no process");
    assert!(fault.hint.is_some());
    refused(&definitions("<process id='p'/>"), "<process", "no process of the file has a flow node");
    refused("<pnml/>", "<pnml", "expected the root element `<definitions>`");
}

#[test]
fn files_that_are_cut_off() {
    let text = process("task a; boundary:timer b on=a; task c", "s>a a>e b>c c>e");
    for length in 0..text.len() {
        let fault = bpmn::read(&text.as_bytes()[..length]).expect_err("a part of a file");
        assert!(fault.offset <= length as u64, "{fault:?} is outside of {length} bytes");
    }
}
