//! Solves for the impulses of a step, island by island: directly if the island is small or has joints, by sweeps if it is large.
//!
//! The same problem is solved on two levels. On velocity level the blocks obey their own laws; on
//! position level every gap obeys 0 ≤ φ + J d ⊥ π ≥ 0 for the displacement d = d₀ + M⁻¹ Jᵀ π of the step, which moves bodies
//! without giving them speed.

use super::blocks::{Block, Blocks, Role};
use super::islands::{Islands, Kind, Rest};
use super::response::Response;
use crate::complementarity::sweep::{self, Acceleration, Settings, Sweep};
use crate::complementarity::{Law, dense};
use crate::equations::Equations;
use crate::interruption;
use nalgebra::{DMatrix, DVector};

/// Most rows of an island of free bodies that is always solved directly.
const SMALL: usize = 12;
/// Most rows of an island that is solved directly if sweeps do not converge, as with a heavy body on a light one.
const MEDIUM: usize = 64;

/// Number of plain sweeps, of extrapolated sweeps per batch after them, and the residual reduction that a batch must
/// reach if another one is to follow.
const PLAIN: usize = 40;
const EXTRAPOLATED: usize = 100;
const PAYS: f64 = 0.5;
/// Contacts of an island beyond which the sequence of steps itself is the iteration: each step starts with the impulses of the
/// last one and leaves a small residual to the next.
pub(super) const LARGE: usize = 400;
/// Sweeps of such an island.
const SWEEPS: usize = 30;
/// Solves without extrapolation after it did not help.
const WAIT: usize = 32;

/// The level on which a problem is solved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Level {
    /// Velocities, under the laws of the blocks.
    Velocity,
    /// Displacements of a step of this length; gaps alone.
    Position(f64),
}

impl Level {
    /// The law of a block, if it takes part.
    fn law(self, block: &Block) -> Option<Law> {
        match (self, block.role) {
            (Level::Velocity, Role::Presses | Role::Grips) => Some(block.law),
            (Level::Position(_), Role::Presses | Role::Watched) => Some(Law::NonNegative),
            _ => None,
        }
    }

    /// The offset of row `i` of a block, without J v.
    fn offset(self, blocks: &Blocks, block: &Block, i: usize) -> f64 {
        let row = block.rows.start + i;
        match self {
            Level::Velocity => blocks.rate[row] + blocks.shift[row],
            Level::Position(h) => block.gap + h * blocks.rate[row] + 0.5 * block.slack,
        }
    }
}

/// Effort and residual of a solution.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Report {
    pub sweeps: usize,
    /// Largest residual of the laws, relative, and its block.
    pub residual: f64,
    pub worst: Option<usize>,
}

impl Report {
    /// The worse of two.
    pub fn worse(self, other: Report) -> Report {
        let sweeps = self.sweeps + other.sweeps;
        let worse = if other.residual > self.residual || other.residual.is_nan() { other } else { self };
        Report { sweeps, ..worse }
    }

    fn add(&mut self, sweeps: usize, residual: f64, block: usize) {
        self.sweeps = self.sweeps.max(sweeps);
        if residual > self.residual || residual.is_nan() {
            (self.residual, self.worst) = (residual, Some(block));
        }
    }
}

/// Whether sweeps were possible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Swept {
    Done,
    /// A number was not finite.
    Refused,
}

/// Solves for the impulses; its storage serves all steps.
#[derive(Clone, Debug)]
pub(super) struct Impulses {
    sweep: Sweep,
    /// Index of each body in the sweep, and the round in which it was given.
    place: Vec<(usize, u64)>,
    bodies: Vec<usize>,
    round: u64,
    /// Generalised impulses, and the velocity change they cause.
    y: Vec<f64>,
    x: Vec<f64>,
    none: Vec<f64>,
    joints: Vec<f64>,
    taking: Vec<usize>,
    /// Number of solves without extrapolation, because it did not help.
    pub waiting: usize,
    /// Number of solves without sweeps on islands of medium size: if sweeps and direct solves alternated, the residual of the former
    /// would act as a force in the latter.
    pub stubborn: usize,
}

impl Impulses {
    pub fn new(eq: &Equations) -> Impulses {
        let (n, rows) = (eq.layout.velocities, eq.layout.rows());
        Impulses {
            sweep: Sweep::new(),
            place: vec![(0, 0); eq.layout.bodies.len()],
            bodies: Vec::new(),
            round: 0,
            y: vec![0.0; n],
            x: vec![0.0; n],
            none: vec![0.0; rows],
            joints: vec![0.0; rows],
            taking: Vec::new(),
            waiting: 0,
            stubborn: 0,
        }
    }

