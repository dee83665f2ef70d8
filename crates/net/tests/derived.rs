//! Values that are derived from a net and kept beside it.

use fireset_oracle::tiny;

#[test]
fn clones_share_derived_values() {
    let net = tiny::net("p:1; t: p ->");
    let clone = net.clone();
    assert_eq!(net.derived(|| 1), Some(&1));
    assert_eq!(clone.derived(|| 2), Some(&1));
    assert_eq!(clone.derived(|| "another type"), None);
    let other = tiny::net("p:1; t: p ->");
    assert_eq!(other.derived(|| 3), Some(&3));
    assert_eq!(net, other);
}
