//! The structure of a net for people: long lists are cut, and a line says how to see all.

use std::io::{self, Write};

use fireset::structure::{Coverage, Enumeration, MinimalSet};

use super::{
    AnalysedNet,
    sentences::{NodeLists, counted, cut_off, numbered},
};

/// Elements of a list, and nodes of an element, that are printed without --all.
const SHOWN: usize = 10;

pub(super) fn write(analysed: &AnalysedNet<'_>, out: &mut dyn Write) -> io::Result<()> {
    let most = if analysed.args.all { usize::MAX } else { SHOWN };
    let printer = StructureText { analysed, names: NodeLists { net: analysed.net, most } };
    printer.head(out)?;
    printer.classes(out)?;
    printer.lists(out)?;
    printer.components(out)?;
    printer.properties(out)?;
    printer.bounds(out)?;
    printer.conclusions(out)
}

struct StructureText<'a> {
    analysed: &'a AnalysedNet<'a>,
    names: NodeLists<'a>,
}

impl StructureText<'_> {
    fn head(&self, out: &mut dyn Write) -> io::Result<()> {
        let (net, nodes) = (self.analysed.net, self.analysed.net.nodes());
        let sizes = [
            counted(nodes.places.len(), "place"),
            counted(nodes.transitions.len(), "transition"),
            counted(net.arc_count(), "arc"),
        ];
        let unfolded = if self.analysed.is_unfolded { ", unfolded" } else { "" };
        writeln!(out, "{}: {}{unfolded}", net.name, sizes.join(", "))
    }

    fn classes(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "\nClasses")?;
        for (name, breach) in super::json::classes(&self.analysed.analysis.breaches) {
            match breach {
                None => writeln!(out, "  {name:21} yes")?,
                Some(breach) => writeln!(out, "  {name:21} no: {}", self.names.breach(breach))?,
            }
        }
        Ok(())
    }

    fn lists(&self, out: &mut dyn Write) -> io::Result<()> {
        let analysis = &self.analysed.analysis;
        self.list(out, "minimal P-semiflow", &analysis.place_semiflows, |at, weights| {
            let note = if analysis.s_components.contains(&at) { "  (S-component)" } else { "" };
            self.names.semiflow(weights) + note
        })?;
        self.list(out, "minimal T-semiflow", &analysis.transition_semiflows, |at, counts| {
            let note = if analysis.t_components.contains(&at) { "  (T-component)" } else { "" };
            self.names.transition_sum(counts) + note
        })?;
        self.list(out, "minimal siphon", &analysis.siphons, |_, siphon| {
            let note = match siphon {
                MinimalSet { is_marked: false, .. } => "empty",
                MinimalSet { has_marked_trap: true, .. } => "contains a marked trap",
                _ => "marked, but contains no marked trap",
            };
            format!("{{{}}}  {note}", self.names.places(&siphon.places))
        })?;
        self.list(out, "minimal trap", &analysis.traps, |_, trap| {
            let note = if trap.is_marked { "marked" } else { "empty" };
            format!("{{{}}}  {note}", self.names.places(&trap.places))
        })
    }

    fn list<T>(
        &self,
        out: &mut dyn Write,
        what: &str,
        list: &Enumeration<T>,
        line: impl Fn(usize, &T) -> String,
    ) -> io::Result<()> {
        let found = &list.found;
        write!(out, "\n{}", capital(&counted(found.len(), what)))?;
        match list.cut_off {
            None => writeln!(out)?,
            Some(reason) => writeln!(out, ", not all: {}", cut_off(reason))?,
        }
        let more = found.len().saturating_sub(self.names.most);
        let shown = if more <= 1 { found.len() } else { self.names.most };
        for (at, element) in found.iter().enumerate().take(shown) {
            writeln!(out, "  {:3}  {}", at + 1, line(at, element))?;
        }
        if more > 1 {
            writeln!(out, "  ... and {more} more; --all prints all")?;
        }
        Ok(())
    }

    fn components(&self, out: &mut dyn Write) -> io::Result<()> {
        let analysis = &self.analysed.analysis;
        writeln!(out, "\nComponents")?;
        for (name, kind, components, semiflows, nodes) in [
            (
                "S-components",
                "P-semiflow",
                &analysis.s_components,
                &analysis.place_semiflows,
                self.analysed.net.nodes().places.len(),
            ),
            (
                "T-components",
                "T-semiflow",
                &analysis.t_components,
                &analysis.transition_semiflows,
                self.analysed.net.nodes().transitions.len(),
            ),
        ] {
            let mut covered = vec![false; nodes];
            for &at in components {
                semiflows.found[at].iter().for_each(|entry| covered[entry.0 as usize] = true);
            }
            let open = covered.iter().filter(|&&covered| !covered).count();
            let node = if kind == "P-semiflow" { "place" } else { "transition" };
            let coverage = match (open, semiflows.is_complete()) {
                (0, _) => format!("; they cover all {node}s"),
                (_, true) => format!("; {} in no {}", are(open, node), &name[..name.len() - 1]),
                (_, false) => "; there may be more".into(),
            };
            let found = match components[..] {
                [] => "none".into(),
                _ => numbered(kind, components, self.names.most),
            };
            writeln!(out, "  {name:21} {found}{coverage}")?;
        }
        Ok(())
    }

    fn properties(&self, out: &mut dyn Write) -> io::Result<()> {
        let (analysis, names) = (&self.analysed.analysis, self.names);
        writeln!(out, "\nProperties of the structure")?;
        let mut line = |name: &str, coverage: &Coverage, why: &dyn Fn(&[u32]) -> String| match coverage {
            Coverage::Holds => writeln!(out, "  {name:21} yes"),
            Coverage::Fails(nodes) => writeln!(out, "  {name:21} no: {}", why(nodes)),
            Coverage::Unknown => {
                writeln!(out, "  {name:21} unknown: the limits were reached; raise --timeout")
            }
        };
        line("conservative", &analysis.conservative, &|places| {
            format!("in no P-semiflow: {}", names.places(places))
        })?;
        line("consistent", &analysis.consistent, &|ts| {
            format!("in no T-semiflow: {}", names.transitions(ts))
        })?;
        line("structurally bounded", &analysis.structurally_bounded, &|places| {
            format!("with enough tokens elsewhere, firings fill without end: {}", names.places(places))
        })?;
        line("repetitive", &analysis.repetitive, &|ts| {
            format!("can fire only finitely often: {}", names.transitions(ts))
        })?;
        let property = match analysis.siphon_trap {
            Some(true) => "yes".into(),
            None => "unknown: the limits were reached; raise --timeout".into(),
            Some(false) => match self.untrapped_siphon() {
                Some(at) => format!("no: siphon {} contains no marked trap", at + 1),
                None => "no".into(),
            },
        };
        writeln!(out, "  {:21} {property}", "siphon-trap property")?;
        let rank = analysis.rank.map_or("unknown".into(), |rank| rank.to_string());
        writeln!(out, "  {:21} {rank}", "rank")?;
        writeln!(out, "  {:21} {}", "clusters", analysis.clusters)
    }

    /// The first siphon that breaks the siphon-trap property. A siphon that no transition takes from does not.
    fn untrapped_siphon(&self) -> Option<usize> {
        let net = self.analysed.net;
        let takes_from = |siphon: &MinimalSet| {
            let is_inside = |place: u32| siphon.places.binary_search(&place).is_ok();
            let mut arcs = net.nodes().transition_ids().flat_map(|t| net.pre(t));
            arcs.any(|arc| is_inside(arc.place.index() as u32))
        };
        let siphons = &self.analysed.analysis.siphons.found;
        siphons.iter().position(|siphon| !siphon.has_marked_trap && takes_from(siphon))
    }

    fn bounds(&self, out: &mut dyn Write) -> io::Result<()> {
        let bounds = &self.analysed.analysis.bounds;
        let mut bounded: Vec<(usize, u64, usize)> = Vec::new();
        for (place, bound) in bounds.iter().enumerate() {
            bounded.extend(bound.map(|bound| (place, bound.tokens, bound.semiflow)));
        }
        if bounded.is_empty() {
            return Ok(());
        }
        writeln!(out, "\nPlaces hold at most")?;
        // Places with the same bound by the same semiflow share a line.
        bounded.sort_by_key(|&(place, tokens, semiflow)| (semiflow, tokens, place));
        let groups: Vec<_> = bounded.chunk_by(|a, b| (a.1, a.2) == (b.1, b.2)).collect();
        let more = groups.len().saturating_sub(self.names.most);
        let shown = if more <= 1 { groups.len() } else { self.names.most };
        for group in &groups[..shown] {
            let places: Vec<u32> = group.iter().map(|entry| entry.0 as u32).collect();
            let (_, tokens, semiflow) = group[0];
            let tokens = counted(usize::try_from(tokens).unwrap_or(usize::MAX), "token");
            writeln!(out, "  {tokens} by P-semiflow {}: {}", semiflow + 1, self.names.places(&places))?;
        }
        if more > 1 {
            writeln!(out, "  ... and {more} more; --all prints all")?;
        }
        Ok(())
    }

    fn conclusions(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "\nWhat follows")?;
        let conclusions = &self.analysed.analysis.conclusions;
        if conclusions.is_empty() {
            writeln!(out, "  nothing about the behaviour; `fireset check` explores it")?;
        }
        conclusions.iter().try_for_each(|one| writeln!(out, "  {}", self.names.conclusion(one)))
    }
}

fn are(number: usize, what: &str) -> String {
    format!("{} {}", counted(number, what), if number == 1 { "is" } else { "are" })
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
