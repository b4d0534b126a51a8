//! Convex polyhedra with faces, edges and adjacency; points and segments are special cases.
//!
//! The hull of a set of points is computed by gift wrapping \[ChandKapur1970\]: a plane is rotated about each edge of a known
//! face until it reaches the next points. All points in that plane form one face, so that each flat side of a box is a single face.

use crate::error::ParameterError;
use crate::motion::Vec3;
use std::collections::BTreeMap;

/// A face: the plane n·x = d and the range of its vertices in the vertex list, counter-clockwise seen from outside.
#[derive(Clone, Copy, Debug)]
pub(super) struct Facet {
    pub n: Vec3,
    pub d: f64,
    pub first_vertex: u32,
    pub end_vertex: u32,
}

/// The set of normals of an edge: the directions in which the edge is the farthest feature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EdgeNormals {
    /// The arc between the normals of its two faces.
    Arc,
    /// All perpendicular directions: the edge is a free segment.
    Circle,
    /// None: the surface is flat or concave there.
    None,
}

/// An edge between the vertices a and b: unit vector u, length l, normals of its faces with n[0]×n[1] along u.
#[derive(Clone, Copy, Debug)]
pub(super) struct PolytopeEdge {
    pub a: u32,
    pub b: u32,
    pub u: Vec3,
    pub l: f64,
    pub n: [Vec3; 2],
    pub normals: EdgeNormals,
}

impl PolytopeEdge {
    pub(super) fn new(a: u32, b: u32, from: &Vec3, to: &Vec3, n: [Vec3; 2], normals: EdgeNormals) -> PolytopeEdge {
        let l = (to - from).norm();
        let u = (to - from) / l;
        if n[0].cross(&n[1]).dot(&u) < 0.0 {
            return PolytopeEdge { a, b, u, l, n: [n[1], n[0]], normals };
        }
        PolytopeEdge { a, b, u, l, n, normals }
    }
}

/// A convex polyhedron, swept by a sphere of radius r.
#[derive(Clone, Debug, Default)]
pub(super) struct Polytope {
    pub vertices: Vec<Vec3>,
    pub faces: Vec<Facet>,
    pub face_vertices: Vec<u32>,
    pub edges: Vec<PolytopeEdge>,
    /// Faces at vertex i: `vertex_faces[vertex_faces_start[i]..vertex_faces_start[i + 1]]`.
    pub vertex_faces: Vec<u32>,
    pub vertex_faces_start: Vec<u32>,
    pub r: f64,
}

/// Directions in which a mesh surface continues from each edge and vertex of a triangle. An admissible normal has no positive
/// component along them.
#[derive(Clone, Copy, Debug)]
pub(super) struct SurroundingDirections<'a> {
    pub edges: [[Vec3; 2]; 3],
    pub vertices: [&'a [Vec3]; 3],
}

/// A borrowed polytope: a prepared shape, or a triangle assembled on the stack.
#[derive(Clone, Copy, Debug)]
pub(super) struct PolytopeView<'a> {
    pub vertices: &'a [Vec3],
    pub faces: &'a [Facet],
    pub face_vertices: &'a [u32],
    pub edges: &'a [PolytopeEdge],
    pub vertex_faces: &'a [u32],
    pub vertex_faces_start: &'a [u32],
    pub r: f64,
    /// For a triangle of a mesh: directions of the surrounding surface.
    pub surroundings: Option<&'a SurroundingDirections<'a>>,
}

/// Sine of the angle by which a normal may lie outside its normal cone; smaller than any angle of a triangulation.
const NORMAL_CONE_TOLERANCE: f64 = 1e-6;

impl PolytopeView<'_> {
    pub(super) fn face(&self, i: usize) -> &[u32] {
        &self.face_vertices[self.faces[i].first_vertex as usize..self.faces[i].end_vertex as usize]
    }

    /// Side k of a face: a point on it and the outward vector in the plane of the face.
    pub(super) fn face_side(&self, face: usize, k: usize) -> (Vec3, Vec3) {
        let ring = self.face(face);
        let (p, q) = (self.vertices[ring[k] as usize], self.vertices[ring[(k + 1) % ring.len()] as usize]);
        // A side of a polygon has two end points.
        if ring.len() == 2 { (p, p - q) } else { (p, (q - p).cross(&self.faces[face].n)) }
    }

    /// Whether the outward direction d is a normal of the surface at vertex i.
    pub(super) fn vertex_admits_normal(&self, i: usize, d: &Vec3) -> bool {
        self.surroundings.is_none_or(|c| c.vertices[i].iter().all(|w| w.dot(d) <= NORMAL_CONE_TOLERANCE))
    }

    /// Whether the outward direction d is a normal of the surface on edge i.
    pub(super) fn edge_admits_normal(&self, i: usize, d: &Vec3) -> bool {
        self.surroundings.is_none_or(|c| c.edges[i].iter().all(|w| w.dot(d) <= NORMAL_CONE_TOLERANCE))
    }

    /// Characteristic length.
    pub(super) fn size(&self) -> f64 {
        self.vertices.iter().map(|v| v.amax()).fold(self.r, f64::max)
    }
}

