//! Measures by formula.

use super::super::expand::Item;
use super::super::formula::{Token, for_each_token, identifiers, not_a_unit};
use super::super::node::Node;
use super::super::quantity::{KnownDimension, Quantity, UnitClash};
use super::super::resolve::{Context, ModelNames};
use super::super::scope::Scope;
use super::super::units;
use super::super::vocabulary::FORMULA_MEASURE;
use super::report_error;
use taut::expressions::Expression;
use taut::{FormulaMeasure, Spec};

/// Reads `{ formula, unit, definitions }`.
pub(super) fn formula_measure(item: &Item, c: &mut Context, spec: &mut Spec) {
    let before = c.diagnostics.len();
    let (Some(_), Some(table)) = (c.table(&item.node, FORMULA_MEASURE), item.node.table()) else { return };
    let Some(formula) = table.get("formula") else { return };
    let Some((of, text)) = c.definition(formula, &["t"], ModelNames::All) else { return };
    let written = table.get("unit");
    let name = written.and_then(|n| n.text()).unwrap_or("1");
    let unit = match (name, written) {
        ("1", _) | (_, None) => None,
        (name, Some(node)) => match units::unit(name) {
            Ok(unit) => Some(unit),
            Err(no) => {
                c.diagnostics.push(not_a_unit(node, no));
                return;
            }
        },
    };
    // A plain number in the formula may have any unit; without one, the coordinates determine the dimension.
    let known = if written_numbers(formula) { of.known } else { dimension_by_names(formula, c) };
    // The sine or root of a length is no error: a formula may leave out a factor of 1 m.
    if let KnownDimension::Clash(why @ UnitClash::Unlike(..)) = known {
        report_error(c, &formula.place, &why.to_string(), "add and compare quantities of the same dimension only");
    }
    if let (KnownDimension::As(found), Some(unit)) = (known, &unit)
        && !found.fits(unit.dimension)
    {
        let message = format!("the formula is a quantity in {}, which has no value in {name}", found.to_text());
        report_error(c, &formula.place, &message, "correct the formula or the unit");
    }
    if c.diagnostics.len() == before {
        let factor = unit.map_or(1.0, |unit| unit.denominator / unit.numerator);
        spec.formula_measure(&item.name, FormulaMeasure::new(&text).in_unit(name, factor));
    }
}

/// Whether a formula contains numbers, which have no unit.
fn written_numbers(formula: &Node) -> bool {
    let mut found = false;
    for_each_token(formula.text().unwrap_or_default(), |piece| {
        if let Token::Other(text) = piece {
            found |= text.starts_with(|c: char| c.is_ascii_digit() || c == '.');
        }
    });
    found
}

/// The dimension that the coordinates in a formula give it.
fn dimension_by_names(formula: &Node, c: &Context) -> KnownDimension {
    let names = identifiers(formula.text().unwrap_or_default());
    let typed = |name: &String| {
        let known = c.dimension_of_name(name).map_or(Quantity::open(0.7), |d| Quantity::new(0.7, d));
        (name.clone(), known)
    };
    let scope = Scope::with_variables(&c.scope, names.iter().filter(|n| n.contains('.')).map(typed).collect());
    let open: Vec<&str> = names.iter().map(String::as_str).collect();
    let found = scope.dimension(formula, &open, Expression::parse_dotted);
    found.unwrap_or(KnownDimension::Open)
}
