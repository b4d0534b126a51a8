//! Forces and constraints of one pose under a share of the load, their stiffness, and the solve with it.
//!
//! ```text
//!  [K + C ∂v/∂δ + M ∂v̇/∂δ   −Bᵀ] (δ )   (a)       ∂v/∂δ, ∂v̇/∂δ: of a steady rotation
//!  [A                        E ] (Δλ) = (c)       refined with the same factor until E does not show
//! ```

mod sizes;

use super::loads::{Way as Driven, bring_on};
use super::soft::Soft;
use super::{Equilibrium, Found, Point, Rotation, Statics, StaticsError, Way};
use crate::analyses::kinematic::count_turns;
use crate::constraints::Level;
use crate::equations::{At, Equations, Scene, carry, place};
use crate::forces::ForceKind;
use crate::laws::Law;
use crate::model::{ConstraintEntry, Model, Topology};
use crate::solvers::rank::rank_at;
use crate::state::{Mode, State};
use crate::tangent::{Bordered, Closeness, Singular, Tangent};

/// E of rows that may depend on each other, relative to |A|²/K.
const DEPENDENT: f64 = 1e-9;
/// E of rows that do not.
const EXACT: f64 = 1e-14;
/// Stiffness that a soft velocity counts with in E, relative to the largest.
const FLOOR: f64 = 1e-3;
/// Solves with the same factor that take E away.
const REFINEMENTS: usize = 2;
/// Solves that find the softest motion.
pub(super) const SEARCHES: usize = 3;
/// Largest stiffness of a pose, relative to that of others on the way, at which nothing is felt any more.
const GONE: f64 = 1e-6;
/// A stiffness smaller than this, relative to the largest, is none: where it comes from differences, where it is known.
const NONE: f64 = 1e-10;
const NONE_KNOWN: f64 = 1e-15;

/// Forces and constraints of a pose.
#[derive(Debug)]
pub(super) struct Balance<'m> {
    given: &'m Model,
    /// The model under the present share of its loads.
    pub model: Model,
    pub share: f64,
    /// Drivers that have a way to go, and the time at which.
    ways: (Vec<Driven>, f64),
    rotation: Option<Rotation>,
    pub scene: Scene,
    pub eq: Equations,
    tangent: Tangent,
    matrix: Bordered<f64>,
    pub vdot: Vec<f64>,
    shift: Vec<f64>,
    /// Whether rows depend on each other.
    pub rows: Rows,
    /// Modes with all that comes and goes taken out: gaps and grips are solved for beside the matrix.
    bare: Vec<Mode>,
    /// Velocities of bodies that beams bend, whose stiffness is known exactly.
    known: Vec<bool>,
    /// Size of a force.
    pub force: f64,
    /// Size of the mechanism.
    pub length: f64,
    /// What a displacement along each velocity is measured by.
    pub scale: Vec<f64>,
    /// Largest entry of K.
    pub stiffest: f64,
    /// The same of all poses so far.
    stiffest_ever: f64,
    /// Motions that next to nothing holds, of the factor at hand.
    pub soft: Vec<Soft>,
    /// The largest stiffness that counted as none so far: where everything has got soft nothing is held any more.
    ever: f64,
}

/// What rows are to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rows {
    Independent,
    Dependent,
}

/// The softest motion of a stiffness.
#[derive(Clone, Debug)]
pub(super) struct Softest {
    /// Its direction, of unit length.
    pub delta: Vec<f64>,
    /// Its stiffness, with its sign.
    pub stiffness: f64,
}

