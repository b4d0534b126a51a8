//! A set of bodies that moves only in the given shapes.

use super::{
    Body, BodyKind, Definiteness, Energies, Jacobian, Manifold, MassMatrix, Quantities, Quantity, ReferenceFrame,
    Sizes, Symmetry,
};
use crate::common::spelling::did_you_mean;
use crate::error::ParameterError;
use crate::marker::{MarkerAxes, MarkerPlacement};
use crate::motion::{Motion, Vec3, Wrench};
use nalgebra::{DMatrix, DVector};
use serde::{Deserialize, Serialize};

/// A set of bodies that moves only in the given shapes: x = x₀ + X q, M̂ = XᵀMX, f̂ = Xᵀf, Â = A X.
///
/// \[Masarati2010\] §3.4.2, eqs. (23)–(26), where M̃ and W̃ of the text are the M̂ and Ŵ of the equations. x holds the
/// coordinates of the members one after the other, x₀ is their initial value, and X has one column per shape. Joints and
/// forces still act on the frames and coordinates of the members, under their own names.
///
/// The members' coordinates must form a vector space with ẋ = v: point masses, planar bodies, subsystems. Rotations in space
/// cannot be added. With few shapes the rows of a constraint may become dependent; the solver then treats them as
/// dependent rows.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RitzReduction {
    /// Names of the member bodies.
    pub members: Vec<String>,
    /// The shapes, columns of X: each has one number per coordinate of the members, in their order.
    pub shapes: Vec<Vec<f64>>,
    #[serde(skip)]
    bound_members: Vec<Member>,
    #[serde(skip)]
    X: DMatrix<f64>,
}

/// A member and the position of its coordinates in x.
#[derive(Clone, Debug)]
pub(crate) struct Member {
    pub name: String,
    pub kind: BodyKind,
    /// Index of its first coordinate in x, and of its first state in z.
    pub(super) coordinate_offset: usize,
    pub(super) state_offset: usize,
    /// Its initial coordinates, x₀.
    pub start: Vec<f64>,
}

impl Member {
    /// A member that only has a name and initial coordinates: a node of a modal body.
    pub(super) fn for_node(name: &str, kind: BodyKind, start: Vec<f64>) -> Member {
        Member { name: name.to_string(), kind, coordinate_offset: 0, state_offset: 0, start }
    }
}

impl RitzReduction {
    /// The members reduced to these shapes.
    pub fn new(members: impl IntoIterator<Item: ToString>, shapes: Vec<Vec<f64>>) -> RitzReduction {
        RitzReduction {
            members: members.into_iter().map(|m| m.to_string()).collect(),
            shapes,
            ..RitzReduction::default()
        }
    }

