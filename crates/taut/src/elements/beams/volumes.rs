//! The finite volumes of an element: integrals of the shape functions over them.
//!
//! ```text
//!  w_ij = ∫_i N_j dη,   S_ijk = ∫_i N_j N_k dη          volume i around node i, between the cuts; η the given arc length
//! ```
//!
//! \[FumagalliMasarati2009\] eqs. (70), (71), (73). Cuts as in the element: in the middle of two nodes, at ξ = ∓1/√3 of three.

use crate::motion::{Motion, Vec3};

/// Maximum number of nodes of an element.
const MAX_NODES: usize = 3;
/// Gauss rule of five points: exact for straight elements, and accurate to 1e-8 for a strongly curved three-node element (two
/// of them form a half circle). Three points would have an error of 1e-5 there.
const GAUSS: [(f64, f64); 5] = [
    (-0.906_179_845_938_664, 0.236_926_885_056_189_08),
    (-0.538_469_310_105_683_1, 0.478_628_670_499_366_47),
    (0.0, 128.0 / 225.0),
    (0.538_469_310_105_683_1, 0.478_628_670_499_366_47),
    (0.906_179_845_938_664, 0.236_926_885_056_189_08),
];

/// The volumes of one element.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Volumes {
    /// Its first node.
    pub first: usize,
    /// Number of its nodes, and so of its volumes.
    pub nodes: usize,
    /// w_ij.
    pub w: [[f64; MAX_NODES]; MAX_NODES],
    /// S_ijk.
    pub S: [[[f64; MAX_NODES]; MAX_NODES]; MAX_NODES],
}

impl Volumes {
    /// For an element with nodes at `given`, the first of which is node `first` of the beam.
    pub fn new(first: usize, given: &[Motion]) -> Volumes {
        let nodes = given.len();
        let cut = 1.0 / 3.0_f64.sqrt();
        let bounds: &[f64] = if nodes == 2 { &[-1.0, 0.0, 1.0] } else { &[-1.0, -cut, cut, 1.0] };
        let mut found = Volumes { first, nodes, w: Default::default(), S: Default::default() };
        for (i, ends) in bounds.windows(2).enumerate() {
            let (middle, half) = (0.5 * (ends[0] + ends[1]), 0.5 * (ends[1] - ends[0]));
            for (place, weight) in GAUSS {
                let (N, dN) = shape_functions(nodes, middle + half * place);
                // Relative to the first node, so that no digits are lost far from the origin.
                let tangent: Vec3 = (0..nodes).map(|k| (given[k].p - given[0].p) * dN[k]).sum();
                let length = tangent.norm() * half * weight;
                for j in 0..nodes {
                    found.w[i][j] += length * N[j];
                    (0..nodes).for_each(|k| found.S[i][j][k] += length * N[j] * N[k]);
                }
            }
        }
        found
    }
}

/// Nᵢ and dNᵢ/dξ.
fn shape_functions(nodes: usize, xi: f64) -> ([f64; MAX_NODES], [f64; MAX_NODES]) {
    match nodes {
        2 => ([0.5 * (1.0 - xi), 0.5 * (1.0 + xi), 0.0], [-0.5, 0.5, 0.0]),
        _ => {
            let N = [0.5 * xi * (xi - 1.0), 1.0 - xi * xi, 0.5 * xi * (xi + 1.0)];
            (N, [xi - 0.5, -2.0 * xi, xi + 0.5])
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(x: &[f64]) -> Vec<Motion> {
        x.iter().map(|x| Motion { p: Vec3::new(*x, 0.0, 0.0), ..Motion::REST }).collect()
    }

    /// Compares with the integrals of the polynomials, computed by hand.
    #[test]
    fn integrals_of_straight_elements() {
        let two = Volumes::new(4, &line(&[1.0, 3.0]));
        let near = |x: f64, y: f64| assert!((x - y).abs() < 2e-15, "{x} {y}");
        near(two.w[0][0], 2.0 * 3.0 / 8.0);
        near(two.w[0][1], 2.0 / 8.0);
        near(two.S[0][1][0], 2.0 / 12.0);
        near(two.S[0][1][1], 2.0 / 24.0);
        let three = Volumes::new(0, &line(&[0.0, 1.0, 2.0]));
        // For the middle volume: ∫ (1 − ξ²) dξ and ∫ (1 − ξ²)² dξ up to c = 1/√3.
        let c = 1.0 / 3.0_f64.sqrt();
        near(three.w[1][1], 2.0 * (c - c.powi(3) / 3.0));
        near(three.S[1][1][1], 2.0 * (c - 2.0 * c.powi(3) / 3.0 + c.powi(5) / 5.0));
        near(three.w.iter().flatten().sum(), 2.0);
        near(three.S.iter().flatten().flatten().sum(), 2.0);
    }
}
