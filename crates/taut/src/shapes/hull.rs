//! Convex polyhedra with faces, edges and adjacency; points and segments are special cases.
//!
//! The hull of a set of points is computed by gift wrapping \[ChandKapur1970\]: a plane is rotated about each edge of a known
//! face until it reaches the next points. All points in that plane form one face, so that each flat side of a box is a single face.

use crate::error::Fault;
use crate::motion::Vec3;
use std::collections::BTreeMap;

/// A face: the plane n·x = d and the range of its vertices in the vertex list, counter-clockwise seen from outside.
#[derive(Clone, Copy, Debug)]
pub(super) struct Facet {
    pub n: Vec3,
    pub d: f64,
    pub from: u32,
    pub to: u32,
}

/// The set of normals of an edge: the directions in which the edge is the farthest feature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Normals {
    /// The arc between the normals of its two faces.
    Arc,
    /// All perpendicular directions: the edge is a free segment.
    Circle,
    /// None: the surface is flat or concave there.
    None,
}

/// An edge between the vertices a and b: unit vector u, length l, normals of its faces with n[0]×n[1] along u.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ridge {
    pub a: u32,
    pub b: u32,
    pub u: Vec3,
    pub l: f64,
    pub n: [Vec3; 2],
    pub normals: Normals,
}

impl Ridge {
    pub(super) fn new(a: u32, b: u32, from: &Vec3, to: &Vec3, n: [Vec3; 2], normals: Normals) -> Ridge {
        let l = (to - from).norm();
        let u = (to - from) / l;
        if n[0].cross(&n[1]).dot(&u) < 0.0 {
            return Ridge { a, b, u, l, n: [n[1], n[0]], normals };
        }
        Ridge { a, b, u, l, n, normals }
    }
}

/// A convex polyhedron, swept by a sphere of radius r.
#[derive(Clone, Debug, Default)]
pub(super) struct Polytope {
    pub vertices: Vec<Vec3>,
    pub faces: Vec<Facet>,
    pub ring: Vec<u32>,
    pub edges: Vec<Ridge>,
    /// Faces at vertex i: `around[first[i]..first[i + 1]]`.
    pub around: Vec<u32>,
    pub first: Vec<u32>,
    pub r: f64,
}

/// Directions in which a mesh surface continues from each edge and vertex of a triangle. An admissible normal has no positive
/// component along them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Corners<'a> {
    pub edges: [[Vec3; 2]; 3],
    pub vertices: [&'a [Vec3]; 3],
}

/// A borrowed polytope: a prepared shape, or a triangle assembled on the stack.
#[derive(Clone, Copy, Debug)]
pub(super) struct View<'a> {
    pub vertices: &'a [Vec3],
    pub faces: &'a [Facet],
    pub ring: &'a [u32],
    pub edges: &'a [Ridge],
    pub around: &'a [u32],
    pub first: &'a [u32],
    pub r: f64,
    /// For a triangle of a mesh: directions of the surrounding surface.
    pub corners: Option<&'a Corners<'a>>,
}

/// Sine of the angle by which a normal may lie outside its normal cone; smaller than any angle of a triangulation.
const SLACK: f64 = 1e-6;

impl View<'_> {
    pub(super) fn face(&self, i: usize) -> &[u32] {
        &self.ring[self.faces[i].from as usize..self.faces[i].to as usize]
    }

    /// Side k of a face: a point on it and the outward vector in the plane of the face.
    pub(super) fn border(&self, face: usize, k: usize) -> (Vec3, Vec3) {
        let ring = self.face(face);
        let (p, q) = (self.vertices[ring[k] as usize], self.vertices[ring[(k + 1) % ring.len()] as usize]);
        // A side of a polygon has two end points.
        if ring.len() == 2 { (p, p - q) } else { (p, (q - p).cross(&self.faces[face].n)) }
    }

    /// Whether the outward direction d is a normal of the surface at vertex i.
    pub(super) fn vertex_admits(&self, i: usize, d: &Vec3) -> bool {
        self.corners.is_none_or(|c| c.vertices[i].iter().all(|w| w.dot(d) <= SLACK))
    }

    /// Whether the outward direction d is a normal of the surface on edge i.
    pub(super) fn edge_admits(&self, i: usize, d: &Vec3) -> bool {
        self.corners.is_none_or(|c| c.edges[i].iter().all(|w| w.dot(d) <= SLACK))
    }

    /// Characteristic length.
    pub(super) fn size(&self) -> f64 {
        self.vertices.iter().map(|v| v.amax()).fold(self.r, f64::max)
    }
}

impl Polytope {
    /// A single point: the core of a sphere.
    pub(super) fn point(r: f64) -> Polytope {
        Polytope { vertices: vec![Vec3::zeros()], around: vec![], first: vec![0, 0], r, ..Polytope::default() }
    }

