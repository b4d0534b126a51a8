//! Bodies with generalised coordinates: energies, forces and states as formulas with local names.

use super::super::expand::Item;
use super::super::node::{Entry, Node};
use super::super::quantity::Quantity;
use super::super::resolve::{Context, LocalNames, ModelNames};
use super::super::scope::ExpectedQuantity;
use super::super::units::Dimension;
use super::super::vocabulary::{
    ANGLE, ANGULAR_VELOCITY, COORDINATE_UNITS, DIMENSIONLESS, ENERGY, FORCE, FieldType, GENERALISED_COORDINATE,
    GENERALISED_STATE, INERTIA, LENGTH, MASS, MASS_MOMENT, PER_TIME, TORQUE, VELOCITY,
};
use super::report_error;
use serde_json::Value as Json;
use taut::Generalised;
use taut::bodies::{CoordinateUnit, GeneralisedCoordinate, GeneralisedForce, GeneralisedState};

/// Reads a body whose fields were checked; errors are reported to the context.
pub(super) fn generalised(item: &Item, c: &mut Context) -> Option<Generalised> {
    let table = item.node.table()?;
    let entries = |key: &str| table.get(key).and_then(Node::table).map_or(&[][..], |t| t.0.as_slice());
    let whole = c.element.clone();
    let before = c.diagnostics.len();
    let coordinates = coordinates(table.get("coordinates")?, c)?;
    c.locals = LocalNames::default();
    for GeneralisedCoordinate { name, unit, .. } in &coordinates {
        let (of, rate) = match unit {
            CoordinateUnit::Metre => (Dimension::LENGTH, VELOCITY.dimensions[0]),
            CoordinateUnit::Radian => (Dimension::ANGLE, ANGULAR_VELOCITY.dimensions[0]),
            CoordinateUnit::One => (Dimension::NONE, PER_TIME.dimensions[0]),
        };
        c.locals.add(name, Quantity::new(0.7, of));
        c.locals.add(&format!("{name}'"), Quantity::new(0.7, rate));
    }
    let states = entries("states");
    for Entry { key, place, .. } in states {
        c.check_local_name(key, place);
        c.locals.add(key, Quantity::open(0.7));
    }
    c.locals.add("t", Quantity::new(0.7, Dimension::TIME));
    c.define_all(entries("definitions"), &[], ModelNames::All)?;

    let read = |key: &str, node: &Node, requested: Option<&ExpectedQuantity>, c: &mut Context| {
        c.element = format!("{whole}, {key}");
        let found = c.local_formula(node, requested, &[], ModelNames::All);
        c.element.clone_from(&whole);
        found
    };
    let mut body = Generalised::new(coordinates);
    if let Some(node) = table.get("kinetic_energy") {
        body.kinetic_energy = Some(read("`kinetic_energy`", node, Some(&ENERGY), c)?);
    }
    if let Some(node) = table.get("potential_energy") {
        body.potential_energy = Some(read("`potential_energy`", node, Some(&ENERGY), c)?);
    }
    if let Some(node) = table.get("mass_matrix") {
        let Some(rows) = node.list() else {
            report_error(
                c,
                &node.place,
                "`mass_matrix` must be a list of rows",
                "mass_matrix = [[\"m\", 0], [0, \"J\"]]",
            );
            return None;
        };
        // A single list is the diagonal.
        let diagonal = rows.iter().all(|row| row.list().is_none());
        let mut all = Vec::new();
        for (i, row) in rows.iter().enumerate() {
            let mut entries = Vec::new();
            let one = std::slice::from_ref(row);
            for (j, node) in if diagonal { one } else { row.list().unwrap_or(one) }.iter().enumerate() {
                let j = if diagonal { i } else { j };
                let unit = |k: usize| body.coordinates.get(k).map(|c| c.unit);
                let requested =
                    unit(i).zip(unit(j)).map(|(a, b)| match (a == CoordinateUnit::Metre, b == CoordinateUnit::Metre) {
                        (true, true) => MASS,
                        (false, false) => INERTIA,
                        _ => MASS_MOMENT,
                    });
                entries.push(read("`mass_matrix`", node, requested.as_ref(), c)?);
            }
            if diagonal {
                let n = rows.len();
                let entry = entries.remove(0);
                entries = (0..n).map(|j| if i == j { entry.clone() } else { "0".to_string() }).collect();
            }
            all.push(entries);
        }
        body.mass_matrix = Some(all);
    }
    for Entry { key, node, .. } in entries("forces") {
        let unit = body.coordinates.iter().find(|c| c.name == *key).map(|c| c.unit);
        let requested = unit.map(|unit| match unit {
            CoordinateUnit::Metre => FORCE,
            CoordinateUnit::Radian => TORQUE,
            CoordinateUnit::One => ENERGY,
        });
        let force = read(&format!("`forces`, `{key}`"), node, requested.as_ref(), c)?;
        body.forces.push(GeneralisedForce { coordinate: key.clone(), force });
    }
    for Entry { key, node, .. } in states {
        let fields = c.table(node, GENERALISED_STATE)?;
        let rate = read(&format!("rate of `{key}`"), node.table()?.get("rate")?, None, c)?;
        let initial = fields.get("initial").and_then(Json::as_f64).unwrap_or(0.0);
        body.states.push(GeneralisedState { name: key.clone(), rate, initial });
    }
    (c.diagnostics.len() == before).then_some(body)
}

/// Names with units, or with `{ unit, initial, velocity }`.
fn coordinates(node: &Node, c: &mut Context) -> Option<Vec<GeneralisedCoordinate>> {
    let Some(table) = node.table() else {
        let help = "coordinates = { x = \"m\", theta = { unit = \"rad\", initial = \"30 deg\" } }";
        report_error(c, &node.place, "`coordinates` must be a table of units by name", help);
        return None;
    };
    let mut all = Vec::new();
    c.locals = LocalNames::default();
    for Entry { key, place, node } in &table.0 {
        c.check_local_name(key, place);
        c.locals.add(key, Quantity::open(0.7));
        let fields = match node.text() {
            Some(_) => {
                [("unit".to_string(), c.resolve(FieldType::Choice(COORDINATE_UNITS), node)?)].into_iter().collect()
            }
            None => c.table(node, GENERALISED_COORDINATE)?,
        };
        let unit = match fields.get("unit").and_then(Json::as_str) {
            Some("m") => CoordinateUnit::Metre,
            Some("rad") => CoordinateUnit::Radian,
            _ => CoordinateUnit::One,
        };
        let requested = match unit {
            CoordinateUnit::Metre => [LENGTH, VELOCITY],
            CoordinateUnit::Radian => [ANGLE, ANGULAR_VELOCITY],
            CoordinateUnit::One => [DIMENSIONLESS, PER_TIME],
        };
        // Read again with the dimension of the coordinate.
        let mut value = |key: &str, requested: ExpectedQuantity| match node.table().and_then(|t| t.get(key)) {
            Some(node) => c.resolve(FieldType::Number(requested), node).and_then(|x| x.as_f64()),
            None => Some(0.0),
        };
        let (initial, velocity) = (value("initial", requested[0])?, value("velocity", requested[1])?);
        all.push(GeneralisedCoordinate { name: key.clone(), unit, initial, velocity });
    }
    Some(all)
}
