//! The laws of a block of rows, and the projection p = proj_P (z) that expresses each of them.

use thiserror::Error;

/// The law between impulses p and velocities u of one block of rows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ComplementarityLaw {
    /// One row: 0 ≤ u ⊥ p ≥ 0.
    NonNegative,
    /// One row: u = 0 while lower < p < upper, u ≥ 0 at the lower bound, u ≤ 0 at the upper one. Infinite bounds make
    /// it a bilateral row.
    Interval {
        /// Least p, −∞ allowed.
        lower: f64,
        /// Greatest p, ∞ allowed.
        upper: f64,
    },
    /// Two rows: u = 0 while |p| < radius, else p = −radius u/|u|.
    Disc {
        /// Greatest |p|.
        radius: f64,
    },
    /// Three rows: u = 0 while |p| < radius, else p = −radius u/|u|.
    Ball {
        /// Greatest |p|.
        radius: f64,
    },
    /// Two rows (n, t): 0 ≤ u_n ⊥ p_n ≥ 0 and |p_t| ≤ μ p_n, with p_t = −μ p_n sign u_t where u_t ≠ 0.
    PlanarCone {
        /// Coefficient of friction.
        mu: f64,
    },
    /// Three rows (n, t1, t2): 0 ≤ u_n ⊥ p_n ≥ 0 and |p_t| ≤ μ p_n, with p_t = −μ p_n u_t/|u_t| where u_t ≠ 0. The cone
    /// is circular and u_n = 0 while sliding: this is Coulomb's law, not the associated one.
    Cone {
        /// Coefficient of friction.
        mu: f64,
    },
    /// Six rows (n, t1, t2, s, r1, r2): a cone with a torque about the normal, |p_s| ≤ spin p_n, and a rolling
    /// resistance, |p_r| ≤ roll p_n, both opposed to their velocities.
    ConeWithTorques {
        /// Coefficient of friction.
        mu: f64,
        /// Torque about the normal per normal force, m.
        spin: f64,
        /// Rolling torque per normal force, m.
        roll: f64,
    },
}

impl std::fmt::Display for ComplementarityLaw {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ComplementarityLaw::NonNegative => write!(f, "a gap"),
            ComplementarityLaw::Interval { lower, upper } => write!(f, "an interval from {lower} to {upper}"),
            ComplementarityLaw::Disc { radius } => write!(f, "a disc of radius {radius}"),
            ComplementarityLaw::Ball { radius } => write!(f, "a ball of radius {radius}"),
            ComplementarityLaw::PlanarCone { mu } | ComplementarityLaw::Cone { mu } => {
                write!(f, "friction with the coefficient {mu}")
            }
            ComplementarityLaw::ConeWithTorques { mu, spin, roll } => {
                write!(f, "friction with the coefficients {mu}, {spin} for spinning and {roll} for rolling")
            }
        }
    }
}

/// Invalid input of a complementarity problem.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum ComplementarityError {
    /// Sizes that do not match.
    #[error("{what} has {found} entries, but the laws need {expected}")]
    Size {
        /// The array.
        what: &'static str,
        /// Its size.
        found: usize,
        /// What it should be.
        expected: usize,
    },
    /// NaN or infinity.
    #[error("entry {index} of {what} is not a finite number")]
    NotFinite {
        /// The array.
        what: &'static str,
        /// The entry.
        index: usize,
    },
    /// A law with invalid parameters.
    #[error(
        "the law of block {block}, {law}, has invalid parameters: coefficients and radii must be finite and not negative, bounds must be \
         ordered, the lower one below ∞ and the upper one above −∞"
    )]
    Law {
        /// Index of the block.
        block: usize,
        /// Its law.
        law: ComplementarityLaw,
    },
    /// A body that was not declared.
    #[error("contact {contact} acts on body {body}, which was not declared")]
    Body {
        /// Index of the contact.
        contact: usize,
        /// The body.
        body: usize,
    },
}

/// One factor of the admissible set of a law, which is a product of such sets. The friction sets scale with the normal row, the first
/// row of the block.
#[derive(Clone, Copy, Debug)]
pub(super) enum AdmissibleSet {
    Normal,
    Interval { lower: f64, upper: f64 },
    Disc { radius: f64 },
    Ball { radius: f64 },
    FrictionInterval { mu: f64 },
    FrictionDisc { mu: f64 },
}

