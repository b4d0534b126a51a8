//! Units that depend on more than the field: coefficients of powers, matrices of bushings, and forces, stiffnesses and rates
//! along a coordinate, which is a length or an angle.

use super::super::node::{Node, Table};
use super::super::quantity::KnownDimension;
use super::super::scope::ExpectedQuantity;
use super::super::units::{self, Dimension};
use super::super::vocabulary::{self as words, ElementKind, FieldType, LAWS};
use super::Context;
use crate::diagnostic::Diagnostic;
use serde_json::{Value as Json, json};

/// Dimension of a coordinate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CoordinateDimension {
    Length,
    Angle,
}

impl CoordinateDimension {
    /// The dimension, if the coordinate determines it.
    pub fn of(coordinate: &Json) -> Option<CoordinateDimension> {
        if coordinate.get("angle").or(coordinate.get("elevation")).is_some() {
            return Some(CoordinateDimension::Angle);
        }
        if coordinate.get("distance").or(coordinate.get("slide")).is_some() {
            return Some(CoordinateDimension::Length);
        }
        let (_, last) = coordinate.get("coordinate")?.as_str()?.rsplit_once('.')?;
        match last {
            "theta" => Some(CoordinateDimension::Angle),
            "x" | "y" | "z" => Some(CoordinateDimension::Length),
            _ => None,
        }
    }

    /// As a dimension.
    fn dimension(self) -> Dimension {
        match self {
            CoordinateDimension::Length => Dimension::LENGTH,
            CoordinateDimension::Angle => Dimension::ANGLE,
        }
    }

    /// The expected quantity along such a coordinate.
    fn expected_along(self, requested: ExpectedQuantity) -> Option<ExpectedQuantity> {
        let pairs = [
            (words::STIFFNESS, words::LINEAR_STIFFNESS, words::ROTATIONAL_STIFFNESS),
            (words::DAMPING, words::LINEAR_DAMPING, words::ROTATIONAL_DAMPING),
            (words::INTEGRAL_GAIN, words::LINEAR_INTEGRAL_GAIN, words::ROTATIONAL_INTEGRAL_GAIN),
            (words::EFFORT, words::FORCE, words::TORQUE),
            (words::DISPLACEMENT, words::LENGTH, words::ANGLE),
            (words::RATE, words::VELOCITY, words::ANGULAR_VELOCITY),
            (words::ACCELERATION_OF_COORDINATE, words::ACCELERATION, words::ANGULAR_ACCELERATION),
        ];
        let (_, length, angle) = pairs.into_iter().find(|(both, ..)| *both == requested)?;
        Some(if self == CoordinateDimension::Length { length } else { angle })
    }
}

