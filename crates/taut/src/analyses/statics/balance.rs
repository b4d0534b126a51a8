//! Forces and constraints of one pose under a load factor, their stiffness, and solves with it.
//!
//! ```text
//!  [K + C ∂v/∂δ + M ∂v̇/∂δ   −Bᵀ] (δ )   (a)       ∂v/∂δ, ∂v̇/∂δ: of a steady rotation
//!  [A                        E ] (Δλ) = (c)       refined with the same factor to remove the effect of E
//! ```

mod sizes;
mod solve;
mod stiffness;

pub(super) use self::solve::SEARCHES;

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
use crate::tangent::{Bordered, Tangent};

/// Forces and constraints of a pose.
#[derive(Debug)]
pub(super) struct Balance<'m> {
    given: &'m Model,
    /// The model under the present load factor.
    pub model: Model,
    pub share: f64,
    /// Drivers that move with the load factor, and the time of the pose.
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
    /// Modes without gaps and friction, whose forces are solved for separately.
    bare: Vec<Mode>,
    /// Velocities of bodies connected by beams, whose stiffness is exact.
    known: Vec<bool>,
    /// Force scale.
    pub force: f64,
    /// Length scale: size of the mechanism.
    pub length: f64,
    /// Displacement scale of each velocity.
    pub scale: Vec<f64>,
    /// Largest entry of K.
    pub stiffest: f64,
    /// Largest entry of K in all poses so far.
    stiffest_ever: f64,
    /// Motions with almost no stiffness in the present factor.
    pub soft: Vec<Soft>,
    /// Largest stiffness that has counted as zero in any pose so far, so that a pose where everything is soft does not count as stiff.
    ever: f64,
}

/// Whether rows depend on each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rows {
    Independent,
    Dependent,
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

    /// Whether the model has beams.
    pub fn bends(&self) -> bool {
        self.known.contains(&true)
    }

    /// Applies a load factor.
    pub fn bring_on(&mut self, share: f64) {
        if share != self.share {
            bring_on(self.given, &mut self.model, share, &self.ways.0, self.ways.1);
            self.share = share;
        }
    }

    /// Lets drivers move with the load factor from now on.
    pub fn drive(&mut self, ways: Vec<Driven>) {
        self.ways.0 = ways;
        self.share = f64::NAN;
        self.bring_on(0.0);
    }

    /// Sets v and v̇ of the rotation; at rest both are zero.
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

    /// Whether the model has gaps or friction.
    pub fn switches(&self) -> bool {
        self.model.constraints.iter().any(|c| c.law != Law::Bilateral)
    }

    /// r = M v̇ − f − Bᵀλ of the pose evaluated last.
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

    /// φ of rows at position level, zero for the others: those allow no displacement.
    pub fn phi(&self) -> Vec<f64> {
        let held = |r: usize| self.model.holds(r, Level::Position);
        self.eq.phi.iter().enumerate().map(|(r, phi)| if held(r) { *phi } else { 0.0 }).collect()
    }

    /// The generalised force of the full load at a pose: −∂r/∂s. The pose stays evaluated with the present load factor.
    pub fn load(&mut self, state: &mut State) -> Vec<f64> {
        let (share, none) = (self.share, vec![0.0; self.model.rows.len()]);
        self.bring_on(share + 1.0);
        self.place(state);
        let more = self.left(&none);
        self.bring_on(share);
        self.place(state);
        self.left(&none).iter().zip(&more).map(|(now, more)| now - more).collect()
    }

    /// The pose displaced by `share` times `delta`.
    pub fn moved(&self, state: &State, delta: &[f64], share: f64) -> State {
        let mut moved = state.clone();
        let part: Vec<f64> = delta.iter().map(|d| share * d).collect();
        for b in &self.model.bodies {
            b.kind.body().displace(&mut moved.q[b.q.clone()], &part[b.v.clone()]);
        }
        count_turns(&self.model, &mut moved);
        moved
    }

    /// Largest displacement, relative to `scale`.
    pub fn norm(&self, delta: &[f64]) -> f64 {
        delta.iter().zip(&self.scale).fold(0.0, |a, (d, s)| (d / s).abs().max(a))
    }

    /// The error that names a free motion.
    pub fn named(&self, motion: &[f64]) -> StaticsError {
        StaticsError::Singular { motion: self.motion(motion) }
    }

    /// Name of the velocity with the largest part in a motion.
    pub fn motion(&self, motion: &[f64]) -> String {
        let part = |i: &usize| (motion[*i] / self.scale[*i]).abs();
        let largest = (0..motion.len()).max_by(|i, j| part(i).total_cmp(&part(j)));
        largest.map_or_else(String::new, |i| self.model.state_names().1[i].name.clone())
    }

    /// The larger of the relative residuals of forces and rows.
    pub fn residual(&self, r: &[f64], phi: &[f64]) -> f64 {
        let (forces, rows) = (self.relative(r) / self.force, largest(phi) / self.length);
        if forces.is_nan() || rows.is_nan() { f64::NAN } else { forces.max(rows) }
    }

    /// The error for an iteration that did not converge.
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

    /// Rejects rows whose rate contradicts the rotation.
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

    /// The result at a converged point.
    pub fn equilibrium(&self, here: Point, given: &State, iterations: usize, found: Found) -> Equilibrium {
        let Point { mut state, lambda } = here;
        let mut vdot = vec![0.0; self.model.sizes.v];
        self.carry_round(&mut state, &mut vdot);
        let displacement = state.q.iter().zip(&given.q).map(|(a, b)| a - b).collect();
        let notes = super::notes::notes(&self.model, &state);
        Equilibrium { state, vdot, displacement, lambda, iterations, found, notes }
    }
}

/// Modes at a state with all gaps open and all friction released.
pub(super) fn bare(model: &Model, state: &State) -> Vec<Mode> {
    let mode = |(c, mode): (&ConstraintEntry, &Mode)| if c.law == Law::Bilateral { *mode } else { Mode::Idle };
    model.constraints.iter().zip(&state.modes).map(mode).collect()
}

/// Largest magnitude; NaN if any entry is NaN.
pub(super) fn largest(x: &[f64]) -> f64 {
    x.iter().fold(0.0_f64, |a, x| if x.is_nan() { f64::NAN } else { a.max(x.abs()) })
}

fn no_room() -> StaticsError {
    StaticsError::Analysis(super::AnalysisError::NotFinite { what: "the size of the matrix".to_string() })
}
