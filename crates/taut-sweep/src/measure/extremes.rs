//! The extremes that are kept by default: largest force and moment of every joint and force element.

use super::Measure;
use taut::Table;

/// One measure for every vector `X.fx, X.fy, X.fz` or `X.mx, X.my, X.mz` among the columns.
pub(crate) fn extremes(table: &Table) -> Vec<Measure> {
    let has = |name: &str| table.columns().iter().any(|c| c.name == name);
    let mut found = Vec::new();
    for column in table.columns() {
        let Some((element, last)) = column.name.rsplit_once('.') else { continue };
        let letter = match last {
            "fx" => 'f',
            "mx" => 'm',
            _ => continue,
        };
        let names = ['x', 'y', 'z'].map(|axis| format!("{element}.{letter}{axis}"));
        if names.iter().all(|name| has(name)) {
            let [x, y, z] = &names;
            // Names of columns are names of formulas too.
            found.extend(Measure::parse(&format!("{element}.{letter}.max = max({})", norm([x, y, z]))));
        }
    }
    found
}

fn norm([x, y, z]: [&str; 3]) -> String {
    format!("sqrt({x}^2+{y}^2+{z}^2)")
}

/// Whether a formula without blanks is the length of a vector.
pub(super) fn is_norm(text: &str, names: &[String]) -> bool {
    let squares = names.iter().map(|n| format!("{n}^2")).collect::<Vec<_>>().join("+");
    text == format!("sqrt({squares})")
}

#[cfg(test)]
mod tests {
    use super::*;
    use taut::Column;

    #[test]
    fn forces_and_moments_are_found_with_their_units() {
        let names = ["t", "pin.fx", "pin.fy", "pin.fz", "pin.mx", "pin.my", "a.fx"];
        let column = |name: &&str| Column {
            name: name.to_string(),
            unit: if *name == "t" { "s" } else { "N" }.to_string(),
            meaning: String::new(),
            data: vec![],
        };
        let table: Table = names.iter().map(column).collect();
        let found = extremes(&table);
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].name.as_str(), found[0].unit(&table).as_str()), ("pin.f.max", "N"));
    }
}
