//! One step of the time-stepping scheme: its state, its buffers, and the order of the parts.
//!
//! `velocities` solves for v at the end, `positions` for q, `joints` projects onto the joints, `drivers` computes the work of forces
//! and drivers, `scheme_checkpoint` and `energy_audit` serve checkpoints and the audit.

mod drivers;
mod energy_audit;
mod joints;
mod positions;
mod scheme_checkpoint;
mod velocities;

pub(super) use scheme_checkpoint::SchemeCheckpoint;

use self::positions::displace;
use super::block_assembly::{self, ConstraintMemory, ContactRows};
use super::contact_detection::ContactDetector;
use super::contact_ledger::ContactLedger;
use super::impulse_response::ImpulseResponse;
use super::impulse_solver::{ImpulseSolver, SolveReport};
use super::islands::{IslandKind, Islands};
use super::law_blocks::{BlockRole, LawBlock, LawBlocks};
use super::sleep::SleepState;
use super::step_events;
use crate::bodies::{ChartChange, Symmetry};
use crate::complementarity::sweep;
use crate::dynamics::{Dynamics, SolverSettings};
use crate::equations::{Equations, MarkerKinematics, StateView, assemble_positions, assemble_rates, change_charts};
use crate::interruption;
use crate::laws::ConstraintLaw;
use crate::model::{ConstraintEntry, Model};
use crate::motion::Wrench;
use crate::solution::Cause;
use crate::state::{ConstraintMode, State};
use serde::{Deserialize, Serialize};

/// Most corrections after a step that went through a surface.
const MAX_CORRECTIONS: usize = 4;

/// Why a step failed.
#[derive(Clone, Debug)]
pub(super) enum StepFailure {
    NotFinite(Cause),
    ConstraintsLost(Cause),
    /// A prescribed position jumps.
    PositionJump(Cause),
    /// Drivers push bodies into this contact or stop.
    DrivenInto(String),
    /// The caller interrupted it; the step does not count.
    Interrupted,
}

/// Counts and energies of the run and of its last step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct StepCounts {
    /// Contacts that press.
    pub pressing: usize,
    /// Largest penetration after the last step.
    pub penetration: f64,
    /// Energy dissipated by contacts and friction constraints.
    pub contact_loss: f64,
    /// The part of it dissipated by tangential rows and friction constraints.
    pub friction_loss: f64,
    /// Work of penetration corrections.
    pub correction_work: f64,
    /// Work of forces, drivers and moving stops.
    pub driver_work: f64,
    /// Largest energy gain by contacts and friction constraints in one step.
    pub largest_gain: f64,
    /// Sweeps of the last step.
    pub sweeps: usize,
    pub evaluations: u64,
    pub factorisations: u64,
    pub resets: u64,
}

/// The scheme and its state.
#[derive(Debug)]
pub(super) struct MoreauScheme<'m> {
    pub model: &'m Model,
    /// For the projection onto the joints and for recording; constraints with a law are inactive in it.
    pub dynamics: Dynamics<'m>,
    pub detector: ContactDetector<'m>,
    pub state: State,
    pub counts: StepCounts,
    /// Of the last solve on the level of velocities.
    pub report: SolveReport,
    /// The contact or constraint with the largest residual of the run.
    pub worst: Option<(f64, String)>,
    pub settings: sweep::SweepSettings,
    pub blocks: LawBlocks,
    pub contact_ledger: ContactLedger,
    /// Drivers whose velocity jumped at the last break, and their impulses.
    pub jumps: Vec<(usize, f64)>,
    /// Length of a full step. Contacts are detected for this length, however short the last step was.
    full_step: f64,
    modes: Vec<ConstraintMode>,
    constraint_memories: Vec<ConstraintMemory>,
    /// Equations at the start of the step, and in its middle.
    scene: MarkerKinematics,
    eq: Equations,
    middle_scene: MarkerKinematics,
    middle: Equations,
    islands: Islands,
    pub sleep: SleepState,
    response: ImpulseResponse,
    impulses: ImpulseSolver,
    correction_blocks: LawBlocks,
    /// Change of velocity in a full step without contact.
    free_speed_change: f64,
    buffers: StepBuffers,
}

