//! A model as y' = F(t, y), y = (q, v, z): assembly, drift control and formulation in sequence, with the storage of one
//! thread.
//!
//! `rates` evaluates F, `rows` decides which rows are active and how they are treated, `manifold` ends a step,
//! `implicit` and `second_order` support implicit methods.

mod convected;
mod energy;
mod friction;
mod implicit;
mod manifold;
mod rates;
mod reaction_forces;
mod rows;
mod second_order;
mod solver_state;

use crate::bodies::Symmetry;
use crate::drift::{
    Corrections, DriftControl, DriftParameters, EndOfStep, Projection, ProjectionWeight, StageProjection, row_scales,
};
use crate::equations::{Equations, MarkerKinematics, StateView, assemble_positions};
use crate::formulations::{
    CoordinateVelocity, Exactness, Formulation, FormulationParameters, Method, Stiffness, usual_penalty,
};
use crate::kkt::RankPolicy;
use crate::model::{BodyEntry, Model};
use crate::motion::Wrench;
use crate::singular_poses::SingularPosePredictor;
use crate::solvers::massless::{UndeterminedMotion, as_norm};
use crate::state::{ConstraintMode, State};
pub use convected::UpdateAxes;
pub(crate) use energy::energy;
use friction::{FrictionPresence, SlippingConstraint};
pub(crate) use friction::{inactive_rows, normal_force};
use nalgebra::{DMatrix, DVector};
use serde::{Deserialize, Serialize};
pub use solver_state::SolverState;
pub use taut_constrain::{Inconsistent, RowWeighting};

/// The formulation, the drift control, and their parameters.
///
/// # Examples
///
/// ```
/// use taut::prelude::*;
///
/// let solver = SolverSettings { method: Method::NullSpace, ..SolverSettings::default() };
/// let settings = Transient::to(1.0).choice(solver);
/// assert_eq!(settings.choice.method.to_string(), "null_space");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SolverSettings {
    /// The formulation.
    pub method: Method,
    /// The drift control.
    pub drift: DriftControl,
    /// Treatment of rank deficiency.
    pub policy: RankPolicy,
    /// What to do with constraints that contradict each other in position or velocity.
    pub inconsistent: Inconsistent,
    /// How the errors of contradictory rows are weighted, and how redundant rows share their load.
    pub row_weighting: RowWeighting,
    /// Parameters of the published methods.
    pub setup: FormulationParameters,
    /// Parameters of drift controls other than `drift`, for comparisons between them.
    pub numbers: DriftParameters,
}

/// Whether v is projected in every stage of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum ActiveStageProjection {
    /// Yes. b then stays in the range of A even if rows are dependent or nearly dependent.
    Projected,
    /// No, only after the step.
    Unprojected,
    /// Yes, and q too, onto the manifold.
    Full,
}

/// The equations of motion of a model, y = (q, v, z), with scratch memory.
#[derive(Debug)]
pub struct Dynamics<'m> {
    /// The model.
    pub model: &'m Model,
    /// Modes of the constraints.
    pub modes: Vec<ConstraintMode>,
    /// Motions of all markers at the last state.
    pub kinematics: MarkerKinematics,
    /// Equations of the last state.
    pub eq: Equations,
    /// v̇ of the last state.
    pub vdot: Vec<f64>,
    /// λ of the last state.
    pub lambda: Vec<f64>,
    /// diag(A M⁻¹ Aᵀ) at the state given in the model.
    pub(crate) row_scales: Vec<f64>,
    formulation: Box<dyn Formulation>,
    drift: DriftControl,
    projection: Option<Projection>,
    inconsistent: Inconsistent,
    /// Of the last state that was projected, not those of stages.
    corrections: Option<Corrections>,
    /// Penalty factor of the augmented Lagrangian, which second-order methods apply to positions.
    augmented_penalty: Option<f64>,
    singular_poses: SingularPosePredictor,
    stage_projection: ActiveStageProjection,
    /// The current step.
    step: f64,
    /// Relative tolerance of the run, if it is known.
    rtol: Option<f64>,
    /// Axes in which implicit methods formulate their steps.
    pub(crate) update: UpdateAxes,
    /// Storage of implicit methods.
    implicit: Option<Box<implicit::ImplicitWorkspace>>,
    /// The constraints that slip.
    slipping: Vec<SlippingConstraint>,
    friction: FrictionPresence,
    /// A force that reads reactions and has no value, or more than one, at the last state.
    pub(crate) failed_reaction_force: Option<usize>,
    /// A motion without mass that the rows in the current modes do not determine.
    undetermined_motion: Option<UndeterminedMotion>,
    q: Vec<f64>,
    v: Vec<f64>,
    residual: Vec<f64>,
    wrenches: Vec<Wrench>,
}

