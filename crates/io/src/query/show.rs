//! Prints formulas as queries.

use fireset_net::{
    Expr, FairSteps, Fairness, FairnessAssumption, Formula, Global, Logic, NodeTitle, PlaceId, StepSet,
    TransitionId,
    coloured::{BindingPattern, PlaceColours},
};

use super::{
    colours::{show_bindings, show_colours},
    lexer::is_bare,
    names::QueryNames,
    precedence::{ADD, AND, ATOM, IFF, IMPLIES, LOOSEST, MULTIPLY, OR, PREFIX, UNTIL, XOR},
};

/// Comparisons bind tighter, but below prefixes they are easier to read in parentheses.
const SHOWN_COMPARE: u8 = AND + 1;

/// A name as queries write it: quoted unless it is a plain word.
pub fn quote(name: &str) -> String {
    if is_bare(name) {
        return name.to_owned();
    }
    in_quotes(name)
}

/// A name in quotes, on one line.
pub(crate) fn in_quotes(name: &str) -> String {
    let mut quoted = String::with_capacity(name.len() + 2);
    quoted.push('"');
    for letter in name.chars() {
        match letter {
            '"' | '\\' => quoted.extend(['\\', letter]),
            '\n' => quoted.push_str("\\n"),
            _ => quoted.push(letter),
        }
    }
    quoted.push('"');
    quoted
}

/// A title for people: names are quoted as in queries, so that a title of one name can be pasted into a query.
pub fn quote_title(title: NodeTitle<'_>) -> String {
    match title.name() {
        Some(name) => quote(name),
        None => format!("{} ({})", quote(&title.label_in_line()), quote(title.id())),
    }
}

/// How a formula names its nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NodeNaming {
    /// By ids, which every reader of queries binds.
    Ids,
    /// By titles, for people.
    Titles,
}

pub(super) struct FormulaPrinter<'n> {
    pub(super) names: QueryNames<'n>,
    pub(super) naming: NodeNaming,
    pub(super) logic: Logic,
    pub(super) out: String,
}

