//! Triangulated ground and walls: meshes and height fields.
//!
//! Each triangle is treated as a polytope with one face, but its neighbours restrict the contact normals: an edge or vertex only
//! admits normals between those of the adjacent faces. Interior edges of a flat floor therefore give no contacts (no bumps at
//! internal edges); ridges do.

use super::cylinder;
use super::feature::Pair;
use super::hull::{Corners, Facet, Normals, Polytope, Ridge, View};
use super::meet::meet;
use super::sat::Rel;
use super::tree::{Extent, Tree};
use crate::error::Fault;
use crate::motion::Vec3;
use std::collections::BTreeMap;

#[derive(Clone, Copy, Debug)]
struct Triangle {
    v: [u32; 3],
    n: Vec3,
    edges: [Ridge; 3],
    /// For each edge the two directions in which the surface continues.
    inward: [[Vec3; 2]; 3],
}

/// Spatial index to find the triangles near a body.
#[derive(Debug)]
enum Index {
    Tree(Tree),
    /// A grid of cells over a rectangle centred at the origin, with two triangles per cell.
    Grid {
        columns: usize,
        rows: usize,
        size: [f64; 2],
    },
}

/// A surface of triangles.
#[derive(Debug)]
pub(super) struct Terrain {
    points: Vec<Vec3>,
    triangles: Vec<Triangle>,
    /// Directions in which the surface continues from vertex i: `spokes[first[i]..first[i + 1]]`.
    spokes: Vec<Vec3>,
    first: Vec<u32>,
    index: Index,
}

impl Terrain {
    pub(super) fn mesh(points: Vec<Vec3>, triangles: &[[usize; 3]]) -> Result<Terrain, Fault> {
        let boxes = triangles.iter().map(|t| Extent::about(t.iter().map(|i| &points[*i]))).collect();
        Terrain::new(points, triangles, Index::Tree(Tree::new(boxes)))
    }

    pub(super) fn heights(size: &[f64; 2], heights: &[Vec<f64>]) -> Result<Terrain, Fault> {
        let (rows, columns) = (heights.len() - 1, heights[0].len() - 1);
        let at = |i: usize, n: usize, l: f64| (i as f64 / n as f64 - 0.5) * l;
        let points = (0..=rows)
            .flat_map(|i| (0..=columns).map(move |j| (i, j)))
            .map(|(i, j)| Vec3::new(at(j, columns, size[0]), at(i, rows, size[1]), heights[i][j]))
            .collect();
        let corner = |i: usize, j: usize| i * (columns + 1) + j;
        let mut triangles = Vec::with_capacity(2 * rows * columns);
        for i in 0..rows {
            for j in 0..columns {
                let (a, b, c, d) = (corner(i, j), corner(i, j + 1), corner(i + 1, j + 1), corner(i + 1, j));
                triangles.extend([[a, b, c], [a, c, d]]);
            }
        }
        Terrain::new(points, &triangles, Index::Grid { columns, rows, size: *size })
    }

    fn new(points: Vec<Vec3>, corners: &[[usize; 3]], index: Index) -> Result<Terrain, Fault> {
        // Directed edges and their triangles; if more than two triangles share an edge, the first ones count.
        let mut sides: BTreeMap<(usize, usize), usize> = BTreeMap::new();
        let mut normals = Vec::with_capacity(corners.len());
        for (i, t) in corners.iter().enumerate() {
            let [a, b, c] = t.map(|k| points[k]);
            let area = (b - a).cross(&(c - a));
            let longest = (b - a).norm_squared().max((c - a).norm_squared()).max((c - b).norm_squared());
            if area.norm() <= 1e-12 * longest {
                return Err(Fault::value("triangles", format!("triangle {i} has zero area; remove it")));
            }
            normals.push(area.normalize());
            for k in 0..3 {
                sides.entry((t[k], t[(k + 1) % 3])).or_insert(i);
            }
        }
        let mut about: Vec<Vec<Vec3>> = vec![Vec::new(); points.len()];
        let mut triangles = Vec::with_capacity(corners.len());
        for (t, n) in corners.iter().zip(&normals) {
            let mut inward = [[Vec3::zeros(); 2]; 3];
            let edges = [0, 1, 2].map(|k| {
                let (i, j) = (t[k], t[(k + 1) % 3]);
                let (p, q) = (points[i], points[j]);
                let u = (q - p).normalize();
                about[i].push(u);
                about[j].push(-u);
                let own = n.cross(&u);
                match sides.get(&(j, i)) {
                    Some(&other) => {
                        let m = normals[other];
                        let across = -m.cross(&u);
                        inward[k] = [own, across];
                        let kind = if n.dot(&across) < -1e-9 { Normals::Arc } else { Normals::None };
                        Ridge::new(k as u32, (k as u32 + 1) % 3, &p, &q, [*n, m], kind)
                    }
                    // Border edges: contact from above and from outside, not from below.
                    None => {
                        inward[k] = [own, -n];
                        about[i].push(-n);
                        about[j].push(-n);
                        Ridge::new(k as u32, (k as u32 + 1) % 3, &p, &q, [*n, -own], Normals::Arc)
                    }
                }
            });
            triangles.push(Triangle { v: t.map(|i| i as u32), n: *n, edges, inward });
        }
        let mut first = vec![0];
        let mut spokes = Vec::new();
        for list in about {
            spokes.extend(list);
            first.push(spokes.len() as u32);
        }
        Ok(Terrain { points, triangles, spokes, first, index })
    }

    pub(super) fn points(&self) -> &[Vec3] {
        &self.points
    }

