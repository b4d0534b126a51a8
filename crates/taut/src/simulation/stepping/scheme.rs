//! One step of the scheme: its state, its scratch, and the order of things.

mod books;
mod saved;
mod velocities;

pub(super) use saved::Saved;

use super::account::Account;
use super::blocks::{Block, Blocks, Role};
use super::detect::Detector;
use super::impulses::{Impulses, LARGE, Level, Report};
use super::islands::{Islands, Kind};
use super::notices;
use super::response::Response;
use super::rows::{self, Known, Which};
use super::sleep::Sleep;
use crate::bodies::{Body, Chart, Manifold, Symmetry, each_body};
use crate::complementarity::sweep;
use crate::constraints::{Level as Given, View};
use crate::drift::largest;
use crate::dynamics::{Choice, Dynamics};
use crate::equations::{At, Equations, Scene, carry, place, rechart};
use crate::forces::Conservation;
use crate::interruption;
use crate::laws::Law;
use crate::model::{ConstraintEntry, Model};
use crate::motion::Wrench;
use crate::solution::{Blame, worst};
use crate::state::{Mode, State};
use serde::{Deserialize, Serialize};

/// Returns to the surfaces after a step that went through them.
const CORRECTIONS: usize = 4;
/// |φ| that a return to the joints must reach, relative to 1 + the size of the coordinates.
const HELD: f64 = 1e-8;

/// Residual of a displacement relative to the largest that is needed, and sweeps to get there: what is left is met anew.
const PASSED: (f64, usize) = (1e-4, 60);
/// Penetrations over the slack that a large number of contacts is left with at the end of a step.
const CROWD: f64 = 10.0;
/// Numbers of a state beyond which no mechanism goes.
const BEYOND: f64 = 1e20;

/// |φ| from which on a prescribed position has jumped, and |φ̇| from which on a velocity has, relative to 1 + their size.
const APART: f64 = 1e-6;
const JOLTED: f64 = 1e-9;

/// Why a step could not be made.
#[derive(Clone, Debug)]
pub(super) enum Stop {
    NotFinite(Blame),
    ConstraintsLost(Blame),
    /// A prescribed position jumps.
    PositionJump(Blame),
    /// The caller asked for it; nothing has moved.
    Interrupted,
}

/// What a run has met so far, and in its last step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Tally {
    /// Contacts that press.
    pub pressing: usize,
    /// Largest penetration after the last step.
    pub penetration: f64,
    /// Energy that the blocks took.
    pub lost: f64,
    /// Of it, what tangential rows and grips took.
    pub rubbed: f64,
    /// Energy that returns to the surfaces put in by lifting.
    pub lifted: f64,
    /// Energy that forces, drivers and moving stops put in.
    pub driven: f64,
    /// Largest energy that the blocks gave in one step.
    pub gained: f64,
    /// Sweeps of the last step.
    pub sweeps: usize,
    pub evaluations: u64,
    pub factorisations: u64,
    pub resets: u64,
}

