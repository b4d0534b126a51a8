//! Triangulated ground and walls: meshes and height fields.
//!
//! Each triangle is treated as a polytope with one face, but its neighbours restrict the contact normals: an edge or vertex only
//! admits normals between those of the adjacent faces. Interior edges of a flat floor therefore give no contacts (no bumps at
//! internal edges); ridges do.

use super::bounding_tree::{BoundingBox, BoundingTree};
use super::cylinder;
use super::feature::FeaturePair;
use super::polytope::{EdgeNormals, Facet, Polytope, PolytopeEdge, PolytopeView, SurroundingDirections};
use super::polytope_contact::polytope_contact;
use super::separating_axes::RelativePose;
use crate::error::ParameterError;
use crate::motion::Vec3;
use std::collections::BTreeMap;

/// Called with n and d of a plane n·x = d and the function that returns the distance of a point from its triangle.
pub(crate) type PlaneVisitor<'a> = dyn FnMut(&Vec3, f64, &dyn Fn(&Vec3) -> f64) + 'a;

#[derive(Clone, Copy, Debug)]
struct Triangle {
    vertices: [u32; 3],
    n: Vec3,
    edges: [PolytopeEdge; 3],
    /// For each edge the two directions in which the surface continues.
    surface_directions: [[Vec3; 2]; 3],
}

/// Spatial index to find the triangles near a body.
#[derive(Debug)]
enum TriangleIndex {
    Tree(BoundingTree),
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
    /// Directions in which the surface continues from vertex i: `vertex_directions[first[i]..first[i + 1]]`.
    vertex_directions: Vec<Vec3>,
    vertex_directions_start: Vec<u32>,
    index: TriangleIndex,
}

impl Terrain {
    pub(super) fn mesh(points: Vec<Vec3>, triangles: &[[usize; 3]]) -> Result<Terrain, ParameterError> {
        let boxes = triangles.iter().map(|t| BoundingBox::around(t.iter().map(|i| &points[*i]))).collect();
        Terrain::new(points, triangles, TriangleIndex::Tree(BoundingTree::new(boxes)))
    }

    pub(super) fn height_field(size: &[f64; 2], heights: &[Vec<f64>]) -> Result<Terrain, ParameterError> {
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
        Terrain::new(points, &triangles, TriangleIndex::Grid { columns, rows, size: *size })
    }

