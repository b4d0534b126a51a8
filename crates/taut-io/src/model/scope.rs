//! Named numbers, and the evaluation of expressions and quantities.

use super::formula::{Token, for_each_token, identifiers, invalid_name_reason, not_a_unit, parse_error, quantity};
use super::node::{Entry, Node, Table, Value};
use super::quantity::{KnownDimension, Quantity, UnitClash};
use super::units::Dimension;
use crate::diagnostic::Diagnostic;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use taut::expressions::{Expression, ParseError};

/// Parses an expression.
pub(crate) type Parser = fn(&str, &[&str]) -> Result<Expression, ParseError>;

/// The quantity that a field expects.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ExpectedQuantity {
    /// `a length`, for messages.
    pub name: &'static str,
    /// A unit to show as an example; empty for plain numbers.
    pub example: &'static str,
    /// The permitted dimensions.
    pub dimensions: &'static [Dimension],
}

/// The names that expressions of one file, or of one repetition, can use.
#[derive(Debug, Default)]
pub(crate) struct Scope {
    names: BTreeMap<String, Quantity>,
    /// Variables of formulas whose dimension is known.
    variables: BTreeMap<String, Quantity>,
    parent: Option<Arc<Scope>>,
}

impl Scope {
    /// The scope with one more name.
    pub fn with(parent: &Arc<Scope>, name: &str, value: f64) -> Scope {
        let names = BTreeMap::from([(name.to_string(), Quantity::from(value))]);
        Scope { names, parent: Some(parent.clone()), ..Scope::default() }
    }

    /// The scope with variables of known dimensions.
    pub fn with_variables(parent: &Arc<Scope>, variables: BTreeMap<String, Quantity>) -> Scope {
        Scope { variables, parent: Some(parent.clone()), ..Scope::default() }
    }

    pub fn get(&self, name: &str) -> Option<Quantity> {
        self.names.get(name).copied().or_else(|| self.parent.as_ref()?.get(name))
    }

    fn all(&self) -> Vec<(&str, Quantity)> {
        let mut list: Vec<(&str, Quantity)> = self.names.iter().map(|(n, q)| (n.as_str(), *q)).collect();
        if let Some(parent) = &self.parent {
            list.extend(parent.all().into_iter().filter(|(n, _)| !self.names.contains_key(*n)));
        }
        list
    }

    /// The scope of a `[params]` table, whose entries may use each other in any order.
    pub fn of_params(params: &Table, findings: &mut Vec<Diagnostic>) -> Scope {
        let mut scope = Scope::default();
        for entry in &params.0 {
            if let Some(why) = invalid_name_reason(&entry.key) {
                findings.push(
                    Diagnostic::error(format!("`{}` cannot name a parameter: {why}", entry.key)).at(&entry.place),
                );
            }
        }
        let (order, circular) = definition_order(&params.0);
        for entry in order.into_iter().map(|i| &params.0[i]) {
            let value = scope.any(&entry.node).unwrap_or_else(|finding| {
                findings.push(finding);
                // Parameters that use it are not reported again.
                Quantity::open(f64::NAN)
            });
            scope.names.insert(entry.key.clone(), value);
        }
        let left: Vec<&Entry> = circular.into_iter().map(|i| &params.0[i]).collect();
        if let Some(first) = left.first() {
            let all: Vec<String> = left.iter().take(6).map(|e| format!("`{}`", e.key)).collect();
            let message = format!("the definitions of the parameters {} are circular", all.join(", "));
            findings.push(Diagnostic::error(message).at(&first.place).help("give one of them a number"));
        }
        for entry in left {
            scope.names.insert(entry.key.clone(), Quantity::open(f64::NAN));
        }
        scope
    }

    /// A number of any dimension.
    pub fn any(&self, node: &Node) -> Result<Quantity, Diagnostic> {
        match &node.value {
            Value::Number(x) => Ok(Quantity::open(*x)),
            Value::String(text) => self.text(node, text),
            _ => Err(Diagnostic::error(format!("expected a number, found {}", node.kind()))
                .at(&node.place)
                .help("write a number, a quantity such as \"25 mm\", or an expression over [params]")),
        }
    }

    /// A number of the expected dimension.
    pub fn number(&self, node: &Node, requested: &ExpectedQuantity) -> Result<f64, Diagnostic> {
        let found = self.any(node)?;
        let wrong = |what: String| {
            let example = match requested.example {
                "" => "a plain number belongs here".to_string(),
                unit => format!("write for instance \"3 {unit}\", or a plain number in SI units"),
            };
            Err(Diagnostic::error(format!("expected {}, found {what}", requested.name)).at(&node.place).help(example))
        };
        match found.known {
            KnownDimension::Clash(why) => Err(unit_clash(node, why)),
            KnownDimension::As(d) if !requested.dimensions.iter().any(|f| d.fits(*f)) => {
                wrong(format!("a quantity in {}", d.to_text()))
            }
            // A name that failed has been reported already.
            _ if found.value.is_nan() => Ok(1.0),
            _ if found.value.is_infinite() => wrong("a number too large".to_string()),
            _ => Ok(found.value),
        }
    }

