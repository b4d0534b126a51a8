//! Signs at the points of a line.

/// The signs by their corners; the first one is repeated at the end where a sign is closed.
const SIGNS: [&[(f64, f64)]; 6] = [
    // An octagon passes for a circle at this size.
    &[
        (1.0, 0.4),
        (0.4, 1.0),
        (-0.4, 1.0),
        (-1.0, 0.4),
        (-1.0, -0.4),
        (-0.4, -1.0),
        (0.4, -1.0),
        (1.0, -0.4),
        (1.0, 0.4),
    ],
    &[(0.9, 0.9), (-0.9, 0.9), (-0.9, -0.9), (0.9, -0.9), (0.9, 0.9)],
    &[(0.0, -1.2), (1.1, 0.8), (-1.1, 0.8), (0.0, -1.2)],
    &[(0.0, -1.3), (1.1, 0.0), (0.0, 1.3), (-1.1, 0.0), (0.0, -1.3)],
    &[(-1.0, -1.0), (1.0, 1.0), (0.0, 0.0), (1.0, -1.0), (-1.0, 1.0)],
    &[(0.0, -1.2), (0.0, 1.2), (0.0, 0.0), (-1.2, 0.0), (1.2, 0.0)],
];

/// Half the width of a sign.
const SIZE: f64 = 3.2;

/// The sign of the line of number `k`, as a line about a point.
pub(crate) fn mark(k: usize, (x, y): (f64, f64)) -> Vec<(f64, f64)> {
    SIGNS[k % SIGNS.len()].iter().map(|(u, v)| (x + SIZE * u, y + SIZE * v)).collect()
}

#[cfg(test)]
mod tests {
    use super::{SIGNS, mark};

    #[test]
    fn signs_differ_and_stand_about_their_point() {
        for k in 0..SIGNS.len() {
            let sign = mark(k, (10.0, 20.0));
            assert!(sign.iter().all(|(x, y)| (x - 10.0).abs() < 5.0 && (y - 20.0).abs() < 5.0));
            assert!((0..k).all(|j| mark(j, (10.0, 20.0)) != sign), "{k}");
        }
    }
}
