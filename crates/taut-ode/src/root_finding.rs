//! Zeros and minima of functions of one variable, by bracketing.

/// An interval on which a function changes sign: `near` has the old sign, `far` the new one or
/// zero.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bracket {
    pub near: f64,
    pub far: f64,
    pub g_near: f64,
    pub g_far: f64,
}

impl Bracket {
    /// Shrinks the bracket to a few spacings of the floating-point numbers by the ITP method:
    /// regula falsi where it works, and never (but for one iteration) slower than bisection.
    // I. F. D. Oliveira, R. H. C. Takahashi, An enhancement of the bisection method average
    // performance preserving minmax optimality, ACM Trans. Math. Softw. 47 (2020), algorithm 1
    // with kappa_1 = 0.2 / (b - a), kappa_2 = 2, n_0 = 1
    pub fn shrink<E>(self, mut g: impl FnMut(f64) -> Result<f64, E>) -> Result<Self, E> {
        let direction = (self.far - self.near).signum();
        let sign = self.g_near.signum();
        // In a = direction * near < b = direction * far with positive value at a.
        let (mut a, mut b) = (direction * self.near, direction * self.far);
        let (mut value_a, mut value_b) = (sign * self.g_near, sign * self.g_far);
        let largest = a.abs().max(b.abs());
        let epsilon = largest.next_up() - largest;
        let width = b - a;
        let kappa = 0.2 / width;
        let mut radius = epsilon * (width / (2.0 * epsilon)).log2().ceil().max(0.0).exp2() * 2.0;
        while b - a > epsilon {
            let middle = a + 0.5 * (b - a);
            let chord = (value_b * a - value_a * b) / (value_b - value_a);
            let towards = (middle - chord).signum();
            let offset = kappa * (b - a).powi(2);
            let truncated = if offset <= (middle - chord).abs() { chord + towards * offset } else { middle };
            let slack = (radius - 0.5 * (b - a)).max(0.0);
            let projected = if (truncated - middle).abs() <= slack { truncated } else { middle - towards * slack };
            // Also when rounding, or a value that is not finite, spoilt the formulas.
            let x = if projected > a && projected < b { projected } else { middle };
            if !(x > a && x < b) {
                break;
            }
            let value = sign * g(direction * x)?;
            if value > 0.0 {
                (a, value_a) = (x, value);
            } else {
                (b, value_b) = (x, value);
            }
            radius *= 0.5;
        }
        Ok(Self { near: direction * a, far: direction * b, g_near: sign * value_a, g_far: sign * value_b })
    }
}

/// A local minimum of `|g|`: three points of equal sign with the middle one nearest to zero.
#[derive(Debug, Clone, Copy)]
pub struct LocalMinimum {
    pub t: [f64; 3],
    pub g: [f64; 3],
}

/// The result of a search for a minimum.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum MinimumSearch {
    /// The function turns back before zero.
    StaysAway,
    /// The function has changed sign at this time, with this value.
    Crosses(f64, f64),
    /// The function touches zero at this time, within the tolerance, and turns back.
    Touches(f64),
}

/// Golden section.
const GOLDEN_SECTION: f64 = 0.381_966_011_250_105_1;

impl LocalMinimum {
    /// Whether the three points bracket a minimum.
    pub fn is_minimum(&self) -> bool {
        let [l, m, r] = self.g;
        let same = (l > 0.0 && m > 0.0 && r > 0.0) || (l < 0.0 && m < 0.0 && r < 0.0);
        same && m.abs() < l.abs() && m.abs() <= r.abs()
    }

    /// The vertex of the parabola through the three points, if it lies between them and towards zero, and the value there times
    /// the sign of the points.
    pub fn vertex(&self) -> Option<(f64, f64)> {
        let sign = self.g[1].signum();
        let [l, m, r] = self.t;
        let [a, b, c] = self.g.map(|g| sign * g);
        let (left, right) = ((b - a) / (m - l), (c - b) / (r - m));
        let curvature = (right - left) / (r - l);
        // Slope at the middle.
        let slope = left + curvature * (m - l);
        let vertex = m - 0.5 * slope / curvature;
        let inside = (vertex - l) * (vertex - r) < 0.0;
        (curvature > 0.0 && inside).then(|| (vertex, b - 0.25 * slope * slope / curvature))
    }