    /// A segment along z: the core of a capsule.
    pub(super) fn segment(length: f64, r: f64) -> Polytope {
        let half = Vec3::z() * (0.5 * length);
        let edge = Ridge::new(0, 1, &-half, &half, [Vec3::zeros(); 2], Normals::Circle);
        Polytope { vertices: vec![-half, half], edges: vec![edge], first: vec![0, 0, 0], r, ..Polytope::default() }
    }

    /// A box with the given edge lengths.
    pub(super) fn cuboid(size: &[f64; 3]) -> Result<Polytope, Fault> {
        let corner = |i: usize| {
            let side = |k: usize| if i >> k & 1 == 1 { 0.5 * size[k] } else { -0.5 * size[k] };
            Vec3::new(side(0), side(1), side(2))
        };
        Polytope::hull("size", &[0, 1, 2, 3, 4, 5, 6, 7].map(corner))
    }

    /// A convex polygon in the xy plane: its faces are its sides, with two vertices each.
    pub(super) fn polygon(field: &'static str, points: &[[f64; 2]]) -> Result<Polytope, Fault> {
        let points: Vec<Vec3> = points.iter().map(|[x, y]| Vec3::new(*x, *y, 0.0)).collect();
        let size = points.iter().map(|p| (p - points[0]).amax()).fold(0.0, f64::max);
        let all: Vec<usize> = (0..points.len()).collect();
        let ring = ring_of(&points, &all, &Vec3::z(), 1e-10 * size)
            .ok_or_else(|| Fault::value(field, "give at least three points, not all on one line"))?;
        let mut polygon = Polytope { vertices: ring.iter().map(|i| points[*i]).collect(), ..Polytope::default() };
        let count = ring.len() as u32;
        for k in 0..count {
            let (p, q) = (polygon.vertices[k as usize], polygon.vertices[((k + 1) % count) as usize]);
            let u = (q - p).normalize();
            let n = Vec3::new(u.y, -u.x, 0.0);
            polygon.faces.push(Facet { n, d: n.dot(&p), from: 2 * k, to: 2 * k + 2 });
            polygon.ring.extend([k, (k + 1) % count]);
            polygon.around.extend([(k + count - 1) % count, k]);
            polygon.first.push(2 * k);
        }
        polygon.first.push(2 * count);
        // A point well inside the hull means that the polygon is not convex.
        let inside = |p: &Vec3| polygon.faces.iter().all(|f| f.n.dot(p) < f.d - 1e-8 * size);
        match points.iter().position(inside) {
            Some(i) => Err(Fault::value(field, format!("point {i} lies inside: the polygon must be convex"))),
            None => Ok(polygon),
        }
    }

    pub(super) fn view(&self) -> View<'_> {
        View {
            vertices: &self.vertices,
            faces: &self.faces,
            ring: &self.ring,
            edges: &self.edges,
            around: &self.around,
            first: &self.first,
            r: self.r,
            corners: None,
        }
    }

    /// The convex hull.
    pub(super) fn hull(field: &'static str, points: &[Vec3]) -> Result<Polytope, Fault> {
        Wrapping::new(points).and_then(Wrapping::wrap).ok_or_else(|| {
            Fault::value(
                field,
                "the points have no convex hull with a volume; give at least four, not all in one plane",
            )
        })
    }
}

/// The state of gift wrapping.
struct Wrapping {
    points: Vec<Vec3>,
    /// Points closer than this are equal; a point closer than this to a plane lies in it.
    near: f64,
    rings: Vec<(Vec3, Vec<usize>)>,
    /// Directed edges of known faces.
    sides: BTreeMap<(usize, usize), usize>,
}

impl Wrapping {
    fn new(points: &[Vec3]) -> Option<Wrapping> {
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
        enough.then_some(Wrapping { points: distinct, near, rings: Vec::new(), sides: BTreeMap::new() })
    }