    /// Whether the ground is solid at any depth.
    pub(super) fn bottomless(&self) -> bool {
        matches!(self.index, Index::Grid { .. })
    }

    pub(super) fn meet(&self, b: &Polytope, rel: &Rel, margin: f64, put: &mut dyn FnMut(Pair)) {
        let mut about = Extent::EMPTY;
        b.vertices.iter().for_each(|v| about.take(&rel.at(v)));
        let view = b.view();
        self.near(about.grown(b.r + margin), &mut |a, n, d| {
            // A body completely behind a triangle of a mesh is outside another triangle, or has tunnelled through.
            let behind = || view.vertices.iter().all(|v| n.dot(&rel.at(v)) - d < -b.r);
            if self.bottomless() || !behind() {
                meet(a, &view, rel, margin, &mut |pair| put(pair));
            }
        });
    }

    pub(super) fn meet_cylinder(&self, radius: f64, half: f64, rel: &Rel, margin: f64, put: &mut dyn FnMut(Pair)) {
        let reach = |n: &Vec3| cylinder::reach(radius, half, &rel.R.tr_mul(n));
        let h = Vec3::new(reach(&Vec3::x()), reach(&Vec3::y()), reach(&Vec3::z()));
        let inverse = rel.inverse();
        self.near(Extent { lo: rel.p - h, hi: rel.p + h }.grown(margin), &mut |a, n, d| {
            let behind = n.dot(&rel.p) - d + reach(n) < 0.0;
            if self.bottomless() || !behind {
                cylinder::meet_view(radius, half, a, &inverse, margin, &mut |pair| put(pair.swapped()));
            }
        });
    }

    /// Distance of a point from the surface, on either side, at most `most`.
    pub(super) fn distance(&self, x: &Vec3, most: f64) -> f64 {
        let mut least = most;
        self.near(Extent::about(std::iter::once(x)).grown(most), &mut |view, _, _| {
            if let [a, b, c] = view.vertices {
                least = least.min(from_triangle(x, a, b, c));
            }
        });
        least
    }

    /// The planes n·x = d of the triangles near a box, and the distance of a point from each triangle.
    pub(super) fn planes(&self, lo: Vec3, hi: Vec3, found: &mut dyn FnMut(&Vec3, f64, &dyn Fn(&Vec3) -> f64)) {
        self.near(Extent { lo, hi }, &mut |view, n, d| {
            if let [a, b, c] = view.vertices {
                found(n, d, &|x| from_triangle(x, a, b, c));
            }
        });
    }

    /// The triangles near a box, with their planes.
    fn near(&self, about: Extent, found: &mut impl FnMut(&View, &Vec3, f64)) {
        match &self.index {
            Index::Tree(tree) => tree.near(&about, &mut |i| self.seen(i, found)),
            Index::Grid { columns, rows, size } => {
                let cell =
                    |x: f64, l: f64, n: usize| ((x / l + 0.5) * n as f64).floor().clamp(0.0, n as f64 - 1.0) as usize;
                let outside = |k: usize| about.hi[k] < -0.5 * size[k] || about.lo[k] > 0.5 * size[k];
                // NaN passes the tests above.
                if outside(0) || outside(1) || about.lo.iter().chain(&about.hi).any(|x| x.is_nan()) {
                    return;
                }
                for i in cell(about.lo.y, size[1], *rows)..=cell(about.hi.y, size[1], *rows) {
                    for j in cell(about.lo.x, size[0], *columns)..=cell(about.hi.x, size[0], *columns) {
                        for t in 2 * (i * columns + j)..2 * (i * columns + j) + 2 {
                            let top =
                                self.triangles[t].v.iter().map(|v| self.points[*v as usize].z).fold(f64::MIN, f64::max);
                            if about.lo.z <= top {
                                self.seen(t, found);
                            }
                        }
                    }
                }
            }
        }
    }

    /// One triangle as a polytope.
    fn seen(&self, i: usize, found: &mut impl FnMut(&View, &Vec3, f64)) {
        let t = &self.triangles[i];
        let vertices = t.v.map(|v| self.points[v as usize]);
        let d = t.n.dot(&vertices[0]);
        let spokes = t.v.map(|v| &self.spokes[self.first[v as usize] as usize..self.first[v as usize + 1] as usize]);
        let corners = Corners { edges: t.inward, vertices: spokes };
        let view = View {
            vertices: &vertices,
            faces: &[Facet { n: t.n, d, from: 0, to: 3 }],
            ring: &[0, 1, 2],
            edges: &t.edges,
            around: &[0, 0, 0],
            first: &[0, 1, 2, 3],
            r: 0.0,
            corners: Some(&corners),
        };
        found(&view, &t.n, d);
    }
}

/// Distance of a point from a triangle: from its plane if the point is over it, else from the nearest edge.
fn from_triangle(x: &Vec3, a: &Vec3, b: &Vec3, c: &Vec3) -> f64 {
    let n = (b - a).cross(&(c - a));
    let sides = [(a, b), (b, c), (c, a)];
    if sides.iter().all(|(p, q)| n.cross(&(*q - *p)).dot(&(x - *p)) >= 0.0) {
        return (x - a).dot(&n).abs() / n.norm();
    }
    let from_edge = |(p, q): (&Vec3, &Vec3)| {
        let u = q - p;
        let s = ((x - p).dot(&u) / u.norm_squared()).clamp(0.0, 1.0);
        (x - p - u * s).norm()
    };
    sides.map(from_edge).into_iter().fold(f64::INFINITY, f64::min)
}
