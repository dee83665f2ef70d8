//! Properties that have names of their own: `bounded(p)`, `home(p=1)`, `live(t, 3)`.
//!
//! Their words are no keywords, so a net may have a place called `home`: such a word is a property only as the whole query, where a
//! place would not be a formula, or in front of a parenthesis, where no place can stand.

use fireset_net::{
    Comparison, Formula, Global, LivenessLevel, Model, NamedProperty, PlaceId, SoundnessNotion, TransitionId,
    coloured::{ColourPattern, PlaceColours},
};

use super::{
    lexer::{Lexeme, LexemeKind, beyond_minus},
    parser::{LocatedOperand, Operand, Parser},
    show::FormulaPrinter,
};
use crate::Fault;

/// A word for a property, and what may stand behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NameForm {
    /// The word alone.
    Alone,
    /// The word with names or numbers in parentheses.
    Call,
}

const WORDS: &[(&str, &[NameForm])] = &[
    ("bounded", &[NameForm::Alone, NameForm::Call]),
    ("safe", &[NameForm::Alone]),
    ("k-bounded", &[NameForm::Call]),
    ("deadlock-free", &[NameForm::Alone]),
    ("reversible", &[NameForm::Alone]),
    ("home", &[NameForm::Alone, NameForm::Call]),
    ("dead", &[NameForm::Call]),
    ("live", &[NameForm::Call]),
    ("persistent", &[NameForm::Alone]),
    ("terminating", &[NameForm::Alone]),
    ("sound", &[NameForm::Alone]),
    ("weak-sound", &[NameForm::Alone]),
    ("relaxed-sound", &[NameForm::Alone]),
    ("easy-sound", &[NameForm::Alone]),
];