impl Polytope {
    /// A single point: the core of a sphere.
    pub(super) fn point(r: f64) -> Polytope {
        Polytope {
            vertices: vec![Vec3::zeros()],
            vertex_faces: vec![],
            vertex_faces_start: vec![0, 0],
            r,
            ..Polytope::default()
        }
    }

    /// A segment along z: the core of a capsule.
    pub(super) fn segment(length: f64, r: f64) -> Polytope {
        let half = Vec3::z() * (0.5 * length);
        let edge = PolytopeEdge::new(0, 1, &-half, &half, [Vec3::zeros(); 2], EdgeNormals::Circle);
        Polytope {
            vertices: vec![-half, half],
            edges: vec![edge],
            vertex_faces_start: vec![0, 0, 0],
            r,
            ..Polytope::default()
        }
    }

    /// A box with the given edge lengths.
    pub(super) fn cuboid(size: &[f64; 3]) -> Result<Polytope, ParameterError> {
        let corner = |i: usize| {
            let side = |k: usize| if i >> k & 1 == 1 { 0.5 * size[k] } else { -0.5 * size[k] };
            Vec3::new(side(0), side(1), side(2))
        };
        Polytope::hull("size", &[0, 1, 2, 3, 4, 5, 6, 7].map(corner))
    }

    /// A convex polygon in the xy plane: its faces are its sides, with two vertices each.
    pub(super) fn polygon(field: &'static str, points: &[[f64; 2]]) -> Result<Polytope, ParameterError> {
        let points: Vec<Vec3> = points.iter().map(|[x, y]| Vec3::new(*x, *y, 0.0)).collect();
        let size = points.iter().map(|p| (p - points[0]).amax()).fold(0.0, f64::max);
        let all: Vec<usize> = (0..points.len()).collect();
        let ring = convex_ring(&points, &all, &Vec3::z(), 1e-10 * size)
            .ok_or_else(|| ParameterError::invalid(field, "give at least three points, not all on one line"))?;
        let mut polygon = Polytope { vertices: ring.iter().map(|i| points[*i]).collect(), ..Polytope::default() };
        let count = ring.len() as u32;
        for k in 0..count {
            let (p, q) = (polygon.vertices[k as usize], polygon.vertices[((k + 1) % count) as usize]);
            let u = (q - p).normalize();
            let n = Vec3::new(u.y, -u.x, 0.0);
            polygon.faces.push(Facet { n, d: n.dot(&p), first_vertex: 2 * k, end_vertex: 2 * k + 2 });
            polygon.face_vertices.extend([k, (k + 1) % count]);
            polygon.vertex_faces.extend([(k + count - 1) % count, k]);
            polygon.vertex_faces_start.push(2 * k);
        }
        polygon.vertex_faces_start.push(2 * count);
        // A point well inside the hull means that the polygon is not convex.
        let inside = |p: &Vec3| polygon.faces.iter().all(|f| f.n.dot(p) < f.d - 1e-8 * size);
        match points.iter().position(inside) {
            Some(i) => {
                Err(ParameterError::invalid(field, format!("point {i} lies inside: the polygon must be convex")))
            }
            None => Ok(polygon),
        }
    }

    pub(super) fn view(&self) -> PolytopeView<'_> {
        PolytopeView {
            vertices: &self.vertices,
            faces: &self.faces,
            face_vertices: &self.face_vertices,
            edges: &self.edges,
            vertex_faces: &self.vertex_faces,
            vertex_faces_start: &self.vertex_faces_start,
            r: self.r,
            surroundings: None,
        }
    }

    /// The convex hull.
    pub(super) fn hull(field: &'static str, points: &[Vec3]) -> Result<Polytope, ParameterError> {
        GiftWrapping::new(points).and_then(GiftWrapping::wrap).ok_or_else(|| {
            ParameterError::invalid(
                field,
                "the points have no convex hull with a volume; give at least four, not all in one plane",
            )
        })
    }
}