    /// The value of a node, with its dimension, as a text that is independent of the scope.
    pub fn evaluated(&self, node: &Node) -> Result<Value, Diagnostic> {
        let found = self.any(node)?;
        if let KnownDimension::Clash(why) = found.known {
            return Err(unit_clash(node, why));
        }
        Ok(match found.known {
            KnownDimension::As(d) => Value::String(format!("{:?} {}", found.value, d.unit())),
            _ => Value::Number(found.value),
        })
    }

    /// A whole number.
    pub fn whole(&self, node: &Node) -> Result<i64, Diagnostic> {
        const PLAIN: ExpectedQuantity =
            ExpectedQuantity { name: "a whole number", example: "", dimensions: &[Dimension::NONE] };
        let x = self.number(node, &PLAIN)?;
        if x.fract() == 0.0 && x.abs() < 1e9 {
            return Ok(x as i64);
        }
        Err(Diagnostic::error(format!("expected a whole number, found {x}")).at(&node.place))
    }

    /// A quantity, or an expression of the names.
    fn text(&self, node: &Node, text: &str) -> Result<Quantity, Diagnostic> {
        match quantity(text) {
            Some(Ok(q)) => return Ok(q),
            Some(Err(no)) if !self.reads_as_expression(text) => return Err(not_a_unit(node, no)),
            _ => {}
        }
        let (plain, quantities) = self.without_brackets(node, text)?;
        let found = self.evaluate(&plain, &quantities, &[], Expression::parse);
        let (found, values) = found.map_err(|e| {
            let all = self.all();
            let names: Vec<&str> = all.iter().map(|(n, _)| *n).collect();
            parse_error(node, text, &e, &names)
        })?;
        let broken = found.value.is_nan() && !values.iter().any(|q| q.value.is_nan());
        if broken {
            let help = "look for a root of a negative number or zero divided by zero";
            return Err(Diagnostic::error(format!("`{text}` has no value")).at(&node.place).help(help));
        }
        Ok(found)
    }

    /// The value of an expression whose brackets were replaced; the names in `open` may have any dimension.
    fn evaluate(
        &self,
        plain: &str,
        quantities: &[Quantity],
        open: &[&str],
        parse: Parser,
    ) -> Result<(Quantity, Vec<Quantity>), ParseError> {
        let mut used: Vec<(String, Quantity)> = Vec::new();
        for_each_token(plain, |piece| {
            let Token::Name(name) = piece else { return };
            let bracketed =
                name.strip_prefix('_').and_then(|n| n.parse::<usize>().ok()).and_then(|i| quantities.get(i));
            let value = match open.contains(&name) || name.contains('.') {
                true => Some(self.variables.get(name).copied().unwrap_or(Quantity::open(0.7))),
                false => bracketed.copied().or_else(|| self.get(name)),
            };
            if let Some(value) = value.filter(|_| !used.iter().any(|(n, _)| n == name)) {
                used.push((name.to_string(), value));
            }
        });
        let names: Vec<&str> = used.iter().map(|(n, _)| n.as_str()).filter(|n| !n.contains('.')).collect();
        let expression = parse(plain, &names)?;
        // Dotted names come as the parser meets them.
        let value_of = |name: &String| used.iter().find(|(n, _)| n == name).map_or(Quantity::open(0.7), |(_, q)| *q);
        let values: Vec<Quantity> = expression.variables().iter().map(value_of).collect();
        Ok((expression.evaluate(&values), values))
    }

    fn reads_as_expression(&self, text: &str) -> bool {
        self.evaluate(text, &[], &[], Expression::parse).is_ok()
    }

    /// Replaces `[25 mm]` by a name that is not longer, so that positions stay valid.
    fn without_brackets(&self, node: &Node, text: &str) -> Result<(String, Vec<Quantity>), Diagnostic> {
        let (mut plain, mut found) = (String::with_capacity(text.len()), Vec::new());
        let mut rest = text;
        while let Some(open) = rest.find('[') {
            let offset = text.len() - rest.len() + open;
            let Some(close) = rest[open..].find(']') else {
                return Err(Diagnostic::error("`[` is never closed").at(&node.place_within(offset)));
            };
            let inner = &rest[open + 1..open + close];
            match quantity(inner) {
                Some(Ok(q)) => found.push(q),
                Some(Err(no)) => return Err(not_a_unit(node, no)),
                None => {
                    let message = format!("`[{inner}]` is not a quantity");
                    let help = "brackets contain a number and a unit: [25 mm]";
                    return Err(Diagnostic::error(message).at(&node.place_within(offset)).help(help));
                }
            }
            plain.push_str(&rest[..open]);
            let name = format!("_{}", found.len() - 1);
            plain.push_str(&format!("{name:width$}", width = close + 1));
            rest = &rest[open + close + 1..];
        }
        plain.push_str(rest);
        Ok((plain, found))
    }