impl AdmissibleSet {
    pub(super) fn rows(&self) -> usize {
        match self {
            AdmissibleSet::Disc { .. } | AdmissibleSet::FrictionDisc { .. } => 2,
            AdmissibleSet::Ball { .. } => 3,
            _ => 1,
        }
    }
}

impl ComplementarityLaw {
    /// A row with u = 0 and unbounded p.
    pub const BILATERAL: ComplementarityLaw =
        ComplementarityLaw::Interval { lower: f64::NEG_INFINITY, upper: f64::INFINITY };

    /// Number of rows.
    pub const fn rows(&self) -> usize {
        match self {
            ComplementarityLaw::NonNegative | ComplementarityLaw::Interval { .. } => 1,
            ComplementarityLaw::Disc { .. } | ComplementarityLaw::PlanarCone { .. } => 2,
            ComplementarityLaw::Cone { .. } | ComplementarityLaw::Ball { .. } => 3,
            ComplementarityLaw::ConeWithTorques { .. } => 6,
        }
    }

    /// Rejects invalid parameters; `block` is for the message.
    pub(super) fn check(&self, block: usize) -> Result<(), ComplementarityError> {
        let size = |x: f64| x >= 0.0 && x.is_finite();
        let good = match *self {
            ComplementarityLaw::NonNegative => true,
            ComplementarityLaw::Interval { lower, upper } => {
                lower <= upper && lower < f64::INFINITY && upper > f64::NEG_INFINITY
            }
            ComplementarityLaw::Disc { radius } | ComplementarityLaw::Ball { radius } => size(radius),
            ComplementarityLaw::PlanarCone { mu } | ComplementarityLaw::Cone { mu } => size(mu),
            ComplementarityLaw::ConeWithTorques { mu, spin, roll } => size(mu) && size(spin) && size(roll),
        };
        if good { Ok(()) } else { Err(ComplementarityError::Law { block, law: *self }) }
    }

    /// The sets of the block with their first rows.
    #[inline]
    pub(super) fn admissible_sets(&self) -> impl Iterator<Item = (usize, AdmissibleSet)> + use<> {
        let normal = Some((0, AdmissibleSet::Normal));
        match *self {
            ComplementarityLaw::NonNegative => [normal, None, None, None],
            ComplementarityLaw::Interval { lower, upper } => {
                [Some((0, AdmissibleSet::Interval { lower, upper })), None, None, None]
            }
            ComplementarityLaw::Disc { radius } => [Some((0, AdmissibleSet::Disc { radius })), None, None, None],
            ComplementarityLaw::Ball { radius } => [Some((0, AdmissibleSet::Ball { radius })), None, None, None],
            ComplementarityLaw::PlanarCone { mu } => {
                [normal, Some((1, AdmissibleSet::FrictionInterval { mu })), None, None]
            }
            ComplementarityLaw::Cone { mu } => [normal, Some((1, AdmissibleSet::FrictionDisc { mu })), None, None],
            ComplementarityLaw::ConeWithTorques { mu, spin, roll } => [
                normal,
                Some((1, AdmissibleSet::FrictionDisc { mu })),
                Some((3, AdmissibleSet::FrictionInterval { mu: spin })),
                Some((4, AdmissibleSet::FrictionDisc { mu: roll })),
            ],
        }
        .into_iter()
        .flatten()
    }

    /// The same law for p̂ = s p, û = u / s, with one scale s per row; the rows of a disc or ball have equal scales.
    pub(super) fn in_metric(&self, s: &[f64]) -> ComplementarityLaw {
        match *self {
            ComplementarityLaw::NonNegative => ComplementarityLaw::NonNegative,
            ComplementarityLaw::Interval { lower, upper } => {
                ComplementarityLaw::Interval { lower: lower * s[0], upper: upper * s[0] }
            }
            ComplementarityLaw::Disc { radius } => ComplementarityLaw::Disc { radius: radius * s[0] },
            ComplementarityLaw::Ball { radius } => ComplementarityLaw::Ball { radius: radius * s[0] },
            ComplementarityLaw::PlanarCone { mu } => ComplementarityLaw::PlanarCone { mu: mu * s[1] / s[0] },
            ComplementarityLaw::Cone { mu } => ComplementarityLaw::Cone { mu: mu * s[1] / s[0] },
            ComplementarityLaw::ConeWithTorques { mu, spin, roll } => ComplementarityLaw::ConeWithTorques {
                mu: mu * s[1] / s[0],
                spin: spin * s[3] / s[0],
                roll: roll * s[4] / s[0],
            },
        }
    }

