//! Distributions of a varied parameter: quantile functions, so that every sampling method can use them.

use crate::normal;

/// A distribution, in the unit of its parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Distribution {
    /// Equal density between two values.
    Uniform { low: f64, high: f64 },
    /// Equal density of the logarithm between two positive values.
    LogUniform { low: f64, high: f64 },
    /// Normal, with mean and standard deviation.
    Normal { mean: f64, deviation: f64 },
    /// The logarithm is normal: median, and standard deviation of the logarithm.
    LogNormal { median: f64, deviation: f64 },
    /// Density that rises linearly to a mode and falls linearly behind it.
    Triangular { low: f64, mode: f64, high: f64 },
}

impl Distribution {
    /// Name, number of arguments, and form in messages.
    pub const KINDS: [(&'static str, usize, &'static str); 5] = [
        ("uniform", 2, "uniform(low, high)"),
        ("log_uniform", 2, "log_uniform(low, high)"),
        ("normal", 2, "normal(mean, standard deviation)"),
        ("log_normal", 2, "log_normal(median, deviation of the logarithm)"),
        ("triangular", 3, "triangular(low, mode, high)"),
    ];

    /// A distribution by name; the numbers are in one unit, except the deviation of a logarithm.
    ///
    /// # Errors
    /// Numbers that define no distribution.
    pub fn new(name: &str, x: &[f64]) -> Result<Distribution, String> {
        match (name, x) {
            ("uniform", [low, high]) if low < high => Ok(Distribution::Uniform { low: *low, high: *high }),
            ("log_uniform", [low, high]) if low < high && *low > 0.0 => {
                Ok(Distribution::LogUniform { low: *low, high: *high })
            }
            ("normal", [mean, deviation]) if *deviation > 0.0 => {
                Ok(Distribution::Normal { mean: *mean, deviation: *deviation })
            }
            ("log_normal", [median, deviation]) if *median > 0.0 && *deviation > 0.0 => {
                Ok(Distribution::LogNormal { median: *median, deviation: *deviation })
            }
            ("triangular", [low, mode, high]) if low <= mode && mode <= high && low < high => {
                Ok(Distribution::Triangular { low: *low, mode: *mode, high: *high })
            }
            ("uniform" | "triangular", _) => Err("the range is empty: the numbers must increase".to_string()),
            ("log_uniform", _) => Err("the range must be positive and must not be empty".to_string()),
            ("normal", _) => Err("the standard deviation must be greater than zero".to_string()),
            _ => Err("median and deviation must be greater than zero".to_string()),
        }
    }

    /// The value below which the share `u` of all values lies, 0 < u < 1.
    pub fn quantile(&self, u: f64) -> f64 {
        match *self {
            Distribution::Uniform { low, high } => low + (high - low) * u,
            Distribution::LogUniform { low, high } => low * (high / low).powf(u),
            Distribution::Normal { mean, deviation } => mean + deviation * normal::quantile(u),
            Distribution::LogNormal { median, deviation } => median * (deviation * normal::quantile(u)).exp(),
            Distribution::Triangular { low, mode, high } => {
                let rising = (mode - low) / (high - low);
                if u < rising {
                    low + (u * (high - low) * (mode - low)).sqrt()
                } else {
                    high - ((1.0 - u) * (high - low) * (high - mode)).sqrt()
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Distribution;

    #[test]
    fn quantiles_of_known_shares() {
        let of = |name: &str, x: &[f64], u: f64| Distribution::new(name, x).unwrap().quantile(u);
        assert_eq!(of("uniform", &[2.0, 4.0], 0.25), 2.5);
        assert!((of("log_uniform", &[1.0, 100.0], 0.5) - 10.0).abs() < 1e-12);
        assert!((of("normal", &[5.0, 2.0], 0.841_344_746_068_542_9) - 7.0).abs() < 1e-9);
        assert!((of("log_normal", &[3.0, 0.5], 0.5) - 3.0).abs() < 1e-12);
        // The rising side of a triangle of area 1 has the share (x − low)²/((high − low)(mode − low)).
        assert!((of("triangular", &[0.0, 1.0, 3.0], 1.0 / 12.0) - 0.5).abs() < 1e-12);
        assert!((of("triangular", &[0.0, 1.0, 3.0], 1.0 - 1.0 / 6.0) - 2.0).abs() < 1e-12);
    }

    #[test]
    fn empty_ranges_are_errors() {
        for (name, x) in [("uniform", &[1.0, 1.0][..]), ("normal", &[0.0, 0.0]), ("log_uniform", &[0.0, 1.0])] {
            assert!(Distribution::new(name, x).is_err(), "{name}");
        }
    }
}
