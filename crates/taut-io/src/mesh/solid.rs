//! Volume, centroid and inertia of the solid that a closed surface of triangles encloses.
//!
//! Every triangle spans a tetrahedron with the origin, whose signed integrals are polynomials of its corners; their sum is exact
//! for a closed surface, by the divergence theorem \[Tonon2005\].

use super::Mesh;
use std::collections::HashMap;

/// Integrals over a solid of density one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SolidIntegrals {
    /// Volume.
    pub volume: f64,
    /// Centroid.
    pub centroid: [f64; 3],
    /// xx, yy, zz, xy, xz, yz of the inertia tensor about the centroid, per volume.
    pub inertia: [f64; 6],
}

/// Volumes below this fraction of the volume of the enclosing box are round-off.
const FLAT: f64 = 1e-9;

impl Mesh {
    /// The solid inside the surface.
    ///
    /// # Errors
    /// A surface that is not closed, or whose triangles do not face one side; the text names an edge.
    pub fn solid(&self) -> Result<SolidIntegrals, String> {
        self.check_closed()?;
        let bound = |pick: fn(f64, f64) -> f64, from: f64| {
            [0, 1, 2].map(|k| self.points.iter().fold(from, |a, p| pick(a, p[k])))
        };
        let (low, high) = (bound(f64::min, f64::INFINITY), bound(f64::max, f64::NEG_INFINITY));
        // About the middle of the box, so that a solid far from the origin loses no digits.
        let middle = [0, 1, 2].map(|k| 0.5 * (low[k] + high[k]));
        let (mut six_volumes, mut first, mut second) = (0.0, [0.0; 3], [0.0; 6]);
        for triangle in &self.triangles {
            let [a, b, c] = triangle.map(|i| [0, 1, 2].map(|k| self.points[i][k] - middle[k]));
            let det = a[0] * (b[1] * c[2] - b[2] * c[1])
                + a[1] * (b[2] * c[0] - b[0] * c[2])
                + a[2] * (b[0] * c[1] - b[1] * c[0]);
            six_volumes += det;
            let sum = [0, 1, 2].map(|k| a[k] + b[k] + c[k]);
            (0..3).for_each(|k| first[k] += det * sum[k]);
            // ∫ xᵢ xⱼ over a tetrahedron with one corner at the origin: det/120 (Σ pᵢ pⱼ + Σpᵢ Σpⱼ).
            for (k, (i, j)) in [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)].into_iter().enumerate() {
                second[k] += det * (a[i] * a[j] + b[i] * b[j] + c[i] * c[j] + sum[i] * sum[j]);
            }
        }
        let signed = six_volumes / 6.0;
        let around: f64 = (0..3).map(|k| high[k] - low[k]).product();
        if signed.abs() <= FLAT * around || !signed.is_finite() {
            return Err("the surface encloses no volume".to_string());
        }
        // A surface that faces inwards has all integrals negative; the ratios are the same.
        let centroid = first.map(|x| x / (24.0 * signed));
        let mean = second.map(|x| x / (120.0 * signed));
        let c = centroid;
        let about = [
            mean[0] - c[0] * c[0],
            mean[1] - c[1] * c[1],
            mean[2] - c[2] * c[2],
            mean[3] - c[0] * c[1],
            mean[4] - c[0] * c[2],
            mean[5] - c[1] * c[2],
        ];
        let inertia = [about[1] + about[2], about[0] + about[2], about[0] + about[1], -about[3], -about[4], -about[5]];
        Ok(SolidIntegrals { volume: signed.abs(), centroid: [0, 1, 2].map(|k| middle[k] + c[k]), inertia })
    }

    /// Every edge must belong to two triangles, once in each direction.
    fn check_closed(&self) -> Result<(), String> {
        let mut balance: HashMap<(usize, usize), (i64, u32)> = HashMap::new();
        for t in &self.triangles {
            for (a, b) in [(t[0], t[1]), (t[1], t[2]), (t[2], t[0])] {
                let entry = balance.entry((a.min(b), a.max(b))).or_default();
                entry.0 += if a < b { 1 } else { -1 };
                entry.1 += 1;
            }
        }
        let open = balance.values().filter(|(_, count)| count % 2 == 1).count();
        let twisted = balance.values().filter(|(sum, count)| count % 2 == 0 && *sum != 0).count();
        if open + twisted == 0 {
            return Ok(());
        }
        // The first such edge in the order of the file.
        let edges = self.triangles.iter().flat_map(|t| [(t[0], t[1]), (t[1], t[2]), (t[2], t[0])]);
        let bad = edges.map(|(a, b)| (a.min(b), a.max(b))).find(|e| balance.get(e).is_some_and(|(sum, _)| *sum != 0));
        let place = bad.map_or_else(String::new, |(a, b)| {
            format!("; one lies between {:?} and {:?}", self.points[a], self.points[b])
        });
        Err(match open {
            0 => format!("the surface is not oriented: {twisted} edges join triangles that face opposite sides{place}"),
            _ => format!("the surface is not closed: {open} edges belong to one triangle only{place}"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A block with corners at the origin and at `size`, moved by `at`.
    fn block(size: [f64; 3], at: [f64; 3]) -> Mesh {
        let corner = |i: usize| [0, 1, 2].map(|k| at[k] + if i >> k & 1 == 1 { size[k] } else { 0.0 });
        let sides = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        let triangles = sides.iter().flat_map(|[a, b, c, d]| [[*a, *b, *c], [*a, *c, *d]]).collect();
        Mesh { points: (0..8).map(corner).collect(), triangles }
    }

    #[test]
    fn a_block_has_the_closed_form_wherever_it_is() {
        for at in [[0.0; 3], [-1.0, 2.0, 0.5], [1e5, -1e5, 3e5]] {
            let found = block([1.0, 2.0, 3.0], at).solid().unwrap();
            let expected = [(4.0 + 9.0) / 12.0, (1.0 + 9.0) / 12.0, (1.0 + 4.0) / 12.0, 0.0, 0.0, 0.0];
            assert!((found.volume - 6.0).abs() < 1e-9);
            for k in 0..3 {
                assert!((found.centroid[k] - at[k] - [0.5, 1.0, 1.5][k]).abs() < 1e-9 * (1.0 + at[k].abs()));
            }
            for (x, e) in found.inertia.iter().zip(expected) {
                assert!((x - e).abs() < 1e-9, "{found:?}");
            }
        }
    }

    /// A tetrahedron with corners at the origin and on the axes at a: J about the centroid from ∫ x² = a⁵/60, ∫ xy = a⁵/120.
    #[test]
    fn a_tetrahedron_has_products_of_inertia() {
        let points = vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let mut mesh = Mesh { points, triangles: vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]] };
        for _ in 0..2 {
            let found = mesh.solid().unwrap();
            assert!((found.volume - 1.0 / 6.0).abs() < 1e-15);
            assert!(found.centroid.iter().all(|c| (c - 0.25).abs() < 1e-15));
            let diagonal = 2.0 * (0.1 - 1.0 / 16.0);
            let product = -(0.05 - 1.0 / 16.0);
            for (x, e) in found.inertia.iter().zip([diagonal, diagonal, diagonal, product, product, product]) {
                assert!((x - e).abs() < 1e-15, "{found:?}");
            }
            // Inside out.
            mesh.triangles.iter_mut().for_each(|t| t.swap(0, 1));
        }
    }

    #[test]
    fn holes_and_twists_are_found() {
        let mut open = block([1.0; 3], [0.0; 3]);
        open.triangles.pop();
        let said = open.solid().unwrap_err();
        assert!(said.contains("not closed: 3 edges") && said.contains("lies between"), "{said}");
        let mut twisted = block([1.0; 3], [0.0; 3]);
        twisted.triangles[0].swap(0, 1);
        assert!(twisted.solid().unwrap_err().contains("not oriented: 3 edges"));
        let points = vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
        let flat = Mesh { points, triangles: vec![[0, 1, 2], [0, 2, 1]] };
        assert!(flat.solid().unwrap_err().contains("no volume"));
    }
}