    /// From the velocities (or displacements) v without the blocks to those with them. `p` are the impulses, one per
    /// row on the level of velocities, one per block on that of positions; `P` those of the joints.
    pub fn solve(
        &mut self,
        level: Level,
        eq: &Equations,
        blocks: &Blocks,
        islands: &Islands,
        response: &mut Response,
        settings: &Settings,
        v: &mut [f64],
        p: &mut [f64],
        P: &mut [f64],
    ) -> Report {
        let mut report = Report::default();
        self.stubborn = self.stubborn.saturating_sub(1);
        for island in islands.list.iter().filter(|i| i.rest == Rest::Awake) {
            let mut taking = std::mem::take(&mut self.taking);
            taking.clear();
            let takes = |b: &usize| level.law(&blocks.list[*b]).is_some();
            taking.extend(islands.order[island.blocks.clone()].iter().copied().filter(takes));
            let rows: usize = taking.iter().filter_map(|b| level.law(&blocks.list[*b])).map(|l| l.rows()).sum();
            let passed = |b: &usize| {
                let block = &blocks.list[*b];
                let found = blocks.times(eq, block, 0, v) + level.offset(blocks, block, 0);
                found < -0.5 * block.slack || found.is_nan()
            };
            if !taking.is_empty() && (level == Level::Velocity || taking.iter().any(passed)) {
                match island.kind {
                    Kind::Free if rows > MEDIUM => {
                        if self.swept(level, eq, blocks, &taking, response, settings, v, p, &mut report) == Swept::Done
                        {
                            self.hand_over(level, eq, blocks, &taking, v, p);
                        }
                    }
                    Kind::Free if rows > SMALL && self.stubborn == 0 => {
                        let mut swept = Report::default();
                        let done = self.swept(level, eq, blocks, &taking, response, settings, v, p, &mut swept);
                        if done == Swept::Done && swept.residual <= settings.tolerance {
                            self.hand_over(level, eq, blocks, &taking, v, p);
                            report.add(swept.sweeps, swept.residual, swept.worst.unwrap_or(taking[0]));
                        } else {
                            self.stubborn = WAIT;
                            self.direct(level, Kind::Free, eq, blocks, &taking, rows, response, v, p, P, &mut report);
                        }
                    }
                    kind => self.direct(level, kind, eq, blocks, &taking, rows, response, v, p, P, &mut report),
                }
            }
            self.taking = taking;
        }
        report
    }

    /// Solves by sweeps; the solution stays in `sweep` until it is copied.
    fn swept(
        &mut self,
        level: Level,
        eq: &Equations,
        blocks: &Blocks,
        taking: &[usize],
        response: &Response,
        settings: &Settings,
        v: &[f64],
        p: &[f64],
        report: &mut Report,
    ) -> Swept {
        self.round += 1;
        self.sweep.clear();
        self.bodies.clear();
        for &b in taking {
            for tie in &blocks.ties[blocks.list[b].ties.clone()] {
                if self.place[tie.body].1 != self.round {
                    let body = &eq.layout.bodies[tie.body];
                    match self.sweep.body(&response.inverse[body.mass.clone()], &v[body.v.clone()]) {
                        Ok(index) => self.place[tie.body] = (index, self.round),
                        Err(_) => {
                            report.add(0, f64::NAN, b);
                            return Swept::Refused;
                        }
                    }
                    self.bodies.push(tie.body);
                }
            }
        }
        for &b in taking {
            let block = &blocks.list[b];
            let Some(law) = level.law(block) else { continue };
            let m = law.rows();
            let mut on: [(usize, &[f64]); 2] = [(0, &[]); 2];
            let ties = &blocks.ties[block.ties.clone()];
            for (on, tie) in on.iter_mut().zip(ties) {
                let width = eq.layout.bodies[tie.body].v.len();
                *on = (self.place[tie.body].0, &blocks.J[tie.start..tie.start + m * width]);
            }
            let mut c = [0.0; 6];
            c.iter_mut().enumerate().take(m).for_each(|(i, c)| *c = level.offset(blocks, block, i));
            let start = impulses_of(level, block, b);
            if self.sweep.contact(law, &on[..ties.len()], &c[..m], &p[start..start + m]).is_err() {
                report.add(0, f64::NAN, b);
                return Swept::Refused;
            }
        }
        let done = self.settle(settings);
        let worst = match done.outcome {
            crate::complementarity::Outcome::Stalled { block, .. } => taking[block],
            crate::complementarity::Outcome::Converged { .. } => taking[0],
        };
        report.add(done.sweeps, done.outcome.residual(), worst);
        Swept::Done
    }

    /// Copies the solution of the sweeps.
    fn hand_over(&self, level: Level, eq: &Equations, blocks: &Blocks, taking: &[usize], v: &mut [f64], p: &mut [f64]) {
        for (contact, &b) in taking.iter().enumerate() {
            let start = impulses_of(level, &blocks.list[b], b);
            let m = level.law(&blocks.list[b]).map_or(0, |l| l.rows());
            self.sweep.impulse(contact, &mut p[start..start + m]);
        }
        for &body in &self.bodies {
            if let Some(found) = self.sweep.velocity(self.place[body].0) {
                v[eq.layout.bodies[body].v.clone()].copy_from_slice(found);
            }
        }
    }

