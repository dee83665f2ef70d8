//! What the tests of several formats share.

use std::{collections::HashSet, io::Write};

use fireset_io::net_file::NetWriteError;
use fireset_net::{Model, Net, NetBuilder};
use fireset_oracle::random::{self, NetShape, TestRng};

/// Writes nets under names that a format cannot write and reads them again: the structure is the same, and each new name has a
/// note.
pub fn assert_new_names_keep_the_structure(
    write: fn(&Model, &mut dyn Write) -> Result<Vec<String>, NetWriteError>,
    read: fn(&str) -> Net,
) {
    for seed in 0..500 {
        let mut random = TestRng::new(seed);
        let drawn =
            random::net(&mut random, &NetShape { places: 12, transitions: 12, ..NetShape::default() });
        let net = renamed(&mut random, &drawn);
        let mut out = Vec::new();
        let notes = write(&Model::Plain(net.clone()), &mut out).unwrap();
        let found = read(std::str::from_utf8(&out).unwrap());
        let (old, new) = (net.nodes(), found.nodes());
        let nodes = [(&old.places, &new.places), (&old.transitions, &new.transitions)];
        let changed = nodes.map(|(old, new)| old.iter().zip(new.iter()).filter(|(a, b)| a != b).count());
        assert_eq!(notes.len(), changed.iter().sum::<usize>(), "seed {seed}: {notes:?}");
        assert_eq!(found.initial_marking(), net.initial_marking(), "seed {seed}");
        for t in net.nodes().transition_ids() {
            assert_eq!((found.pre(t), found.post(t)), (net.pre(t), net.post(t)), "seed {seed}");
        }
    }
}

/// The same net under names that few formats can write.
fn renamed(random: &mut TestRng, net: &Net) -> Net {
    let letters = ["a", " ", "\"", ",", "{", "\u{1}", "é", "PN", "7", "_", "*/", "\n"];
    let (mut builder, mut used) = (NetBuilder::new("net"), HashSet::new());
    let mut name = |kind: &str| loop {
        let name: String = (0..random.below(3)).map(|_| *random.pick(&letters)).collect();
        if used.insert(format!("{kind}{name}")) {
            return name;
        }
    };
    for place in net.nodes().place_ids() {
        builder.place(&name("place"), net.initial_marking().tokens(place)).unwrap();
    }
    for t in net.nodes().transition_ids() {
        builder.transition(&name("transition")).unwrap();
        net.pre(t).iter().for_each(|arc| builder.input(arc.place, t, arc.weight));
        net.post(t).iter().for_each(|arc| builder.output(t, arc.place, arc.weight));
    }
    builder.build().unwrap()
}