    /// The same with its members, found by name among `bodies`.
    pub(crate) fn bind<'a>(
        &self,
        bodies: impl Iterator<Item = (&'a str, &'a BodyKind)>,
    ) -> Result<RitzReduction, ParameterError> {
        let bodies: Vec<(&str, &BodyKind)> = bodies.collect();
        let (mut inside, mut n, mut states) = (Vec::new(), 0, 0);
        for name in &self.members {
            let Some((_, kind)) = bodies.iter().find(|(other, _)| other == name) else {
                let hint = did_you_mean(name, bodies.iter().map(|(other, _)| *other));
                return Err(ParameterError::invalid("members", format!("there is no body `{name}`{hint}")));
            };
            let refuse =
                |why: &str| Err(ParameterError::invalid("members", format!("`{name}` cannot be reduced: {why}")));
            if kind.body().definiteness() == Definiteness::Semidefinite {
                return refuse("it has no mass, and the shapes are weighted by mass");
            }
            match kind {
                BodyKind::PointMass(_) | BodyKind::Planar(_) => {}
                BodyKind::Subsystem(s) if s.symmetry() == Symmetry::Symmetric => {}
                BodyKind::Subsystem(_) => return refuse("its equations are not written for its own velocities"),
                BodyKind::BeamNodes(_) => return refuse("its inertia couples its nodes and is not symmetric"),
                BodyKind::Ritz(_) => return refuse("it is a reduced set itself; name its members"),
                BodyKind::Custom(_) => return refuse("its coordinates are not known to form a vector space"),
                _ => return refuse("rotations in space form no vector space and cannot be added"),
            }
            let body = kind.body();
            body.check().map_err(|f| ParameterError::invalid("members", format!("`{name}`: {f}")))?;
            let s = body.sizes();
            let (mut start, mut v, mut z) = (vec![0.0; s.q], vec![0.0; s.v], vec![0.0; s.z]);
            body.initial_state(&mut start, &mut v, &mut z);
            inside.push(Member {
                name: name.clone(),
                kind: (*kind).clone(),
                coordinate_offset: n,
                state_offset: states,
                start,
            });
            (n, states) = (n + s.q, states + s.z);
        }
        if let Some(shape) = self.shapes.iter().find(|s| s.len() != n) {
            let what = format!("a shape has {} numbers, the members have {n} coordinates", shape.len());
            return Err(ParameterError::invalid("shapes", what));
        }
        let X = DMatrix::from_fn(n, self.shapes.len(), |i, j| self.shapes[j][i]);
        Ok(RitzReduction { bound_members: inside, X, ..self.clone() })
    }

    /// The members; empty before [`bind`](Ritz::bind).
    pub(crate) fn bound_members(&self) -> &[Member] {
        &self.bound_members
    }

    /// The marker coordinate that stands for a coordinate of a member.
    pub(crate) fn coordinate_of(&self, member: usize, name: &str) -> Option<usize> {
        let m = &self.bound_members[member];
        Some(self.shapes.len() + m.coordinate_offset + m.kind.body().coordinate_index(name)?)
    }

    /// Coordinates and velocities of a member.
    pub fn member(&self, name: &str, q: &[f64], v: &[f64]) -> Option<(Vec<f64>, Vec<f64>)> {
        let m = self.bound_members.iter().find(|m| m.name == name)?;
        let (mut x, mut u) = (m.start.clone(), vec![0.0; m.start.len()]);
        self.expand(m, q, &mut x);
        self.expand(m, v, &mut u);
        Some((x, u))
    }

    /// x += X q of one member.
    fn expand(&self, m: &Member, q: &[f64], x: &mut [f64]) {
        for (s, q) in q.iter().enumerate() {
            (0..x.len()).for_each(|i| x[i] += self.X[(m.coordinate_offset + i, s)] * q);
        }
    }

    /// f̂ += Xᵀf of one member.
    fn reduce(&self, m: &Member, f: &[f64], reduced: &mut [f64]) {
        for (s, out) in reduced.iter_mut().enumerate() {
            *out += (0..f.len()).map(|i| self.X[(m.coordinate_offset + i, s)] * f[i]).sum::<f64>();
        }
    }

    /// Calls `run` with a member's coordinates, velocities (empty without v), its reference frame, and a buffer for its forces.
    fn with_member_state<R>(
        &self,
        m: &Member,
        q: &[f64],
        v: Option<&[f64]>,
        run: impl FnOnce(&[f64], &[f64], &Motion, &mut [f64]) -> R,
    ) -> R {
        let n = m.start.len();
        with_zeros(3 * n, |all| {
            let (x, rest) = all.split_at_mut(n);
            let (u, f) = rest.split_at_mut(n);
            x.copy_from_slice(&m.start);
            self.expand(m, q, x);
            let mut own = Motion::REST;
            m.kind.body().frame_pose(x, &mut own);
            if let Some(v) = v {
                self.expand(m, v, u);
                m.kind.body().frame_twist(x, u, &mut own);
            }
            run(x, u, &own, f)
        })
    }
}

/// Calls `run` with `n` zeros, on the stack if they are few: the step loop must not allocate.
fn with_zeros<R>(n: usize, run: impl FnOnce(&mut [f64]) -> R) -> R {
    match n <= 48 {
        true => run(&mut [0.0; 48][..n]),
        false => run(&mut vec![0.0; n]),
    }
}

/// The member that a marker is attached to.
fn member_of(marker: &MarkerPlacement) -> Option<usize> {
    match marker {
        MarkerPlacement::Frame(_, MarkerAxes::OfMember(at)) => Some(at.0),
        _ => None,
    }
}

