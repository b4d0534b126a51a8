//! What can be wrong with a model, said with the element's name and the remedy.

use thiserror::Error;

/// One parameter that makes no sense, as the element itself sees it.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum Fault {
    /// Not greater than zero.
    #[error("{field} is {found}, it must be greater than zero")]
    NotPositive {
        /// The parameter.
        field: &'static str,
        /// What was found.
        found: f64,
    },
    /// NaN or infinite.
    #[error("{field} contains {found}, it must be finite")]
    NotFinite {
        /// The parameter.
        field: &'static str,
        /// What was found.
        found: f64,
    },
    /// Principal moments of inertia that no mass distribution has.
    #[error(
        "{field} has the principal moments {a}, {b}, {c}: each must be positive and no larger than the sum of the \
         other two; check units, the sign of the products, and that the tensor is about the mass centre"
    )]
    ImpossibleInertia {
        /// The parameter.
        field: &'static str,
        /// Smallest principal moment.
        a: f64,
        /// Middle principal moment.
        b: f64,
        /// Largest principal moment.
        c: f64,
    },
    /// Anything else about a value.
    #[error("{field}: {what}")]
    Value {
        /// The parameter.
        field: &'static str,
        /// What is wrong and what to do.
        what: String,
    },
}

impl Fault {
    /// A fault in words.
    pub fn value(field: &'static str, what: impl Into<String>) -> Fault {
        Fault::Value { field, what: what.into() }
    }

    /// Refuses NaN, infinity, zero and negative numbers.
    pub fn positive(field: &'static str, x: f64) -> Result<(), Fault> {
        Fault::finite(field, &[x])?;
        if x > 0.0 { Ok(()) } else { Err(Fault::NotPositive { field, found: x }) }
    }

    /// Refuses NaN and infinity.
    pub fn finite(field: &'static str, x: &[f64]) -> Result<(), Fault> {
        match x.iter().find(|x| !x.is_finite()) {
            Some(&found) => Err(Fault::NotFinite { field, found }),
            None => Ok(()),
        }
    }

    /// Refuses tensors (xx, yy, zz, xy, xz, yz about the mass centre) that no body can have.
    pub fn inertia(field: &'static str, i: &[f64; 6]) -> Result<(), Fault> {
        Fault::finite(field, i)?;
        let J = nalgebra::Matrix3::new(i[0], i[3], i[4], i[3], i[1], i[5], i[4], i[5], i[2]);
        let mut p: Vec<f64> = J.symmetric_eigenvalues().iter().copied().collect();
        p.sort_by(f64::total_cmp);
        let [a, b, c] = [p[0], p[1], p[2]];
        // A flat body meets the triangle inequality with equality; leave it its round-off.
        if a > 0.0 && a + b >= c * (1.0 - 1e-9) { Ok(()) } else { Err(Fault::ImpossibleInertia { field, a, b, c }) }
    }
}

