//! Errors of the size of round-off.

/// The next power of ten, at least 1e-15: the digits of round-off errors differ between machines.
pub fn next_power_of_ten(error: f64) -> f64 {
    if error.is_nan() { error } else { 10_f64.powi(error.abs().max(1e-15).log10().ceil() as i32) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_upwards() {
        assert_eq!([0.0, 3e-16, 2.3e-13, -4e-9].map(next_power_of_ten), [1e-15, 1e-15, 1e-12, 1e-8]);
        assert!(next_power_of_ten(f64::NAN).is_nan());
    }
}