impl<'t> Parser<'t, '_> {
    /// The named property that begins at a token; `None` for any other atom.
    pub(super) fn named(&mut self, token: Lexeme<'t>) -> Result<Option<LocatedOperand>, Fault> {
        let text = self.lexer.text();
        let word = beyond_minus(text, token.start);
        let Some((word, forms)) = WORDS.iter().find(|(known, _)| *known == word && !self.free) else {
            return Ok(None);
        };
        let behind = text[token.start + word.len()..].trim_start();
        let is_whole = text[..token.start].trim().is_empty() && behind.is_empty();
        let form = if behind.starts_with('(') { NameForm::Call } else { NameForm::Alone };
        if !forms.contains(&form) || (form == NameForm::Alone && !is_whole) {
            return Ok(None);
        }
        self.note_whole(token);
        self.skip_word(token, word)?;
        let formula = match form {
            NameForm::Alone => self.alone(token, word)?,
            NameForm::Call => Formula::Named(self.called(token, word)?),
        };
        self.part(token.start, 1, Operand::Formula(formula)).map(Some)
    }

    fn alone(&self, token: Lexeme<'t>, word: &str) -> Result<Formula, Fault> {
        if let Some(notion) = SoundnessNotion::ALL.into_iter().find(|notion| notion.name() == word) {
            return self.sound(token, notion).map(Formula::Named);
        }
        Ok(Formula::Named(match word {
            "safe" => return Ok(Formula::Global(Global::OneSafe)),
            "bounded" => NamedProperty::Bounded(self.all_places()),
            "deadlock-free" => NamedProperty::DeadlockFree,
            "persistent" => {
                self.refuse_colours(token, word)?;
                NamedProperty::Persistent
            }
            "terminating" => NamedProperty::Terminating,
            // The home marking that is not named is the initial one.
            _ => NamedProperty::Reversible,
        }))
    }

    /// Soundness of the net as it is, with the ends that its file tells.
    fn sound(&self, token: Lexeme<'t>, notion: SoundnessNotion) -> Result<NamedProperty, Fault> {
        let word = notion.name();
        self.refuse_colours(token, word)?;
        let refused = |reason: &str, hint: &str| {
            Err(Fault::at(token.start as u64, format!("`{word}` cannot be asked: {reason}")).hint(hint))
        };
        let Some(file) = self.binder.names().file() else {
            return refused(
                "how runs should end is told by the net's file",
                "read the query with its `NetFile`",
            );
        };
        let ends = match file.workflow_ends() {
            Ok(ends) => ends,
            Err(reason) => {
                let hint = "a workflow net has one source place, one sink place and every node between them; \
                            for another net, PNML and APT files can give final markings";
                return refused(&reason.to_string(), hint);
            }
        };
        let has_tokens = match &file.model {
            Model::Plain(net) => net.initial_marking().0.iter().any(|&tokens| tokens > 0),
            Model::Coloured(_) => unreachable!("coloured nets are refused"),
        };
        if !has_tokens {
            let hint = "`fireset sound` starts a workflow net with one token in its source";
            return refused("the net has no token in its initial marking", hint);
        }
        Ok(NamedProperty::Sound(notion, ends))
    }

    fn called(&mut self, token: Lexeme<'t>, word: &str) -> Result<NamedProperty, Fault> {
        self.expect(LexemeKind::Open, "`(`")?;
        let property = match word {
            "bounded" => NamedProperty::Bounded(self.place_list()?),
            "k-bounded" => self.k_bounded()?,
            "home" => NamedProperty::Home(self.marking()?),
            "dead" => NamedProperty::Dead(self.transition_list()?),
            _ => self.live(token)?,
        };
        self.expect(LexemeKind::Close, "`,` or `)`")?;
        Ok(property)
    }

    /// `3` or `3, p, q`.
    fn k_bounded(&mut self) -> Result<NamedProperty, Fault> {
        let k = self.count("the largest number of tokens, as in `k-bounded(3)`")?;
        let places = if self.is_comma()? { self.place_list()? } else { self.all_places() };
        Ok(NamedProperty::KBounded(k, places))
    }

    /// `t`, `t, u` or `t, 2`, where the number is the level.
    fn live(&mut self, token: Lexeme<'t>) -> Result<NamedProperty, Fault> {
        let mut transitions = self.transition_name()?;
        loop {
            if !self.is_comma()? {
                return Ok(NamedProperty::Live(transitions, LivenessLevel::L4));
            }
            if matches!(self.token.kind, LexemeKind::Number(_)) {
                break;
            }
            transitions.extend(self.transition_name()?);
        }
        let at = self.token;
        let level = self.count("a level of liveness, from 1 to 4")?;
        let Some(&level) =
            usize::try_from(level).ok().and_then(|n| LivenessLevel::ALL.get(n.wrapping_sub(1)))
        else {
            let fault = Fault::at(at.start as u64, format!("there is no level {level} of liveness"));
            return Err(fault.hint("the levels go from 1 (it can fire) to 4 (it can always fire again)"));
        };
        if matches!(level, LivenessLevel::L2 | LivenessLevel::L3) {
            self.refuse_colours(token, &format!("live(..., {})", level.number()))?;
        }
        Ok(NamedProperty::Live(transitions, level))
    }

    /// `p=1, q[red]=2`: each place of the net with its tokens, 0 where it is not named.
    fn marking(&mut self) -> Result<Vec<(PlaceColours, u64)>, Fault> {
        let mut named: Vec<(PlaceColours, u64)> = Vec::new();
        loop {
            if self.token.kind != LexemeKind::Name {
                return Err(self.unexpected("a place with its tokens, as in `p=1`"));
            }
            let at = self.token;
            let place = self.place_and_colours()?;
            let is_twice = |(other, _): &&(PlaceColours, u64)| {
                other.place == place.place
                    && (other.colours == place.colours || other.colours.is_any() || place.colours.is_any())
            };
            if named.iter().any(|other| is_twice(&other)) {
                return Err(Fault::at(at.start as u64, format!("`{}` is named twice", at.name())));
            }
            self.expect(LexemeKind::Compare(Comparison::Equal), "`=`")?;
            named.push((place, self.count("a number of tokens")?));
            if !self.is_comma()? {
                break;
            }
        }
        let mut marking = Vec::new();
        for place in self.all_places() {
            let before = marking.len();
            marking.extend(named.iter().filter(|(some, _)| some.place == place).cloned());
            if marking.len() == before {
                marking.push((PlaceColours { place, colours: ColourPattern::default() }, 0));
            }
        }
        Ok(marking)
    }

    fn place_list(&mut self) -> Result<Vec<PlaceId>, Fault> {
        let mut all = Vec::new();
        loop {
            if self.token.kind != LexemeKind::Name {
                return Err(self.unexpected("a place"));
            }
            all.extend(self.places(self.token)?);
            self.advance()?;
            if !self.is_comma()? {
                return Ok(all);
            }
        }
    }

    fn transition_list(&mut self) -> Result<Vec<TransitionId>, Fault> {
        let mut all = self.transition_name()?;
        while self.is_comma()? {
            all.extend(self.transition_name()?);
        }
        Ok(all)
    }

    /// The transitions that a name stands for.
    fn transition_name(&mut self) -> Result<Vec<TransitionId>, Fault> {
        if self.token.kind != LexemeKind::Name {
            return Err(self.unexpected("a transition"));
        }
        let transitions = self.transitions(self.token)?;
        self.advance()?;
        Ok(transitions)
    }

    fn count(&mut self, expected: &str) -> Result<u64, Fault> {
        let LexemeKind::Number(count) = self.token.kind else { return Err(self.unexpected(expected)) };
        self.advance()?;
        Ok(count)
    }

    /// Consumes a comma if there is one.
    fn is_comma(&mut self) -> Result<bool, Fault> {
        let is_comma = self.token.kind == LexemeKind::Comma;
        if is_comma {
            self.advance()?;
        }
        Ok(is_comma)
    }

    fn all_places(&self) -> Vec<PlaceId> {
        self.binder.names().nodes().place_ids().collect()
    }

    /// Refuses a property that speaks of single firings, which a coloured transition has many of.
    fn refuse_colours(&self, token: Lexeme<'t>, word: &str) -> Result<(), Fault> {
        if self.binder.names().coloured().is_none() {
            return Ok(());
        }
        let message = format!("`{word}` is answered on place/transition nets only");
        Err(Fault::at(token.start as u64, message)
            .hint("unfold the net with `fireset convert --unfold` first"))
    }
}