/// Storage that a step uses again and again.
#[derive(Clone, Debug, Default)]
struct StepBuffers {
    q: Vec<f64>,
    v: Vec<f64>,
    z: Vec<f64>,
    f: Vec<f64>,
    momentum: Vec<f64>,
    rows: Vec<f64>,
    P: Vec<f64>,
    P_free: Vec<f64>,
    free: Vec<f64>,
    d: Vec<f64>,
    pi: Vec<f64>,
    y: Vec<f64>,
    on: Vec<Wrench>,
}

impl<'m> MoreauScheme<'m> {
    /// At a state that meets the joints.
    pub fn new(
        model: &'m Model,
        state: &State,
        detector: ContactDetector<'m>,
        settings: sweep::SweepSettings,
        h: f64,
    ) -> MoreauScheme<'m> {
        // Constraints with a law are blocks of the scheme, never rows of the equations.
        let idle = |(c, m): (&ConstraintEntry, &ConstraintMode)| {
            if c.law == ConstraintLaw::Bilateral { *m } else { ConstraintMode::Idle }
        };
        let modes: Vec<ConstraintMode> = model.constraints.iter().zip(&state.modes).map(idle).collect();
        let mut own = state.clone();
        own.modes.clone_from(&modes);
        let mut dynamics = Dynamics::at(model, &own, &SolverSettings::default());
        dynamics.modes.clone_from(&modes);
        let (mut scene, mut eq) = (MarkerKinematics::new(model), Equations::new(model));
        assemble_positions(model, StateView::from(&own), &mut scene, &mut eq);
        let holds = |i: usize| model.constraints[i].law == ConstraintLaw::Bilateral && modes[i] != ConstraintMode::Idle;
        let islands = Islands::new(model, holds);
        let kind = if islands.has_joints() { IslandKind::Jointed } else { IslandKind::Free };
        let sleep = SleepState::new(&eq);
        let (n, rows, y) = (model.sizes.v, model.rows.len(), dynamics.dimension());
        let zeros = |n: usize| vec![0.0; n];
        let widest = model.forces.iter().map(|f| f.markers.len()).max().unwrap_or(0);
        let mut scheme = MoreauScheme {
            model,
            dynamics,
            detector,
            state: state.clone(),
            counts: StepCounts::default(),
            report: SolveReport::default(),
            worst: None,
            settings,
            blocks: LawBlocks::default(),
            contact_ledger: ContactLedger::new(model),
            jumps: Vec::new(),
            full_step: h,
            constraint_memories: vec![ConstraintMemory::default(); model.constraints.len()],
            response: ImpulseResponse::new(model, &eq, kind),
            impulses: ImpulseSolver::new(&eq),
            middle_scene: scene.clone(),
            middle: eq.clone(),
            scene,
            eq,
            modes,
            islands,
            sleep,
            correction_blocks: LawBlocks::default(),
            free_speed_change: h * model.gravity.norm(),
            buffers: StepBuffers {
                q: zeros(model.sizes.q),
                z: zeros(model.sizes.z),
                v: zeros(n),
                f: zeros(n),
                momentum: zeros(n),
                rows: zeros(rows),
                P: zeros(rows),
                P_free: zeros(rows),
                free: zeros(n),
                d: zeros(n),
                pi: Vec::new(),
                y: zeros(y),
                on: vec![Wrench::ZERO; widest],
            },
        };
        scheme.detector.detect(&scheme.scene.motions, h, scheme.free_speed_change);
        scheme.counts.penetration = scheme.detector.deepest().0;
        scheme
    }

    /// Why time stepping cannot treat a model, if it cannot.
    pub fn rejection_reason(model: &Model) -> Option<String> {
        if let Some(why) = model.reaction_force_refusal() {
            return Some(format!("{why}, event by event"));
        }
        if model.symmetry() == Symmetry::NonSymmetric {
            return Some(
                "a body has a mass matrix that is not symmetric; use contact_method = \"event_driven\"".to_string(),
            );
        }
        if let Some(body) = model.massless_body() {
            return Some(format!("body `{body}` has no mass, and a step needs M⁻¹; give it a small mass and inertia"));
        }
        if let Some(why) = step_events::rejection_reason(model) {
            return Some(why);
        }
        let constraints = model.constraints.iter().filter(|c| c.kind.constraint().reset_guard_count() > 0);
        // Compliant contacts are fine: their gap alone decides whether they press.
        let own = |f: &&crate::model::ForceEntry| {
            f.kind.force().reset_guard_count() > 0 && !matches!(f.kind, crate::forces::ForceKind::Compliant(_))
        };
        let forces = model.forces.iter().filter(own).map(|f| &f.name);
        let points =
            |c: &&crate::model::ConstraintEntry| !matches!(c.kind, crate::constraints::ConstraintKind::Contact(_));
        let name = constraints.filter(points).map(|c| &c.name).chain(forces).next()?;
        Some(format!(
            "`{name}` changes at times of its own (teeth, samples), which only contact_method = \"event_driven\" locates"
        ))
    }

    /// One step of length h, to the time `t_end`.
    pub fn step(&mut self, h: f64, t_end: f64) -> Result<(), StepFailure> {
        let model = self.model;
        let mut buffers = std::mem::take(&mut self.buffers);
        self.assemble_middle(h, &mut buffers);
        let mut v = std::mem::take(&mut buffers.v);
        self.velocities(h, &mut v, &mut buffers);
        if let Some(name) = self.contradicted_gap(h, &v, &mut buffers) {
            buffers.v = v;
            self.buffers = buffers;
            return Err(StepFailure::DrivenInto(name));
        }
        self.counts.driver_work += self.driver_work(h, &v, &mut buffers);
        let [pressed, rubbed] = self.blocks.work(&self.eq, &v);
        let work = pressed + rubbed;
        self.counts.contact_loss -= work;
        self.counts.friction_loss -= rubbed;
        self.counts.largest_gain = self.counts.largest_gain.max(work);
        block_assembly::store_contact_forces(&mut self.detector, h, &self.blocks);
        let MoreauScheme { contact_ledger: account, detector, blocks, eq, state, .. } = self;
        account.record_step(model, h, eq, detector, blocks, &v, &mut state.z);
        let (vdot, lambda) = (&mut self.dynamics.vdot, &mut self.dynamics.lambda);
        lambda.iter_mut().zip(&buffers.P).for_each(|(l, P)| *l = P / h);
        block_assembly::store_constraint_forces(model, h, &self.blocks, &mut self.constraint_memories, lambda);
        vdot.iter_mut().zip(v.iter().zip(&self.state.v)).for_each(|(a, (new, old))| *a = (new - old) / h);

        self.move_bodies(h, &v, &mut buffers);
        let MoreauScheme { sleep, middle: mid, blocks, islands, response, .. } = self;
        let kinetic = sleep.count_calm_steps(h, mid, blocks, islands, response, &mut v);
        (self.counts.contact_loss, self.counts.friction_loss) =
            (self.counts.contact_loss + kinetic, self.counts.friction_loss + kinetic);
        self.state.v.copy_from_slice(&v);
        buffers.v = v;
        self.state.z.iter_mut().zip(&self.middle.zdot).for_each(|(z, rate)| *z += h * rate);
        self.state.t = t_end;
        let ended = self.end_step(h, &mut buffers);
        self.buffers = buffers;
        if interruption::is_requested() { Err(StepFailure::Interrupted) } else { ended }
    }

    /// Collects the blocks at the start of the step, and M, A and f in its middle.
    fn assemble_middle(&mut self, h: f64, buffers: &mut StepBuffers) {
        let model = self.model;
        let State { t, q, v, z, modes: given } = &self.state;
        let at = StateView { t: *t, q, v, z, modes: &self.modes };
        self.blocks.clear();
        block_assembly::add_surface_contacts(
            model,
            &self.detector,
            at,
            &self.scene,
            ContactRows::All,
            h,
            &mut self.blocks,
        );
        block_assembly::add_gap_constraints(
            model,
            at,
            &self.constraint_memories,
            &self.scene,
            &self.eq,
            h,
            &mut self.blocks,
        );
        buffers.q.copy_from_slice(q);
        buffers.d.iter_mut().zip(v).for_each(|(d, v)| *d = 0.5 * h * v);
        displace(model, &mut buffers.q, &buffers.d);
        let at = StateView { t: t + 0.5 * h, q: &buffers.q, v, z, modes: &self.modes };
        assemble_positions(model, at, &mut self.middle_scene, &mut self.middle);
        assemble_rates(model, at, &mut self.middle_scene, &mut self.middle);
        let (scene, lambda) = (&self.middle_scene, &self.dynamics.lambda);
        block_assembly::add_friction_constraints(
            model,
            at,
            given,
            &self.constraint_memories,
            scene,
            &self.middle,
            lambda,
            h,
            &mut self.blocks,
        );
        self.response.factor(&self.middle);
        self.counts.evaluations += 1;
        self.counts.factorisations += 1;
        self.islands.partition(&self.blocks);
        self.sleep.mark_sleeping_islands(&self.middle, &self.blocks, &mut self.islands);
        self.blocks.store_initial_rates(&self.eq, v);
    }

    /// Ends a step: projects onto the joints, corrects penetration, evaluates the equations and detects the contacts.
    fn end_step(&mut self, h: f64, buffers: &mut StepBuffers) -> Result<(), StepFailure> {
        for round in 0..=MAX_CORRECTIONS {
            self.check_finite()?;
            self.counts.driver_work += self.return_to_joints(&mut buffers.y, &mut buffers.momentum)?;
            self.evaluate_start();
            self.detector.detect(&self.scene.motions, self.full_step, self.free_speed_change);
            if round == MAX_CORRECTIONS || !self.correct_penetration(h, buffers) {
                break;
            }
        }
        self.counts.penetration = self.deepest().0;
        let pressing = |b: &&LawBlock| b.role == BlockRole::Active && self.blocks.p[b.rows.start] > 0.0;
        self.counts.pressing = self.blocks.list.iter().filter(pressing).count();
        let State { q, v, .. } = &mut self.state;
        if change_charts(self.model, q, v, |_, _| {}) == ChartChange::Changed {
            self.evaluate_start();
            self.detector.detect(&self.scene.motions, self.full_step, self.free_speed_change);
        }
        Ok(())
    }

    /// The longest step up to h in which nothing passes through anything.
    pub fn longest_safe_step(&self, h: f64) -> f64 {
        self.detector.longest_safe_step(&self.scene.motions, h, self.free_speed_change)
    }

    /// The largest penetration of a surface or a constraint with a gap.
    fn deepest(&self) -> (f64, Option<usize>) {
        let mut found = self.detector.deepest();
        let gaps = |c: &&ConstraintEntry| {
            matches!(c.law, ConstraintLaw::Unilateral(_)) && !block_assembly::is_surface_contact(c)
        };
        for c in self.model.constraints.iter().filter(gaps) {
            found.0 = found.0.max(-self.eq.inactive.phi[c.rows.start]);
        }
        found
    }

    /// Evaluates the equations at the present state.
    fn evaluate_start(&mut self) {
        let at = StateView { modes: &self.modes, ..StateView::from(&self.state) };
        assemble_positions(self.model, at, &mut self.scene, &mut self.eq);
    }

    /// Evaluates the equations of the recorder at the present state.
    pub fn evaluate_for_recorder(&mut self) {
        let State { t, q, v, z, .. } = &self.state;
        let at = StateView { t: *t, q, v, z, modes: &self.modes };
        assemble_positions(self.model, at, &mut self.dynamics.kinematics, &mut self.dynamics.eq);
        assemble_rates(self.model, at, &mut self.dynamics.kinematics, &mut self.dynamics.eq);
        let Dynamics { kinematics: scene, eq, lambda, .. } = &mut self.dynamics;
        self.contact_ledger.write_multipliers_and_modes(self.model, &self.state, scene, eq, lambda);
    }
}