    /// Searches for the minimum, up to the first point found where `g` has changed sign by more than `touches`. Stops as soon as
    /// a parabola predicts a minimum well before zero.
    pub fn search<E>(self, touches: f64, mut g: impl FnMut(f64) -> Result<f64, E>) -> Result<MinimumSearch, E> {
        let sign = self.g[1].signum();
        let [mut l, mut m, mut r] = self.t;
        let [mut value_l, mut value_m, mut value_r] = self.g.map(|g| sign * g);
        // Below this width the value at the minimum is exact up to round-off.
        let narrow = 1e-9 * (r - l).abs();
        for iteration in 0..60 {
            if (r - l).abs() <= narrow {
                break;
            }
            let (p, q) = ((m - l) * (value_m - value_r), (m - r) * (value_m - value_l));
            let vertex = m - 0.5 * ((m - l) * p - (m - r) * q) / (p - q);
            let slope = (value_r - value_l) / (r - l);
            // Rounding may move the vertex out of the bracket, or make it NaN: then the values are equal, up to round-off.
            let lowest = if vertex.is_nan() { m } else { vertex.clamp(l.min(r), l.max(r)) };
            let bottom = value_m - 0.5 * (lowest - m).abs() * slope.abs();
            if iteration > 3 && bottom > (0.5 * value_m).max(touches) {
                return Ok(MinimumSearch::StaysAway);
            }
            // Every third point by the golden section, so that both sides shrink.
            let golden =
                if (m - l).abs() > (r - m).abs() { m + GOLDEN_SECTION * (l - m) } else { m + GOLDEN_SECTION * (r - m) };
            let inside = (vertex - l) * (vertex - r) < 0.0 && vertex != m;
            let x = if inside && iteration % 3 != 2 { vertex } else { golden };
            // No number is left between two of the points.
            if x == l || x == m || x == r {
                break;
            }
            let signed = g(x)?;
            let value = sign * signed;
            if value < -touches || (value <= 0.0 && touches == 0.0) {
                return Ok(MinimumSearch::Crosses(x, signed));
            }
            let beyond = (x - m) * (r - l) > 0.0;
            if value < value_m {
                if beyond {
                    (l, value_l) = (m, value_m);
                } else {
                    (r, value_r) = (m, value_m);
                }
                (m, value_m) = (x, value);
            } else if beyond {
                (r, value_r) = (x, value);
            } else {
                (l, value_l) = (x, value);
            }
        }
        Ok(if value_m <= touches && touches > 0.0 { MinimumSearch::Touches(m) } else { MinimumSearch::StaysAway })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bracket(near: f64, far: f64, g: impl Fn(f64) -> f64) -> (Bracket, usize) {
        let mut calls = 0;
        let start = Bracket { near, far, g_near: g(near), g_far: g(far) };
        let found = start.shrink(|t| {
            calls += 1;
            Ok::<f64, ()>(g(t))
        });
        (found.expect("cannot fail"), calls)
    }

    #[test]
    fn the_far_side_has_changed_sign() {
        type Function = fn(f64) -> f64;
        let functions: [(Function, f64); 4] = [
            (|t| t * t - 2.0, 2.0_f64.sqrt()),
            (|t| (t - 1.0).powi(9), 1.0),
            (|t| (t - 0.7).signum(), 0.7),
            (|t| t.exp() - 5.0, 5.0_f64.ln()),
        ];
        for (g, root) in functions {
            for (near, far) in [(0.0, 3.0), (3.0, 0.0)] {
                let (found, calls) = bracket(near, far, g);
                assert!(g(found.near) * g(near) > 0.0);
                assert!(g(found.far) * g(far) >= 0.0, "{found:?}");
                assert!((found.far - found.near).abs() <= 1e-15);
                if root != 1.0 {
                    assert!((found.far - root).abs() <= 1e-15, "{found:?} {root}");
                }
                assert!(calls <= 56, "{calls}");
            }
        }
    }

    #[test]
    fn smooth_functions_need_few_evaluations() {
        let (_, calls) = bracket(0.0, 3.0, |t| t.exp() - 5.0);
        assert!(calls < 20, "{calls}");
    }

    #[test]
    fn the_first_time_of_a_plateau_is_found() {
        let (found, _) = bracket(0.0, 3.0, |t| (1.0 - t).max(0.0));
        assert!((found.far - 1.0).abs() < 1e-15 && found.near < 1.0);
    }

    #[test]
    fn dips_are_followed_to_the_other_side() {
        for depth in [1e-3, 1e-9] {
            let g = |t: f64| (t - 0.3).powi(2) * (1.0 + t) - depth;
            let t = [0.0, 0.25, 1.0];
            let dip = LocalMinimum { t, g: t.map(g) };
            assert!(dip.is_minimum());
            let found = dip.search(0.0, |t| Ok::<f64, ()>(g(t))).expect("cannot fail");
            assert!(matches!(found, MinimumSearch::Crosses(t, _) if g(t) <= 0.0), "{found:?}");
        }
        let mut calls = 0;
        let g = |t: f64| (t - 0.3).powi(2) + 1e-3;
        let t = [0.0, 0.25, 1.0];
        let found = LocalMinimum { t, g: t.map(g) }.search(0.0, |t| {
            calls += 1;
            Ok::<f64, ()>(g(t))
        });
        assert!(found == Ok(MinimumSearch::StaysAway) && calls < 8, "{found:?} {calls}");
    }

    #[test]
    fn dips_of_round_off_were_searched_sixty_times() {
        let next = 0.5_f64.next_up();
        let t = [0.5, next, next.next_up()];
        let dip = LocalMinimum { t, g: [0.119_150_486_4, 0.119_150_485_3, 0.119_150_488_3] };
        let mut calls = 0;
        let found = dip.search(0.0, |_| {
            calls += 1;
            Ok::<f64, ()>(0.119_150_485_3)
        });
        assert!(found == Ok(MinimumSearch::StaysAway) && calls <= 4, "{found:?} {calls}");
        // The first of many samples between numbers that are not neighbours, with noise.
        let (t, mut calls) = ([0.559_146_212_354_627, 0.559_146_212_354_63, 0.559_146_212_354_641_9], 0);
        let dip = LocalMinimum { t, g: [0.030_530_159_780, 0.030_530_159_737, 0.030_530_159_776] };
        let found = dip.search(0.0, |t| {
            calls += 1;
            Ok::<f64, ()>(0.030_530_159_74 + 1e-10 * (1e18 * t).sin().abs())
        });
        assert!(found == Ok(MinimumSearch::StaysAway) && calls <= 6, "{found:?} {calls}");
    }

    #[test]
    fn a_bottom_at_zero_touches_it() {
        for depth in [0.0, 1e-13, -1e-13] {
            let g = |t: f64| (t - 0.3).powi(2) * (1.0 + t) - depth;
            let t = [0.0, 0.25, 1.0];
            let found = LocalMinimum { t, g: t.map(g) }.search(1e-12, |t| Ok::<f64, ()>(g(t))).expect("cannot fail");
            assert!(matches!(found, MinimumSearch::Touches(t) if (t - 0.3).abs() < 1e-5), "{found:?}");
        }
    }
}
