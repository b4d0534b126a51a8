//! A small random number generator: a case is determined by its seed.

/// SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0x5851_F42D_4C95_7F2D)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A whole number below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    /// Uniform between two numbers, rounded to six digits so that the model text has the same value.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        let u = (self.next() >> 11) as f64 / (1_u64 << 53) as f64;
        let x = low + u * (high - low);
        format!("{x:.6e}").parse().unwrap_or(x)
    }

    /// Logarithmically uniform.
    pub fn decades(&mut self, low: f64, high: f64) -> f64 {
        let x = self.between(low.ln(), high.ln()).exp();
        format!("{x:.6e}").parse().unwrap_or(x)
    }

    pub fn one_of<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }
}
