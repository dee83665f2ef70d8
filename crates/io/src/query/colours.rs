//! Colours in queries: `p[a,*]` behind a place, `t[x=a,y=(b,1)]` behind a transition.
//!
//! A place has its components in order, those of nested tuples too; `*` is any colour. Variables of a transition that are not
//! named are free, and one whose colours are tuples has them in parentheses. A colour is written as the net declares it: a
//! constant, an integer, `true` or `dot`. Keywords need no quotes here, because nothing but a colour or a variable can stand in
//! these places. The attributes of contest XML have the same grammar, without the brackets.

use fireset_net::{
    Expr, Formula, PlaceId, SortId, TransitionId, VariableId,
    coloured::{BindingPattern, Colour, ColourPattern, ColouredNet, PlaceColours, SortKind, Sorts},
};

use super::{
    lexer::{Lexeme, LexemeKind},
    names::{Binder, QueryNames},
    parser::Parser,
    show::quote,
};
use crate::{Fault, suggest::nearest};

/// The number of names in a hint if no name is similar.
const EXAMPLES: usize = 3;

/// A transition that a formula asks for, and the bindings if not all are meant.
pub(crate) type AskedTransition = (TransitionId, Option<BindingPattern>);

/// The tokens of these places together.
pub(crate) fn tokens(asked: Vec<PlaceColours>) -> Expr {
    let (whole, parts): (Vec<_>, Vec<_>) = asked.into_iter().partition(|some| some.colours.is_any());
    let whole: Vec<PlaceId> = whole.into_iter().map(|some| some.place).collect();
    let mut terms = Vec::new();
    if !whole.is_empty() || parts.is_empty() {
        terms.push(Expr::Tokens(whole));
    }
    terms.extend(parts.into_iter().map(Expr::ColourTokens));
    if terms.len() == 1 { terms.swap_remove(0) } else { Expr::Sum(terms) }
}

/// The bound of these places together.
pub(crate) fn bound(asked: Vec<PlaceColours>) -> Formula {
    match asked.iter().all(|some| some.colours.is_any()) {
        true => Formula::Bound(asked.into_iter().map(|some| some.place).collect()),
        false => Formula::ColourBound(asked),
    }
}

/// Whether one of these transitions is enabled.
pub(crate) fn fireable(asked: Vec<AskedTransition>) -> Formula {
    let (mut whole, mut some) = (Vec::new(), Vec::new());
    for (transition, bindings) in asked {
        match bindings {
            Some(bindings) => some.push(Formula::BindingFireable(bindings)),
            None => whole.push(transition),
        }
    }
    if !whole.is_empty() || some.is_empty() {
        some.insert(0, Formula::Fireable(whole));
    }
    if some.len() == 1 { some.swap_remove(0) } else { Formula::Or(some) }
}

/// The colours of a place in the attribute of an XML element.
pub(crate) fn read_colours(
    text: &str,
    names: QueryNames<'_>,
    place: PlaceId,
) -> Result<ColourPattern, Fault> {
    Parser::new(text, Binder::new(names))?.colours_of(place, LexemeKind::End)
}

/// The bindings of a transition in the attribute of an XML element.
pub(crate) fn read_bindings(
    text: &str,
    names: QueryNames<'_>,
    transition: TransitionId,
) -> Result<Option<BindingPattern>, Fault> {
    Parser::new(text, Binder::new(names))?.bindings_of(transition, LexemeKind::End)
}

/// The colours of a pattern as queries write them, without brackets.
pub(crate) fn show_colours(sorts: &Sorts, sort: SortId, pattern: &ColourPattern) -> String {
    let colours = sorts.pattern_components(sort, pattern);
    let shown = sorts.flat_components(sort).into_iter().zip(colours).map(|(part, colour)| match colour {
        Some(colour) => show_colour(sorts, part, colour),
        None => "*".into(),
    });
    shown.collect::<Vec<_>>().join(",")
}

/// Some bindings as queries write them, without brackets.
pub(crate) fn show_bindings(net: &ColouredNet, bindings: &BindingPattern) -> String {
    let shown = bindings.variables().map(|(v, colours)| {
        let variable = net.variable(v);
        let colours = show_colours(net.sorts(), variable.sort, colours);
        let is_tuple = net.sorts().flat_components(variable.sort).len() != 1;
        let colours = if is_tuple { format!("({colours})") } else { colours };
        format!("{}={colours}", quote(&variable.name))
    });
    shown.collect::<Vec<_>>().join(",")
}

/// A colour that is no tuple.
fn show_colour(sorts: &Sorts, sort: SortId, colour: Colour) -> String {
    let name = sorts.show(sort, colour);
    let is_number = name.parse::<u64>().is_ok_and(|number| number.to_string() == name);
    match sorts[sort].kind {
        SortKind::Dot | SortKind::Bool | SortKind::IntRange { .. } => name,
        _ if is_number => name,
        _ => quote(&name),
    }
}

impl<'t, 'n> Parser<'t, 'n> {
    /// A place, and its colours if there are brackets behind it.
    pub(super) fn place_and_colours(&mut self) -> Result<PlaceColours, Fault> {
        let place = self.place(self.token)?;
        self.advance()?;
        self.with_colours(place)
    }