impl Context<'_> {
    /// The dimension of a state or of a joint coordinate, `crank.theta`, `crank.omega` or `elbow.angle.rate`, as far as its name
    /// determines it.
    pub(crate) fn dimension_of_name(&self, name: &str) -> Option<Dimension> {
        let (coordinate, order) = match (name.strip_suffix('\''), name.strip_suffix(".rate")) {
            (Some(of), _) | (_, Some(of)) => (of, 1),
            _ => match name.strip_suffix(".acceleration") {
                Some(of) => (of, 2),
                None => (name, 0),
            },
        };
        if let Some(unit) = self.register.generalised.get(coordinate) {
            return Some(units::unit(unit).ok()?.dimension.times(Dimension::TIME, -order));
        }
        let (length, angle) = (CoordinateDimension::Length.dimension(), CoordinateDimension::Angle.dimension());
        let (of, own) = match coordinate.rsplit_once('.')?.1 {
            "x" | "y" | "z" | "slide" | "slide_x" | "slide_y" | "slide_z" => (length, 0),
            "theta" | "angle" => (angle, 0),
            "vx" | "vy" | "vz" => (length, 1),
            "omega" | "wx" | "wy" | "wz" => (angle, 1),
            "ax" | "ay" | "az" => (length, 2),
            "alpha" | "alpha_x" | "alpha_y" | "alpha_z" => (angle, 2),
            _ => return None,
        };
        Some(of.times(Dimension::TIME, -(order + own)))
    }

    /// Checks the units of an element again, once the dimension of its coordinate is known.
    pub fn check_units_along(&mut self, kind: &ElementKind, node: &Node, coordinate: Option<&Json>) {
        // A coordinate of a generalised body has the unit that the body gives it, whatever its name.
        let given =
            coordinate.and_then(|c| c.get("coordinate")?.as_str()).and_then(|c| self.register.generalised.get(c));
        let sort = match given.map(String::as_str) {
            Some("m") => Some(CoordinateDimension::Length),
            Some("rad") => Some(CoordinateDimension::Angle),
            Some(_) => None,
            None => coordinate.and_then(CoordinateDimension::of),
        };
        let Some((sort, table)) = sort.zip(node.table()) else { return };
        self.check_units_of_fields(kind, table, sort);
    }

    /// The same for motions and limits of a joint; `limited` is the dimension of its only coordinate.
    pub fn check_units_of_joint(&mut self, node: &Node, limited: Option<CoordinateDimension>) {
        let Some(table) = node.table() else { return };
        for (key, sort) in [("rotation", CoordinateDimension::Angle), ("translation", CoordinateDimension::Length)] {
            let motion = table.get(key).and_then(Node::table).map(|t| t.0.as_slice()).unwrap_or_default();
            for entry in motion {
                let requested = match entry.key.as_str() {
                    "position" => words::DISPLACEMENT,
                    "velocity" => words::RATE,
                    "acceleration" => words::ACCELERATION_OF_COORDINATE,
                    // `{ locked = … }` and `{ about = … }` of a general joint.
                    _ => continue,
                };
                drop(sort.expected_along(requested).and_then(|requested| self.signal(&entry.node, &requested, 0)));
            }
        }
        let of = table.get("limits").and_then(Node::table);
        let named = of.and_then(|t| t.get("coordinate")).and_then(|n| n.text());
        let sort = match named {
            Some("angle") => Some(CoordinateDimension::Angle),
            Some("slide") => Some(CoordinateDimension::Length),
            _ => limited,
        };
        if let Some((table, sort)) = of.zip(sort) {
            self.check_units_of_fields(&ElementKind { name: "limits", doc: "", fields: words::LIMITS }, table, sort);
        }
    }

    fn check_units_of_fields(&mut self, kind: &ElementKind, table: &Table, sort: CoordinateDimension) {
        for field in kind.fields {
            let Some(node) = table.get(field.name) else { continue };
            let whole = self.element.clone();
            self.element = format!("{whole}, `{}`", field.name);
            match field.field_type {
                FieldType::Number(requested) => {
                    let _ = sort.expected_along(requested).and_then(|requested| self.number(node, &requested));
                }
                FieldType::Signal(requested) => {
                    drop(sort.expected_along(requested).and_then(|requested| self.signal(node, &requested, 0)))
                }
                FieldType::Powers(requested, per) => {
                    let step = if sort == CoordinateDimension::Length { &per[..1] } else { &per[1..] };
                    drop(sort.expected_along(requested).and_then(|requested| self.powers(node, &requested, step)));
                }
                FieldType::Law => {
                    let named = node.table().and_then(|t| t.get("type")).and_then(|n| n.text());
                    if let (Some(law), Some(table)) = (named.and_then(|n| words::kind(LAWS, n)), node.table()) {
                        self.check_units_of_fields(law, table, sort);
                    }
                }
                _ => {}
            }
            self.element = whole;
        }
    }

    /// Coefficients of increasing powers: the dimension of coefficient i is that of the first divided i times by `per`.
    pub(super) fn powers(&mut self, node: &Node, requested: &ExpectedQuantity, per: &[Dimension]) -> Option<Json> {
        let Some(list) = node.list() else {
            self.report_type_mismatch(node, "a list of numbers");
            return None;
        };
        let mut found = Vec::new();
        for (power, entry) in list.iter().enumerate() {
            let power = i8::try_from(power).unwrap_or(i8::MAX);
            let value = match self.scope.clone().any(entry) {
                Ok(value) => value,
                Err(finding) => {
                    self.report(finding);
                    return None;
                }
            };
            let wanted = |i: usize, first: &Dimension| first.times(per[i.min(per.len() - 1)], -power);
            let mut all = requested.dimensions.iter().enumerate().map(|(i, first)| wanted(i, first));
            match value.known {
                KnownDimension::As(d) if !all.any(|requested| d.fits(requested)) => {
                    let message =
                        format!("expected {} of power {power}, found a quantity in {}", requested.name, d.to_text());
                    let unit = wanted(0, &requested.dimensions[0]).to_text();
                    let help = format!("write for instance \"3 {unit}\" here, or a plain number in SI units");
                    self.report(Diagnostic::error(message).at(&entry.place).help(help));
                    return None;
                }
                // The check of one number reports the clash in full.
                KnownDimension::Clash(_) => return self.number(entry, requested).map(|x| json!(x)),
                _ => found.push(value.value),
            }
        }
        Some(json!(found))
    }

    /// Six numbers, or a 6×6 matrix whose blocks couple displacements and rotations.
    pub(super) fn coefficients(&mut self, node: &Node, requested: &ExpectedQuantity) -> Option<Json> {
        let bushing = if *requested == words::DAMPING {
            Some([words::LINEAR_DAMPING, words::COUPLING_DAMPING, words::ROTATIONAL_DAMPING])
        } else if *requested == words::STIFFNESS {
            Some([words::LINEAR_STIFFNESS, words::COUPLING_STIFFNESS, words::ROTATIONAL_STIFFNESS])
        } else {
            None
        };
        // Matrices of sections have other dimensions.
        let of = |i: usize, j: usize| match (bushing, i < 3, j < 3) {
            (None, ..) => *requested,
            (Some([linear, ..]), true, true) => linear,
            (Some([.., turning]), false, false) => turning,
            (Some([_, coupling, _]), ..) => coupling,
        };
        match node.list() {
            Some(rows) if rows.len() == 6 && rows.iter().all(|r| r.list().is_some_and(|r| r.len() == 6)) => {
                let mut full = Vec::new();
                for (i, row) in rows.iter().enumerate() {
                    let row = row.list().unwrap_or_default().iter().enumerate();
                    full.push(row.map(|(j, n)| self.number(n, &of(i, j))).collect::<Option<Vec<f64>>>()?);
                }
                Some(json!({ "full": full }))
            }
            Some(list) if list.len() == 6 && list.iter().all(|n| n.list().is_none()) => {
                let all: Vec<Option<f64>> = list.iter().enumerate().map(|(i, n)| self.number(n, &of(i, i))).collect();
                all.into_iter().collect::<Option<Vec<f64>>>().map(|k| json!({ "diagonal": k }))
            }
            _ => self.numbers(node, requested, &[6]).map(|k| json!({ "diagonal": k })),
        }
    }
}