/// The scheme at work.
#[derive(Debug)]
pub(super) struct Scheme<'m> {
    pub model: &'m Model,
    /// For the return to the joints and for recording; its rows with a law are idle.
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
    /// Length of a full step: gaps that may close within it are looked for, however short the last one was.
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
    /// By how much velocities change in a step without contact.
    gain: f64,
    buffers: Buffers,
}

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
        // Rows with a law never hold by themselves here.
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

    /// Why a model cannot be marched this way.
    pub fn refuses(model: &Model) -> Option<String> {
        if model.symmetry() == Symmetry::NonSymmetric {
            return Some(
                "a body has a mass matrix that is not symmetric; march it with a transient analysis".to_string(),
            );
        }
        if let Some(why) = notices::refuses(model) {
            return Some(why);
        }
        let constraints = model.constraints.iter().filter(|c| c.kind.constraint().alarms() > 0);
        // Surfaces that give way tell by their gap alone whether they press.
        let own = |f: &&crate::model::ForceEntry| {
            f.kind.force().alarms() > 0 && !matches!(f.kind, crate::forces::ForceKind::Compliant(_))
        };
        let forces = model.forces.iter().filter(own).map(|f| &f.name);
        let points =
            |c: &&crate::model::ConstraintEntry| !matches!(c.kind, crate::constraints::ConstraintKind::Contact(_));
        let name = constraints.filter(points).map(|c| &c.name).chain(forces).next()?;
        Some(format!("`{name}` changes at moments of its own (teeth, samples), which only march = \"events\" locates"))
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

    /// Blocks of the start, M, A and f of the middle.
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

    /// q at the end: the mean of both velocities, kept from passing through anything.
    fn displacement(&mut self, h: f64, v: &[f64], buffers: &mut Buffers) {
        let Buffers { d, pi, P, free, .. } = buffers;
        d.iter_mut().zip(self.state.v.iter().zip(v)).for_each(|(d, (a, b))| *d = 0.5 * h * (a + b));
        free.copy_from_slice(d);
        self.land(h, v, d);
        pi.clear();
        pi.resize(self.blocks.list.len(), 0.0);
        let settings = sweep::Settings { tolerance: PASSED.0, sweeps: PASSED.1, ..self.settings };
        let Scheme { blocks, islands, response, impulses, mid, .. } = self;
        impulses.solve(Level::Position(h), mid, blocks, islands, response, &settings, d, pi, P);
        self.tally.lifted -= work(&self.mid.f, d, free);
        displace(self.model, &mut self.state.q, d);
    }

    /// Bodies that land without a rebound go with v₀ until they touch and with v₁ from then on.
    fn land(&mut self, h: f64, v: &[f64], d: &mut [f64]) {
        let landed = |b: &&Block| b.role == Role::Presses && self.blocks.p[b.rows.start] > 0.0;
        let mut shares: Vec<(usize, f64)> = Vec::new();
        for block in self.blocks.list.iter().filter(landed) {
            let Some(share) = block.landing else { continue };
            shares.extend(self.blocks.ties[block.ties.clone()].iter().map(|tie| (tie.body, share)));
        }
        if shares.is_empty() {
            return;
        }
        // The first touch counts, for a body and for all that joints tie to it.
        shares.sort_by(|a, b| (a.0, a.1).partial_cmp(&(b.0, b.1)).unwrap_or(std::cmp::Ordering::Equal));
        shares.dedup_by_key(|(body, _)| *body);
        let mut groups: Vec<(usize, f64)> = Vec::new();
        for &(body, share) in &shares {
            let (Kind::Jointed, island) = self.islands.of_body(body) else { continue };
            match groups.iter_mut().find(|(i, _)| *i == island) {
                Some((_, least)) => *least = least.min(share),
                None => groups.push((island, share)),
            }
        }
        for (body, b) in self.model.bodies.iter().enumerate() {
            let share = match self.islands.of_body(body) {
                (Kind::Jointed, island) => groups.iter().find(|(i, _)| *i == island).map(|g| g.1),
                (Kind::Free, _) => shares.binary_search_by_key(&body, |s| s.0).ok().map(|i| shares[i].1),
            };
            let Some(share) = share else { continue };
            for i in b.v.clone() {
                d[i] = h * (share * self.state.v[i] + (1.0 - share) * v[i]);
            }
        }
    }

    /// Back to the joints and out of what was passed through; equations and contacts of the end.
    fn end(&mut self, h: f64, buffers: &mut Buffers) -> Result<(), Stop> {
        for round in 0..=CORRECTIONS {
            self.finite()?;
            self.tally.driven += self.hold_joints(&mut buffers.y, &mut buffers.momentum)?;
            let State { t, q, v, z, .. } = &self.state;
            place(self.model, At { t: *t, q, v, z, modes: &self.modes }, &mut self.scene, &mut self.eq);
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
            let State { t, q, v, z, .. } = &self.state;
            place(self.model, At { t: *t, q, v, z, modes: &self.modes }, &mut self.scene, &mut self.eq);
            self.detector.detect(&self.scene.motions, self.full, self.gain);
        }
        Ok(())
    }

    /// The longest step up to h that passes through nothing.
    pub fn stride(&self, h: f64) -> f64 {
        self.detector.stride(&self.scene.motions, h, self.gain)
    }

    /// Work of forces, drivers and moving stops in a step to the velocities v.
    fn driven(&self, h: f64, v: &[f64], buffers: &mut Buffers) -> f64 {
        let (model, t) = (self.model, self.state.t + 0.5 * h);
        let Buffers { q, z, P, free: mean, on, .. } = buffers;
        mean.iter_mut().zip(self.state.v.iter().zip(v)).for_each(|(m, (a, b))| *m = 0.5 * (a + b));
        let mut power = 0.0;
        for b in &model.bodies {
            power += b.kind.body().loss(t, &q[b.q.clone()], &mean[b.v.clone()], &z[b.z.clone()]);
        }
        for f in model.forces.iter().filter(|f| f.kind.force().conserves() == Conservation::Open) {
            let view = View { t, motions: &self.mid_scene.motions, ids: &f.markers, z: &z[f.z.clone()] };
            let on = &mut on[..f.markers.len()];
            f.kind.force().apply(&view, on);
            power += f.kind.force().work_rate(&view, on);
        }
        let mut work = h * power + self.blocks.driven();
        for c in &model.constraints {
            for (i, r) in c.rows.clone().enumerate() {
                let rate = match model.rows[r].level {
                    Given::Acceleration => self.mid.row_times(c, i, mean),
                    Given::Position | Given::Velocity => -self.mid.phi_t[r],
                };
                work += P[r] * rate;
            }
        }
        work
    }

    /// Goes on from a moment at which prescribed velocities jump: the impulses of the drivers do what is booked as work.
    pub fn pass_break(&mut self, after: f64) -> Result<(), Stop> {
        self.state.t = after;
        self.jumps.clear();
        if self.islands.any_joint() {
            let before = self.energy();
            self.look_at_jump()?;
            let mut buffers = std::mem::take(&mut self.buffers);
            let held = self.hold_joints(&mut buffers.y, &mut buffers.momentum);
            self.buffers = buffers;
            held?;
            self.tally.driven += self.energy() - before;
        }
        let State { t, q, v, z, .. } = &self.state;
        place(self.model, At { t: *t, q, v, z, modes: &self.modes }, &mut self.scene, &mut self.eq);
        Ok(())
    }

    /// Refuses positions that jump; finds the impulses of drivers whose velocity does.
    fn look_at_jump(&mut self) -> Result<(), Stop> {
        let State { t, q, v, z, .. } = &self.state;
        place(self.model, At { t: *t, q, v, z, modes: &self.modes }, &mut self.scene, &mut self.eq);
        let (apart, row) = worst(&self.eq.phi);
        if apart.is_nan() || apart > APART * (1.0 + largest(q)) {
            let blame = Blame::Constraint { row: self.model.row_name(row), residual: apart };
            return Err(Stop::PositionJump(blame));
        }
        let Scheme { eq, response, buffers, model, state, jumps, .. } = self;
        let (v, Buffers { momentum, rows, P, v: after, .. }) = (&state.v, buffers);
        eq.times(v, rows);
        let (mut jolt, least) = (vec![0.0; rows.len()], JOLTED * (1.0 + largest(v)));
        for (i, row) in rows.iter_mut().enumerate() {
            // v̇ may jump where it is given, v does not.
            let asked = if model.rows[i].level == Given::Acceleration { *row } else { -eq.phi_t[i] };
            jolt[i] = asked - *row;
            *row = asked;
        }
        if worst(&jolt).0 <= least {
            return Ok(());
        }
        eq.mass_times(v, momentum);
        response.prepare(eq);
        response.solve(eq, momentum, rows, after, P);
        for (c, entry) in model.constraints.iter().enumerate() {
            if worst(&jolt[entry.rows.clone()]).0 > least {
                let impulse = P[entry.rows.clone()].iter().map(|p| p * p).sum::<f64>().sqrt();
                jumps.push((c, impulse));
            }
        }
        Ok(())
    }

    /// Kinetic and potential energy of the present state.
    fn energy(&mut self) -> f64 {
        self.present();
        let State { t, q, v, z, .. } = &self.state;
        let (kinetic, potential) = self.dynamics.energy(q, v, z, *t);
        kinetic + potential
    }

    /// Moves bodies out of each other; whether anything had to be moved.
    fn leave(&mut self, h: f64, buffers: &mut Buffers) -> bool {
        let model = self.model;
        let State { t, q, v, z, .. } = &self.state;
        let at = At { t: *t, q, v, z, modes: &self.modes };
        let blocks = &mut self.returning;
        blocks.clear();
        rows::contacts(model, &self.detector, at, &self.scene, Which::Gap, h, blocks);
        rows::gaps(model, at, &self.known, &self.scene, &self.eq, h, blocks);
        // In a crowd something always is a little beyond the slack, and the next step brings it back.
        let bound = if blocks.list.len() > LARGE { CROWD } else { 1.0 };
        if !blocks.list.iter().any(|b| b.gap < -bound * b.slack) {
            return false;
        }
        self.islands.find(blocks);
        let Buffers { d, pi, P, free, .. } = buffers;
        d.fill(0.0);
        free.fill(0.0);
        pi.clear();
        pi.resize(blocks.list.len(), 0.0);
        let settings = sweep::Settings { tolerance: PASSED.0, sweeps: PASSED.1, ..self.settings };
        let Scheme { returning, islands, response, impulses, mid, .. } = self;
        impulses.solve(Level::Position(0.0), mid, returning, islands, response, &settings, d, pi, P);
        self.tally.lifted -= work(&self.mid.f, d, free);
        displace(model, &mut self.state.q, d);
        true
    }

    /// Returns to φ = 0 and φ̇ = 0; the work that moving joints do in it.
    ///
    /// The return of the velocities is an impulse, M (v⁺ − v⁻) = AᵀP. It works at the rate A v⁺ = −φ_t that a driver gives, and what rests does no
    /// work: P·A v⁺ = v⁺·M (v⁺ − v⁻).
    fn hold_joints(&mut self, y: &mut [f64], momentum: &mut [f64]) -> Result<f64, Stop> {
        let s = self.model.sizes;
        if !self.islands.any_joint() {
            for b in &self.model.bodies {
                each_body!(&b.kind, body => body.normalise(&mut self.state.q[b.q.clone()]));
            }
            return Ok(0.0);
        }
        self.dynamics.pack(&self.state, y);
        // The recorder reads what this leaves of λ and v̇: they are kept.
        self.dynamics.end_step(self.state.t, y);
        self.tally.resets += 1;
        self.tally.factorisations += 1;
        self.state.q.copy_from_slice(&y[..s.q]);
        let after = &y[s.q..s.q + s.v];
        self.dynamics.eq.mass_times(after, momentum);
        let work = momentum.iter().zip(after.iter().zip(&self.state.v)).map(|(p, (v, before))| p * (v - before)).sum();
        self.state.v.copy_from_slice(after);
        let size = 1.0 + largest(&self.state.q);
        let (phi, row) = worst(&self.dynamics.eq.phi);
        if phi.is_nan() || phi > HELD * size {
            let blame = Blame::Constraint { row: self.model.row_name(row), residual: phi };
            return Err(Stop::ConstraintsLost(blame));
        }
        Ok(work)
    }

    fn finite(&self) -> Result<(), Stop> {
        let lost = |x: &[f64]| x.iter().any(|x| x.is_nan() || x.abs() > BEYOND);
        for b in &self.model.bodies {
            if lost(&self.state.q[b.q.clone()]) || lost(&self.state.v[b.v.clone()]) {
                return Err(Stop::NotFinite(Blame::Body(b.name.clone())));
            }
        }
        Ok(())
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

    /// Places the equations of the recorder at the present state.
    pub fn present(&mut self) {
        let State { t, q, v, z, .. } = &self.state;
        let at = At { t: *t, q, v, z, modes: &self.modes };
        place(self.model, at, &mut self.dynamics.scene, &mut self.dynamics.eq);
        carry(self.model, at, &mut self.dynamics.scene, &mut self.dynamics.eq);
        let Dynamics { scene, eq, lambda, .. } = &mut self.dynamics;
        self.account.show(self.model, &self.state, scene, eq, lambda);
    }
}

/// Work of forces on what a displacement has more than another.
fn work(f: &[f64], d: &[f64], free: &[f64]) -> f64 {
    f.iter().zip(d.iter().zip(free)).map(|(f, (d, free))| f * (d - free)).sum()
}

fn displace(model: &Model, q: &mut [f64], d: &[f64]) {
    for b in &model.bodies {
        each_body!(&b.kind, body => body.displace(&mut q[b.q.clone()], &d[b.v.clone()]));
    }
}