    /// A place whose name was read, with the colours in the brackets behind it.
    fn with_colours(&mut self, place: PlaceId) -> Result<PlaceColours, Fault> {
        let mut colours = ColourPattern::default();
        if self.token.kind == LexemeKind::OpenSquare {
            self.advance()?;
            colours = self.colours_of(place, LexemeKind::CloseSquare)?;
        }
        Ok(PlaceColours { place, colours })
    }

    /// The places that a name in a list stands for; colours may stand behind the name of one.
    pub(super) fn asked_places(&mut self) -> Result<Vec<PlaceColours>, Fault> {
        let places = self.places(self.token)?;
        self.advance()?;
        match places[..] {
            [place] => Ok(vec![self.with_colours(place)?]),
            _ => {
                self.refuse_brackets()?;
                let whole = |place| PlaceColours { place, colours: ColourPattern::default() };
                Ok(places.into_iter().map(whole).collect())
            }
        }
    }

    /// The transitions that a name in a list stands for; bindings may stand behind the name of one.
    pub(super) fn asked_transitions(&mut self) -> Result<Vec<AskedTransition>, Fault> {
        let transitions = self.transitions(self.token)?;
        self.advance()?;
        match transitions[..] {
            [transition] if self.token.kind == LexemeKind::OpenSquare => {
                self.advance()?;
                Ok(vec![(transition, self.bindings_of(transition, LexemeKind::CloseSquare)?)])
            }
            _ => {
                self.refuse_brackets()?;
                Ok(transitions.into_iter().map(|transition| (transition, None)).collect())
            }
        }
    }

    /// Several nodes may have different sorts and variables.
    fn refuse_brackets(&self) -> Result<(), Fault> {
        if self.token.kind != LexemeKind::OpenSquare {
            return Ok(());
        }
        let message = "colours stand behind the name of one node, and this name stands for several";
        Err(Fault::at(self.token.start as u64, message).hint("write the nodes one by one"))
    }

    fn colours_of(&mut self, place: PlaceId, end: LexemeKind) -> Result<ColourPattern, Fault> {
        let name = self.binder.names().nodes().place(place);
        let net = self.coloured_net(name)?;
        self.components(net.sorts(), net.place(place).sort, name, end)
    }

    fn bindings_of(
        &mut self,
        transition: TransitionId,
        end: LexemeKind,
    ) -> Result<Option<BindingPattern>, Fault> {
        let name = self.binder.names().nodes().transition(transition);
        let net = self.coloured_net(name)?;
        let mut fixed: Vec<(VariableId, ColourPattern)> = Vec::new();
        loop {
            let start = self.token.start as u64;
            let word = self.word("a variable")?;
            let variable = variable(net, transition, &word)
                .map_err(|(message, hint)| Fault::at(start, message).hint(hint))?;
            if fixed.iter().any(|(other, _)| *other == variable) {
                return Err(Fault::at(start, format!("the variable `{word}` is given twice")));
            }
            self.expect(LexemeKind::Compare(fireset_net::Comparison::Equal), "`=`")?;
            fixed.push((variable, self.variable_colours(net, variable)?));
            if self.token.kind != LexemeKind::Comma {
                break;
            }
            self.advance()?;
        }
        self.expect(end, closing(end))?;
        let bindings = BindingPattern::new(net, transition, fixed);
        Ok(bindings.filter(|bindings| bindings.variables().len() > 0))
    }

    /// The colours that a variable is given.
    fn variable_colours(&mut self, net: &ColouredNet, variable: VariableId) -> Result<ColourPattern, Fault> {
        let (name, sort) = (&net.variable(variable).name, net.variable(variable).sort);
        if self.token.kind == LexemeKind::Open {
            self.advance()?;
            return self.components(net.sorts(), sort, name, LexemeKind::Close);
        }
        let start = self.token.start as u64;
        let parts = net.sorts().flat_components(sort);
        let colour = match parts[..] {
            [part] => vec![self.component(net.sorts(), part)?],
            // Any colour at all.
            _ if self.token.kind == LexemeKind::Times => {
                self.advance()?;
                vec![None; parts.len()]
            }
            _ => {
                let message = format!("the colours of `{name}` are tuples with {} components", parts.len());
                let any = vec!["*"; parts.len()].join(",");
                return Err(
                    Fault::at(start, message).hint(format!("write them in parentheses: `{name}=({any})`"))
                );
            }
        };
        net.sorts().pattern(sort, &colour).ok_or_else(|| Fault::at(start, "no such colour"))
    }

    /// The components of a colour of `owner`, and the token behind them.
    fn components(
        &mut self,
        sorts: &Sorts,
        sort: SortId,
        owner: &str,
        end: LexemeKind,
    ) -> Result<ColourPattern, Fault> {
        let (parts, start) = (sorts.flat_components(sort), self.token.start as u64);
        let mut colours = Vec::new();
        loop {
            match parts.get(colours.len()) {
                Some(&part) => colours.push(self.component(sorts, part)?),
                None => return Err(wrong_count(self.token.start as u64, owner, parts.len())),
            }
            if self.token.kind != LexemeKind::Comma {
                break;
            }
            self.advance()?;
        }
        self.expect(end, closing(end))?;
        sorts.pattern(sort, &colours).ok_or_else(|| wrong_count(start, owner, parts.len()))
    }