/// The state of gift wrapping.
struct GiftWrapping {
    points: Vec<Vec3>,
    /// Points closer than this are equal; a point closer than this to a plane lies in it.
    tolerance: f64,
    faces: Vec<(Vec3, Vec<usize>)>,
    /// Directed edges of known faces.
    face_of_side: BTreeMap<(usize, usize), usize>,
}

impl GiftWrapping {
    fn new(points: &[Vec3]) -> Option<GiftWrapping> {
        let first = points.first()?;
        let size = points.iter().map(|p| (p - first).amax()).fold(0.0, f64::max);
        let near = 1e-10 * size;
        let mut distinct: Vec<Vec3> = Vec::new();
        for p in points {
            if distinct.iter().all(|q| (p - q).amax() > near) {
                distinct.push(*p);
            }
        }
        let enough = distinct.len() >= 4 && size > 0.0 && size.is_finite();
        enough.then_some(GiftWrapping {
            points: distinct,
            tolerance: near,
            faces: Vec::new(),
            face_of_side: BTreeMap::new(),
        })
    }

    /// Rotates the plane with normal n about the line through p along u until it reaches a point, and returns the new normal. The
    /// vector t, perpendicular to u and n, points to the free side.
    fn rotate_plane(&self, p: &Vec3, u: &Vec3, n: &Vec3, t: &Vec3) -> Option<Vec3> {
        let mut best: Option<(f64, f64)> = None;
        for q in &self.points {
            let w = q - p;
            let (x, y) = (w.dot(t), -w.dot(n));
            if (w - u * w.dot(u)).norm() <= 10.0 * self.tolerance {
                continue;
            }
            // The smaller angle from t, by the cross product of the two directions; both are in the upper half-plane.
            let y = y.max(0.0);
            if best.is_none_or(|(bx, by)| y * bx < by * x || (y * bx == by * x && x > bx && y == by)) {
                best = Some((x, y));
            }
        }
        let (x, y) = best?;
        let l = x.hypot(y);
        (l > 0.0).then(|| (t * (y / l) + n * (x / l)).normalize())
    }

    /// Adds the face of all points in the plane through p; `None` if it has no area or one of its sides is already taken.
    fn add_face(&mut self, p: &Vec3, n: Vec3) -> Option<()> {
        let level = self.points.iter().map(|q| n.dot(&(q - p))).fold(f64::MIN, f64::max);
        let within: Vec<usize> =
            (0..self.points.len()).filter(|&i| n.dot(&(self.points[i] - p)) > level - 20.0 * self.tolerance).collect();
        let ring = convex_ring(&self.points, &within, &n, self.tolerance)?;
        // The area vector of the ring gives the normal without loss of accuracy.
        let o = self.points[ring[0]];
        let mut area = Vec3::zeros();
        for k in 1..ring.len() - 1 {
            area += (self.points[ring[k]] - o).cross(&(self.points[ring[k + 1]] - o));
        }
        let face = self.faces.len();
        for k in 0..ring.len() {
            if self.face_of_side.insert((ring[k], ring[(k + 1) % ring.len()]), face).is_some() {
                return None;
            }
        }
        self.faces.push((area.normalize(), ring));
        Some(())
    }

