//! One step of the time-stepping scheme: its state, its buffers, and the order of the parts.
//!
//! `velocities` solves for v at the end, `positions` for q, `joints` projects onto the joints, `drivers` computes the work of forces
//! and drivers, `saved` and `books` serve checkpoints and the audit.

mod books;
mod drivers;
mod joints;
mod positions;
mod saved;
mod velocities;

pub(super) use saved::Saved;

use self::positions::displace;
use super::account::Account;
use super::blocks::{Block, Blocks, Role};
use super::detect::Detector;
use super::impulses::{Impulses, Report};
use super::islands::{Islands, Kind};
use super::notices;
use super::response::Response;
use super::rows::{self, Known, Which};
use super::sleep::Sleep;
use crate::bodies::{Chart, Symmetry};
use crate::complementarity::sweep;
use crate::dynamics::{Choice, Dynamics};
use crate::equations::{At, Equations, Scene, carry, place, rechart};
use crate::interruption;
use crate::laws::Law;
use crate::model::{ConstraintEntry, Model};
use crate::motion::Wrench;
use crate::solution::Blame;
use crate::state::{Mode, State};
use serde::{Deserialize, Serialize};

/// Most corrections after a step that went through a surface.
const CORRECTIONS: usize = 4;

/// Why a step failed.
#[derive(Clone, Debug)]
pub(super) enum Stop {
    NotFinite(Blame),
    ConstraintsLost(Blame),
    /// A prescribed position jumps.
    PositionJump(Blame),
    /// The caller interrupted it; the step does not count.
    Interrupted,
}

/// Counts and energies of the run and of its last step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Tally {
    /// Contacts that press.
    pub pressing: usize,
    /// Largest penetration after the last step.
    pub penetration: f64,
    /// Energy dissipated by contacts and friction constraints.
    pub lost: f64,
    /// The part of it dissipated by tangential rows and friction constraints.
    pub rubbed: f64,
    /// Work of penetration corrections.
    pub lifted: f64,
    /// Work of forces, drivers and moving stops.
    pub driven: f64,
    /// Largest energy gain by contacts and friction constraints in one step.
    pub gained: f64,
    /// Sweeps of the last step.
    pub sweeps: usize,
    pub evaluations: u64,
    pub factorisations: u64,
    pub resets: u64,
}

/// The scheme and its state.
#[derive(Debug)]
pub(super) struct Scheme<'m> {
    pub model: &'m Model,
    /// For the projection onto the joints and for recording; constraints with a law are inactive in it.
    pub dynamics: Dynamics<'m>,
    pub detector: Detector<'m>,
    pub state: State,
    pub tally: Tally,
    /// Of the last solve on the level of velocities.
    pub report: Report,
    /// The contact or constraint with the largest residual of the run.
    pub worst: Option<(f64, String)>,
    pub settings: sweep::Settings,
    pub blocks: Blocks,
    pub account: Account,
    /// Drivers whose velocity jumped at the last break, and their impulses.
    pub jumps: Vec<(usize, f64)>,
    /// Length of a full step. Contacts are detected for this length, however short the last step was.
    full: f64,
    modes: Vec<Mode>,
    known: Vec<Known>,
    /// Equations at the start of the step, and in its middle.
    scene: Scene,
    eq: Equations,
    mid_scene: Scene,
    mid: Equations,
    islands: Islands,
    pub sleep: Sleep,
    response: Response,
    impulses: Impulses,
    returning: Blocks,
    /// Change of velocity in a full step without contact.
    gain: f64,
    buffers: Buffers,
}