    /// A colour that is no tuple; `None` for any.
    fn component(&mut self, sorts: &Sorts, sort: SortId) -> Result<Option<Colour>, Fault> {
        if self.token.kind == LexemeKind::Times {
            self.advance()?;
            return Ok(None);
        }
        let start = self.token.start as u64;
        let word = match self.token.kind {
            LexemeKind::Minus => {
                self.advance()?;
                match self.token.kind {
                    LexemeKind::Number(_) => format!("-{}", self.word("a number")?),
                    _ => return Err(self.unexpected("a number")),
                }
            }
            LexemeKind::Open => {
                let fault = self.unexpected("a colour or `*`");
                return Err(fault.hint("write the components of a tuple without parentheses, as in `p[a,1]`"));
            }
            _ => self.word("a colour or `*`")?,
        };
        match sorts.read(sort, &word) {
            Some(colour) => Ok(Some(colour)),
            None => Err(unknown_colour(start, sorts, sort, &word)),
        }
    }

    /// A name, number or keyword as it stands.
    fn word(&mut self, expected: &str) -> Result<String, Fault> {
        let token: Lexeme<'t> = self.token;
        let is_word = matches!(token.kind, LexemeKind::Name | LexemeKind::Number(_)) || token.is_keyword();
        if !is_word {
            return Err(self.unexpected(expected));
        }
        self.advance()?;
        Ok(token.name().into_owned())
    }

    /// The net, if it has colours that can be asked for at `name`.
    fn coloured_net(&self, name: &str) -> Result<&'n ColouredNet, Fault> {
        self.binder.names().coloured().ok_or_else(|| {
            let message = format!("colours are asked for at `{name}`, but the net has no colours");
            let fault = Fault::at(self.previous.start as u64, message);
            // The unfolding of a coloured net calls the place of a colour so.
            let unfolded = format!("{name}_{}", self.token.name());
            let knows = |kind| self.binder.knows(kind, &unfolded);
            let is_known = knows(super::names::NodeKind::Place) || knows(super::names::NodeKind::Transition);
            match is_known {
                true => fault.hint(format!("did you mean `{}`?", quote(&unfolded))),
                false => fault.hint("leave out the brackets: a place/transition net has plain tokens"),
            }
        })
    }
}

fn closing(end: LexemeKind) -> &'static str {
    match end {
        LexemeKind::CloseSquare => "`,` or `]`",
        LexemeKind::Close => "`,` or `)`",
        _ => "`,` or the end",
    }
}

fn wrong_count(at: u64, owner: &str, count: usize) -> Fault {
    let noun = if count == 1 { "component" } else { "components" };
    let fault = Fault::at(at, format!("the colours of `{owner}` have {count} {noun}"));
    fault.hint("write one colour for each in order, or `*` for any, as in `p[a,*]`")
}

fn unknown_colour(at: u64, sorts: &Sorts, sort: SortId, word: &str) -> Fault {
    let fault = Fault::at(at, format!("`{word}` is no colour of the sort `{}`", sorts[sort].name));
    let names = match &sorts[sort].kind {
        SortKind::Enumeration { constants, .. } => &constants[..],
        SortKind::Partition { blocks, .. } => blocks,
        SortKind::IntRange { start, end } => {
            return fault.hint(format!("its colours are the integers from {start} to {end}"));
        }
        _ => &[],
    };
    if let Some(near) = nearest(word, names.iter().map(String::as_str)) {
        return fault.hint(format!("did you mean `{}`?", quote(near)));
    }
    let size = sorts[sort].size();
    let some = (0..size.min(EXAMPLES as u64)).map(|c| format!("`{}`", show_colour(sorts, sort, Colour(c))));
    let some = some.collect::<Vec<_>>().join(", ");
    fault.hint(match size.saturating_sub(EXAMPLES as u64) {
        0 => format!("its colours are {some}"),
        more => format!("its colours are {some} and {more} more"),
    })
}

/// The variable of a transition with this name, or a message and a hint.
fn variable(net: &ColouredNet, transition: TransitionId, name: &str) -> Result<VariableId, (String, String)> {
    let own = net.variables_of(transition);
    let named: Vec<VariableId> = own.iter().copied().filter(|&v| net.variable(v).name == name).collect();
    let transition = net.nodes().transition(transition);
    match named[..] {
        [variable] => Ok(variable),
        [] => {
            let message = format!("the transition `{transition}` has no variable `{name}`");
            let names = || own.iter().map(|&v| net.variable(v).name.as_str());
            let all = || names().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
            Err((
                message,
                match nearest(name, names()) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None if own.is_empty() => "it has no variables; leave out the brackets".into(),
                    None => format!("its variables are {}", all()),
                },
            ))
        }
        _ => {
            let message = format!("the transition `{transition}` has several variables `{name}`");
            Err((message, "give the variables different names in the net's file".into()))
        }
    }
}