impl Body for RitzReduction {
    fn check(&self) -> Result<(), ParameterError> {
        if self.bound_members.is_empty() || self.shapes.is_empty() {
            return Err(ParameterError::invalid("members", "a reduced set needs at least one member and one shape"));
        }
        self.shapes.iter().try_for_each(|s| ParameterError::check_finite("shapes", s))?;
        let sigma = self.X.singular_values();
        if self.X.ncols() > self.X.nrows() || sigma.min() <= 1e-12 * sigma.max() {
            return Err(ParameterError::invalid(
                "shapes",
                "the shapes are linearly dependent; leave out the redundant ones",
            ));
        }
        Ok(())
    }
    fn initial_state(&self, q: &mut [f64], v: &mut [f64], z: &mut [f64]) {
        q.fill(0.0);
        // The members' velocities u projected onto the shapes in the norm of M: M̂ v = Xᵀ M u.
        let k = self.shapes.len();
        let (mut momentum, mut M) = (vec![0.0; k], vec![0.0; k * k]);
        for m in &self.bound_members {
            let (n, states) = (m.start.len(), m.kind.body().sizes().z);
            let (mut x, mut u) = (vec![0.0; n], vec![0.0; n]);
            m.kind.body().initial_state(&mut x, &mut u, &mut z[m.state_offset..m.state_offset + states]);
            let (mut own, mut block) = (Motion::REST, vec![0.0; n * n]);
            m.kind.body().frame_pose(&x, &mut own);
            m.kind.body().mass_matrix(&x, &own, &mut block);
            let p = DMatrix::from_column_slice(n, n, &block) * DVector::from_vec(u);
            self.reduce(m, p.as_slice(), &mut momentum);
        }
        self.mass_matrix(q, &Motion::REST, &mut M);
        let found = DMatrix::from_vec(k, k, M).lu().solve(&DVector::from_vec(momentum));
        found.iter().for_each(|found| v.copy_from_slice(found.as_slice()));
    }

    fn frame_pose(&self, _q: &[f64], _own: &mut Motion) {}
    fn marker_pose(&self, q: &[f64], _own: &Motion, marker: &MarkerPlacement, seen: &mut Motion) {
        match (member_of(marker), marker) {
            (Some(i), _) => {
                let m = &self.bound_members[i];
                self.with_member_state(m, q, None, |x, _, own, _| m.kind.body().marker_pose(x, own, marker, seen));
            }
            (None, MarkerPlacement::Coordinate(i)) if *i < q.len() => seen.p.x = q[*i],
            (None, MarkerPlacement::Coordinate(i)) => {
                let row = i - q.len();
                let start = self
                    .bound_members
                    .iter()
                    .rfind(|m| m.coordinate_offset <= row)
                    .map_or(0.0, |m| m.start[row - m.coordinate_offset]);
                seen.p.x = start + (0..q.len()).map(|s| self.X[(row, s)] * q[s]).sum::<f64>();
            }
            (None, MarkerPlacement::Frame(..)) => {}
        }
    }
    fn frame_twist(&self, _q: &[f64], _v: &[f64], _own: &mut Motion) {}
    fn marker_twist(&self, q: &[f64], v: &[f64], _own: &Motion, marker: &MarkerPlacement, seen: &mut Motion) {
        match (member_of(marker), marker) {
            (Some(i), _) => {
                let m = &self.bound_members[i];
                self.with_member_state(m, q, Some(v), |x, u, own, _| {
                    m.kind.body().marker_twist(x, u, own, marker, seen)
                });
            }
            (None, MarkerPlacement::Coordinate(i)) if *i < v.len() => seen.v.x = v[*i],
            (None, MarkerPlacement::Coordinate(i)) => {
                seen.v.x = (0..v.len()).map(|s| self.X[(i - v.len(), s)] * v[s]).sum::<f64>();
            }
            (None, MarkerPlacement::Frame(..)) => {}
        }
    }

