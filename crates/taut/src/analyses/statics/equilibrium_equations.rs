//! Forces and constraints of one pose under a load factor, their stiffness, and solves with it.
//!
//! ```text
//!  [K + C ∂v/∂δ + M ∂v̇/∂δ   −Bᵀ] (δ )   (a)       ∂v/∂δ, ∂v̇/∂δ: of a steady rotation
//!  [A                        E ] (Δλ) = (c)       refined with the same factor to remove the effect of E
//! ```

mod scaling;
mod solve;
mod stiffness;

pub(super) use self::solve::INVERSE_ITERATIONS;

use super::loads::{DriverOffset as Driven, apply_load_factor};
use super::soft_motions::SoftMotion;
use super::{ConstraintEnforcement, Equilibrium, EquilibriumMethod, EquilibriumPoint, Statics, StaticsError};
use crate::analyses::kinematic::update_turn_counters;
use crate::analyses::statics::rotation::BodyRotation;
use crate::constraints::RowLevel;
use crate::equations::{Equations, MarkerKinematics, StateView, assemble_positions, assemble_rates};
use crate::forces::ForceKind;
use crate::laws::ConstraintLaw;
use crate::mathematics::magnitude::{largest_magnitude, max_abs};
use crate::model::{Model, Topology};
use crate::solvers::rank::analyse_rank;
use crate::state::{ConstraintMode, State};
use crate::tangent::{BorderedMatrix, TangentMatrices};

/// Forces and constraints of a pose.
#[derive(Debug)]
pub(super) struct EquilibriumEquations<'m> {
    full_model: &'m Model,
    /// The model under the present load factor.
    pub model: Model,
    pub load_factor: f64,
    /// Drivers that move with the load factor, and the time of the pose.
    drivers: (Vec<Driven>, f64),
    rotation: Option<BodyRotation>,
    pub scene: MarkerKinematics,
    pub eq: Equations,
    tangent: TangentMatrices,
    matrix: BorderedMatrix<f64>,
    pub vdot: Vec<f64>,
    shift: Vec<f64>,
    /// Whether rows depend on each other.
    pub row_dependence: RowDependence,
    /// Modes without gaps and friction, whose forces are solved for separately.
    modes: Vec<ConstraintMode>,
    /// Velocities of bodies connected by beams, whose stiffness is exact.
    exact_stiffness: Vec<bool>,
    /// Force scale.
    pub force_scale: f64,
    /// Length scale: size of the mechanism.
    pub length_scale: f64,
    /// Displacement scale of each velocity.
    pub displacement_scale: Vec<f64>,
    /// Largest entry of K.
    pub max_stiffness: f64,
    /// Largest entry of K in all poses so far.
    max_stiffness_so_far: f64,
    /// Motions with almost no stiffness in the present factor.
    pub soft_motions: Vec<SoftMotion>,
    /// Largest stiffness that has counted as zero in any pose so far, so that a pose where everything is soft does not count as stiff.
    zero_stiffness_so_far: f64,
}

/// Whether rows depend on each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RowDependence {
    Independent,
    Dependent,
}