/// Why a [`Spec`](crate::Spec) is not a model.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum BuildError {
    /// Two elements share a name.
    #[error("the name `{name}` is given twice; names must be unique among {family}")]
    DuplicateName {
        /// The name.
        name: String,
        /// `bodies`, `markers`, `constraints` or `forces`.
        family: &'static str,
    },
    /// A name that cannot be one.
    #[error("`{name}` cannot be the name of {family}: {why}")]
    BadName {
        /// The name.
        name: String,
        /// Of what.
        family: &'static str,
        /// What is wrong with it.
        why: &'static str,
    },
    /// A parameter of an element makes no sense.
    #[error("{family} `{name}`: {fault}")]
    Element {
        /// `body`, `marker`, `constraint` or `force`.
        family: &'static str,
        /// The element.
        name: String,
        /// What is wrong.
        fault: Fault,
    },
    /// A marker on a body that does not exist.
    #[error("marker `{marker}` sits on `{body}`, but there is no such body{hint}")]
    MarkerOnNothing {
        /// The marker.
        marker: String,
        /// The missing body.
        body: String,
        /// ` (did you mean …?)` or nothing.
        hint: String,
    },
    /// An element refers to a marker that does not exist.
    #[error("{family} `{name}` refers to `{marker}`, but there is no such marker, body or coordinate{hint}")]
    UnknownMarker {
        /// `constraint` or `force`.
        family: &'static str,
        /// The element.
        name: String,
        /// What it asked for.
        marker: String,
        /// ` (did you mean …?)` or nothing.
        hint: String,
    },
    /// Both ends of a constraint sit on one body.
    #[error("constraint `{name}` joins `{body}` with itself; its markers must sit on different bodies")]
    SelfJoint {
        /// The constraint.
        name: String,
        /// The body.
        body: String,
    },
    /// A frame is needed where a coordinate was named, or the other way round.
    #[error("{family} `{name}` refers to `{marker}`, which is a {found}; it needs a {needed} there")]
    WrongMarker {
        /// `constraint` or `force`.
        family: &'static str,
        /// The element.
        name: String,
        /// The marker.
        marker: String,
        /// `frame` or `coordinate`.
        found: &'static str,
        /// `frame` or `coordinate`.
        needed: &'static str,
    },
    /// A state of the wrong size for the model.
    #[error("the state has {found} {what}, the model has {needed}")]
    WrongSize {
        /// `coordinates`, `velocities`, `extra states` or `modes`.
        what: &'static str,
        /// Found.
        found: usize,
        /// Needed.
        needed: usize,
    },
    /// The gravity vector is not finite.
    #[error("gravity contains NaN or infinity; give three finite components in m/s²")]
    Gravity,
}

/// ` (did you mean …?)` with the nearest of the known names, or nothing.
pub(crate) fn did_you_mean<'a>(found: &str, known: impl Iterator<Item = &'a str>) -> String {
    let near = known.map(|k| (distance(found, k), k)).min();
    match near {
        Some((d, k)) if d <= 1 + found.chars().count() / 4 => format!(" (did you mean `{k}`?)"),
        _ => String::new(),
    }
}

/// Levenshtein distance.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut left = i + 1;
        let mut diagonal = i;
        for (j, y) in b.iter().enumerate() {
            let here = (row[j + 1] + 1).min(left + 1).min(diagonal + usize::from(x != *y));
            diagonal = row[j + 1];
            row[j] = left;
            left = here;
        }
        row[b.len()] = left;
    }
    row[b.len()]
}

/// A fault with the name of its element.
pub(crate) fn element(family: &'static str, name: &str, fault: Fault) -> BuildError {
    BuildError::Element { family, name: name.to_string(), fault }
}

/// Refuses what cannot name a body.
pub(crate) fn body_name(name: &str) -> Result<(), BuildError> {
    if name == "ground" || name.is_empty() || name.contains('.') {
        let why = "it must not be `ground`, not be empty, and contain no dot";
        return Err(BuildError::BadName { name: name.to_string(), family: "a body", why });
    }
    Ok(())
}

/// Refuses names given twice.
pub(crate) fn unique<'a>(family: &'static str, names: impl Iterator<Item = &'a str>) -> Result<(), BuildError> {
    let mut seen = std::collections::HashSet::new();
    for name in names {
        if !seen.insert(name) {
            return Err(BuildError::DuplicateName { name: name.to_string(), family });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inertia_obeys_the_triangle_inequality() {
        assert!(Fault::inertia("J", &[1.0, 1.0, 2.0, 0.0, 0.0, 0.0]).is_ok());
        assert!(Fault::inertia("J", &[1.0, 1.0, 2.1, 0.0, 0.0, 0.0]).is_err());
        assert!(Fault::inertia("J", &[1.0, 1.0, 1.0, 1.5, 0.0, 0.0]).is_err());
        assert!(Fault::inertia("J", &[1.0, 1.0, f64::NAN, 0.0, 0.0, 0.0]).is_err());
        assert!(Fault::inertia("J", &[0.0, 1.0, 1.0, 0.0, 0.0, 0.0]).is_err());
    }

    #[test]
    fn nearest_name() {
        assert_eq!(did_you_mean("crnak", ["rod", "crank"].into_iter()), " (did you mean `crank`?)");
        assert_eq!(did_you_mean("zebra", ["rod", "crank"].into_iter()), "");
        assert_eq!(distance("kitten", "sitting"), 3);
    }
}
