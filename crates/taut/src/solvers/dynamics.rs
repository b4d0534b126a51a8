//! A model as y' = F(t, y): assembly, drift control and formulation in their order. The scratch of one thread.

mod convected;
mod energy;
mod friction;
mod implicit;
mod second_order;

pub use convected::Update;
pub(crate) use energy::energy;
use friction::{Grips, Slip, slips};
pub(crate) use friction::{masked, pressing};

use crate::bodies::{Manifold, Symmetry, each_body};
use crate::crossing::Crossing;
use crate::drift::{
    Drift, Ending, Movable, Numbers, Projection, Reset, Stage, Steering, Weight, largest, row_scale, spread,
};
use crate::equations::{At, Equations, Scene, assemble, carry, place, residual_rates, steer, twists};
use crate::formulations::{Exactness, Formulation, Method, Setup, SolveError, Steers, Stiffness, usual_penalty};
use crate::kkt::{Policy, RowRank};
use crate::model::{Model, Topology};
use crate::motion::Wrench;
use crate::state::{Mode, State};
use serde::{Deserialize, Serialize};

/// How the reaction is found and what is done about drift.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Choice {
    /// The formulation.
    pub method: Method,
    /// The drift control.
    pub drift: Drift,
    /// How rank deficiency is met.
    pub policy: Policy,
    /// What the published methods are told.
    pub setup: Setup,
    /// The numbers of drift controls as far as they were given, for a laboratory that tries others than `drift`.
    pub numbers: Numbers,
}

/// What a run knows of its rows besides its state.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Standing {
    crossing: Crossing,
    stages: Stages,
    step: f64,
    dependent: Option<Vec<usize>>,
    rows: Option<(RowRank, Policy)>,
}

/// Whether v is projected in every stage of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Stages {
    /// It is: b stays in the range of A also where rows are dependent, or nearly so.
    Projected,
    /// Only after the step.
    Bare,
    /// And q with it, to the manifold itself.
    Full,
}

/// Relative tolerance from which on the stages of a mechanism with independent rows may go without projection.
const LOOSE: f64 = 2e-9;

/// ε and refinements of dependent rows for tolerances below that.
const TIGHT: (f64, usize) = (1e-7, 4);
/// Ratio of eigenvalues within one constraint from which on the factor alone is not trusted.
const SPREAD: f64 = 1e6;

/// All equations of a state; what slips needs the wrenches of the rows too, which one sweep does not keep.
fn sweep(model: &Model, slips: &[Slip], at: At, scene: &mut Scene, eq: &mut Equations) {
    if slips.is_empty() {
        return assemble(model, at, scene, eq);
    }
    place(model, at, scene, eq);
    carry(model, at, scene, eq);
}