impl<'m> EquilibriumEquations<'m> {
    pub fn new(
        given: &'m Model,
        start: &State,
        moving: &State,
        settings: &Statics,
    ) -> Result<EquilibriumEquations<'m>, StaticsError> {
        let model = given.clone();
        let tangent = TangentMatrices::new(&model);
        let matrix = BorderedMatrix::new(&model, &tangent.pattern).map_err(|_| size_error())?;
        let mut known = vec![false; model.sizes.v];
        for force in model.forces.iter().filter(|f| matches!(f.kind, ForceKind::Beam(_))) {
            for body in force.markers.iter().filter_map(|m| model.markers[*m].body) {
                known[model.bodies[body].v.clone()].fill(true);
            }
        }
        let n = model.sizes.v;
        let mut balance = EquilibriumEquations {
            full_model: given,
            scene: MarkerKinematics::new(&model),
            eq: Equations::new(&model),
            tangent,
            matrix,
            vdot: vec![0.0; n],
            shift: vec![1.0; model.rows.len()],
            row_dependence: RowDependence::Independent,
            modes: given.static_modes(&start.modes),
            exact_stiffness: known,
            rotation: settings.rotation.map(|r| BodyRotation::of(r, given, start, moving)),
            load_factor: 1.0,
            drivers: (Vec::new(), start.t),
            force_scale: 1.0,
            length_scale: 1.0,
            displacement_scale: vec![1.0; n],
            max_stiffness: 0.0,
            max_stiffness_so_far: 0.0,
            soft_motions: Vec::new(),
            zero_stiffness_so_far: 0.0,
            model,
        };
        let mut state = start.clone();
        balance.evaluate(&mut state);
        balance.set_length_scale(&state);
        balance.set_force_scale(&state);
        if balance.model.topology == Topology::Loops {
            let found = analyse_rank(&balance.model, &balance.eq, &balance.modes);
            balance.row_dependence = match found {
                Ok(rank) if rank.redundant == 0 => RowDependence::Independent,
                _ => RowDependence::Dependent,
            };
        }
        Ok(balance)
    }

    /// Whether the model has beams.
    pub fn has_beams(&self) -> bool {
        self.exact_stiffness.contains(&true)
    }

    /// Applies a load factor.
    pub fn set_load_factor(&mut self, load_factor: f64) {
        if load_factor != self.load_factor {
            apply_load_factor(self.full_model, &mut self.model, load_factor, &self.drivers.0, self.drivers.1);
            self.load_factor = load_factor;
        }
    }

    /// Lets drivers move with the load factor from now on.
    pub fn move_drivers_with_load(&mut self, ways: Vec<Driven>) {
        self.drivers.0 = ways;
        self.load_factor = f64::NAN;
        self.set_load_factor(0.0);
    }

    /// Sets v and v̇ of the rotation; at rest both are zero.
    pub fn set_rotation_rates(&self, state: &mut State, vdot: &mut [f64]) {
        match &self.rotation {
            Some(rotation) => rotation.set_rates(&self.model, state, vdot),
            None => state.v.fill(0.0),
        }
    }

    /// Evaluates forces and constraints.
    pub fn evaluate(&mut self, state: &mut State) {
        let mut vdot = std::mem::take(&mut self.vdot);
        self.set_rotation_rates(state, &mut vdot);
        self.vdot = vdot;
        let at = StateView { modes: &self.modes, ..(&*state).into() };
        assemble_positions(&self.model, at, &mut self.scene, &mut self.eq);
        assemble_rates(&self.model, at, &mut self.scene, &mut self.eq);
    }

    /// Whether the model has gaps or friction.
    pub fn has_unilateral(&self) -> bool {
        self.model.constraints.iter().any(|c| c.law != ConstraintLaw::Bilateral)
    }

    /// r = M v̇ − f − Bᵀλ of the pose evaluated last.
    pub fn residual_forces(&self, lambda: &[f64]) -> Vec<f64> {
        let mut r = vec![0.0; self.model.sizes.v];
        self.eq.mass_times(&self.vdot, &mut r);
        r.iter_mut().zip(&self.eq.f).for_each(|(r, f)| *r -= f);
        self.eq.subtract_reactions(lambda, &mut r);
        for c in self.model.constraints.iter().filter(|c| c.law != ConstraintLaw::Bilateral) {
            for (i, row) in c.rows.clone().enumerate().filter(|(_, row)| lambda[*row] != 0.0) {
                self.eq.add_inactive_row(c, i, -lambda[row], &mut r);
            }
        }
        r
    }

    /// φ of rows at position level, zero for the others: those allow no displacement.
    pub fn position_residuals(&self) -> Vec<f64> {
        let held = |r: usize| self.model.row_holds_at_level(r, RowLevel::Position);
        self.eq.phi.iter().enumerate().map(|(r, phi)| if held(r) { *phi } else { 0.0 }).collect()
    }

    /// The generalised force of the full load at a pose: −∂r/∂s. The pose stays evaluated with the present load factor.
    pub fn load_vector(&mut self, state: &mut State) -> Vec<f64> {
        let (load_factor, none) = (self.load_factor, vec![0.0; self.model.rows.len()]);
        self.set_load_factor(load_factor + 1.0);
        self.evaluate(state);
        let more = self.residual_forces(&none);
        self.set_load_factor(load_factor);
        self.evaluate(state);
        self.residual_forces(&none).iter().zip(&more).map(|(now, more)| now - more).collect()
    }

    /// The pose displaced by `load_factor` times `delta`.
    pub fn displaced(&self, state: &State, delta: &[f64], load_factor: f64) -> State {
        let mut moved = state.clone();
        let part: Vec<f64> = delta.iter().map(|d| load_factor * d).collect();
        for b in &self.model.bodies {
            b.kind.body().displace(&mut moved.q[b.q.clone()], &part[b.v.clone()]);
        }
        update_turn_counters(&self.model, &mut moved);
        moved
    }

    /// Largest displacement, relative to `displacement_scale`.
    pub fn displacement_norm(&self, delta: &[f64]) -> f64 {
        delta.iter().zip(&self.displacement_scale).fold(0.0, |a, (d, s)| (d / s).abs().max(a))
    }

    /// The error that names a free motion.
    pub fn singular_error(&self, motion: &[f64]) -> StaticsError {
        StaticsError::Singular { motion: self.dominant_velocity(motion) }
    }

    /// Name of the velocity with the largest part in a motion.
    pub fn dominant_velocity(&self, motion: &[f64]) -> String {
        let part = |i: &usize| (motion[*i] / self.displacement_scale[*i]).abs();
        let largest = (0..motion.len()).max_by(|i, j| part(i).total_cmp(&part(j)));
        largest.map_or_else(String::new, |i| self.model.state_names().1[i].name.clone())
    }

    /// The larger of the relative residuals of forces and rows.
    pub fn relative_residual(&self, r: &[f64], phi: &[f64]) -> f64 {
        let (forces, rows) = (self.relative_force(r) / self.force_scale, max_abs(phi) / self.length_scale);
        if forces.is_nan() || rows.is_nan() { f64::NAN } else { forces.max(rows) }
    }

    /// The error for an iteration that did not converge.
    pub fn convergence_error(&self, iterations: usize, r: &[f64], phi: &[f64]) -> StaticsError {
        let place = |x: &[f64]| (0..x.len()).max_by(|i, j| x[*i].abs().total_cmp(&x[*j].abs())).unwrap_or(0);
        let of_rows = max_abs(phi) / self.length_scale > self.relative_force(r) / self.force_scale;
        let measured: Vec<f64> = r.iter().zip(&self.displacement_scale).map(|(r, s)| r * s).collect();
        let at = match of_rows {
            true => self.model.row_name(place(phi)),
            false => self.model.state_names().1[place(&measured)].name.clone(),
        };
        StaticsError::NoConvergence {
            way: ConstraintEnforcement::Exact,
            iterations,
            at,
            residual: self.relative_residual(r, phi),
        }
    }

    /// Rejects rows whose rate contradicts the rotation.
    pub fn check_rotation(&self) -> Result<(), StaticsError> {
        let Some(rotation) = &self.rotation else { return Ok(()) };
        let speed = rotation.rotation.omega.iter().fold(0.0_f64, |a, w| a.max(w.abs())) * (1.0 + self.length_scale);
        let (rate, row) = largest_magnitude(&self.eq.phidot);
        if rate > 1e-6 * (1e-6 + speed) {
            let unit = self.model.rows[row].unit;
            return Err(StaticsError::RowRateMismatch { row: self.model.row_name(row), rate, unit });
        }
        Ok(())
    }

    /// The result at a converged point.
    pub fn equilibrium(
        &self,
        here: EquilibriumPoint,
        given: &State,
        iterations: usize,
        found: EquilibriumMethod,
    ) -> Equilibrium {
        let EquilibriumPoint { mut state, lambda } = here;
        let mut vdot = vec![0.0; self.model.sizes.v];
        self.set_rotation_rates(&mut state, &mut vdot);
        let displacement = state.q.iter().zip(&given.q).map(|(a, b)| a - b).collect();
        let notes = super::notes::notes(&self.model, &state);
        Equilibrium { state, vdot, displacement, lambda, iterations, method: found, notes }
    }
}

fn size_error() -> StaticsError {
    StaticsError::Analysis(super::AnalysisError::NotFinite { what: "the size of the matrix".to_string() })
}