impl FormulaPrinter<'_> {
    /// Writes a named property as it is read.
    pub(super) fn property(&mut self, property: &NamedProperty) {
        let nodes = self.names.nodes();
        match property {
            NamedProperty::Bounded(places) if places.len() == nodes.places.len() => {
                self.out.push_str("bounded");
            }
            NamedProperty::Bounded(places) => self.call("bounded", &self.places(places)),
            NamedProperty::KBounded(k, places) => {
                let mut parts = vec![k.to_string()];
                if places.len() != nodes.places.len() {
                    parts.extend(self.places(places));
                }
                self.call("k-bounded", &parts);
            }
            NamedProperty::DeadlockFree => self.out.push_str("deadlock-free"),
            NamedProperty::Reversible => self.out.push_str("reversible"),
            NamedProperty::Home(tokens) => {
                let some = tokens.iter().any(|(_, count)| *count > 0);
                // An empty marking is written with one place that has no token.
                let most = if some { tokens.len() } else { 1 };
                let written = tokens.iter().filter(|(_, count)| !some || *count > 0).take(most);
                let parts: Vec<String> =
                    written.map(|(some, count)| format!("{}={count}", self.colours(some))).collect();
                self.call("home", &parts);
            }
            NamedProperty::Dead(ts) => {
                let parts: Vec<String> = ts.iter().map(|&t| self.transition(t)).collect();
                self.call("dead", &parts);
            }
            NamedProperty::Live(ts, level) => {
                let mut parts: Vec<String> = ts.iter().map(|&t| self.transition(t)).collect();
                if *level != LivenessLevel::L4 {
                    parts.push(level.number().to_string());
                }
                self.call("live", &parts);
            }
            NamedProperty::Persistent => self.out.push_str("persistent"),
            NamedProperty::Terminating => self.out.push_str("terminating"),
            NamedProperty::Sound(notion, _) => self.out.push_str(notion.name()),
        }
    }
}