    fn mass_matrix(&self, q: &[f64], _own: &Motion, M: &mut [f64]) {
        M.fill(0.0);
        let k = q.len();
        for m in &self.bound_members {
            let n = m.start.len();
            self.with_member_state(m, q, None, |x, _, own, part| {
                with_zeros(n * n, |block| {
                    m.kind.body().mass_matrix(x, own, block);
                    for s in 0..k {
                        (0..n).for_each(|i| {
                            part[i] = (0..n).map(|j| block[j * n + i] * self.X[(m.coordinate_offset + j, s)]).sum();
                        });
                        self.reduce(m, part, &mut M[s * k..(s + 1) * k]);
                    }
                });
            });
        }
    }
    fn coordinate_rates(&self, _q: &[f64], v: &[f64], qdot: &mut [f64]) {
        qdot.copy_from_slice(v);
    }
    fn internal_forces(&self, t: f64, q: &[f64], v: &[f64], z: &[f64], _own: &Motion, f: &mut [f64], zdot: &mut [f64]) {
        for m in &self.bound_members {
            let states = m.state_offset..m.state_offset + m.kind.body().sizes().z;
            self.with_member_state(m, q, Some(v), |x, u, own, part| {
                m.kind.body().internal_forces(t, x, u, &z[states.clone()], own, part, &mut zdot[states]);
                self.reduce(m, part, f);
            });
        }
    }
    fn gravity_force(&self, q: &[f64], _own: &Motion, g: &Vec3, f: &mut [f64]) {
        for m in &self.bound_members {
            self.with_member_state(m, q, None, |x, _, own, part| {
                m.kind.body().gravity_force(x, own, g, part);
                self.reduce(m, part, f);
            });
        }
    }
    fn displace(&self, q: &mut [f64], delta: &[f64]) {
        q.iter_mut().zip(delta).for_each(|(q, d)| *q += d);
    }
}

impl Quantities for RitzReduction {
    fn sizes(&self) -> Sizes {
        let z = self.bound_members.iter().map(|m| m.kind.body().sizes().z).sum();
        Sizes { q: self.shapes.len(), v: self.shapes.len(), z }
    }
    fn coordinates(&self) -> Vec<Quantity> {
        (1..=self.shapes.len()).map(|i| Quantity::new(&format!("q{i}"), "1")).collect()
    }
    fn velocities(&self) -> Vec<Quantity> {
        (1..=self.shapes.len()).map(|i| Quantity::new(&format!("q{i}'"), "1/s")).collect()
    }
    fn coordinate_index(&self, name: &str) -> Option<usize> {
        self.coordinates().iter().position(|c| c.name == name)
    }
}

impl Jacobian for RitzReduction {
    fn apply_transpose(
        &self,
        q: &[f64],
        _own: &Motion,
        marker: &MarkerPlacement,
        seen: &Motion,
        on: &Wrench,
        f: &mut [f64],
    ) {
        match (member_of(marker), marker) {
            (Some(i), _) => {
                let m = &self.bound_members[i];
                self.with_member_state(m, q, None, |x, _, own, part| {
                    m.kind.body().apply_transpose(x, own, marker, seen, on, part);
                    self.reduce(m, part, f);
                });
            }
            (None, MarkerPlacement::Coordinate(i)) if *i < f.len() => f[*i] += on.f.x,
            (None, MarkerPlacement::Coordinate(i)) => {
                let row = i - f.len();
                (0..f.len()).for_each(|s| f[s] += self.X[(row, s)] * on.f.x);
            }
            (None, MarkerPlacement::Frame(..)) => {}
        }
    }
}

impl Energies for RitzReduction {
    fn potential(&self, q: &[f64], _own: &Motion, g: &Vec3) -> f64 {
        let of = |m: &Member| self.with_member_state(m, q, None, |x, _, own, _| m.kind.body().potential(x, own, g));
        self.bound_members.iter().map(of).sum()
    }
    fn kinetic(&self, q: &[f64], v: &[f64], _own: &Motion) -> f64 {
        let of = |m: &Member| self.with_member_state(m, q, Some(v), |x, u, own, _| m.kind.body().kinetic(x, u, own));
        self.bound_members.iter().map(of).sum()
    }
    fn nonconservative_power(&self, t: f64, q: &[f64], v: &[f64], z: &[f64]) -> f64 {
        let of = |m: &Member| {
            let states = m.state_offset..m.state_offset + m.kind.body().sizes().z;
            self.with_member_state(m, q, Some(v), |x, u, _, _| m.kind.body().nonconservative_power(t, x, u, &z[states]))
        };
        self.bound_members.iter().map(of).sum()
    }
}

impl MassMatrix for RitzReduction {}
impl Manifold for RitzReduction {}

impl ReferenceFrame for RitzReduction {
    fn no_frame_reason(&self) -> Option<&'static str> {
        Some("a reduced set has no frame of its own: name a frame of one of its members")
    }
}
