//! Measures by formula.

use super::super::expand::Item;
use super::super::formula::not_a_unit;
use super::super::quantity::KnownDimension;
use super::super::resolve::{Context, ModelNames};
use super::super::units;
use super::super::vocabulary::FORMULA_MEASURE;
use super::report_error;
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
    if let (KnownDimension::As(found), Some(unit)) = (of.known, &unit)
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
