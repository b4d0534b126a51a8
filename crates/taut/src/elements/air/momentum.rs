//! The momentum equation of a disc or an annulus, a scalar equation for the induced velocity v.
//!
//! ```text
//!  k F v √(V_x² + (V_z + v)²) = T(v)        k = 2ρA for a disc, 4πρr per length for an annulus     [Glauert1935]
//! ```
//!
//! V_x is the speed of the air in the plane of the disc, V_z its speed through the disc, positive against the thrust axis. Where a
//! rotor descends fast enough the windmill root exists and is used; otherwise the root that continues hover. In between, in the
//! vortex-ring state, momentum theory does not hold ([`Validity`]).

use crate::scalar::{Dual, Scalar};

/// A number with one derivative.
pub(super) type Tangent = Dual<1>;

/// Whether momentum theory holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Validity {
    Holds,
    /// Descent into the own wake.
    VortexRing,
}

/// The stream through a disc and the factor of its mass flow.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stream {
    /// V_x.
    pub in_plane: f64,
    /// V_z.
    pub through: f64,
    /// k.
    pub factor: f64,
}

impl Stream {
    /// k v √(V_x² + (V_z + v)²).
    pub fn momentum<S: Scalar>(&self, v: S) -> S {
        v * self.factor * self.mass_flow_speed(v)
    }

    /// √(V_x² + (V_z + v)²).
    pub fn mass_flow_speed<S: Scalar>(&self, v: S) -> S {
        mass_flow_speed(S::from(self.in_plane * self.in_plane), v + self.through)
    }

    /// Solves k F(v) v √(…) = T(v).
    pub fn solve(&self, thrust: impl Fn(Tangent) -> Tangent, loss: impl Fn(Tangent) -> Tangent) -> (f64, Validity) {
        let residual = |v: f64| {
            let v = Tangent::variable(v, 0);
            self.momentum(v) * loss(v) - thrust(v)
        };
        let at_zero = residual(0.0);
        if at_zero.re == 0.0 || !at_zero.re.is_finite() || self.factor <= 0.0 {
            return (0.0, Validity::Holds);
        }
        // With a negative thrust everything is mirrored: s v > 0.
        let s = -at_zero.re.signum();
        let descent = -s * self.through;
        if descent > 0.0 && s * residual(0.5 * s * descent).re > 0.0 {
            return (find_root(&residual, s, 0.0, 0.5 * descent), Validity::Holds);
        }
        let hover = (at_zero.re.abs() / self.factor).sqrt();
        let low = if descent > 0.0 && s * residual(s * descent).re < 0.0 { descent } else { 0.0 };
        let mut high = (low + hover).max(2.0 * low).max(f64::MIN_POSITIVE);
        for _ in 0..60 {
            if s * residual(s * high).re >= 0.0 {
                break;
            }
            high *= 2.0;
        }
        let v = find_root(&residual, s, low, high);
        // Thresholds after [Leishman2006] section 2.14: descent beyond half the induced velocity of hover, at low forward speed.
        let hover = (self.momentum(v).abs() / self.factor).sqrt();
        let ring = descent > 0.5 * hover && self.in_plane < hover;
        (v, if ring { Validity::VortexRing } else { Validity::Holds })
    }
}

/// √(V_x² + V²) of V_x² and the axial speed V; zero without derivatives where the air rests.
pub(super) fn mass_flow_speed<S: Scalar>(in_plane_squared: S, axial: S) -> S {
    let squared = axial * axial + in_plane_squared;
    if squared.value() > 0.0 { squared.sqrt() } else { S::from(0.0) }
}

/// The zero of a function that is negative at s·low and positive at s·high: Newton's method, and bisection where it leaves the
/// bracket.
fn find_root(residual: &impl Fn(f64) -> Tangent, s: f64, mut low: f64, mut high: f64) -> f64 {
    let mut x = high;
    for _ in 0..200 {
        let found = residual(s * x);
        let value = s * found.re;
        if value < 0.0 {
            low = low.max(x)
        } else {
            high = high.min(x)
        }
        // d(s f(s x))/dx = f'.
        let newton = x - value / found.eps[0];
        let next = if newton >= low && newton <= high { newton } else { 0.5 * (low + high) };
        if (next - x).abs() <= 4.0 * f64::EPSILON * next.abs() || value == 0.0 {
            return s * next;
        }
        x = next;
    }
    s * x
}

#[cfg(test)]
mod tests {
    use super::*;

    const CT: f64 = 0.008;

    fn induced(mu: f64, through: f64) -> (f64, Validity) {
        // λ_i 2 √(μ² + λ²) = C_T.
        Stream { in_plane: mu, through, factor: 2.0 }.solve(|_| CT.into(), |_| 1.0.into())
    }

    /// Hover, climb, forward flight and windmill state, against roots of the quartic found independently with brackets.
    #[test]
    fn roots_agree_with_the_quartic() {
        let close =
            |(v, _): (f64, Validity), expected: f64| assert!((v / expected - 1.0).abs() < 1e-13, "{v} {expected}");
        close(induced(0.0, 0.0), 0.06324555320336758);
        close(induced(0.0, 0.02), 0.0740312423743285 - 0.02);
        close(induced(0.0, 0.05), 0.09300735254367722 - 0.05);
        for (mu, alpha, induced_velocity) in [
            (0.05, 0.0_f64, 0.05422880833616071),
            (0.1, 2.0, 0.03706715759092172),
            (0.15, 3.0, 0.02601168967985723),
            (0.2, 5.0, 0.019663451174402893),
            (0.3, 7.0, 0.013152008712876959),
            (0.4, 10.0, 0.00980422445347999),
        ] {
            close(induced(mu, mu * alpha.to_radians().tan()), induced_velocity);
        }
        close(induced(0.0, -0.15), 0.034688711258507254);
        assert_eq!(induced(0.0, -0.15).1, Validity::Holds);
        assert_eq!(induced(0.0, -0.08).1, Validity::VortexRing);
    }

    #[test]
    fn a_negative_thrust_mirrors_the_flow() {
        let stream = Stream { in_plane: 0.02, through: 0.01, factor: 2.0 };
        let mirrored = Stream { through: -0.01, ..stream };
        let (v, _) = stream.solve(|v| v * -0.03 + 0.004, |_| 1.0.into());
        let (u, _) = mirrored.solve(|v| v * -0.03 - 0.004, |_| 1.0.into());
        assert!((v + u).abs() < 1e-16);
        assert!((stream.momentum(v) - (0.004 - 0.03 * v)).abs() < 1e-17);
        assert_eq!(stream.solve(|_| 0.0.into(), |_| 1.0.into()).0, 0.0);
    }
}
