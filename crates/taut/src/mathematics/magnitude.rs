//! Largest magnitudes. `f64::max` drops NaN; here NaN wins, so that a failed evaluation is never taken for a small one.

use std::borrow::Borrow;

/// Largest magnitude; 0 without entries.
pub(crate) fn max_abs(x: impl IntoIterator<Item: Borrow<f64>>) -> f64 {
    x.into_iter().map(|x| *x.borrow()).fold(0.0, |a, x| if x.is_nan() || x.abs() > a { x.abs() } else { a })
}

/// Largest magnitude and its index; (0, 0) without entries.
pub(crate) fn largest_magnitude(x: &[f64]) -> (f64, usize) {
    let larger = |best: (f64, usize), (i, x): (usize, &f64)| {
        if x.is_nan() || x.abs() > best.0 { (x.abs(), i) } else { best }
    };
    x.iter().enumerate().fold((0.0, 0), larger)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nan_wins_wherever_it_is() {
        assert_eq!(max_abs([1.0, -3.0, 2.0]), 3.0);
        assert_eq!(largest_magnitude(&[1.0, -3.0, 2.0]), (3.0, 1));
        assert_eq!(max_abs([0.0; 0]), 0.0);
        for x in [[f64::NAN, 1.0], [1.0, f64::NAN]] {
            assert!(max_abs(x).is_nan() && largest_magnitude(&x).0.is_nan());
        }
    }
}
