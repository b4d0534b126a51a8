//! The laws of a block of rows, and the projection p = proj_P (z) that expresses each of them.

use thiserror::Error;

/// The law between impulses p and velocities u of one block of rows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Law {
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
    Wedge {
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
    Cone6 {
        /// Coefficient of friction.
        mu: f64,
        /// Torque about the normal per normal force, m.
        spin: f64,
        /// Rolling torque per normal force, m.
        roll: f64,
    },
}

impl std::fmt::Display for Law {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Law::NonNegative => write!(f, "a gap"),
            Law::Interval { lower, upper } => write!(f, "an interval from {lower} to {upper}"),
            Law::Disc { radius } => write!(f, "a disc of radius {radius}"),
            Law::Ball { radius } => write!(f, "a ball of radius {radius}"),
            Law::Wedge { mu } | Law::Cone { mu } => write!(f, "friction with the coefficient {mu}"),
            Law::Cone6 { mu, spin, roll } => {
                write!(f, "friction with the coefficients {mu}, {spin} for spinning and {roll} for rolling")
            }
        }
    }
}

/// Invalid input of a complementarity problem.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum Misfit {
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
        law: Law,
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
pub(super) enum Part {
    Normal,
    Segment { lower: f64, upper: f64 },
    Disc { radius: f64 },
    Ball { radius: f64 },
    Share { mu: f64 },
    DiscShare { mu: f64 },
}

impl Part {
    pub(super) fn rows(&self) -> usize {
        match self {
            Part::Disc { .. } | Part::DiscShare { .. } => 2,
            Part::Ball { .. } => 3,
            _ => 1,
        }
    }
}

impl Law {
    /// A row with u = 0 and unbounded p.
    pub const BILATERAL: Law = Law::Interval { lower: f64::NEG_INFINITY, upper: f64::INFINITY };

    /// Number of rows.
    pub const fn rows(&self) -> usize {
        match self {
            Law::NonNegative | Law::Interval { .. } => 1,
            Law::Disc { .. } | Law::Wedge { .. } => 2,
            Law::Cone { .. } | Law::Ball { .. } => 3,
            Law::Cone6 { .. } => 6,
        }
    }

    /// Rejects invalid parameters; `block` is for the message.
    pub(super) fn check(&self, block: usize) -> Result<(), Misfit> {
        let size = |x: f64| x >= 0.0 && x.is_finite();
        let good = match *self {
            Law::NonNegative => true,
            Law::Interval { lower, upper } => lower <= upper && lower < f64::INFINITY && upper > f64::NEG_INFINITY,
            Law::Disc { radius } | Law::Ball { radius } => size(radius),
            Law::Wedge { mu } | Law::Cone { mu } => size(mu),
            Law::Cone6 { mu, spin, roll } => size(mu) && size(spin) && size(roll),
        };
        if good { Ok(()) } else { Err(Misfit::Law { block, law: *self }) }
    }

    /// The sets of the block with their first rows.
    #[inline]
    pub(super) fn parts(&self) -> impl Iterator<Item = (usize, Part)> + use<> {
        let normal = Some((0, Part::Normal));
        match *self {
            Law::NonNegative => [normal, None, None, None],
            Law::Interval { lower, upper } => [Some((0, Part::Segment { lower, upper })), None, None, None],
            Law::Disc { radius } => [Some((0, Part::Disc { radius })), None, None, None],
            Law::Ball { radius } => [Some((0, Part::Ball { radius })), None, None, None],
            Law::Wedge { mu } => [normal, Some((1, Part::Share { mu })), None, None],
            Law::Cone { mu } => [normal, Some((1, Part::DiscShare { mu })), None, None],
            Law::Cone6 { mu, spin, roll } => [
                normal,
                Some((1, Part::DiscShare { mu })),
                Some((3, Part::Share { mu: spin })),
                Some((4, Part::DiscShare { mu: roll })),
            ],
        }
        .into_iter()
        .flatten()
    }