    /// Plain sweeps converge best in piles, extrapolated ones in stacks. Extrapolated sweeps follow as long as they help.
    fn settle(&mut self, settings: &Settings) -> sweep::Report {
        let plain = Settings { relaxation: 1.0, acceleration: Acceleration::Plain, ..*settings };
        if self.sweep.contacts() > LARGE {
            return self.sweep.solve(&Settings { sweeps: settings.sweeps.min(SWEEPS), ..plain });
        }
        if self.waiting > 0 {
            self.waiting -= 1;
            return self.sweep.solve(&Settings { sweeps: settings.sweeps.min(EXTRAPOLATED), ..plain });
        }
        let mut done = self.sweep.solve(&Settings { sweeps: settings.sweeps.min(PLAIN), ..plain });
        while !done.outcome.is_converged() && done.sweeps < settings.sweeps {
            let kept = self.sweep.clone();
            let sweeps = EXTRAPOLATED.min(settings.sweeps - done.sweeps);
            let next = self.sweep.solve(&Settings { sweeps, ..*settings });
            let (before, after) = (done.outcome.residual(), next.outcome.residual());
            done.sweeps += next.sweeps;
            if after.is_nan() || after >= before {
                self.sweep = kept;
                self.waiting = WAIT;
                break;
            }
            done.outcome = next.outcome;
            if after > PAYS * before {
                self.waiting = WAIT;
                break;
            }
        }
        done
    }

    fn direct(
        &mut self,
        level: Level,
        kind: Kind,
        eq: &Equations,
        blocks: &Blocks,
        taking: &[usize],
        rows: usize,
        response: &mut Response,
        v: &mut [f64],
        p: &mut [f64],
        P: &mut [f64],
        report: &mut Report,
    ) {
        let (mut G, mut c, mut start) = (DMatrix::zeros(rows, rows), DVector::zeros(rows), DVector::zeros(rows));
        let laws: Vec<Law> = taking.iter().filter_map(|b| level.law(&blocks.list[*b])).collect();
        let mut column = 0;
        for (&b, law) in taking.iter().zip(&laws) {
            if interruption::is_asked() {
                return;
            }
            let block = &blocks.list[b];
            for i in 0..law.rows() {
                c[column] = blocks.times(eq, block, i, v) + level.offset(blocks, block, i);
                start[column] = p[impulses_of(level, block, b) + i];
                self.y.fill(0.0);
                blocks.add(eq, block, i, 1.0, &mut self.y);
                self.answer(kind, eq, blocks, &[b], response);
                let mut row = 0;
                for (&other, law) in taking.iter().zip(&laws) {
                    for j in 0..law.rows() {
                        G[(row, column)] = blocks.times(eq, &blocks.list[other], j, &self.x);
                        row += 1;
                    }
                }
                column += 1;
            }
        }
        // Symmetric up to round-off.
        let G = (&G + G.transpose()) * 0.5;
        let Ok(answer) = dense::solve(&G, &c, &laws, Some(&start)) else {
            return report.add(0, f64::NAN, taking[0]);
        };
        let worst = match answer.outcome {
            crate::complementarity::Outcome::Stalled { block, .. } => taking[block],
            crate::complementarity::Outcome::Converged { .. } => taking[0],
        };
        report.add(answer.sweeps, answer.outcome.residual(), worst);
        self.y.fill(0.0);
        let mut row = 0;
        for (&b, law) in taking.iter().zip(&laws) {
            let block = &blocks.list[b];
            let at = impulses_of(level, block, b);
            for i in 0..law.rows() {
                p[at + i] = answer.p[row];
                blocks.add(eq, block, i, answer.p[row], &mut self.y);
                row += 1;
            }
        }
        self.answer(kind, eq, blocks, taking, response);
        v.iter_mut().zip(&self.x).for_each(|(v, x)| *v += x);
        if kind == Kind::Jointed {
            P.iter_mut().zip(&self.joints).for_each(|(P, x)| *P += x);
        }
    }

    /// x = velocity change by the generalised impulses y, which act on the bodies of these blocks.
    fn answer(&mut self, kind: Kind, eq: &Equations, blocks: &Blocks, on: &[usize], response: &mut Response) {
        match kind {
            Kind::Jointed => response.solve(eq, &self.y, &self.none, &mut self.x, &mut self.joints),
            Kind::Free => {
                self.x.fill(0.0);
                self.round += 1;
                for tie in on.iter().flat_map(|b| &blocks.ties[blocks.list[*b].ties.clone()]) {
                    if self.place[tie.body].1 != self.round {
                        self.place[tie.body].1 = self.round;
                        let v = eq.layout.bodies[tie.body].v.clone();
                        response.of_body(eq, tie.body, &self.y[v.clone()], &mut self.x[v]);
                    }
                }
            }
        }
    }
}

/// Index of the first impulse of a block.
fn impulses_of(level: Level, block: &Block, index: usize) -> usize {
    match level {
        Level::Velocity => block.rows.start,
        Level::Position(_) => index,
    }
}