/// The equations of a model at work: y = (q, v, z).
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
    /// The step in progress.
    step: f64,
    /// Relative tolerance of the run, if it was told.
    rtol: Option<f64>,
    /// The axes of their steps.
    pub(crate) update: Update,
    /// What implicit methods keep.
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

    /// Room for everything. The scales of the rows are taken from the state given in the model, so that they do not
    /// depend on where a run is taken up; whether the rows are independent is found out at `state`, which should meet
    /// the constraints.
    pub fn at(model: &'m Model, state: &State, choice: &Choice) -> Dynamics<'m> {
        let (mut scene, mut eq) = (Scene::new(model), Equations::new(model));
        // Also rows that do not hold yet have a scale.
        let given = model.initial_state();
        let all = vec![Mode::Active; given.modes.len()];
        place(model, At { modes: &all, ..At::from(&given) }, &mut scene, &mut eq);
        let scale = row_scale(model, &eq.M, &eq);
        // The factor of a penalty likewise.
        let penalty = choice.setup.penalty.or_else(|| Some(usual_penalty(&eq.M)).filter(|mu| mu.is_finite()));
        let setup = Setup { penalty, ..choice.setup };
        let mut formulation = choice.method.formulation(&model.layout, &scale, &choice.policy, &setup);
        let projection = choice.drift.weight().map(|weight| match (weight, model.symmetry()) {
            (Weight::Mass, Symmetry::Symmetric) if formulation.projector().is_some() => Projection::shared(model),
            // A non-symmetric M is no norm.
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

    /// Takes up the modes as they are now, at a state on the manifold: which rows hold, whether they are independent,
    /// what slips.
    pub fn engage(&mut self, at: At) {
        let model = self.model;
        self.slips = slips(model, &self.modes);
        let At { t, q, v, z, .. } = at;
        place(model, At { t, q, v, z, modes: &self.modes }, &mut self.scene, &mut self.eq);
        let masked = masked(model, &self.modes);
        if let Some(projector) = self.formulation.projector() {
            projector.mask(&masked);
        }
        self.projection.iter_mut().for_each(|p| p.mask(&masked));
        if model.topology == Topology::Loops {
            if let Some(projector) = self.formulation.projector() {
                projector.examine(&self.eq.M, &self.eq.A);
            }
            self.projection.iter_mut().for_each(|p| p.examine(&self.eq));
        }
        if let Some(projector) = self.formulation.projector()
            && projector.rank() == RowRank::Full
            && spread(model, &self.eq.M, &self.eq) > SPREAD
        {
            projector.refine(1);
        }
        self.crossing = Crossing::default();
        self.stages = match (self.drift.stage(), model.topology) {
            (Stage::Full, _) => Stages::Full,
            // Minimal coordinates: the others follow in every stage.
            (Stage::Velocity, _) if self.formulation.dependent().is_some() => Stages::Full,
            (Stage::Velocity, Topology::Loops) => Stages::Projected,
            // On a tree the reset after each step is enough.
            (Stage::Velocity, Topology::Tree) | (Stage::AsGiven, _) => Stages::Bare,
        };
        self.measure_shift();
        if let Some(rtol) = self.rtol {
            self.expect(rtol);
        }
    }

    /// Lowers ε of dependent rows until a solve meets them: unequal masses need less than equal ones. Tried with a
    /// load that works on every body, since a start at rest may load nothing.
    fn measure_shift(&mut self) {
        let dependent = self.formulation.projector().filter(|p| p.rank() == RowRank::Deficient);
        let Some(given) = dependent.map(|p| p.policy()).filter(|p| p.shift.is_finite()) else { return };
        let (model, mut policy) = (self.model, given);
        let probe = |i: usize| ((i as f64 + 1.0) * 2.399_963).sin();
        self.vdot.iter_mut().enumerate().for_each(|(i, x)| *x = probe(i));
        let mut b = vec![0.0; model.rows.len()];
        self.eq.times(&self.vdot, &mut b);
        self.eq.b.copy_from_slice(&b);
        let mut f = vec![0.0; model.sizes.v];
        self.vdot.iter_mut().enumerate().for_each(|(i, x)| *x = 10.0 * probe(3 * i + 1));
        self.eq.mass_times(&self.vdot, &mut f);
        self.eq.f.copy_from_slice(&f);
        while policy.shift > 1e-13 {
            if let Some(projector) = self.formulation.projector() {
                projector.follow(policy);
            }
            self.formulation.prepare(&self.eq);
            let solved = self.formulation.solve(&self.eq, &mut self.vdot, &mut self.lambda);
            if solved.is_ok() && self.eq.relative_residual(&self.vdot) < 1e-9 {
                return;
            }
            policy.shift *= 0.1;
        }
        if let Some(projector) = self.formulation.projector() {
            projector.follow(given);
        }
    }

    /// Tells the relative tolerance of a run: a loose one does not notice that stages err from the manifold, as long as
    /// rows are independent.
    pub fn expect(&mut self, rtol: f64) {
        self.rtol = Some(rtol);
        match self.formulation.projector() {
            Some(p) if p.rank() == RowRank::Full && rtol >= LOOSE && self.stages == Stages::Projected => {
                self.stages = Stages::Bare;
            }
            Some(p) if p.rank() == RowRank::Deficient && rtol < LOOSE => p.tighten(TIGHT.0, TIGHT.1),
            _ => {}
        }
    }

    /// The relative tolerance of the run; zero if it was not told.
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

    /// F(t, y): place, factor, project v, carry, solve.
    pub fn rates(&mut self, t: f64, y: &[f64], dydt: &mut [f64]) -> Result<(), SolveError> {
        let s = self.model.sizes;
        let (q, rest) = y.split_at(s.q);
        let (v, rest) = rest.split_at(s.v);
        let z = &rest[..s.z];
        self.solve(t, q, v, z)?;
        self.calm(v);
        let (dq, rest) = dydt.split_at_mut(s.q);
        let (dv, rest) = rest.split_at_mut(s.v);
        dq.copy_from_slice(&self.eq.qdot);
        dv.copy_from_slice(&self.vdot);
        rest[..s.z].copy_from_slice(&self.eq.zdot);
        Ok(())
    }

    /// Motions, A, φ and φ̇ at a state, without its accelerations.
    pub fn place(&mut self, t: f64, q: &[f64], v: &[f64], z: &[f64]) {
        place(self.model, At { t, q, v, z, modes: &self.modes }, &mut self.scene, &mut self.eq);
    }

    /// v̇ and λ at a state; everything about it can be read afterwards, its residuals too.
    pub fn accelerate(&mut self, t: f64, q: &[f64], v: &[f64], z: &[f64]) -> Result<(), SolveError> {
        self.solve(t, q, v, z)?;
        // The wrenches of the rows, which a sweep does not keep.
        place(self.model, At { t, q, v, z, modes: &self.modes }, &mut self.scene, &mut self.eq);
        if self.drift.edits() {
            carry(self.model, At { t, q, v, z, modes: &self.modes }, &mut self.scene, &mut self.eq);
        }
        self.formulation.settle(&self.eq, &mut self.lambda);
        self.show_friction();
        Ok(())
    }

    fn solve(&mut self, t: f64, q: &[f64], v: &[f64], z: &[f64]) -> Result<(), SolveError> {
        let (model, modes) = (self.model, &self.modes[..]);
        let (scene, eq) = (&mut self.scene, &mut self.eq);
        match (self.stages, &mut self.projection) {
            (Stages::Projected, Some(projection)) => {
                place(model, At { t, q, v, z, modes }, scene, eq);
                self.formulation.prepare(eq);
                projection.prepare(eq);
                // [Masarati2010] eq. (11a): the velocity that enters everything else meets the constraints.
                self.v.copy_from_slice(v);
                projection.nudge(&mut *self.formulation, eq, &mut self.v);
                let at = At { t, q, v: &self.v, z, modes };
                twists(model, at, scene);
                carry(model, at, scene, eq);
                self.formulation.solve(eq, &mut self.vdot, &mut self.lambda)?;
                self.rub(t, z)
            }
            (Stages::Full, Some(projection)) => {
                // [Masarati2010] eqs. (11a) and (17): position and velocity that enter everything else do.
                self.q.copy_from_slice(q);
                self.v.copy_from_slice(v);
                let state = Movable { t, q: &mut self.q, v: &mut self.v, z, modes };
                projection.reset(&mut *self.formulation, model, state, scene, eq);
                sweep(model, &self.slips, At { t, q: &self.q, v: &self.v, z, modes }, scene, eq);
                self.formulation.prepare_and_solve(eq, &mut self.vdot, &mut self.lambda)?;
                self.rub(t, z)
            }
            _ => {
                sweep(model, &self.slips, At { t, q, v, z, modes }, scene, eq);
                // The sweep leaves φ̇ of another state behind.
                if self.drift.reads_rates() || self.formulation.exactness() == Exactness::Penalised {
                    residual_rates(model, At { t, q, v, z, modes }, eq);
                }
                self.drift.edit(eq, self.step);
                self.formulation.prepare_and_solve(eq, &mut self.vdot, &mut self.lambda)?;
                self.rub(t, z)?;
                self.steer(q, v);
                Ok(())
            }
        }
    }

    /// q̇ = N w where w is not v.
    fn steer(&mut self, q: &[f64], v: &[f64]) {
        let steered = self.drift.steer(&self.eq, self.step, &mut self.residual);
        if steered == Steering::Straight && self.formulation.steers() == Steers::Straight {
            return;
        }
        self.v.copy_from_slice(v);
        if let (Steering::Corrected, Some(projection)) = (steered, &mut self.projection) {
            projection.prepare(&self.eq);
            let delta = projection.project(&mut *self.formulation, &self.eq, &self.residual);
            self.v.iter_mut().zip(delta).for_each(|(w, d)| *w += d);
        }
        self.formulation.steer(&self.eq, &mut self.v);
        steer(self.model, q, &self.v, &mut self.eq);
    }

    /// Tells the step that is about to be tried.
    pub fn attempt(&mut self, h: f64) {
        self.step = h.abs();
    }

    /// Why the formulation cannot treat this model, or not with this drift control, asked at the state given to [`at`](Dynamics::at).
    pub fn refuses(&mut self) -> Option<String> {
        let springs = self.formulation.stiffness(&self.eq).is_some();
        let leaves = self.drift.stage() == Stage::AsGiven && self.drift.ending() == Ending::Keep;
        if springs && !leaves {
            let drift = self.drift.name();
            return Some(format!(
                "its penalty acts through the residuals, which drift control `{drift}` takes away; use drift = \"none\""
            ));
        }
        let steers = matches!(self.drift, Drift::GearGuptaLeimkuhler(_) | Drift::BraunGoldfarb(_));
        if steers && self.formulation.steers() == Steers::Otherwise {
            let drift = self.drift.name();
            return Some(format!(
                "it and drift control `{drift}` both move the coordinates with a velocity of their own, and neither knows \
                 of the other"
            ));
        }
        self.formulation.refuses(&self.eq)
    }

    /// The fastest rate that the formulation adds of its own.
    pub fn stiffness(&mut self) -> Option<Stiffness> {
        self.formulation.stiffness(&self.eq)
    }

    /// Ends a step: brings y back to the manifold, if the drift control does so, and looks out for singular poses.
    pub fn end_step(&mut self, t: f64, y: &mut [f64]) -> Option<Reset> {
        self.formulation.step_ended();
        match self.drift.ending() {
            Ending::Keep | Ending::Shown => return None,
            Ending::Above(most) if self.residuals(t, y) <= most => return None,
            Ending::Above(_) | Ending::Reset => {}
        }
        // Where nothing is held, turns are brought back to unit length, and that is all.
        if self.model.rows.is_empty() && !self.holds_energy() {
            for b in &self.model.bodies {
                each_body!(&b.kind, body => body.normalise(&mut y[b.q.clone()]));
            }
            return None;
        }
        let reset = self.reset(t, y)?;
        if self.model.topology == Topology::Loops
            && let Some(projector) = self.projection.as_mut().and_then(|p| p.projector(&mut *self.formulation))
        {
            self.crossing.observe(t, projector.pivots());
            if self.crossing.stays() && projector.rank() == RowRank::Full {
                projector.assume(RowRank::Deficient);
                if self.stages == Stages::Bare && self.drift.stage() == Stage::Velocity {
                    self.stages = Stages::Projected;
                }
            }
        }
        Some(reset)
    }

    /// Whether every step ends with a return to the manifold and nothing else.
    pub(crate) fn projects(&self) -> bool {
        self.drift.ending() == Ending::Reset && !self.holds_energy() && !self.model.rows.is_empty()
    }

    /// Whether rows are taken to depend on each other: poses of lower rank are not foreseen then.
    pub(crate) fn rows_are_dependent(&mut self) -> bool {
        self.formulation.projector().is_some_and(|p| p.rank() == RowRank::Deficient)
    }

    /// When a pose of lower rank is expected, if one is.
    pub fn obstacle(&self) -> Option<f64> {
        self.crossing.expected()
    }

    /// Largest |φ| or |φ̇|.
    fn residuals(&mut self, t: f64, y: &[f64]) -> f64 {
        let s = self.model.sizes;
        let (q, rest) = y.split_at(s.q);
        let (v, rest) = rest.split_at(s.v);
        place(self.model, At { t, q, v, z: &rest[..s.z], modes: &self.modes }, &mut self.scene, &mut self.eq);
        largest(&self.eq.phi).max(largest(&self.eq.phidot))
    }

    /// Whether what is recorded is not the state of the integrator.
    pub fn shows_otherwise(&self) -> bool {
        self.drift.ending() == Ending::Shown
    }

    /// Whether the formulation meets A v̇ = b, or only nearly so.
    pub fn exactness(&self) -> Exactness {
        self.formulation.exactness()
    }

    /// Whether A v̇ = b is meant to hold as it stands: neither penalised nor edited.
    pub fn claims(&self) -> Exactness {
        if self.drift.edits() { Exactness::Penalised } else { self.exactness() }
    }

    /// Brings y back to the manifold, if the drift control shows it so.
    pub fn show(&mut self, t: f64, y: &mut [f64]) -> Option<Reset> {
        match self.drift.ending() {
            Ending::Keep => None,
            Ending::Above(most) if self.residuals(t, y) <= most => None,
            Ending::Above(_) | Ending::Reset | Ending::Shown => self.reset(t, y),
        }
    }

    /// Brings y back to the manifold, if there is a projection.
    fn reset(&mut self, t: f64, y: &mut [f64]) -> Option<Reset> {
        let s = self.model.sizes;
        let (q, rest) = y.split_at_mut(s.q);
        let (v, rest) = rest.split_at_mut(s.v);
        let state = Movable { t, q, v, z: &rest[..s.z], modes: &self.modes };
        let projection = self.projection.as_mut()?;
        Some(projection.reset(&mut *self.formulation, self.model, state, &mut self.scene, &mut self.eq))
    }

    /// What a run has found out about its rows so far; with the state it makes a checkpoint.
    pub fn standing(&self) -> Standing {
        Standing {
            crossing: self.crossing,
            stages: self.stages,
            step: self.step,
            dependent: self.formulation.dependent().map(<[usize]>::to_vec),
            rows: self.formulation.rows(),
        }
    }

    /// Takes up what an earlier run had found out.
    pub fn resume(&mut self, standing: &Standing) {
        self.crossing = standing.crossing;
        self.stages = standing.stages;
        self.step = standing.step;
        standing.dependent.iter().for_each(|set| self.formulation.recall(set));
        if let (Some(projector), Some((rank, policy))) = (self.formulation.projector(), standing.rows) {
            projector.follow(policy);
            projector.assume(rank);
        }
    }

    /// Largest |A v̇ − b| of the last state, and its row: what inconsistent constraints leave over.
    pub fn acceleration_residual(&self) -> (f64, usize) {
        let mut Av = vec![0.0; self.model.rows.len()];
        self.eq.times(&self.vdot, &mut Av);
        let worst = |best: (f64, usize), (r, x): (usize, f64)| if x > best.0 { (x, r) } else { best };
        Av.iter().zip(&self.eq.b).map(|(a, b)| (a - b).abs()).enumerate().fold((0.0, 0), worst)
    }
}