    /// Rotates the plane with normal n about the line through p along u until it reaches a point, and returns the new normal. The
    /// vector t, perpendicular to u and n, points to the free side.
    fn turn(&self, p: &Vec3, u: &Vec3, n: &Vec3, t: &Vec3) -> Option<Vec3> {
        let mut best: Option<(f64, f64)> = None;
        for q in &self.points {
            let w = q - p;
            let (x, y) = (w.dot(t), -w.dot(n));
            if (w - u * w.dot(u)).norm() <= 10.0 * self.near {
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
    fn add(&mut self, p: &Vec3, n: Vec3) -> Option<()> {
        let level = self.points.iter().map(|q| n.dot(&(q - p))).fold(f64::MIN, f64::max);
        let within: Vec<usize> =
            (0..self.points.len()).filter(|&i| n.dot(&(self.points[i] - p)) > level - 20.0 * self.near).collect();
        let ring = ring_of(&self.points, &within, &n, self.near)?;
        // The area vector of the ring gives the normal without loss of accuracy.
        let o = self.points[ring[0]];
        let mut area = Vec3::zeros();
        for k in 1..ring.len() - 1 {
            area += (self.points[ring[k]] - o).cross(&(self.points[ring[k + 1]] - o));
        }
        let face = self.rings.len();
        for k in 0..ring.len() {
            if self.sides.insert((ring[k], ring[(k + 1) % ring.len()]), face).is_some() {
                return None;
            }
        }
        self.rings.push((area.normalize(), ring));
        Some(())
    }

    fn wrap(mut self) -> Option<Polytope> {
        // Start with the plane at the least x. Rotated about y it reaches an edge or face of the projection; rotated again, a face.
        let p = *self
            .points
            .iter()
            .min_by(|a, b| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)).then(a.z.total_cmp(&b.z)))?;
        let n = self.turn(&p, &Vec3::y(), &-Vec3::x(), &Vec3::z())?;
        let t = Vec3::y().cross(&n);
        // p is the first point in lexicographic order, so angles from this t do not wrap at ±π.
        let t = if t.x < 0.0 || (t.x == 0.0 && t.z < 0.0) { -t } else { t };
        let level = |q: &Vec3| n.dot(&(q - p)).abs() <= 20.0 * self.near;
        let q = *self.points.iter().filter(|q| level(q) && (*q - p).norm() > self.near).max_by(|a, b| {
            // The greatest angle within the plane, so that the line p–q is an edge of its points.
            let angle = |q: &Vec3| (q - p).dot(&Vec3::y()).atan2((q - p).dot(&t));
            angle(a).total_cmp(&angle(b)).then((*a - p).norm().total_cmp(&(*b - p).norm()))
        })?;
        let u = (q - p).normalize();
        // The free side of that line within the plane has no points.
        let side = n.cross(&u);
        let reach = |t: &Vec3| self.points.iter().filter(|x| level(x)).map(|x| t.dot(&(*x - p))).fold(0.0, f64::max);
        let t = if reach(&side) <= reach(&-side) { side } else { -side };
        let n = self.turn(&p, &u, &n, &t)?;
        self.add(&p, n)?;

        let mut done = 0;
        while done < self.rings.len() {
            if self.rings.len() > 2 * self.points.len() {
                return None;
            }
            let (n, ring) = self.rings[done].clone();
            for k in 0..ring.len() {
                let (i, j) = (ring[k], ring[(k + 1) % ring.len()]);
                if self.sides.contains_key(&(j, i)) {
                    continue;
                }
                let p = self.points[i];
                let u = (self.points[j] - p).normalize();
                let n = self.turn(&p, &u, &n, &u.cross(&n))?;
                self.add(&p, n)?;
            }
            done += 1;
        }
        self.finish()
    }

    fn finish(self) -> Option<Polytope> {
        let mut hull = Polytope::default();
        let mut number = vec![u32::MAX; self.points.len()];
        for (n, ring) in &self.rings {
            let from = hull.ring.len() as u32;
            let mut d = f64::MIN;
            for &i in ring {
                if number[i] == u32::MAX {
                    number[i] = hull.vertices.len() as u32;
                    hull.vertices.push(self.points[i]);
                }
                hull.ring.push(number[i]);
                d = d.max(n.dot(&self.points[i]));
            }
            hull.faces.push(Facet { n: *n, d, from, to: hull.ring.len() as u32 });
        }
        for (&(i, j), &face) in &self.sides {
            let other = *self.sides.get(&(j, i))?;
            if i < j {
                let n = [self.rings[face].0, self.rings[other].0];
                let ridge = Ridge::new(number[i], number[j], &self.points[i], &self.points[j], n, Normals::Arc);
                hull.edges.push(ridge);
            }
        }
        // Check Euler's formula and that every point is behind every face; otherwise round-off has corrupted the hull.
        let whole = hull.vertices.len() + hull.faces.len() == hull.edges.len() + 2;
        let convex = hull.faces.iter().all(|f| self.points.iter().all(|p| f.n.dot(p) <= f.d + 100.0 * self.near));
        // Coplanar points give two faces back to back.
        let thick = hull.faces.iter().all(|f| self.points.iter().any(|p| f.n.dot(p) < f.d - 100.0 * self.near));
        if !whole || !convex || !thick {
            return None;
        }
        hull.first.push(0);
        for v in 0..hull.vertices.len() as u32 {
            for (f, face) in hull.faces.iter().enumerate() {
                if hull.ring[face.from as usize..face.to as usize].contains(&v) {
                    hull.around.push(f as u32);
                }
            }
            hull.first.push(hull.around.len() as u32);
        }
        Some(hull)
    }
}

/// The convex hull of points in a plane, counter-clockwise about n, without points on its sides.
fn ring_of(points: &[Vec3], within: &[usize], n: &Vec3, near: f64) -> Option<Vec<usize>> {
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
