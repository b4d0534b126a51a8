//! Latin hypercube \[McKay1979\]: every dimension is cut into as many intervals as there are points, and each interval has one
//! point. The intervals of the dimensions are paired at random.

use super::random::{bits, uniform};

/// One dimension of the points.
pub(super) fn dimension(count: usize, dimension: usize, seed: u64) -> Vec<f64> {
    // Streams 2 d and 2 d + 1, apart from those of plain random points by their seed.
    let (shuffle, inside) = (2 * dimension, 2 * dimension + 1);
    let mut order: Vec<usize> = (0..count).collect();
    // Shuffle of Fisher and Yates.
    for i in (1..count).rev() {
        let j = (u128::from(bits(!seed, shuffle, i)) * (i as u128 + 1)) >> 64;
        order.swap(i, j as usize);
    }
    order.iter().enumerate().map(|(i, k)| (*k as f64 + uniform(!seed, inside, i)) / count as f64).collect()
}

#[cfg(test)]
mod tests {
    use super::dimension;

    #[test]
    fn every_interval_has_one_point() {
        for d in 0..4 {
            let mut intervals: Vec<usize> = dimension(37, d, 5).iter().map(|x| (x * 37.0) as usize).collect();
            assert_ne!(intervals, (0..37).collect::<Vec<_>>());
            intervals.sort_unstable();
            assert_eq!(intervals, (0..37).collect::<Vec<_>>());
        }
    }
}