    fn wrap(mut self) -> Option<Polytope> {
        // Start with the plane at the least x. Rotated about y it reaches an edge or face of the projection; rotated again, a face.
        let p = *self
            .points
            .iter()
            .min_by(|a, b| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)).then(a.z.total_cmp(&b.z)))?;
        let n = self.rotate_plane(&p, &Vec3::y(), &-Vec3::x(), &Vec3::z())?;
        let t = Vec3::y().cross(&n);
        // p is the first point in lexicographic order, so angles from this t do not wrap at ±π.
        let t = if t.x < 0.0 || (t.x == 0.0 && t.z < 0.0) { -t } else { t };
        let level = |q: &Vec3| n.dot(&(q - p)).abs() <= 20.0 * self.tolerance;
        let q = *self.points.iter().filter(|q| level(q) && (*q - p).norm() > self.tolerance).max_by(|a, b| {
            // The greatest angle within the plane, so that the line p–q is an edge of its points.
            let angle = |q: &Vec3| (q - p).dot(&Vec3::y()).atan2((q - p).dot(&t));
            angle(a).total_cmp(&angle(b)).then((*a - p).norm().total_cmp(&(*b - p).norm()))
        })?;
        let u = (q - p).normalize();
        // The free side of that line within the plane has no points.
        let side = n.cross(&u);
        let reach = |t: &Vec3| self.points.iter().filter(|x| level(x)).map(|x| t.dot(&(*x - p))).fold(0.0, f64::max);
        let t = if reach(&side) <= reach(&-side) { side } else { -side };
        let n = self.rotate_plane(&p, &u, &n, &t)?;
        self.add_face(&p, n)?;

        let mut done = 0;
        while done < self.faces.len() {
            if self.faces.len() > 2 * self.points.len() {
                return None;
            }
            let (n, ring) = self.faces[done].clone();
            for k in 0..ring.len() {
                let (i, j) = (ring[k], ring[(k + 1) % ring.len()]);
                if self.face_of_side.contains_key(&(j, i)) {
                    continue;
                }
                let p = self.points[i];
                let u = (self.points[j] - p).normalize();
                let n = self.rotate_plane(&p, &u, &n, &u.cross(&n))?;
                self.add_face(&p, n)?;
            }
            done += 1;
        }
        self.into_polytope()
    }

    fn into_polytope(self) -> Option<Polytope> {
        let mut hull = Polytope::default();
        let mut number = vec![u32::MAX; self.points.len()];
        for (n, ring) in &self.faces {
            let from = hull.face_vertices.len() as u32;
            let mut d = f64::MIN;
            for &i in ring {
                if number[i] == u32::MAX {
                    number[i] = hull.vertices.len() as u32;
                    hull.vertices.push(self.points[i]);
                }
                hull.face_vertices.push(number[i]);
                d = d.max(n.dot(&self.points[i]));
            }
            hull.faces.push(Facet { n: *n, d, first_vertex: from, end_vertex: hull.face_vertices.len() as u32 });
        }
        for (&(i, j), &face) in &self.face_of_side {
            let other = *self.face_of_side.get(&(j, i))?;
            if i < j {
                let n = [self.faces[face].0, self.faces[other].0];
                let ridge =
                    PolytopeEdge::new(number[i], number[j], &self.points[i], &self.points[j], n, EdgeNormals::Arc);
                hull.edges.push(ridge);
            }
        }
        // Check Euler's formula and that every point is behind every face; otherwise round-off has corrupted the hull.
        let whole = hull.vertices.len() + hull.faces.len() == hull.edges.len() + 2;
        let convex = hull.faces.iter().all(|f| self.points.iter().all(|p| f.n.dot(p) <= f.d + 100.0 * self.tolerance));
        // Coplanar points give two faces back to back.
        let thick = hull.faces.iter().all(|f| self.points.iter().any(|p| f.n.dot(p) < f.d - 100.0 * self.tolerance));
        if !whole || !convex || !thick {
            return None;
        }
        hull.vertex_faces_start.push(0);
        for v in 0..hull.vertices.len() as u32 {
            for (f, face) in hull.faces.iter().enumerate() {
                if hull.face_vertices[face.first_vertex as usize..face.end_vertex as usize].contains(&v) {
                    hull.vertex_faces.push(f as u32);
                }
            }
            hull.vertex_faces_start.push(hull.vertex_faces.len() as u32);
        }
        Some(hull)
    }
}

/// The convex hull of points in a plane, counter-clockwise about n, without points on its sides.
fn convex_ring(points: &[Vec3], within: &[usize], n: &Vec3, near: f64) -> Option<Vec<usize>> {
    let x = if n.x.abs() < 0.6 { Vec3::x() } else { Vec3::y() };
    let x = (x - n * n.dot(&x)).normalize();
    let y = n.cross(&x);
    let mut flat: Vec<(f64, f64, usize)> = within.iter().map(|&i| (x.dot(&points[i]), y.dot(&points[i]), i)).collect();
    flat.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let mut ring: Vec<(f64, f64, usize)> = Vec::new();
    // Lower chain, then upper chain.
    for pass in 0..2 {
        let floor = ring.len() + 1;
        let order: Box<dyn Iterator<Item = &(f64, f64, usize)>> =
            if pass == 0 { Box::new(flat.iter()) } else { Box::new(flat.iter().rev()) };
        for c in order {
            while ring.len() > floor {
                let (a, b) = (ring[ring.len() - 2], ring[ring.len() - 1]);
                let base = (c.0 - a.0).hypot(c.1 - a.1);
                if (b.0 - a.0) * (c.1 - a.1) - (b.1 - a.1) * (c.0 - a.0) > near * base {
                    break;
                }
                ring.pop();
            }
            ring.push(*c);
        }
        ring.pop();
    }
    (ring.len() >= 3).then(|| ring.into_iter().map(|p| p.2).collect())
}
