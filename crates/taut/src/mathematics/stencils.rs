//! Points and weights of central difference formulas: f' ≈ Σ weight f(x + point h)/h.

/// Error h². Here and in the sixth order, opposite points are adjacent, so that constant terms cancel exactly.
pub(crate) const SECOND_ORDER: [(f64, f64); 2] = [(-1.0, -0.5), (1.0, 0.5)];

/// Error h⁴.
pub(crate) const FOURTH_ORDER: [(f64, f64); 4] =
    [(-2.0, 1.0 / 12.0), (-1.0, -8.0 / 12.0), (1.0, 8.0 / 12.0), (2.0, -1.0 / 12.0)];

pub(crate) use taut_constrain::stencils::SIXTH_ORDER;

#[cfg(test)]
mod tests {
    use super::*;

    /// Largest degree of polynomials differentiated exactly.
    fn degree(stencil: &[(f64, f64)]) -> i32 {
        let slope = |n: i32| stencil.iter().map(|(x, w)| w * x.powi(n)).sum::<f64>();
        (0..10).take_while(|n| (slope(*n) - f64::from(u8::from(*n == 1))).abs() < 1e-12).count() as i32 - 1
    }

    #[test]
    fn orders() {
        assert_eq!([degree(&SECOND_ORDER), degree(&FOURTH_ORDER), degree(&SIXTH_ORDER)], [2, 4, 6]);
    }
}