/// Storage that a step uses again and again.
#[derive(Clone, Debug, Default)]
struct Buffers {
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

impl<'m> Scheme<'m> {
    /// At a state that meets the joints.
    pub fn new(
        model: &'m Model,
        state: &State,
        detector: Detector<'m>,
        settings: sweep::Settings,
        h: f64,
    ) -> Scheme<'m> {
        // Constraints with a law are blocks of the scheme, never rows of the equations.
        let idle = |(c, m): (&ConstraintEntry, &Mode)| if c.law == Law::Bilateral { *m } else { Mode::Idle };
        let modes: Vec<Mode> = model.constraints.iter().zip(&state.modes).map(idle).collect();
        let mut own = state.clone();
        own.modes.clone_from(&modes);
        let mut dynamics = Dynamics::at(model, &own, &Choice::default());
        dynamics.modes.clone_from(&modes);
        let (mut scene, mut eq) = (Scene::new(model), Equations::new(model));
        place(model, At::from(&own), &mut scene, &mut eq);
        let holds = |i: usize| model.constraints[i].law == Law::Bilateral && modes[i] != Mode::Idle;
        let islands = Islands::new(model, holds);
        let kind = if islands.any_joint() { Kind::Jointed } else { Kind::Free };
        let sleep = Sleep::new(&eq);
        let (n, rows, y) = (model.sizes.v, model.rows.len(), dynamics.dimension());
        let zeros = |n: usize| vec![0.0; n];
        let widest = model.forces.iter().map(|f| f.markers.len()).max().unwrap_or(0);
        let mut scheme = Scheme {
            model,
            dynamics,
            detector,
            state: state.clone(),
            tally: Tally::default(),
            report: Report::default(),
            worst: None,
            settings,
            blocks: Blocks::default(),
            account: Account::new(model),
            jumps: Vec::new(),
            full: h,
            known: vec![Known::default(); model.constraints.len()],
            response: Response::new(model, &eq, kind),
            impulses: Impulses::new(&eq),
            mid_scene: scene.clone(),
            mid: eq.clone(),
            scene,
            eq,
            modes,
            islands,
            sleep,
            returning: Blocks::default(),
            gain: h * model.gravity.norm(),
            buffers: Buffers {
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
        scheme.detector.detect(&scheme.scene.motions, h, scheme.gain);
        scheme.tally.penetration = scheme.detector.deepest().0;
        scheme
    }

    /// Why time stepping cannot treat a model, if it cannot.
    pub fn refuses(model: &Model) -> Option<String> {
        if model.symmetry() == Symmetry::NonSymmetric {
            return Some("a body has a mass matrix that is not symmetric; use march = \"events\"".to_string());
        }
        if let Some(why) = notices::refuses(model) {
            return Some(why);
        }
        let constraints = model.constraints.iter().filter(|c| c.kind.constraint().alarms() > 0);
        // Compliant contacts are fine: their gap alone decides whether they press.
        let own = |f: &&crate::model::ForceEntry| {
            f.kind.force().alarms() > 0 && !matches!(f.kind, crate::forces::ForceKind::Compliant(_))
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
    pub fn step(&mut self, h: f64, t_end: f64) -> Result<(), Stop> {
        let model = self.model;
        let mut buffers = std::mem::take(&mut self.buffers);
        self.gather(h, &mut buffers);
        let mut v = std::mem::take(&mut buffers.v);
        self.velocities(h, &mut v, &mut buffers);
        self.tally.driven += self.driven(h, &v, &mut buffers);
        let [pressed, rubbed] = self.blocks.work(&self.eq, &v);
        let work = pressed + rubbed;
        self.tally.lost -= work;
        self.tally.rubbed -= rubbed;
        self.tally.gained = self.tally.gained.max(work);
        rows::remember(&mut self.detector, h, &self.blocks);
        let Scheme { account, detector, blocks, eq, state, .. } = self;
        account.book(model, h, eq, detector, blocks, &v, &mut state.z);
        let (vdot, lambda) = (&mut self.dynamics.vdot, &mut self.dynamics.lambda);
        lambda.iter_mut().zip(&buffers.P).for_each(|(l, P)| *l = P / h);
        rows::recall(model, h, &self.blocks, &mut self.known, lambda);
        vdot.iter_mut().zip(v.iter().zip(&self.state.v)).for_each(|(a, (new, old))| *a = (new - old) / h);

        self.displacement(h, &v, &mut buffers);
        let Scheme { sleep, mid, blocks, islands, response, .. } = self;
        let kinetic = sleep.count(h, mid, blocks, islands, response, &mut v);
        (self.tally.lost, self.tally.rubbed) = (self.tally.lost + kinetic, self.tally.rubbed + kinetic);
        self.state.v.copy_from_slice(&v);
        buffers.v = v;
        self.state.z.iter_mut().zip(&self.mid.zdot).for_each(|(z, rate)| *z += h * rate);
        self.state.t = t_end;
        let ended = self.end(h, &mut buffers);
        self.buffers = buffers;
        if interruption::is_asked() { Err(Stop::Interrupted) } else { ended }
    }

    /// Collects the blocks at the start of the step, and M, A and f in its middle.
    fn gather(&mut self, h: f64, buffers: &mut Buffers) {
        let model = self.model;
        let State { t, q, v, z, modes: given } = &self.state;
        let at = At { t: *t, q, v, z, modes: &self.modes };
        self.blocks.clear();
        rows::contacts(model, &self.detector, at, &self.scene, Which::All, h, &mut self.blocks);
        rows::gaps(model, at, &self.known, &self.scene, &self.eq, h, &mut self.blocks);
        buffers.q.copy_from_slice(q);
        buffers.d.iter_mut().zip(v).for_each(|(d, v)| *d = 0.5 * h * v);
        displace(model, &mut buffers.q, &buffers.d);
        let at = At { t: t + 0.5 * h, q: &buffers.q, v, z, modes: &self.modes };
        place(model, at, &mut self.mid_scene, &mut self.mid);
        carry(model, at, &mut self.mid_scene, &mut self.mid);
        let (scene, lambda) = (&self.mid_scene, &self.dynamics.lambda);
        rows::grips(model, at, given, &self.known, scene, &self.mid, lambda, h, &mut self.blocks);
        self.response.prepare(&self.mid);
        self.tally.evaluations += 1;
        self.tally.factorisations += 1;
        self.islands.find(&self.blocks);
        self.sleep.mark(&self.mid, &self.blocks, &mut self.islands);
        self.blocks.note_rates(&self.eq, v);
    }

    /// Ends a step: projects onto the joints, corrects penetration, evaluates the equations and detects the contacts.
    fn end(&mut self, h: f64, buffers: &mut Buffers) -> Result<(), Stop> {
        for round in 0..=CORRECTIONS {
            self.finite()?;
            self.tally.driven += self.hold_joints(&mut buffers.y, &mut buffers.momentum)?;
            self.place_here();
            self.detector.detect(&self.scene.motions, self.full, self.gain);
            if round == CORRECTIONS || !self.leave(h, buffers) {
                break;
            }
        }
        self.tally.penetration = self.deepest().0;
        let pressing = |b: &&Block| b.role == Role::Presses && self.blocks.p[b.rows.start] > 0.0;
        self.tally.pressing = self.blocks.list.iter().filter(pressing).count();
        let State { q, v, .. } = &mut self.state;
        if rechart(self.model, q, v, |_, _| {}) == Chart::Changed {
            self.place_here();
            self.detector.detect(&self.scene.motions, self.full, self.gain);
        }
        Ok(())
    }

    /// The longest step up to h in which nothing passes through anything.
    pub fn stride(&self, h: f64) -> f64 {
        self.detector.stride(&self.scene.motions, h, self.gain)
    }

    /// The largest penetration of a surface or a constraint with a gap.
    fn deepest(&self) -> (f64, Option<usize>) {
        let mut found = self.detector.deepest();
        let gaps = |c: &&ConstraintEntry| matches!(c.law, Law::Unilateral(_)) && !rows::of_surfaces(c);
        for c in self.model.constraints.iter().filter(gaps) {
            found.0 = found.0.max(-self.eq.loose.phi[c.rows.start]);
        }
        found
    }

    /// Evaluates the equations at the present state.
    fn place_here(&mut self) {
        let at = At { modes: &self.modes, ..At::from(&self.state) };
        place(self.model, at, &mut self.scene, &mut self.eq);
    }

    /// Evaluates the equations of the recorder at the present state.
    pub fn present(&mut self) {
        let State { t, q, v, z, .. } = &self.state;
        let at = At { t: *t, q, v, z, modes: &self.modes };
        place(self.model, at, &mut self.dynamics.scene, &mut self.dynamics.eq);
        carry(self.model, at, &mut self.dynamics.scene, &mut self.dynamics.eq);
        let Dynamics { scene, eq, lambda, .. } = &mut self.dynamics;
        self.account.show(self.model, &self.state, scene, eq, lambda);
    }
}