impl<'m> Dynamics<'m> {
    /// At the state given in the model.
    pub fn new(model: &'m Model, choice: &SolverSettings) -> Dynamics<'m> {
        Dynamics::at(model, &model.initial_state(), choice)
    }

    /// At a state, which should satisfy the constraints: it decides whether the rows are independent. The scales of the
    /// rows come from the initial state of the model, so that they do not depend on where a run is resumed.
    pub fn at(model: &'m Model, state: &State, choice: &SolverSettings) -> Dynamics<'m> {
        let (mut scene, mut eq) = (MarkerKinematics::new(model), Equations::new(model));
        // Inactive rows need a scale too.
        let given = model.initial_state();
        let all = vec![ConstraintMode::Active; given.modes.len()];
        assemble_positions(model, StateView { modes: &all, ..StateView::from(&given) }, &mut scene, &mut eq);
        let scale = row_scales(model, &as_norm(&model.layout, &eq.M), &eq);
        // The penalty factor comes from the same state.
        let penalty = choice.setup.penalty.or_else(|| Some(usual_penalty(&eq.M)).filter(|mu| mu.is_finite()));
        let setup = FormulationParameters { penalty, ..choice.setup };
        let mut formulation =
            choice.method.formulation(&model.layout, &scale, &choice.policy, &setup, choice.row_weighting);
        let projection = choice.drift.weight().map(|weight| match (weight, model.symmetry()) {
            (ProjectionWeight::Mass, Symmetry::Symmetric) if formulation.projector().is_some() => {
                Projection::sharing_factor(model, choice.inconsistent)
            }
            // A non-symmetric M does not define a norm; a singular one is completed to one.
            (ProjectionWeight::Mass, Symmetry::NonSymmetric) => {
                Projection::with_own_factor(model, &ProjectionWeight::Identity, &eq, choice)
            }
            (weight, _) => Projection::with_own_factor(model, weight, &eq, choice),
        });
        let widest = model.forces.iter().map(|f| f.markers.len()).max().unwrap_or(0);
        let mut dynamics = Dynamics {
            model,
            modes: state.modes.clone(),
            kinematics: scene,
            eq,
            vdot: vec![0.0; model.sizes.v],
            lambda: vec![0.0; model.rows.len()],
            row_scales: scale,
            formulation,
            corrections: projection.as_ref().map(|p| p.corrections.clone()),
            projection,
            singular_poses: SingularPosePredictor::default(),
            stage_projection: ActiveStageProjection::Unprojected,
            rtol: None,
            update: UpdateAxes::default(),
            implicit: None,
            slipping: Vec::new(),
            friction: FrictionPresence::of(model),
            failed_reaction_force: None,
            undetermined_motion: None,
            drift: choice.drift.clone(),
            inconsistent: choice.inconsistent,
            augmented_penalty: penalty.filter(|_| choice.method == Method::AugmentedLagrangian),
            step: 0.0,
            q: vec![0.0; model.sizes.q],
            residual: Vec::with_capacity(model.rows.len()),
            v: vec![0.0; model.sizes.v],
            wrenches: vec![Wrench::ZERO; widest],
        };
        dynamics.apply_modes(StateView::from(state));
        dynamics
    }

    /// The relative tolerance of the run; zero if it is not known.
    pub(crate) fn rtol(&self) -> f64 {
        self.rtol.unwrap_or(0.0)
    }

    /// Length of y.
    pub fn dimension(&self) -> usize {
        let s = self.model.sizes;
        s.q + s.v + s.z
    }

    /// y of a state.
    pub fn pack(&self, state: &State, y: &mut [f64]) {
        let s = self.model.sizes;
        y[..s.q].copy_from_slice(&state.q);
        y[s.q..s.q + s.v].copy_from_slice(&state.v);
        y[s.q + s.v..s.q + s.v + s.z].copy_from_slice(&state.z);
    }

    /// The state of y.
    pub fn unpack(&self, t: f64, y: &[f64]) -> State {
        let s = self.model.sizes;
        State {
            t,
            q: y[..s.q].to_vec(),
            v: y[s.q..s.q + s.v].to_vec(),
            z: y[s.q + s.v..s.q + s.v + s.z].to_vec(),
            modes: self.modes.clone(),
        }
    }

    /// Sets the length of the next step.
    pub fn set_step(&mut self, h: f64) {
        self.step = h.abs();
    }

    /// Why the formulation cannot handle this model with this drift control, if it cannot. Call it at the state given
    /// to [`at`](Dynamics::at).
    pub fn unsupported_reason(&mut self) -> Option<String> {
        let springs = self.formulation.stiffness(&self.eq).is_some();
        let leaves =
            self.drift.stage_projection() == StageProjection::AsGiven && self.drift.end_of_step() == EndOfStep::Keep;
        if springs && !leaves {
            let drift = self.drift.name();
            return Some(format!(
                "its penalty acts on the residuals, which drift control `{drift}` removes; use drift = \"none\""
            ));
        }
        let corrects = self.drift.coordinate_velocity() == CoordinateVelocity::Corrected;
        if corrects && self.formulation.coordinate_velocity() == CoordinateVelocity::Corrected {
            let drift = self.drift.name();
            return Some(format!(
                "the formulation and drift control `{drift}` both change the velocity that moves the coordinates, and cannot be \
                 combined"
            ));
        }
        self.formulation.unsupported_reason(&self.eq)
    }

    /// The fastest rate that the formulation adds to the equations.
    pub fn stiffness(&mut self) -> Option<Stiffness> {
        self.formulation.stiffness(&self.eq)
    }

    /// Whether the formulation satisfies A v̇ = b exactly or approximately.
    pub fn exactness(&self) -> Exactness {
        self.formulation.exactness()
    }

    /// Whether A v̇ = b should hold as it stands: neither penalised, nor b modified by the drift control.
    pub fn claimed_exactness(&self) -> Exactness {
        if self.drift.modifies_rhs() { Exactness::Penalised } else { self.exactness() }
    }

    /// A motion of a body without mass that no active row determines, at the last change of modes. Then there are no
    /// accelerations.
    pub fn undetermined_motion(&self) -> Option<&UndeterminedMotion> {
        self.undetermined_motion.as_ref()
    }

    /// What happens to constraints that contradict each other in position or velocity.
    pub fn inconsistent(&self) -> Inconsistent {
        self.inconsistent
    }

    /// The multipliers of the last projection of a state; none if the drift control does not project.
    pub fn corrections(&self) -> Option<&Corrections> {
        self.corrections.as_ref()
    }

    /// Gauss' function of the last state solved, ½ (v̇ − a)ᵀ M (v̇ − a) with a = M⁻¹ f: \[Masarati2010\] eq. (9). None if M
    /// is not symmetric positive definite.
    pub fn gaussian(&self) -> Option<f64> {
        let mut reaction = vec![0.0; self.model.sizes.v];
        self.eq.mass_times(&self.vdot, &mut reaction);
        reaction.iter_mut().zip(&self.eq.f).for_each(|(r, f)| *r -= f);
        // M v̇ − f = M (v̇ − a), body by body.
        let part = |b: &BodyEntry| {
            let M = DMatrix::from_column_slice(b.v.len(), b.v.len(), &self.eq.M[b.mass.clone()]);
            let r = DVector::from_column_slice(&reaction[b.v.clone()]);
            Some(0.5 * r.dot(&M.cholesky()?.solve(&r)))
        };
        let sum = self.model.bodies.iter().map(part).sum();
        if self.model.symmetry() == Symmetry::Symmetric { sum } else { None }
    }

    /// Largest |A v̇ − b| of the last state, and its row. It is large if constraints contradict each other.
    pub fn acceleration_residual(&self) -> (f64, usize) {
        let mut worst = (0.0, 0);
        for c in &self.model.constraints {
            for (i, row) in c.rows.clone().enumerate() {
                let left = (self.eq.row_times(c, i, &self.vdot) - self.eq.b[row]).abs();
                worst = if left > worst.0 { (left, row) } else { worst };
            }
        }
        worst
    }
}
