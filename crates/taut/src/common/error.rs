//! Errors of a model. Each message names the element and the remedy.

use thiserror::Error;

/// An invalid parameter, as reported by the element itself (without the element's name).
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum ParameterError {
    /// Not greater than zero.
    #[error("{field} is {found}; it must be greater than zero")]
    NotPositive {
        /// The parameter.
        field: &'static str,
        /// Its value.
        found: f64,
    },
    /// Less than zero.
    #[error("{field} is {found}; it must not be negative")]
    Negative {
        /// The parameter.
        field: &'static str,
        /// Its value.
        found: f64,
    },
    /// NaN or infinite.
    #[error("{field} contains {found}; it must be finite")]
    NotFinite {
        /// The parameter.
        field: &'static str,
        /// The offending value.
        found: f64,
    },
    /// Principal moments of inertia that no mass distribution can have.
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
    /// Any other invalid value.
    #[error("{field}: {what}")]
    Value {
        /// The parameter.
        field: &'static str,
        /// What is wrong and what to do.
        what: String,
    },
}

impl ParameterError {
    /// The field that is wrong.
    pub fn field(&self) -> &'static str {
        match self {
            ParameterError::NotPositive { field, .. }
            | ParameterError::Negative { field, .. }
            | ParameterError::NotFinite { field, .. }
            | ParameterError::ImpossibleInertia { field, .. }
            | ParameterError::Value { field, .. } => field,
        }
    }

    /// An error with a free message.
    pub fn invalid(field: &'static str, what: impl Into<String>) -> ParameterError {
        ParameterError::Value { field, what: what.into() }
    }

    /// Rejects NaN, infinity, zero and negative numbers.
    pub fn check_positive(field: &'static str, x: f64) -> Result<(), ParameterError> {
        ParameterError::check_finite(field, &[x])?;
        if x > 0.0 { Ok(()) } else { Err(ParameterError::NotPositive { field, found: x }) }
    }

    /// Rejects NaN, infinity and negative numbers.
    pub fn check_not_negative(field: &'static str, x: f64) -> Result<(), ParameterError> {
        ParameterError::check_finite(field, &[x])?;
        if x >= 0.0 { Ok(()) } else { Err(ParameterError::Negative { field, found: x }) }
    }

    /// Rejects NaN and infinity.
    pub fn check_finite(field: &'static str, x: &[f64]) -> Result<(), ParameterError> {
        match x.iter().find(|x| !x.is_finite()) {
            Some(&found) => Err(ParameterError::NotFinite { field, found }),
            None => Ok(()),
        }
    }

    /// Rejects inertia tensors (xx, yy, zz, xy, xz, yz about the mass centre) that no body can have.
    pub fn check_inertia(field: &'static str, i: &[f64; 6]) -> Result<(), ParameterError> {
        ParameterError::check_finite(field, i)?;
        let J = nalgebra::Matrix3::new(i[0], i[3], i[4], i[3], i[1], i[5], i[4], i[5], i[2]);
        let mut p: Vec<f64> = J.symmetric_eigenvalues().iter().copied().collect();
        p.sort_by(f64::total_cmp);
        let [a, b, c] = [p[0], p[1], p[2]];
        // For a flat body the triangle inequality is an equality, so allow for round-off.
        if a > 0.0 && a + b >= c * (1.0 - 1e-9) {
            Ok(())
        } else {
            Err(ParameterError::ImpossibleInertia { field, a, b, c })
        }
    }
}

/// Why a [`Spec`](crate::Spec) cannot be built into a model.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum BuildError {
    /// Two elements share a name.
    #[error("the name `{name}` is given twice; names must be unique among {family}")]
    DuplicateName {
        /// The name.
        name: String,
        /// `bodies`, `markers`, `constraints` or `forces`.
        family: &'static str,
    },
    /// An invalid name.
    #[error("`{name}` cannot be the name of {family}: {why}")]
    BadName {
        /// The name.
        name: String,
        /// The kind of element, with its article.
        family: &'static str,
        /// What is wrong with it.
        why: &'static str,
    },
    /// An invalid parameter of an element.
    #[error("{family} `{name}`: {fault}")]
    Element {
        /// `body`, `marker`, `constraint` or `force`.
        family: &'static str,
        /// The element.
        name: String,
        /// What is wrong.
        fault: ParameterError,
    },
    /// A marker on a body that does not exist.
    #[error("marker `{marker}` is attached to `{body}`, but there is no such body{hint}")]
    UnknownBody {
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
        /// The name it refers to.
        marker: String,
        /// ` (did you mean …?)` or nothing.
        hint: String,
    },
    /// Both markers of a constraint are on the same body.
    #[error("constraint `{name}` joins `{body}` with itself; its markers must sit on different bodies")]
    SelfJoint {
        /// The constraint.
        name: String,
        /// The body.
        body: String,
    },
    /// A coordinate was given where a frame is needed, or the reverse.
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

/// Adds the name of the element to a parameter error.
pub(crate) fn element_error(family: &'static str, name: &str, fault: ParameterError) -> BuildError {
    BuildError::Element { family, name: name.to_string(), fault }
}

/// Rejects invalid names of bodies.
pub(crate) fn check_body_name(name: &str) -> Result<(), BuildError> {
    if name == "ground" || name.is_empty() || name.contains('.') {
        let why = "it must not be `ground`, not be empty, and contain no dot";
        return Err(BuildError::BadName { name: name.to_string(), family: "a body", why });
    }
    Ok(())
}

/// Rejects duplicate names.
pub(crate) fn check_unique_names<'a>(
    family: &'static str,
    names: impl Iterator<Item = &'a str>,
) -> Result<(), BuildError> {
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
        assert!(ParameterError::check_inertia("J", &[1.0, 1.0, 2.0, 0.0, 0.0, 0.0]).is_ok());
        assert!(ParameterError::check_inertia("J", &[1.0, 1.0, 2.1, 0.0, 0.0, 0.0]).is_err());
        assert!(ParameterError::check_inertia("J", &[1.0, 1.0, 1.0, 1.5, 0.0, 0.0]).is_err());
        assert!(ParameterError::check_inertia("J", &[1.0, 1.0, f64::NAN, 0.0, 0.0, 0.0]).is_err());
        assert!(ParameterError::check_inertia("J", &[0.0, 1.0, 1.0, 0.0, 0.0, 0.0]).is_err());
    }
}
