//! Bodies without mass whose motion springs determine: the balance of their forces becomes a constraint.

use crate::bodies::{BodyKind, Definiteness};
use crate::common::Named;
use crate::constraints::{
    BalanceAxis, BalancedLoad, ConstraintKind, CoordinateAxis, ForceBalance, Joint, RotationMask, RowLevel,
};
use crate::equations::{Equations, MarkerKinematics, StateView, assemble_positions, initialise_turn_counters};
use crate::formulations::CompleteOrthogonalDecomposition;
use crate::laws::ConstraintLaw;
use crate::measures::Measure;
use crate::model::{ConstraintEntry, Model};
use crate::motion::{Motion, Vec3};
use crate::solvers::massless::mass_kernel;
use nalgebra::{DMatrix, DVector};

/// Rows below this, relative to the largest, leave a motion free.
const FREE: f64 = 1e-9;
/// Largest change of φ by a free motion, relative to the row.
const MOVES_NOTHING: f64 = 1e-9;
/// Newton steps to the balance at the start, and the change that ends them.
const MAX_STEPS: usize = 60;
const SETTLED: f64 = 1e-13;

/// The model at its start.
struct Start<'m> {
    model: &'m Model,
    scene: MarkerKinematics,
    eq: Equations,
}

impl<'m> Start<'m> {
    fn of(model: &'m Model) -> Start<'m> {
        let mut start = Start { model, scene: MarkerKinematics::new(model), eq: Equations::new(model) };
        let at = StateView::from(&model.initial);
        assemble_positions(model, at, &mut start.scene, &mut start.eq);
        start
    }

    /// The rows of a constraint on one body; empty if it does not act there.
    fn rows_on(&self, c: &ConstraintEntry, body: usize) -> DMatrix<f64> {
        let n = self.model.bodies[body].v.len();
        match c.blocks.iter().find(|b| b.body == body) {
            Some(block) => {
                DMatrix::from_row_slice(c.rows.len(), n, &self.eq.A[block.start..block.start + c.rows.len() * n])
            }
            None => DMatrix::zeros(0, n),
        }
    }

    fn motion(&self, marker: &str) -> Option<Motion> {
        Some(self.scene.motions[self.model.marker(marker)?])
    }
}

/// The balances of bodies without mass that forces act on, and why others have none.
pub(super) fn balances(model: &Model) -> (Vec<Named<ConstraintKind>>, Vec<(usize, String)>) {
    let start = Start::of(model);
    let (mut found, mut obstacles) = (Vec::new(), Vec::new());
    for (b, entry) in model.bodies.iter().enumerate() {
        if entry.kind.body().definiteness() == Definiteness::Semidefinite {
            match balance(&start, b) {
                Ok(Some(item)) => found.push(Named { name: format!("{}.balance", entry.name), item: item.into() }),
                Ok(None) => {}
                Err(why) => obstacles.push((b, why)),
            }
        }
    }
    (found, obstacles)
}

/// The balance of one body; none if constraints determine its motion or no force acts on it.
fn balance(start: &Start, body: usize) -> Result<Option<ForceBalance>, String> {
    let model = start.model;
    let on_body = |m: &usize| model.markers[*m].body == Some(body);
    let own: Vec<&ConstraintEntry> =
        model.constraints.iter().filter(|c| c.blocks.iter().any(|b| b.body == body)).collect();
    let N = mass_kernel(&model.layout.bodies[body], &start.eq.M);
    let total = own.iter().map(|c| c.rows.len()).sum();
    let mut rows = DMatrix::zeros(total, N.nrows());
    let mut next = 0;
    for c in &own {
        rows.rows_mut(next, c.rows.len()).copy_from(&start.rows_on(c, body));
        next += c.rows.len();
    }
    rows.row_iter_mut().for_each(|mut row| {
        let length = row.norm();
        if length > 0.0 {
            row /= length;
        }
    });
    let free = match total {
        0 => N.ncols(),
        _ => CompleteOrthogonalDecomposition::new(&(&rows * &N), FREE).map_or(0, |d| d.kernel().ncols()),
    };
    let forces: Vec<_> = model.forces.iter().filter(|f| f.markers.iter().any(on_body)).collect();
    if free == 0 || forces.is_empty() {
        return Ok(None);
    }
    let name = &model.bodies[body].name;
    let (axes_of, about, candidates) = axes_of_freedom(model, body, &own)?;
    let place = |marker: &str| start.motion(marker).ok_or(format!("there is no marker `{marker}`"));
    let (axes, point) = (place(&axes_of)?, place(&about)?);
    let origin = place(name)?;
    let fits = |axis: &BalanceAxis| {
        let velocity = velocity(&model.bodies[body].kind, *axis, &axes, point.p - origin.p);
        velocity.is_some_and(|v| {
            let M = DMatrix::from_column_slice(N.nrows(), N.nrows(), &start.eq.M[model.bodies[body].mass.clone()]);
            (total == 0 || (&rows * &v).amax() <= MOVES_NOTHING * v.norm())
                && (&M * &v).amax() <= MOVES_NOTHING * M.amax() * v.norm()
        })
    };
    let axes: Vec<BalanceAxis> = candidates.into_iter().filter(fits).collect();
    if axes.len() != free {
        return Err("its free motions are not along or about fixed axes of one joint, or of the world".to_string());
    }
    let load = |f: &&crate::model::ForceEntry| {
        let places: Vec<bool> = f.markers.iter().map(on_body).collect();
        let coordinate = match f.kind.force().markers().first() {
            Some(m) if m.kind == crate::constraints::MarkerKind::Coordinate && places[0] => {
                Some(coordinate_axis(m.name).ok_or(format!("`{}` acts on `{}`", f.name, m.name))?)
            }
            _ => None,
        };
        BalancedLoad::new(&f.kind, places, coordinate).map_err(|why| format!("force `{}`: {why}", f.name))
    };
    let loads = forces.iter().map(load).collect::<Result<Vec<_>, String>>()?;
    Ok(Some(ForceBalance::new(name, (&axes_of, &about), axes, loads)))
}

const EVERY_AXIS: [BalanceAxis; 6] = [
    BalanceAxis::Along(0),
    BalanceAxis::Along(1),
    BalanceAxis::Along(2),
    BalanceAxis::About(0),
    BalanceAxis::About(1),
    BalanceAxis::About(2),
];

/// The marker whose axes the free motions follow, the one they turn about, and what they may be.
fn axes_of_freedom(
    model: &Model,
    body: usize,
    own: &[&ConstraintEntry],
) -> Result<(String, String, Vec<BalanceAxis>), String> {
    let mut joints: Vec<&Joint> = Vec::new();
    for c in own {
        if c.law != ConstraintLaw::Bilateral {
            return Err(format!("`{}` acts on it", c.name));
        }
        let massless = |b: usize| model.bodies[b].kind.body().definiteness() == Definiteness::Semidefinite;
        if let Some(other) = c.blocks.iter().find(|b| b.body != body && massless(b.body)) {
            return Err(format!(
                "`{}` connects it with `{}`, which has no mass either",
                c.name, model.bodies[other.body].name
            ));
        }
        match &c.kind {
            ConstraintKind::Joint(joint) => joints.push(joint),
            ConstraintKind::Relation(r) if r.terms.iter().all(|t| matches!(t.coordinate, Measure::Coordinate(_))) => {
                if c.blocks.len() > 1 {
                    return Err(format!("`{}` relates it to another body", c.name));
                }
            }
            _ => return Err(format!("`{}` acts on it besides forces", c.name)),
        }
    }
    match &joints[..] {
        [] => Ok(("ground".to_string(), model.bodies[body].name.clone(), EVERY_AXIS.to_vec())),
        [joint] => {
            let turns = match joint.rotation {
                RotationMask::Free => vec![3, 4, 5],
                RotationMask::Parallel => vec![5],
                RotationMask::Locked(_) | RotationMask::About(_) => vec![],
                RotationMask::Perpendicular | RotationMask::ConstantVelocity => {
                    return Err("it turns about axes of both sides of a joint".to_string());
                }
            };
            let axes = (0..3).chain(turns).map(|i| EVERY_AXIS[i]).collect();
            Ok((joint.a.clone(), joint.b.clone(), axes))
        }
        _ => Err("several joints leave it free".to_string()),
    }
}

/// The coordinate of a body as a direction.
fn coordinate_axis(name: &str) -> Option<CoordinateAxis> {
    match name.rsplit_once('.')?.1 {
        "x" => Some(CoordinateAxis::Along(0)),
        "y" => Some(CoordinateAxis::Along(1)),
        "z" => Some(CoordinateAxis::Along(2)),
        "theta" => Some(CoordinateAxis::AboutZ),
        _ => None,
    }
}

/// The velocities of a body in a unit motion along or about an axis through a point, seen from its origin; none if it cannot
/// move so.
fn velocity(kind: &BodyKind, axis: BalanceAxis, axes: &Motion, point: Vec3) -> Option<DVector<f64>> {
    let (v, w) = match axis {
        BalanceAxis::Along(i) => (axes.axis(i), Vec3::zeros()),
        BalanceAxis::About(i) => (-axes.axis(i).cross(&point), axes.axis(i)),
    };
    let small = |x: f64| x.abs() <= MOVES_NOTHING * (1.0 + point.norm());
    match kind {
        BodyKind::PointMass(_) if small(w.norm()) => Some(DVector::from_column_slice(v.as_slice())),
        BodyKind::Planar(_) if small(v.z) && small(w.x) && small(w.y) => Some(DVector::from_vec(vec![v.x, v.y, w.z])),
        BodyKind::Rigid(_) => Some(DVector::from_iterator(6, v.iter().chain(w.iter()).copied())),
        _ => None,
    }
}

fn is_balance(c: &ConstraintEntry) -> bool {
    matches!(c.kind, ConstraintKind::ForceBalance(_))
}

/// Scales the rows of the balances to displacements, and moves the bodies without mass to the balance at the start, so that an
/// assembly need not move the others.
pub(super) fn settle(model: &mut Model) {
    if !model.constraints.iter().any(is_balance) {
        return;
    }
    scale_rows(model);
    let given = model.initial.clone();
    if !settle_level(model, RowLevel::Position) {
        model.initial = given.clone();
    }
    initialise_turn_counters(&model.clone(), &mut model.initial);
    let placed = model.initial.clone();
    if !settle_level(model, RowLevel::Velocity) {
        model.initial = placed;
    }
    scale_rows(model);
}

/// Divides each row by its stiffness or damping on its own body.
fn scale_rows(model: &mut Model) {
    let unscaled = |c: &mut ConstraintEntry| {
        if let ConstraintKind::ForceBalance(balance) = &mut c.kind {
            *balance = balance.clone().scaled(vec![1.0; c.rows.len()]);
        }
    };
    model.constraints.iter_mut().for_each(unscaled);
    let start = Start::of(model);
    let size = |c: &ConstraintEntry| -> Vec<f64> {
        let all: Vec<DMatrix<f64>> = c.blocks.iter().map(|b| start.rows_on(c, b.body)).collect();
        (0..c.rows.len())
            .map(|r| all.iter().map(|rows| rows.row(r).norm_squared()).sum::<f64>().sqrt())
            .map(|k| if k > 0.0 && k.is_finite() { 1.0 / k } else { 1.0 })
            .collect()
    };
    let sizes: Vec<Vec<f64>> =
        model.constraints.iter().map(|c| if is_balance(c) { size(c) } else { Vec::new() }).collect();
    for (c, size) in model.constraints.iter_mut().zip(sizes) {
        if let ConstraintKind::ForceBalance(balance) = &mut c.kind {
            *balance = balance.clone().scaled(size);
        }
    }
}

/// Newton's method on all rows that act on balanced bodies, in their velocities alone. Whether it has converged.
fn settle_level(model: &mut Model, level: RowLevel) -> bool {
    let acts_on = |c: &ConstraintEntry, b: usize| c.blocks.iter().any(|block| block.body == b);
    let bodies: Vec<usize> = (0..model.bodies.len())
        .filter(|b| {
            model.bodies[*b].kind.body().definiteness() == Definiteness::Semidefinite
                && model.constraints.iter().any(|c| is_balance(c) && acts_on(c, *b))
        })
        .collect();
    let columns: Vec<usize> = bodies.iter().flat_map(|b| model.bodies[*b].v.clone()).collect();
    for _ in 0..MAX_STEPS {
        let start = Start::of(model);
        let mut v = vec![0.0; model.rows.len()];
        start.eq.jacobian_times(&model.initial.v, &mut v);
        let mut rows: Vec<(Vec<f64>, f64)> = Vec::new();
        for c in model.constraints.iter().filter(|c| bodies.iter().any(|b| acts_on(c, *b))) {
            for r in c.rows.clone().filter(|r| model.row_holds_at_level(*r, level)) {
                let part = |b: &usize| match c.blocks.iter().find(|block| block.body == *b) {
                    Some(block) => {
                        let n = model.bodies[*b].v.len();
                        let first = block.start + (r - c.rows.start) * n;
                        start.eq.A[first..first + n].to_vec()
                    }
                    None => vec![0.0; model.bodies[*b].v.len()],
                };
                let residual = match level {
                    RowLevel::Position => start.eq.phi[r],
                    _ => v[r] + start.eq.phi_t[r],
                };
                rows.push((bodies.iter().flat_map(part).collect(), residual));
            }
        }
        let J = DMatrix::from_fn(rows.len(), columns.len(), |r, k| rows[r].0[k]);
        let residual = DVector::from_iterator(rows.len(), rows.iter().map(|(_, x)| -x));
        let Some(delta) = CompleteOrthogonalDecomposition::new(&J, FREE).and_then(|d| d.solve(&residual)) else {
            return false;
        };
        if delta.iter().any(|x| !x.is_finite()) {
            return false;
        }
        let mut first = 0;
        for b in &bodies {
            let entry = &model.bodies[*b];
            let own = &delta.as_slice()[first..first + entry.v.len()];
            first += own.len();
            match level {
                RowLevel::Position => entry.kind.body().displace(&mut model.initial.q[entry.q.clone()], own),
                _ => model.initial.v[entry.v.clone()].iter_mut().zip(own).for_each(|(v, d)| *v += d),
            }
        }
        if delta.amax() <= SETTLED * (1.0 + largest(&model.initial, level)) {
            return true;
        }
    }
    false
}

fn largest(state: &crate::state::State, level: RowLevel) -> f64 {
    let of = if level == RowLevel::Position { &state.q } else { &state.v };
    of.iter().fold(0.0, |most, x| x.abs().max(most))
}
