//! Sobol points: a digital sequence in base 2 with the direction numbers of \[JoeKuo2008\], shifted at random.
//!
//! The shift (exclusive or with random bits, one word per dimension) keeps the distribution of the points over binary
//! intervals, and no coordinate is 0, where the quantile of a normal distribution is infinite.

use super::random::bits;

/// Bits of a coordinate.
const BITS: usize = 52;

/// Primitive polynomials over GF(2) and initial direction numbers for the dimensions from the second on
/// (\[JoeKuo2008\], file new-joe-kuo-6.21201): degree, inner coefficients as bits, and m₁, m₂, ….
const DIRECTIONS: [(u32, u32, &[u64]); 20] = [
    (1, 0, &[1]),
    (2, 1, &[1, 3]),
    (3, 1, &[1, 3, 1]),
    (3, 2, &[1, 1, 1]),
    (4, 1, &[1, 1, 3, 3]),
    (4, 4, &[1, 3, 5, 13]),
    (5, 2, &[1, 1, 5, 5, 17]),
    (5, 4, &[1, 1, 5, 5, 5]),
    (5, 7, &[1, 1, 7, 11, 19]),
    (5, 11, &[1, 1, 5, 1, 1]),
    (5, 13, &[1, 1, 1, 3, 11]),
    (5, 14, &[1, 3, 5, 5, 31]),
    (6, 1, &[1, 3, 3, 9, 7, 49]),
    (6, 13, &[1, 1, 1, 15, 21, 21]),
    (6, 16, &[1, 3, 1, 13, 27, 49]),
    (6, 19, &[1, 1, 1, 15, 7, 5]),
    (6, 22, &[1, 3, 1, 15, 13, 25]),
    (6, 25, &[1, 1, 5, 5, 19, 61]),
    (7, 1, &[1, 3, 7, 11, 23, 15, 103]),
    (7, 4, &[1, 3, 7, 13, 13, 15, 69]),
];

/// Largest number of sampled parameters.
pub(crate) const MAX_DIMENSIONS: usize = DIRECTIONS.len() + 1;

/// The direction numbers of a dimension, as fractions of 2^BITS.
fn directions(dimension: usize) -> [u64; BITS] {
    let mut v = [0_u64; BITS];
    let Some((degree, coefficients, first)) = dimension.checked_sub(1).and_then(|d| DIRECTIONS.get(d)) else {
        // The first dimension is van der Corput's sequence.
        (0..BITS).for_each(|i| v[i] = 1 << (BITS - 1 - i));
        return v;
    };
    let s = *degree as usize;
    for i in 0..BITS {
        v[i] = match first.get(i) {
            Some(m) => m << (BITS - 1 - i),
            None => {
                let taps = (1..s).filter(|k| (coefficients >> (s - 1 - k)) & 1 == 1);
                taps.fold(v[i - s] ^ (v[i - s] >> s), |x, k| x ^ v[i - k])
            }
        };
    }
    v
}

/// The coordinates of the unshifted sequence, as fractions of 2^BITS, in the order of Gray codes.
fn sequence(count: usize, dimension: usize) -> impl Iterator<Item = u64> {
    let v = directions(dimension);
    (0..count).scan(0_u64, move |x, i| {
        let now = *x;
        *x ^= v[((i + 1).trailing_zeros() as usize).min(BITS - 1)];
        Some(now)
    })
}

/// One dimension of the points.
pub(super) fn dimension(count: usize, dimension: usize, seed: u64) -> Vec<f64> {
    let shift = bits(seed.rotate_left(32), dimension, 0) >> (64 - BITS);
    sequence(count, dimension).map(|x| ((x ^ shift) as f64 + 0.5) / (1_u64 << BITS) as f64).collect()
}

#[cfg(test)]
mod tests {
    use super::{BITS, MAX_DIMENSIONS, sequence};

    /// The points 1 to 7 of `scipy.stats.qmc.Sobol(d, scramble=False)`, times 8, for some dimensions.
    #[test]
    fn points_of_the_published_sequence() {
        let of = |d: usize| -> Vec<f64> {
            sequence(8, d).skip(1).map(|x| x as f64 / (1_u64 << BITS) as f64 * 8.0).collect()
        };
        assert_eq!(of(0), [4.0, 6.0, 2.0, 3.0, 7.0, 5.0, 1.0]);
        assert_eq!(of(1), [4.0, 2.0, 6.0, 3.0, 7.0, 1.0, 5.0]);
        assert_eq!(of(2), [4.0, 2.0, 6.0, 5.0, 1.0, 7.0, 3.0]);
    }

    #[test]
    fn every_binary_interval_of_every_dimension_has_one_point() {
        for d in 0..MAX_DIMENSIONS {
            let mut found: Vec<u64> = sequence(1024, d).map(|x| x >> (BITS - 10)).collect();
            found.sort_unstable();
            assert_eq!(found, (0..1024).collect::<Vec<_>>(), "dimension {d}");
        }
    }
}