impl FormulaPrinter<'_> {
    /// Writes `f`, in parentheses if its own precedence is lower than `precedence`.
    pub(super) fn formula(&mut self, f: &Formula, precedence: u8) {
        let f = only(f);
        let own = binding(f);
        if own < precedence {
            self.out.push('(');
            self.bare(f);
            self.out.push(')');
        } else {
            self.bare(f);
        }
    }

    fn bare(&mut self, f: &Formula) {
        match f {
            Formula::Constant(value) => self.out.push_str(if *value { "true" } else { "false" }),
            Formula::Deadlock => self.out.push_str("deadlock"),
            Formula::Fireable(ts) if ts.is_empty() => self.out.push_str("false"),
            Formula::Fireable(ts) => {
                self.call("fireable", &ts.iter().map(|&t| self.transition(t)).collect::<Vec<_>>())
            }
            Formula::BindingFireable(some) => self.call("fireable", &[self.bindings(some)]),
            Formula::Fired(steps) if steps.transitions.is_empty() && steps.bindings.is_empty() => {
                self.out.push_str("false");
            }
            Formula::Fired(steps) => self.call("fired", &self.steps(steps)),
            Formula::Bound(ps) => self.call("bound", &self.places(ps)),
            Formula::ColourBound(ps) => {
                self.call("bound", &ps.iter().map(|some| self.colours(some)).collect::<Vec<_>>())
            }
            Formula::Global(global) => self.out.push_str(global_word(*global)),
            Formula::Named(property) => self.property(property),
            Formula::Compare(how, a, b) => {
                self.number(a, ADD);
                self.out.extend([" ", how.symbol(), " "]);
                self.number(b, ADD);
            }
            Formula::Not(inner) => match &**inner {
                Formula::Iff(f, g) => self.pair(f, XOR, " xor ", g, XOR + 1),
                other => self.prefix("!", other),
            },
            Formula::And(fs) if fs.is_empty() => self.out.push_str("true"),
            Formula::And(fs) => self.chain(fs, " && ", AND + 1),
            Formula::Or(fs) if fs.is_empty() => self.out.push_str("false"),
            Formula::Or(fs) => match premise(fs) {
                Some(premise) => self.pair(premise, IMPLIES + 1, " -> ", &fs[1], IMPLIES),
                None => self.chain(fs, " || ", OR + 1),
            },
            Formula::Iff(f, g) => self.pair(f, IFF, " <-> ", g, IFF + 1),
            Formula::Next(f) => self.prefix("X ", f),
            Formula::Finally(f) => self.prefix("F ", f),
            Formula::Globally(f) => self.prefix("G ", f),
            Formula::Until(f, g) => self.pair(f, UNTIL + 1, " U ", g, UNTIL),
            Formula::Release(f, g) => self.pair(f, UNTIL + 1, " R ", g, UNTIL),
            Formula::WeakUntil(f, g) => self.pair(f, UNTIL + 1, " W ", g, UNTIL),
            Formula::Yesterday(f) => self.prefix("Y ", f),
            Formula::Once(f) => self.prefix("O ", f),
            Formula::Historically(f) => self.prefix("H ", f),
            Formula::Since(f, g) => self.pair(f, UNTIL + 1, " S ", g, UNTIL),
            Formula::Under(fairness, f) => {
                self.fairness(fairness);
                self.formula(f, LOOSEST);
            }
            Formula::Exists(path) => self.quantified("E", path),
            Formula::ForAll(path) => self.quantified("A", path),
        }
    }

    /// Separates a quantifier from its path formula in LTL, and joins both in CTL.
    fn quantified(&mut self, quantifier: &str, path: &Formula) {
        self.out.push_str(quantifier);
        match (self.logic, path) {
            (Logic::Ltl, _) => self.prefix(" ", path),
            (Logic::Ctl, Formula::Next(f)) => self.prefix("X ", f),
            (Logic::Ctl, Formula::Finally(f)) => self.prefix("F ", f),
            (Logic::Ctl, Formula::Globally(f)) => self.prefix("G ", f),
            (Logic::Ctl, other) => {
                self.out.push('[');
                self.formula(other, LOOSEST);
                self.out.push(']');
            }
        }
    }

    fn prefix(&mut self, operator: &str, f: &Formula) {
        self.out.push_str(operator);
        self.formula(f, PREFIX);
    }

    fn pair(&mut self, f: &Formula, left: u8, operator: &str, g: &Formula, right: u8) {
        self.formula(f, left);
        self.out.push_str(operator);
        self.formula(g, right);
    }

    fn chain(&mut self, fs: &[Formula], operator: &str, precedence: u8) {
        for (at, f) in fs.iter().enumerate() {
            if at > 0 {
                self.out.push_str(operator);
            }
            self.formula(f, precedence);
        }
    }

    /// A place with the colours that are meant, unless all are.
    pub(super) fn colours(&self, some: &PlaceColours) -> String {
        let place = self.place(some.place);
        if some.colours.is_any() {
            return place;
        }
        let net = self.names.coloured().expect("only questions about a coloured net name colours");
        format!("{place}[{}]", show_colours(net.sorts(), net.place(some.place).sort, &some.colours))
    }

    /// A transition with the bindings that are meant, unless all are.
    fn bindings(&self, some: &BindingPattern) -> String {
        let transition = self.transition(some.transition());
        if some.variables().len() == 0 {
            return transition;
        }
        let net = self.names.coloured().expect("only questions about a coloured net name bindings");
        format!("{transition}[{}]", show_bindings(net, some))
    }

    fn steps(&self, steps: &StepSet) -> Vec<String> {
        let whole = steps.transitions.iter().map(|&t| self.transition(t));
        whole.chain(steps.bindings.iter().map(|some| self.bindings(some))).collect()
    }

    /// The assumptions in front of a query.
    fn fairness(&mut self, fairness: &Fairness) {
        self.out.push_str("fair ");
        for (at, assumption) in fairness.0.iter().enumerate() {
            if at > 0 {
                self.out.push_str(", ");
            }
            self.assumption(assumption);
        }
        self.out.push_str(": ");
    }

    pub(super) fn assumption(&mut self, assumption: &FairnessAssumption) {
        let word = assumption.strength.word();
        match &assumption.steps {
            FairSteps::EachTransition => self.out.push_str(word),
            FairSteps::Group(steps) => self.call(word, &self.steps(steps)),
        }
    }

    pub(super) fn call(&mut self, word: &str, names: &[String]) {
        self.out.extend([word, "(", &names.join(", "), ")"]);
    }

    fn place(&self, place: PlaceId) -> String {
        match self.naming {
            NodeNaming::Ids => quote(self.names.nodes().place(place)),
            NodeNaming::Titles => quote_title(self.names.nodes().place_title(place)),
        }
    }

    pub(super) fn places(&self, places: &[PlaceId]) -> Vec<String> {
        places.iter().map(|&place| self.place(place)).collect()
    }

    pub(super) fn transition(&self, transition: TransitionId) -> String {
        match self.naming {
            NodeNaming::Ids => quote(self.names.nodes().transition(transition)),
            NodeNaming::Titles => quote_title(self.names.nodes().transition_title(transition)),
        }
    }

    fn number(&mut self, number: &Expr, precedence: u8) {
        let number = only_term(number);
        let own = match number {
            Expr::Sum(terms) if !terms.is_empty() => ADD,
            Expr::Difference(..) => ADD,
            Expr::Product(factors) if !factors.is_empty() => MULTIPLY,
            _ => ATOM,
        };
        if own < precedence {
            self.out.push('(');
        }
        match number {
            Expr::Constant(n) => self.out.push_str(&n.to_string()),
            Expr::Tokens(places) => match places[..] {
                [] => self.out.push('0'),
                [place] => self.out.push_str(&self.place(place)),
                _ => self.call("tokens", &self.places(places)),
            },
            Expr::ColourTokens(some) => self.out.push_str(&self.colours(some)),
            Expr::Sum(terms) => {
                // A difference in front needs no parentheses: both group to the left.
                let first = matches!(terms.first().map(only_term), Some(Expr::Difference(..)));
                self.terms(terms, "0", " + ", ADD + u8::from(!first), ADD + 1);
            }
            Expr::Product(factors) => self.terms(factors, "1", "*", MULTIPLY + 1, MULTIPLY + 1),
            Expr::Difference(a, b) => {
                self.number(a, ADD);
                self.out.push_str(" - ");
                self.number(b, ADD + 1);
            }
        }
        if own < precedence {
            self.out.push(')');
        }
    }

    fn terms(&mut self, terms: &[Expr], empty: &str, operator: &str, first: u8, rest: u8) {
        if terms.is_empty() {
            self.out.push_str(empty);
        }
        for (at, term) in terms.iter().enumerate() {
            if at > 0 {
                self.out.push_str(operator);
            }
            self.number(term, if at == 0 { first } else { rest });
        }
    }
}