    /// The same law for p̂ = s p, û = u / s, with one scale s per row; the rows of a disc or ball have equal scales.
    pub(super) fn in_metric(&self, s: &[f64]) -> Law {
        match *self {
            Law::NonNegative => Law::NonNegative,
            Law::Interval { lower, upper } => Law::Interval { lower: lower * s[0], upper: upper * s[0] },
            Law::Disc { radius } => Law::Disc { radius: radius * s[0] },
            Law::Ball { radius } => Law::Ball { radius: radius * s[0] },
            Law::Wedge { mu } => Law::Wedge { mu: mu * s[1] / s[0] },
            Law::Cone { mu } => Law::Cone { mu: mu * s[1] / s[0] },
            Law::Cone6 { mu, spin, roll } => {
                Law::Cone6 { mu: mu * s[1] / s[0], spin: spin * s[3] / s[0], roll: roll * s[4] / s[0] }
            }
        }
    }

    /// The law with all friction coefficients multiplied by a factor.
    pub(super) fn with_friction(&self, factor: f64) -> Law {
        match *self {
            Law::Wedge { mu } => Law::Wedge { mu: factor * mu },
            Law::Cone { mu } => Law::Cone { mu: factor * mu },
            Law::Cone6 { mu, spin, roll } => Law::Cone6 { mu: factor * mu, spin: factor * spin, roll: factor * roll },
            other => other,
        }
    }

    /// proj_P (z), where the friction sets take their radii from the projected normal row.
    #[inline]
    pub(super) fn project(&self, z: &[f64], p: &mut [f64]) {
        for (row, part) in self.parts() {
            match part {
                Part::Normal => p[row] = z[row].max(0.0),
                Part::Segment { lower, upper } => p[row] = z[row].max(lower).min(upper),
                Part::Share { mu } => p[row] = z[row].max(-mu * p[0]).min(mu * p[0]),
                Part::Disc { radius } => onto_disc(z, row, radius, p),
                Part::Ball { radius } => onto_ball(z, row, radius, p),
                Part::DiscShare { mu } => onto_disc(z, row, mu * p[0], p),
            }
        }
    }
}

#[inline]
fn onto_disc(z: &[f64], row: usize, radius: f64, p: &mut [f64]) {
    let length = z[row].hypot(z[row + 1]);
    let factor = if length > radius { radius / length } else { 1.0 };
    p[row] = factor * z[row];
    p[row + 1] = factor * z[row + 1];
}

#[inline]
fn onto_ball(z: &[f64], row: usize, radius: f64, p: &mut [f64]) {
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
            Law::NonNegative,
            Law::BILATERAL,
            Law::Disc { radius: 1.0 },
            Law::Ball { radius: 1.0 },
            Law::Wedge { mu: 1.0 },
            Law::Cone { mu: 1.0 },
            Law::Cone6 { mu: 1.0, spin: 1.0, roll: 1.0 },
        ] {
            let mut next = 0;
            for (row, part) in law.parts() {
                assert_eq!(row, next, "{law:?}");
                next += part.rows();
            }
            assert_eq!(next, law.rows(), "{law:?}");
        }
    }

    #[test]
    fn projection_of_a_cone_with_torques() {
        let law = Law::Cone6 { mu: 0.5, spin: 0.1, roll: 0.2 };
        let mut p = [0.0; 6];
        law.project(&[2.0, 3.0, 4.0, -7.0, 0.1, 0.0], &mut p);
        assert_eq!(p, [2.0, 0.6000000000000001, 0.8, -0.2, 0.1, 0.0]);
        law.project(&[-2.0, 3.0, 4.0, -7.0, 0.1, 0.0], &mut p);
        assert_eq!(p.map(f64::abs), [0.0; 6]);
    }

    #[test]
    fn senseless_laws_are_refused() {
        for law in [
            Law::Interval { lower: 1.0, upper: 0.0 },
            Law::Interval { lower: f64::INFINITY, upper: f64::INFINITY },
            Law::Interval { lower: f64::NAN, upper: 0.0 },
            Law::Disc { radius: -1.0 },
            Law::Ball { radius: -1.0 },
            Law::Cone { mu: f64::INFINITY },
            Law::Wedge { mu: f64::NAN },
        ] {
            assert!(law.check(3).is_err(), "{law:?}");
        }
        assert_eq!(Law::Interval { lower: 1.0, upper: 2.0 }.check(0), Ok(()));
    }
}
