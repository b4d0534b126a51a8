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
mod rows;
mod second_order;
mod standing;

use crate::bodies::Symmetry;
use crate::crossing::Crossing;
use crate::drift::{Drift, Ending, Numbers, Projection, Stage, Weight, row_scale};
use crate::equations::{At, Equations, Scene, place};
use crate::formulations::{Exactness, Formulation, Method, Setup, Steers, Stiffness, usual_penalty};
use crate::kkt::Policy;
use crate::model::Model;
use crate::motion::Wrench;
use crate::state::{Mode, State};
pub use convected::Update;
pub(crate) use energy::energy;
use friction::{Grips, Slip};
pub(crate) use friction::{masked, pressing};
use serde::{Deserialize, Serialize};
pub use standing::Standing;

/// The formulation, the drift control, and their parameters.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Choice {
    /// The formulation.
    pub method: Method,
    /// The drift control.
    pub drift: Drift,
    /// Treatment of rank deficiency.
    pub policy: Policy,
    /// Parameters of the published methods.
    pub setup: Setup,
    /// Parameters of drift controls other than `drift`, for comparisons between them.
    pub numbers: Numbers,
}

/// Whether v is projected in every stage of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Stages {
    /// Yes. b then stays in the range of A even if rows are dependent or nearly dependent.
    Projected,
    /// No, only after the step.
    Bare,
    /// Yes, and q too, onto the manifold.
    Full,
}

/// The equations of motion of a model, y = (q, v, z), with scratch memory.
#[derive(Debug)]
pub struct Dynamics<'m> {
    /// The model.
    pub model: &'m Model,
    /// Modes of the constraints.
    pub modes: Vec<Mode>,
    /// Motions of all markers at the last state.
    pub scene: Scene,
    /// Equations of the last state.
    pub eq: Equations,
    /// v̇ of the last state.
    pub vdot: Vec<f64>,
    /// λ of the last state.
    pub lambda: Vec<f64>,
    /// diag(A M⁻¹ Aᵀ) at the state given in the model.
    pub(crate) scale: Vec<f64>,
    formulation: Box<dyn Formulation>,
    drift: Drift,
    projection: Option<Projection>,
    crossing: Crossing,
    stages: Stages,
    /// The current step.
    step: f64,
    /// Relative tolerance of the run, if it is known.
    rtol: Option<f64>,
    /// Axes in which implicit methods formulate their steps.
    pub(crate) update: Update,
    /// Storage of implicit methods.
    implicit: Option<Box<implicit::Implicit>>,
    /// The constraints that slip.
    slips: Vec<Slip>,
    grips: Grips,
    q: Vec<f64>,
    v: Vec<f64>,
    residual: Vec<f64>,
    on: Vec<Wrench>,
}

impl<'m> Dynamics<'m> {
    /// At the state given in the model.
    pub fn new(model: &'m Model, choice: &Choice) -> Dynamics<'m> {
        Dynamics::at(model, &model.initial_state(), choice)
    }

    /// At a state, which should satisfy the constraints: it decides whether the rows are independent. The scales of the
    /// rows come from the initial state of the model, so that they do not depend on where a run is resumed.
    pub fn at(model: &'m Model, state: &State, choice: &Choice) -> Dynamics<'m> {
        let (mut scene, mut eq) = (Scene::new(model), Equations::new(model));
        // Inactive rows need a scale too.
        let given = model.initial_state();
        let all = vec![Mode::Active; given.modes.len()];
        place(model, At { modes: &all, ..At::from(&given) }, &mut scene, &mut eq);
        let scale = row_scale(model, &eq.M, &eq);
        // The penalty factor comes from the same state.
        let penalty = choice.setup.penalty.or_else(|| Some(usual_penalty(&eq.M)).filter(|mu| mu.is_finite()));
        let setup = Setup { penalty, ..choice.setup };
        let mut formulation = choice.method.formulation(&model.layout, &scale, &choice.policy, &setup);
        let projection = choice.drift.weight().map(|weight| match (weight, model.symmetry()) {
            (Weight::Mass, Symmetry::Symmetric) if formulation.projector().is_some() => Projection::shared(model),
            // A non-symmetric M does not define a norm.
            (Weight::Mass, Symmetry::NonSymmetric) => Projection::own(model, &Weight::Identity, &eq, &choice.policy),
            (weight, _) => Projection::own(model, weight, &eq, &choice.policy),
        });
        let widest = model.forces.iter().map(|f| f.markers.len()).max().unwrap_or(0);
        let mut dynamics = Dynamics {
            model,
            modes: state.modes.clone(),
            scene,
            eq,
            vdot: vec![0.0; model.sizes.v],
            lambda: vec![0.0; model.rows.len()],
            scale,
            formulation,
            projection,
            crossing: Crossing::default(),
            stages: Stages::Bare,
            rtol: None,
            update: Update::default(),
            implicit: None,
            slips: Vec::new(),
            grips: Grips::of(model),
            drift: choice.drift.clone(),
            step: 0.0,
            q: vec![0.0; model.sizes.q],
            residual: Vec::with_capacity(model.rows.len()),
            v: vec![0.0; model.sizes.v],
            on: vec![Wrench::ZERO; widest],
        };
        dynamics.engage(At::from(state));
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
    pub fn attempt(&mut self, h: f64) {
        self.step = h.abs();
    }

    /// Why the formulation cannot handle this model with this drift control, if it cannot. Call it at the state given
    /// to [`at`](Dynamics::at).
    pub fn refuses(&mut self) -> Option<String> {
        let springs = self.formulation.stiffness(&self.eq).is_some();
        let leaves = self.drift.stage() == Stage::AsGiven && self.drift.ending() == Ending::Keep;
        if springs && !leaves {
            let drift = self.drift.name();
            return Some(format!(
                "its penalty acts on the residuals, which drift control `{drift}` removes; use drift = \"none\""
            ));
        }
        let steers = matches!(self.drift, Drift::GearGuptaLeimkuhler(_) | Drift::BraunGoldfarb(_));
        if steers && self.formulation.steers() == Steers::Otherwise {
            let drift = self.drift.name();
            return Some(format!(
                "the formulation and drift control `{drift}` both change the velocity that moves the coordinates, and cannot be \
                 combined"
            ));
        }
        self.formulation.refuses(&self.eq)
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
    pub fn claims(&self) -> Exactness {
        if self.drift.edits() { Exactness::Penalised } else { self.exactness() }
    }

    /// Largest |A v̇ − b| of the last state, and its row. It is large if constraints contradict each other.
    pub fn acceleration_residual(&self) -> (f64, usize) {
        let mut Av = vec![0.0; self.model.rows.len()];
        self.eq.times(&self.vdot, &mut Av);
        let worst = |best: (f64, usize), (r, x): (usize, f64)| if x > best.0 { (x, r) } else { best };
        Av.iter().zip(&self.eq.b).map(|(a, b)| (a - b).abs()).enumerate().fold((0.0, 0), worst)
    }
}
