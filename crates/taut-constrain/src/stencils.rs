//! Points and weights of central differences of sixth order. Opposite points are adjacent, so that constant terms cancel exactly.

/// f' ≈ Σ weight f(x + point h)/h, error h⁶.
pub const SIXTH_ORDER: [(f64, f64); 6] =
    [(-1.0, -0.75), (1.0, 0.75), (-2.0, 0.15), (2.0, -0.15), (-3.0, -1.0 / 60.0), (3.0, 1.0 / 60.0)];

/// f'' ≈ Σ weight f(x + point h)/(180 h²), error h⁶. The weights are integers, so that their sum is zero.
pub const SIXTH_ORDER_SECOND: [(f64, f64); 7] =
    [(0.0, -490.0), (1.0, 270.0), (-1.0, 270.0), (2.0, -27.0), (-2.0, -27.0), (3.0, 2.0), (-3.0, 2.0)];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn polynomials_of_degree_six_and_seven_are_differentiated_exactly() {
        let sum = |stencil: &[(f64, f64)], n: i32| stencil.iter().map(|(x, w)| w * x.powi(n)).sum::<f64>();
        for n in 0..7 {
            assert!((sum(&SIXTH_ORDER, n) - f64::from(u8::from(n == 1))).abs() < 1e-12, "{n}");
        }
        for n in 0..8 {
            assert!((sum(&SIXTH_ORDER_SECOND, n) - f64::from(360 * u16::from(n == 2))).abs() < 1e-9, "{n}");
        }
    }
}