impl<'m> Balance<'m> {
    pub fn new(given: &'m Model, start: &State, settings: &Statics) -> Result<Balance<'m>, StaticsError> {
        let model = given.clone();
        let tangent = Tangent::new(&model);
        let matrix = Bordered::new(&model, &tangent.pattern).map_err(|_| no_room())?;
        let mut known = vec![false; model.sizes.v];
        for force in model.forces.iter().filter(|f| matches!(f.kind, ForceKind::Beam(_))) {
            for body in force.markers.iter().filter_map(|m| model.markers[*m].body) {
                known[model.bodies[body].v.clone()].fill(true);
            }
        }
        let n = model.sizes.v;
        let mut balance = Balance {
            given,
            scene: Scene::new(&model),
            eq: Equations::new(&model),
            tangent,
            matrix,
            vdot: vec![0.0; n],
            shift: vec![1.0; model.rows.len()],
            rows: Rows::Independent,
            bare: bare(given, start),
            known,
            rotation: settings.rotation,
            share: 1.0,
            ways: (Vec::new(), start.t),
            force: 1.0,
            length: 1.0,
            scale: vec![1.0; n],
            stiffest: 0.0,
            stiffest_ever: 0.0,
            soft: Vec::new(),
            ever: 0.0,
            model,
        };
        let mut state = start.clone();
        balance.place(&mut state);
        balance.measure(&state);
        balance.weigh(&state);
        if balance.model.topology == Topology::Loops {
            let found = rank_at(&balance.model, &balance.eq, &balance.bare);
            balance.rows = match found {
                Ok(rank) if rank.redundant == 0 => Rows::Independent,
                _ => Rows::Dependent,
            };
        }
        Ok(balance)
    }

    /// Whether there are beams.
    pub fn bends(&self) -> bool {
        self.known.contains(&true)
    }

    /// Brings the loads on by a share.
    pub fn bring_on(&mut self, share: f64) {
        if share != self.share {
            bring_on(self.given, &mut self.model, share, &self.ways.0, self.ways.1);
            self.share = share;
        }
    }

    /// From now on drivers go their way with the load.
    pub fn drive(&mut self, ways: Vec<Driven>) {
        self.ways.0 = ways;
        self.share = f64::NAN;
        self.bring_on(0.0);
    }

    /// v and v̇ of the rotation; at rest both are zero.
    pub fn carry_round(&self, state: &mut State, vdot: &mut [f64]) {
        match &self.rotation {
            Some(rotation) => rotation.carry(&self.model, state, vdot),
            None => state.v.fill(0.0),
        }
    }

    /// Evaluates forces and constraints.
    pub fn place(&mut self, state: &mut State) {
        let mut vdot = std::mem::take(&mut self.vdot);
        self.carry_round(state, &mut vdot);
        self.vdot = vdot;
        let at = At { modes: &self.bare, ..(&*state).into() };
        place(&self.model, at, &mut self.scene, &mut self.eq);
        carry(&self.model, at, &mut self.scene, &mut self.eq);
    }

    /// Whether anything comes and goes.
    pub fn switches(&self) -> bool {
        self.model.constraints.iter().any(|c| c.law != Law::Bilateral)
    }

    /// r = M v̇ − f − Bᵀλ of the pose placed last.
    pub fn left(&self, lambda: &[f64]) -> Vec<f64> {
        let mut r = vec![0.0; self.model.sizes.v];
        self.eq.mass_times(&self.vdot, &mut r);
        r.iter_mut().zip(&self.eq.f).for_each(|(r, f)| *r -= f);
        self.eq.subtract_reactions(lambda, &mut r);
        for c in self.model.constraints.iter().filter(|c| c.law != Law::Bilateral) {
            for (i, row) in c.rows.clone().enumerate().filter(|(_, row)| lambda[*row] != 0.0) {
                self.eq.add_loose(c, i, -lambda[row], &mut r);
            }
        }
        r
    }

    /// φ of rows that are held at position level; the others allow no displacement along them.
    pub fn phi(&self) -> Vec<f64> {
        let held = |r: usize| self.model.holds(r, Level::Position);
        self.eq.phi.iter().enumerate().map(|(r, phi)| if held(r) { *phi } else { 0.0 }).collect()
    }

    /// What the full load exerts at a pose: −∂r/∂s. Leaves the present share placed there.
    pub fn load(&mut self, state: &mut State) -> Vec<f64> {
        let (share, none) = (self.share, vec![0.0; self.model.rows.len()]);
        self.bring_on(share + 1.0);
        self.place(state);
        let more = self.left(&none);
        self.bring_on(share);
        self.place(state);
        self.left(&none).iter().zip(&more).map(|(now, more)| now - more).collect()
    }

    /// The pose displaced.
    pub fn moved(&self, state: &State, delta: &[f64], share: f64) -> State {
        let mut moved = state.clone();
        let part: Vec<f64> = delta.iter().map(|d| share * d).collect();
        for b in &self.model.bodies {
            b.kind.body().displace(&mut moved.q[b.q.clone()], &part[b.v.clone()]);
        }
        count_turns(&self.model, &mut moved);
        moved
    }

    /// Largest displacement in its measure.
    pub fn norm(&self, delta: &[f64]) -> f64 {
        delta.iter().zip(&self.scale).fold(0.0, |a, (d, s)| (d / s).abs().max(a))
    }

    /// Factors the stiffness of a placed pose; `viscous` times M is added to it.
    pub fn factor(&mut self, here: &Point, viscous: f64) -> Result<(), StaticsError> {
        self.take_stiffness(here, Closeness::Quick);
        self.set_shift();
        self.fill(viscous);
        if self.matrix.sparse.factor().is_err() {
            return Err(self.loose());
        }
        Ok(())
    }

    /// The same with a little stiffness everywhere, for what nothing else holds.
    pub fn factor_held(&mut self, here: &Point) -> Result<(), StaticsError> {
        self.take_stiffness(here, Closeness::Quick);
        self.set_shift();
        self.fill(0.0);
        self.hold_a_little();
        if self.matrix.sparse.factor().is_err() {
            return Err(self.loose());
        }
        Ok(())
    }

    /// More than what differences make of no stiffness.
    pub fn little(&self) -> f64 {
        4.0 * self.ever.max(1e-14 * self.stiffest).max(1e-9 * self.force / self.length)
    }

    fn hold_a_little(&mut self) {
        let little = self.little();
        let pattern = self.tangent.pattern.clone();
        for pair in pattern.pairs.iter().filter(|p| p.row == p.column) {
            let n = self.model.bodies[pair.row].v.len();
            (0..n).for_each(|i| self.matrix.body()[pair.start + i * (n + 1)] += little);
        }
    }

    /// K of a placed pose.
    pub fn take_stiffness(&mut self, here: &Point, closeness: Closeness) {
        self.soft.clear();
        self.tangent.take(&self.model, (&here.state).into(), &self.vdot, &here.lambda, closeness);
        if let Some(rotation) = self.rotation {
            self.add_rotation(&rotation);
        }
        self.stiffest = self.tangent.K.iter().fold(0.0, |a, k| k.abs().max(a));
        self.stiffest_ever = self.stiffest_ever.max(self.stiffest);
        self.ever = self.ever.max(self.none());
    }

    fn fill(&mut self, viscous: f64) {
        self.matrix.body().copy_from_slice(&self.tangent.K);
        if viscous > 0.0 {
            let pattern = self.tangent.pattern.clone();
            for pair in pattern.pairs.iter().filter(|p| p.row == p.column) {
                let M = &self.eq.M[self.model.bodies[pair.row].mass.clone()];
                self.matrix.body()[pair.start..].iter_mut().zip(M).for_each(|(k, m)| *k += viscous * m);
            }
        }
        self.matrix.rows().copy_from_slice(&self.eq.A);
        let exerted = if self.eq.B.is_empty() { &self.eq.A } else { &self.eq.B };
        self.matrix.reactions().iter_mut().zip(exerted).for_each(|(r, b)| *r = -b);
        self.matrix.shift().copy_from_slice(&self.shift);
        self.matrix.r_by_z().fill(0.0);
        self.matrix.z_by_v().fill(0.0);
        self.matrix.z_by_z().fill(0.0);
        self.matrix.z_own().fill(1.0);
    }

    /// K += C ∂v/∂δ + M ∂v̇/∂δ.
    fn add_rotation(&mut self, rotation: &Rotation) {
        let pattern = self.tangent.pattern.clone();
        for pair in &pattern.pairs {
            let (n, m) = (self.model.bodies[pair.row].v.len(), self.model.bodies[pair.column].v.len());
            let [by_v, by_vdot] = rotation.slopes(m);
            let M = &self.eq.M[self.model.bodies[pair.row].mass.clone()];
            for j in 0..m {
                for i in 0..n {
                    let damping = (0..m).map(|l| self.tangent.C[pair.start + l * n + i] * by_v[(l, j)]).sum::<f64>();
                    let inertia = match pair.row == pair.column {
                        true => (0..m).map(|l| M[l * n + i] * by_vdot[(l, j)]).sum::<f64>(),
                        false => 0.0,
                    };
                    self.tangent.K[pair.start + j * n + i] += damping + inertia;
                }
            }
        }
    }

    /// E of each row, for λ in its own units; rows that do not hold get one.
    fn set_shift(&mut self) {
        let relative = if self.rows == Rows::Dependent { DEPENDENT } else { EXACT };
        let mut stiff = vec![0.0_f64; self.model.sizes.v];
        let pattern = self.tangent.pattern.clone();
        for pair in pattern.pairs.iter().filter(|p| p.row == p.column) {
            let v = self.model.bodies[pair.row].v.clone();
            v.clone().enumerate().for_each(|(i, k)| stiff[k] = self.tangent.K[pair.start + i * v.len() + i].abs());
        }
        let floor = if self.stiffest > 0.0 { FLOOR * self.stiffest } else { 1.0 };
        for (c, mode) in self.model.constraints.iter().zip(&self.bare) {
            for (r, row) in c.rows.clone().enumerate() {
                let mut sum = 0.0;
                for block in &c.blocks {
                    let v = self.model.bodies[block.body].v.clone();
                    let a = &self.eq.A[block.start + r * v.len()..];
                    sum += v.zip(a).map(|(k, a)| a * a / stiff[k].max(floor)).sum::<f64>();
                }
                let idle = *mode == Mode::Idle || sum == 0.0;
                self.shift[row] = if idle { 1.0 } else { relative * sum };
            }
        }
    }

    /// δ and Δλ of a right-hand side, with the factor at hand; free motions stay where they are.
    pub fn solve(&mut self, forces: &[f64], rows: &[f64]) -> Result<(Vec<f64>, Vec<f64>), Singular> {
        let (mut delta, dlambda) = self.solve_with_factor(forces, rows)?;
        self.soften(forces, &mut delta);
        Ok((delta, dlambda))
    }

    /// The same by the factor alone.
    pub fn solve_with_factor(&mut self, forces: &[f64], rows: &[f64]) -> Result<(Vec<f64>, Vec<f64>), Singular> {
        let (n, m) = (forces.len(), rows.len());
        let mut x = vec![0.0; n + m + self.model.sizes.z];
        x[..n].copy_from_slice(forces);
        x[n..n + m].copy_from_slice(rows);
        self.matrix.sparse.solve(&mut x)?;
        let mut sum = x.clone();
        for _ in 0..if m > 0 { REFINEMENTS } else { 0 } {
            // What E took of the rows, given back.
            x[..n].fill(0.0);
            for r in 0..m {
                let held = self.shift[r] < 1.0;
                x[n + r] = if held { self.shift[r] * x[n + r] } else { 0.0 };
            }
            self.matrix.sparse.solve(&mut x)?;
            sum.iter_mut().zip(&x).for_each(|(s, x)| *s += x);
        }
        Ok((sum[..n].to_vec(), sum[n..n + m].to_vec()))
    }

    /// The softest motion, by subspace iteration with the factor at hand.
    pub fn softest(&mut self) -> Result<Softest, StaticsError> {
        let n = self.model.sizes.v;
        if n == 0 {
            return Ok(Softest { delta: Vec::new(), stiffness: f64::INFINITY });
        }
        let (X, stiffness) = self.softest_motions(4.min(n))?;
        Ok(Softest { delta: X.column(0).iter().copied().collect(), stiffness: stiffness[0] })
    }

    /// Its stiffness by a few inverse iterations: enough to tell whether there is one.
    fn softest_quickly(&mut self) -> Result<f64, StaticsError> {
        let (n, m) = (self.model.sizes.v, self.model.rows.len());
        let none = vec![0.0; m];
        // No direction is left out: a fixed sequence without pattern.
        let mut x: Vec<f64> = (0..n).map(|i| 0.5 + (0.618_033_988_749_895 * (i + 1) as f64).fract()).collect();
        let mut stiffness = 0.0;
        for _ in 0..SEARCHES {
            let size = x.iter().map(|x| x * x).sum::<f64>().sqrt();
            if size == 0.0 {
                // Nothing can move at all.
                return Ok(f64::INFINITY);
            }
            x.iter_mut().for_each(|x| *x /= size);
            let Ok((y, _)) = self.solve_with_factor(&x, &none) else { return Err(self.loose()) };
            let along = x.iter().zip(&y).map(|(x, y)| x * y).sum::<f64>();
            stiffness = if along == 0.0 { f64::INFINITY } else { 1.0 / along };
            x = y;
        }
        Ok(stiffness)
    }

    /// Factors the stiffness of a placed pose; motions that nothing seems to hold are looked at closely.
    ///
    /// # Errors
    /// [`StaticsError::Singular`] where one of them is free and what is left of the forces pushes along it.
    pub fn factor_regular(&mut self, here: &Point, r: &[f64]) -> Result<(), StaticsError> {
        let held = self.factor(here, 0.0).and_then(|()| self.softest_quickly());
        if held.is_ok_and(|stiffness| stiffness.abs() > self.ever) {
            return Ok(());
        }
        self.look_for_soft(here)?;
        if let Some(free) = self.pushed(r).filter(|_| self.relative(r) > 1e-12 * self.force) {
            return Err(self.named(&free));
        }
        // What has gone to where nothing is felt any more has not come to rest.
        let gone = self.stiffest < GONE * self.stiffest_ever;
        match self.soft.first().filter(|_| gone) {
            Some(free) => Err(self.named(&free.delta)),
            None => Ok(()),
        }
    }

    /// A stiffness that is none.
    fn none(&self) -> f64 {
        let mut by_differences = 0.0_f64;
        for pair in &self.tangent.pattern.pairs {
            let (row, column) = (&self.model.bodies[pair.row].v, &self.model.bodies[pair.column].v);
            if row.is_empty() || column.is_empty() || self.known[row.start] || self.known[column.start] {
                continue;
            }
            let block = &self.tangent.K[pair.start..pair.start + row.len() * column.len()];
            by_differences = block.iter().fold(by_differences, |a, k| k.abs().max(a));
        }
        NONE * by_differences + NONE_KNOWN * self.stiffest
    }

    pub fn named(&self, motion: &[f64]) -> StaticsError {
        StaticsError::Singular { motion: self.motion(motion) }
    }

    /// The velocity that takes the largest part in a motion.
    pub fn motion(&self, motion: &[f64]) -> String {
        let part = |i: &usize| (motion[*i] / self.scale[*i]).abs();
        let largest = (0..motion.len()).max_by(|i, j| part(i).total_cmp(&part(j)));
        largest.map_or_else(String::new, |i| self.model.state_names().1[i].name.clone())
    }

    /// The free motion of a stiffness that could not be factored: what gives way with a little added everywhere.
    fn loose(&mut self) -> StaticsError {
        let little = self.none().max(f64::MIN_POSITIVE * 1e10).max(1e-14 * self.stiffest).max(1e-14);
        self.fill(0.0);
        let pattern = self.tangent.pattern.clone();
        for pair in pattern.pairs.iter().filter(|p| p.row == p.column) {
            let n = self.model.bodies[pair.row].v.len();
            (0..n).for_each(|i| self.matrix.body()[pair.start + i * (n + 1)] += little);
        }
        let n = self.model.sizes.v;
        let mut x: Vec<f64> = (0..n).map(|i| 0.5 + (0.618_033_988_749_895 * (i + 1) as f64).fract()).collect();
        if self.matrix.sparse.factor().is_ok() {
            for _ in 0..SEARCHES {
                let Ok((y, _)) = self.solve_with_factor(&x, &vec![0.0; self.model.rows.len()]) else { break };
                let size = y.iter().map(|y| y * y).sum::<f64>().sqrt();
                if size == 0.0 || !size.is_finite() {
                    break;
                }
                x = y.iter().map(|y| y / size).collect();
            }
        }
        self.named(&x)
    }

    /// K of the factor at hand as a dense matrix.
    pub fn dense_stiffness(&self) -> nalgebra::DMatrix<f64> {
        self.tangent.dense_stiffness(&self.model)
    }

    /// The largest force and residual left over, both relative.
    pub fn residual(&self, r: &[f64], phi: &[f64]) -> f64 {
        let (forces, rows) = (self.relative(r) / self.force, largest(phi) / self.length);
        if forces.is_nan() || rows.is_nan() { f64::NAN } else { forces.max(rows) }
    }

    /// The failure to come to rest.
    pub fn stuck(&self, iterations: usize, r: &[f64], phi: &[f64]) -> StaticsError {
        let place = |x: &[f64]| (0..x.len()).max_by(|i, j| x[*i].abs().total_cmp(&x[*j].abs())).unwrap_or(0);
        let of_rows = largest(phi) / self.length > self.relative(r) / self.force;
        let measured: Vec<f64> = r.iter().zip(&self.scale).map(|(r, s)| r * s).collect();
        let at = match of_rows {
            true => self.model.row_name(place(phi)),
            false => self.model.state_names().1[place(&measured)].name.clone(),
        };
        StaticsError::NoConvergence { way: Way::Exact, iterations, at, residual: self.residual(r, phi) }
    }

    /// Refuses rows whose rate contradicts the rotation.
    pub fn goes_round(&self) -> Result<(), StaticsError> {
        let Some(rotation) = &self.rotation else { return Ok(()) };
        let speed = rotation.omega.iter().fold(0.0_f64, |a, w| a.max(w.abs())) * (1.0 + self.length);
        let (rate, row) = crate::solution::worst(&self.eq.phidot);
        if rate > 1e-6 * (1e-6 + speed) {
            let unit = self.model.rows[row].unit;
            return Err(StaticsError::OtherSpeed { row: self.model.row_name(row), rate, unit });
        }
        Ok(())
    }

    /// What was found.
    pub fn equilibrium(&self, here: Point, given: &State, iterations: usize, found: Found) -> Equilibrium {
        let Point { mut state, lambda } = here;
        let mut vdot = vec![0.0; self.model.sizes.v];
        self.carry_round(&mut state, &mut vdot);
        let displacement = state.q.iter().zip(&given.q).map(|(a, b)| a - b).collect();
        let notes = super::notes::notes(&self.model, &state);
        Equilibrium { state, vdot, displacement, lambda, iterations, found, notes }
    }
}

/// Modes at a state with all gaps open and all grips released.
pub(super) fn bare(model: &Model, state: &State) -> Vec<Mode> {
    let mode = |(c, mode): (&ConstraintEntry, &Mode)| if c.law == Law::Bilateral { *mode } else { Mode::Idle };
    model.constraints.iter().zip(&state.modes).map(mode).collect()
}

pub(super) fn largest(x: &[f64]) -> f64 {
    x.iter().fold(0.0_f64, |a, x| if x.is_nan() { f64::NAN } else { a.max(x.abs()) })
}

fn no_room() -> StaticsError {
    StaticsError::Analysis(super::AnalysisError::NotFinite { what: "the size of the matrix".to_string() })
}
