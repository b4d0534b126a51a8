//! Stability bounds of the explicit methods.

use crate::lu::Complex;
use crate::method::Method;
use crate::tableau::Tableau;

/// Bounds of `h |lambda|` within which `y' = lambda y` does not grow.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stability {
    /// For imaginary `lambda`: oscillation.
    pub oscillating: f64,
    /// For negative `lambda`: decay.
    pub decaying: f64,
}

/// Growth per step that is neglected.
const GROWTH_TOLERANCE: f64 = 1e-6;
/// Grid on which the bounds are searched; none of the methods reaches its end.
const SEARCH_SPACING: f64 = 1e-3;
const SEARCH_LIMIT: f64 = 50.0;

impl Method {
    /// Bounds of stability, from the tableau; implicit methods have none.
    #[must_use]
    pub fn stability(self) -> Stability {
        let Some(tableau) = self.tableau() else {
            return Stability { oscillating: f64::INFINITY, decaying: f64::INFINITY };
        };
        let bound = |re: f64, im: f64| {
            let grows = |x: f64| amplification(tableau, re * x, im * x) > 1.0 + GROWTH_TOLERANCE;
            let steps = (SEARCH_LIMIT / SEARCH_SPACING) as usize;
            let first = (1..=steps).map(|i| i as f64 * SEARCH_SPACING).find(|x| grows(*x));
            first.map_or(SEARCH_LIMIT, |x| x - SEARCH_SPACING)
        };
        Stability { oscillating: bound(0.0, 1.0), decaying: bound(-1.0, 0.0) }
    }
}

/// `|R(z)|` with `y_1 = R(h lambda) y_0`.
// [HairerWanner1996] IV.2
fn amplification(tableau: &Tableau, re: f64, im: f64) -> f64 {
    let end = tableau.end();
    let mut k = vec![Complex::default(); end];
    let sum = |weights: &[f64], k: &[Complex]| {
        let add = |s: Complex, (w, k): (&f64, &Complex)| Complex { re: s.re + w * k.re, im: s.im + w * k.im };
        weights.iter().zip(k).fold(Complex { re: 1.0, im: 0.0 }, add)
    };
    for i in 0..end {
        let row: &[f64] = if i == 0 { &[] } else { tableau.a[i] };
        k[i] = Complex { re, im } * sum(row, &k);
    }
    let Complex { re, im } = sum(tableau.b, &k);
    re.hypot(im)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_those_of_the_stability_polynomials() {
        // [HairerWanner1996] IV.2: s = p = 4 has 2 sqrt 2 and 2.785, s = p = 3 has sqrt 3 and 2.513.
        let rk4 = Method::Rk4.stability();
        assert!((rk4.oscillating - 8.0_f64.sqrt()).abs() < 2e-3 && (rk4.decaying - 2.785_294).abs() < 2e-3, "{rk4:?}");
        let bs = Method::BogackiShampine.stability();
        assert!((bs.oscillating - 3.0_f64.sqrt()).abs() < 2e-3 && (bs.decaying - 2.512_745).abs() < 2e-3, "{bs:?}");
        // 1 + z + ... + z^5/120 + z^6/600 is -1 or 1 at z = -3.3066.
        let dp = Method::DormandPrince.stability();
        assert!((dp.decaying - 3.306_6).abs() < 2e-3, "{dp:?}");
        assert!(dp.oscillating > 0.9 && dp.oscillating < 1.1, "{dp:?}");
        let dop = Method::Dop853.stability();
        assert!(dop.decaying > 5.0 && dop.oscillating > 1.0, "{dop:?}");
    }

    #[test]
    fn the_tableaux_know_their_bounds_of_decay() {
        for method in Method::EXPLICIT {
            let (known, found) = (method.tableau().expect("explicit").decay, method.stability().decaying);
            assert!((known - found).abs() < 5e-3, "{method}: {known} {found}");
        }
        assert_eq!(Method::RadauIia5.stability().decaying, f64::INFINITY);
    }
}