    /// The law with all friction coefficients multiplied by a factor.
    pub(super) fn with_friction(&self, factor: f64) -> ComplementarityLaw {
        match *self {
            ComplementarityLaw::PlanarCone { mu } => ComplementarityLaw::PlanarCone { mu: factor * mu },
            ComplementarityLaw::Cone { mu } => ComplementarityLaw::Cone { mu: factor * mu },
            ComplementarityLaw::ConeWithTorques { mu, spin, roll } => {
                ComplementarityLaw::ConeWithTorques { mu: factor * mu, spin: factor * spin, roll: factor * roll }
            }
            other => other,
        }
    }

    /// proj_P (z), where the friction sets take their radii from the projected normal row.
    #[inline]
    pub(super) fn project(&self, z: &[f64], p: &mut [f64]) {
        for (row, part) in self.admissible_sets() {
            match part {
                AdmissibleSet::Normal => p[row] = z[row].max(0.0),
                AdmissibleSet::Interval { lower, upper } => p[row] = z[row].max(lower).min(upper),
                AdmissibleSet::FrictionInterval { mu } => p[row] = z[row].max(-mu * p[0]).min(mu * p[0]),
                AdmissibleSet::Disc { radius } => project_onto_disc(z, row, radius, p),
                AdmissibleSet::Ball { radius } => project_onto_ball(z, row, radius, p),
                AdmissibleSet::FrictionDisc { mu } => project_onto_disc(z, row, mu * p[0], p),
            }
        }
    }
}

#[inline]
fn project_onto_disc(z: &[f64], row: usize, radius: f64, p: &mut [f64]) {
    let length = z[row].hypot(z[row + 1]);
    let factor = if length > radius { radius / length } else { 1.0 };
    p[row] = factor * z[row];
    p[row + 1] = factor * z[row + 1];
}

#[inline]
fn project_onto_ball(z: &[f64], row: usize, radius: f64, p: &mut [f64]) {
    let length = z[row].hypot(z[row + 1]).hypot(z[row + 2]);
    let factor = if length > radius { radius / length } else { 1.0 };
    for i in row..row + 3 {
        p[i] = factor * z[i];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_cover_the_rows_of_each_law_once() {
        for law in [
            ComplementarityLaw::NonNegative,
            ComplementarityLaw::BILATERAL,
            ComplementarityLaw::Disc { radius: 1.0 },
            ComplementarityLaw::Ball { radius: 1.0 },
            ComplementarityLaw::PlanarCone { mu: 1.0 },
            ComplementarityLaw::Cone { mu: 1.0 },
            ComplementarityLaw::ConeWithTorques { mu: 1.0, spin: 1.0, roll: 1.0 },
        ] {
            let mut next = 0;
            for (row, part) in law.admissible_sets() {
                assert_eq!(row, next, "{law:?}");
                next += part.rows();
            }
            assert_eq!(next, law.rows(), "{law:?}");
        }
    }

    #[test]
    fn projection_of_a_cone_with_torques() {
        let law = ComplementarityLaw::ConeWithTorques { mu: 0.5, spin: 0.1, roll: 0.2 };
        let mut p = [0.0; 6];
        law.project(&[2.0, 3.0, 4.0, -7.0, 0.1, 0.0], &mut p);
        assert_eq!(p, [2.0, 0.6000000000000001, 0.8, -0.2, 0.1, 0.0]);
        law.project(&[-2.0, 3.0, 4.0, -7.0, 0.1, 0.0], &mut p);
        assert_eq!(p.map(f64::abs), [0.0; 6]);
    }

    #[test]
    fn senseless_laws_are_refused() {
        for law in [
            ComplementarityLaw::Interval { lower: 1.0, upper: 0.0 },
            ComplementarityLaw::Interval { lower: f64::INFINITY, upper: f64::INFINITY },
            ComplementarityLaw::Interval { lower: f64::NAN, upper: 0.0 },
            ComplementarityLaw::Disc { radius: -1.0 },
            ComplementarityLaw::Ball { radius: -1.0 },
            ComplementarityLaw::Cone { mu: f64::INFINITY },
            ComplementarityLaw::PlanarCone { mu: f64::NAN },
        ] {
            assert!(law.check(3).is_err(), "{law:?}");
        }
        assert_eq!(ComplementarityLaw::Interval { lower: 1.0, upper: 2.0 }.check(0), Ok(()));
    }
}