    /// Checks that the units within a formula are consistent and, as far as they are known, fit the expected quantity. Variables
    /// may have any dimension unless the scope knows theirs. Returns the dimension of the formula.
    pub fn check_formula(
        &self,
        node: &Node,
        requested: Option<&ExpectedQuantity>,
        open: &[&str],
        parse: Parser,
    ) -> Result<Quantity, Diagnostic> {
        let text = node.text().unwrap_or_default();
        let (plain, quantities) = self.without_brackets(node, text)?;
        // Parse errors are reported elsewhere.
        let Ok((found, _)) = self.evaluate(&plain, &quantities, open, parse) else { return Ok(Quantity::open(0.7)) };
        match (found.known, requested) {
            (KnownDimension::Clash(why), _) => Err(unit_clash(node, why)),
            (KnownDimension::As(d), Some(requested)) if !requested.dimensions.iter().any(|f| d.fits(*f)) => {
                let message = format!("expected {}, but `{text}` is a quantity in {}", requested.name, d.to_text());
                Err(Diagnostic::error(message).at(&node.place))
            }
            _ => Ok(Quantity { value: 0.7, ..found }),
        }
    }

    /// The dimension of a formula, if it can be read.
    pub fn dimension(&self, node: &Node, open: &[&str], parse: Parser) -> Option<KnownDimension> {
        let (plain, quantities) = self.without_brackets(node, node.text()?).ok()?;
        Some(self.evaluate(&plain, &quantities, open, parse).ok()?.0.known)
    }

    /// A formula of `variables`, with every parameter replaced by its number.
    ///
    /// `variables` with a dot in them are taken as they are; where `names` is open, any dotted name is.
    pub fn formula(&self, node: &Node, variables: &[&str]) -> Result<String, Diagnostic> {
        let Some(text) = node.text() else {
            return Err(Diagnostic::error(format!("expected a formula, found {}", node.kind())).at(&node.place));
        };
        let (plain, quantities) = self.without_brackets(node, text)?;
        let mut spelt = String::with_capacity(plain.len());
        for_each_token(&plain, |piece| match piece {
            Token::Other(s) => spelt.push_str(s),
            Token::Name(name) if variables.contains(&name) => spelt.push_str(name),
            Token::Name(name) => {
                let bracketed = name.strip_prefix('_').and_then(|n| n.parse::<usize>().ok());
                match bracketed.and_then(|i| quantities.get(i)).copied().or_else(|| self.get(name)) {
                    // A parameter whose own definition was reported: any number will do.
                    Some(q) if q.value.is_nan() => spelt.push_str("0.7"),
                    Some(q) if q.value < 0.0 => spelt.push_str(&format!("({:?})", q.value)),
                    Some(q) => spelt.push_str(&format!("{:?}", q.value)),
                    // The parser reports it with its place.
                    None => spelt.push_str(name),
                }
            }
        });
        Ok(spelt)
    }

    /// Whether a text contains a quantity with a unit, in brackets or as a parameter.
    pub fn has_units(&self, text: &str) -> bool {
        let known = |name: &String| self.get(name).is_some_and(|q| matches!(q.known, KnownDimension::As(_)));
        text.contains('[') || identifiers(text).iter().any(known)
    }

    /// Names that a formula can use.
    pub fn names(&self) -> Vec<String> {
        self.all().into_iter().map(|(n, _)| n.to_string()).collect()
    }
}

/// An order in which each entry follows those it uses, and the entries that remain because they use each other.
pub(crate) fn definition_order(entries: &[Entry]) -> (Vec<usize>, Vec<usize>) {
    let index: HashMap<&str, usize> = entries.iter().enumerate().map(|(i, e)| (e.key.as_str(), i)).collect();
    let mut users: Vec<Vec<usize>> = vec![Vec::new(); entries.len()];
    let mut waits: Vec<usize> = vec![0; entries.len()];
    for (i, entry) in entries.iter().enumerate() {
        let used: BTreeSet<String> = entry.node.text().map(identifiers).unwrap_or_default().into_iter().collect();
        for other in used.iter().filter_map(|name| index.get(name.as_str())) {
            users[*other].push(i);
            waits[i] += 1;
        }
    }
    let mut order = Vec::with_capacity(entries.len());
    let mut ready: Vec<usize> = (0..entries.len()).rev().filter(|i| waits[*i] == 0).collect();
    while let Some(i) = ready.pop() {
        order.push(i);
        for &user in &users[i] {
            waits[user] -= 1;
            if waits[user] == 0 {
                ready.push(user);
            }
        }
    }
    (order, (0..entries.len()).filter(|i| waits[*i] > 0).collect())
}

fn unit_clash(node: &Node, why: UnitClash) -> Diagnostic {
    let help = "check the units of the parameters used here";
    Diagnostic::error(format!("`{}`: {why}", node.text().unwrap_or_default())).at(&node.place).help(help)
}