    fn new(points: Vec<Vec3>, corners: &[[usize; 3]], index: TriangleIndex) -> Result<Terrain, ParameterError> {
        // Directed edges and their triangles; if more than two triangles share an edge, the first ones count.
        let mut sides: BTreeMap<(usize, usize), usize> = BTreeMap::new();
        let mut normals = Vec::with_capacity(corners.len());
        for (i, t) in corners.iter().enumerate() {
            let [a, b, c] = t.map(|k| points[k]);
            let area = (b - a).cross(&(c - a));
            let longest = (b - a).norm_squared().max((c - a).norm_squared()).max((c - b).norm_squared());
            if area.norm() <= 1e-12 * longest {
                return Err(ParameterError::invalid("triangles", format!("triangle {i} has zero area; remove it")));
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
                        let kind = if n.dot(&across) < -1e-9 { EdgeNormals::Arc } else { EdgeNormals::None };
                        PolytopeEdge::new(k as u32, (k as u32 + 1) % 3, &p, &q, [*n, m], kind)
                    }
                    // Border edges: contact from above and from outside, not from below.
                    None => {
                        inward[k] = [own, -n];
                        about[i].push(-n);
                        about[j].push(-n);
                        PolytopeEdge::new(k as u32, (k as u32 + 1) % 3, &p, &q, [*n, -own], EdgeNormals::Arc)
                    }
                }
            });
            triangles.push(Triangle { vertices: t.map(|i| i as u32), n: *n, edges, surface_directions: inward });
        }
        let mut first = vec![0];
        let mut spokes = Vec::new();
        for list in about {
            spokes.extend(list);
            first.push(spokes.len() as u32);
        }
        Ok(Terrain { points, triangles, vertex_directions: spokes, vertex_directions_start: first, index })
    }

    pub(super) fn points(&self) -> &[Vec3] {
        &self.points
    }

    /// Whether the ground is solid at any depth.
    pub(super) fn is_bottomless(&self) -> bool {
        matches!(self.index, TriangleIndex::Grid { .. })
    }

    pub(super) fn contact_with_polytope(
        &self,
        b: &Polytope,
        rel: &RelativePose,
        margin: f64,
        put: &mut dyn FnMut(FeaturePair),
    ) {
        let mut about = BoundingBox::EMPTY;
        b.vertices.iter().for_each(|v| about.include(&rel.to_a(v)));
        let view = b.view();
        self.triangles_near(about.expanded(b.r + margin), &mut |a, n, d| {
            // A body completely behind a triangle of a mesh is outside another triangle, or has tunnelled through.
            let behind = || view.vertices.iter().all(|v| n.dot(&rel.to_a(v)) - d < -b.r);
            if self.is_bottomless() || !behind() {
                polytope_contact(a, &view, rel, margin, &mut |pair| put(pair));
            }
        });
    }

    pub(super) fn contact_with_cylinder(
        &self,
        radius: f64,
        half: f64,
        rel: &RelativePose,
        margin: f64,
        put: &mut dyn FnMut(FeaturePair),
    ) {
        let reach = |n: &Vec3| cylinder::support(radius, half, &rel.R.tr_mul(n));
        let h = Vec3::new(reach(&Vec3::x()), reach(&Vec3::y()), reach(&Vec3::z()));
        let inverse = rel.inverse();
        self.triangles_near(BoundingBox { lo: rel.p - h, hi: rel.p + h }.expanded(margin), &mut |a, n, d| {
            let behind = n.dot(&rel.p) - d + reach(n) < 0.0;
            if self.is_bottomless() || !behind {
                cylinder::contact_with_polytope_view(
                    radius,
                    half,
                    a,
                    &inverse,
                    margin,
                    &mut |pair| put(pair.swapped()),
                );
            }
        });
    }

    /// Distance of a point from the surface, on either side, at most `most`.
    pub(super) fn distance(&self, x: &Vec3, most: f64) -> f64 {
        let mut least = most;
        self.triangles_near(BoundingBox::around(std::iter::once(x)).expanded(most), &mut |view, _, _| {
            if let [a, b, c] = view.vertices {
                least = least.min(distance_to_triangle(x, a, b, c));
            }
        });
        least
    }

    /// The planes n·x = d of the triangles near a box, and the distance of a point from each triangle.
    pub(super) fn planes_near(&self, lo: Vec3, hi: Vec3, found: &mut PlaneVisitor<'_>) {
        self.triangles_near(BoundingBox { lo, hi }, &mut |view, n, d| {
            if let [a, b, c] = view.vertices {
                found(n, d, &|x| distance_to_triangle(x, a, b, c));
            }
        });
    }

    /// The triangles near a box, with their planes.
    fn triangles_near(&self, about: BoundingBox, found: &mut impl FnMut(&PolytopeView, &Vec3, f64)) {
        match &self.index {
            TriangleIndex::Tree(tree) => tree.query(&about, &mut |i| self.visit_triangle(i, found)),
            TriangleIndex::Grid { columns, rows, size } => {
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
                            let top = self.triangles[t]
                                .vertices
                                .iter()
                                .map(|v| self.points[*v as usize].z)
                                .fold(f64::MIN, f64::max);
                            if about.lo.z <= top {
                                self.visit_triangle(t, found);
                            }
                        }
                    }
                }
            }
        }
    }

    /// One triangle as a polytope.
    fn visit_triangle(&self, i: usize, found: &mut impl FnMut(&PolytopeView, &Vec3, f64)) {
        let t = &self.triangles[i];
        let vertices = t.vertices.map(|v| self.points[v as usize]);
        let d = t.n.dot(&vertices[0]);
        let spokes = t.vertices.map(|v| {
            &self.vertex_directions[self.vertex_directions_start[v as usize] as usize
                ..self.vertex_directions_start[v as usize + 1] as usize]
        });
        let corners = SurroundingDirections { edges: t.surface_directions, vertices: spokes };
        let view = PolytopeView {
            vertices: &vertices,
            faces: &[Facet { n: t.n, d, first_vertex: 0, end_vertex: 3 }],
            face_vertices: &[0, 1, 2],
            edges: &t.edges,
            vertex_faces: &[0, 0, 0],
            vertex_faces_start: &[0, 1, 2, 3],
            r: 0.0,
            surroundings: Some(&corners),
        };
        found(&view, &t.n, d);
    }
}

/// Distance of a point from a triangle: from its plane if the point is over it, else from the nearest edge.
fn distance_to_triangle(x: &Vec3, a: &Vec3, b: &Vec3, c: &Vec3) -> f64 {
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