/// Strips conjunctions and disjunctions of one operand.
fn only(mut f: &Formula) -> &Formula {
    while let Formula::And(fs) | Formula::Or(fs) = f
        && let [inner] = &fs[..]
    {
        f = inner;
    }
    f
}

/// Strips sums and products of one operand.
fn only_term(mut number: &Expr) -> &Expr {
    while let Expr::Sum(terms) | Expr::Product(terms) = number
        && let [inner] = &terms[..]
    {
        number = inner;
    }
    number
}

/// The left side of a disjunction that can be printed as an implication and is parsed back as the same formula.
fn premise(fs: &[Formula]) -> Option<&Formula> {
    match fs {
        [Formula::Not(premise), _] if !matches!(**premise, Formula::Not(_) | Formula::Constant(_)) => {
            Some(&**premise)
        }
        _ => None,
    }
}

fn binding(f: &Formula) -> u8 {
    match f {
        Formula::Constant(_)
        | Formula::Deadlock
        | Formula::Fireable(_)
        | Formula::BindingFireable(_)
        | Formula::Fired(_)
        | Formula::Bound(_)
        | Formula::ColourBound(_)
        | Formula::Global(_)
        | Formula::Named(_) => ATOM,
        Formula::Compare(..) => SHOWN_COMPARE,
        Formula::Not(inner) if matches!(**inner, Formula::Iff(..)) => XOR,
        Formula::And(fs) | Formula::Or(fs) if fs.is_empty() => ATOM,
        Formula::And(_) => AND,
        Formula::Or(fs) if premise(fs).is_some() => IMPLIES,
        Formula::Or(_) => OR,
        Formula::Iff(..) => IFF,
        Formula::Until(..) | Formula::Release(..) | Formula::WeakUntil(..) | Formula::Since(..) => UNTIL,
        Formula::Under(..) => LOOSEST,
        Formula::Not(_)
        | Formula::Next(_)
        | Formula::Finally(_)
        | Formula::Globally(_)
        | Formula::Yesterday(_)
        | Formula::Once(_)
        | Formula::Historically(_)
        | Formula::Exists(_)
        | Formula::ForAll(_) => PREFIX,
    }
}

fn global_word(global: Global) -> &'static str {
    match global {
        Global::StateSpace => "state-space",
        Global::OneSafe => "one-safe",
        Global::StableMarking => "stable-marking",
        Global::QuasiLiveness => "quasi-live",
        Global::Liveness => "live",
    }
}
