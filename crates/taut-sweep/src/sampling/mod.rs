//! Points in the unit cube: Latin hypercube, Sobol, random. The same seed gives the same points on every machine.

mod latin_hypercube;
mod random;
mod sobol;

pub(crate) use sobol::MAX_DIMENSIONS;

use crate::request::SamplingMethod;

/// `count` points, one list per dimension; every coordinate is inside (0, 1).
pub(crate) fn points(method: SamplingMethod, count: usize, dimensions: usize, seed: u64) -> Vec<Vec<f64>> {
    match method {
        SamplingMethod::LatinHypercube => (0..dimensions).map(|d| latin_hypercube::dimension(count, d, seed)).collect(),
        SamplingMethod::Sobol => (0..dimensions).map(|d| sobol::dimension(count, d, seed)).collect(),
        SamplingMethod::MonteCarlo => {
            (0..dimensions).map(|d| (0..count).map(|i| random::uniform(seed, d, i)).collect()).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::points;
    use crate::request::SamplingMethod;

    #[test]
    fn points_are_inside_the_cube_and_repeat_with_the_seed() {
        for method in [SamplingMethod::LatinHypercube, SamplingMethod::Sobol, SamplingMethod::MonteCarlo] {
            let first = points(method, 100, 5, 7);
            assert_eq!(first, points(method, 100, 5, 7));
            assert_ne!(first, points(method, 100, 5, 8));
            assert!(first.iter().flatten().all(|x| *x > 0.0 && *x < 1.0));
        }
    }

    /// The mean of x₁ x₂ x₃ over the cube is 1/8. Latin hypercube and Sobol points find it more closely than random ones.
    #[test]
    fn an_integral_converges_as_the_method_promises() {
        let error = |method: SamplingMethod| {
            let p = points(method, 4096, 3, 1);
            let sum: f64 = (0..4096).map(|i| p[0][i] * p[1][i] * p[2][i]).sum();
            (sum / 4096.0 - 0.125).abs()
        };
        let (random, latin, sobol) =
            (error(SamplingMethod::MonteCarlo), error(SamplingMethod::LatinHypercube), error(SamplingMethod::Sobol));
        assert!(random < 0.01 && latin < 0.005 && sobol < 2e-4, "{random:e} {latin:e} {sobol:e}");
    }
}
