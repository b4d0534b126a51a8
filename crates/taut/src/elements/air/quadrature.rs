//! Gauss points on the interval 0 … 1.

/// Places and weights of n Gauss points, by Newton's method on the Legendre polynomial.
pub(super) fn gauss_points(n: usize) -> Vec<(f64, f64)> {
    let node = |i: usize| {
        let mut x = (std::f64::consts::PI * (i as f64 + 0.75) / (n as f64 + 0.5)).cos();
        let mut slope = 1.0;
        for _ in 0..100 {
            // P_n and its derivative by the recursion (k + 1) P_{k+1} = (2k + 1) x P_k − k P_{k−1}.
            let (mut before, mut p) = (1.0, x);
            for k in 1..n {
                let k = k as f64;
                (before, p) = (p, ((2.0 * k + 1.0) * x * p - k * before) / (k + 1.0));
            }
            slope = n as f64 * (x * p - before) / (x * x - 1.0);
            let step = p / slope;
            x -= step;
            if step.abs() < 1e-15 {
                break;
            }
        }
        (0.5 * (1.0 - x), 1.0 / ((1.0 - x * x) * slope * slope))
    };
    (0..n).map(node).collect()
}

#[cfg(test)]
mod tests {
    use super::gauss_points;

    #[test]
    fn polynomials_of_degree_2n_minus_1_are_exact() {
        for n in [1, 2, 5, 16, 40] {
            let points = gauss_points(n);
            for degree in [0, 1, 2 * n - 1] {
                let sum: f64 = points.iter().map(|(x, w)| w * x.powi(degree as i32)).sum();
                assert!((sum - 1.0 / (degree as f64 + 1.0)).abs() < 1e-14, "{n} {degree} {sum}");
            }
        }
    }
}
