//! Random numbers by their place: the number of a point and a dimension does not depend on those drawn before it.

/// Mixes 64 bits: the finaliser of SplitMix64 \[Steele2014\].
fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// The increment of SplitMix64: 2⁶⁴ over the golden ratio, odd.
const INCREMENT: u64 = 0x9e37_79b9_7f4a_7c15;

/// 64 random bits for a seed, a stream and an index.
pub(super) fn bits(seed: u64, stream: usize, index: usize) -> u64 {
    let state = mix(mix(seed.wrapping_add(INCREMENT)) ^ mix((stream as u64).wrapping_mul(INCREMENT).wrapping_add(1)));
    mix(state.wrapping_add((index as u64 + 1).wrapping_mul(INCREMENT)))
}

/// A number in (0, 1): 53 bits and a half.
pub(super) fn uniform(seed: u64, stream: usize, index: usize) -> f64 {
    ((bits(seed, stream, index) >> 12) as f64 + 0.5) / (1_u64 << 52) as f64
}

#[cfg(test)]
mod tests {
    use super::{bits, mix, uniform};

    /// The first output of SplitMix64 with the seed 0 (widely published, for example in the reference implementation).
    #[test]
    fn the_mixer_is_that_of_splitmix64() {
        assert_eq!(mix(super::INCREMENT), 0xe220_a839_7b1d_cdaf);
    }

    #[test]
    fn numbers_are_spread_evenly_and_streams_are_unrelated() {
        let n = 20_000;
        let mean = |s: usize| (0..n).map(|i| uniform(3, s, i)).sum::<f64>() / n as f64;
        assert!((mean(0) - 0.5).abs() < 0.01 && (mean(1) - 0.5).abs() < 0.01);
        let product = (0..n).map(|i| (uniform(3, 0, i) - 0.5) * (uniform(3, 1, i) - 0.5)).sum::<f64>() / n as f64;
        assert!(product.abs() < 0.003, "{product}");
        assert_ne!(bits(0, 0, 0), bits(0, 1, 0));
        assert_ne!(bits(0, 0, 1), bits(0, 1, 0));
    }
}
