//! Solves for the impulses of a step, island by island: directly if the island is small or has joints, by sweeps if it is large.
//!
//! The same problem is solved on two levels. On velocity level the blocks obey their own laws; on
//! position level every gap obeys 0 ≤ φ + J d ⊥ π ≥ 0 for the displacement d = d₀ + M⁻¹ Jᵀ π of the step, which moves bodies
//! without giving them speed.

mod direct;
mod sweep_input;

use super::impulse_response::ImpulseResponse;
use super::islands::{IslandActivity, IslandKind, Islands};
use super::law_blocks::{BlockRole, LawBlock, LawBlocks};
use crate::complementarity::sweep::{self, SweepAcceleration, SweepSettings, SweepSolver};
use crate::complementarity::{ComplementarityLaw, dense};
use crate::equations::Equations;
use crate::interruption;
use nalgebra::{DMatrix, DVector};

/// Most rows of an island of free bodies that is always solved directly.
const MAX_DIRECT_ROWS: usize = 12;
/// Most rows of an island that is solved directly if sweeps do not converge, as with a heavy body on a light one.
const MAX_FALLBACK_ROWS: usize = 64;

/// Number of plain sweeps, of extrapolated sweeps per batch after them, and the residual reduction that a batch must
/// reach if another one is to follow.
const PLAIN_SWEEPS: usize = 40;
const EXTRAPOLATED_SWEEPS: usize = 100;
const WORTHWHILE_REDUCTION: f64 = 0.5;
/// Contacts of an island beyond which the sequence of steps itself is the iteration: each step starts with the impulses of the
/// last one and leaves a small residual to the next.
pub(super) const LARGE_ISLAND_CONTACTS: usize = 400;
/// Sweeps of such an island.
const LARGE_ISLAND_SWEEPS: usize = 30;
/// Solves without extrapolation after it did not help.
const SOLVES_BEFORE_RETRY: usize = 32;

/// The level on which a problem is solved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum SolveLevel {
    /// Velocities, under the laws of the blocks.
    Velocity,
    /// Displacements of a step of this length; gaps alone.
    Position(f64),
}

impl SolveLevel {
    /// The law of a block, if it takes part.
    fn law(self, block: &LawBlock) -> Option<ComplementarityLaw> {
        match (self, block.role) {
            (SolveLevel::Velocity, BlockRole::Active | BlockRole::Friction) => Some(block.law),
            (SolveLevel::Position(_), BlockRole::Active | BlockRole::Inactive) => Some(ComplementarityLaw::NonNegative),
            _ => None,
        }
    }

    /// The offset of row `i` of a block, without J v.
    fn offset(self, blocks: &LawBlocks, block: &LawBlock, i: usize) -> f64 {
        let row = block.rows.start + i;
        match self {
            SolveLevel::Velocity => blocks.rate[row] + blocks.rate_offset[row],
            SolveLevel::Position(h) => block.gap + h * blocks.rate[row] + 0.5 * block.slack,
        }
    }
}

/// Effort and residual of a solution.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SolveReport {
    pub sweeps: usize,
    /// Largest residual of the laws, relative, and its block.
    pub residual: f64,
    pub worst: Option<usize>,
}

impl SolveReport {
    /// The worse of two.
    pub fn worse(self, other: SolveReport) -> SolveReport {
        let sweeps = self.sweeps + other.sweeps;
        let worse = if other.residual > self.residual || other.residual.is_nan() { other } else { self };
        SolveReport { sweeps, ..worse }
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
enum SweepResult {
    Done,
    /// A number was not finite.
    NotFinite,
}

/// Solves for the impulses; its storage serves all steps.
#[derive(Clone, Debug)]
pub(super) struct ImpulseSolver {
    sweep: SweepSolver,
    /// Index of each body in the sweep, and the round in which it was given.
    sweep_index: Vec<(usize, u64)>,
    bodies: Vec<usize>,
    round: u64,
    /// Rows of one block.
    rows: Vec<f64>,
    /// Generalised impulses, and the velocity change they cause.
    y: Vec<f64>,
    x: Vec<f64>,
    zeros: Vec<f64>,
    joints: Vec<f64>,
    participants: Vec<usize>,
    /// Number of solves without extrapolation, because it did not help.
    pub plain_solves_left: usize,
    /// Number of solves without sweeps on islands of medium size: if sweeps and direct solves alternated, the residual of the former
    /// would act as a force in the latter.
    pub direct_solves_left: usize,
}

impl ImpulseSolver {
    pub fn new(eq: &Equations) -> ImpulseSolver {
        let (n, rows) = (eq.layout.velocities, eq.layout.rows());
        ImpulseSolver {
            sweep: SweepSolver::new(),
            sweep_index: vec![(0, 0); eq.layout.bodies.len()],
            bodies: Vec::new(),
            round: 0,
            rows: Vec::new(),
            y: vec![0.0; n],
            x: vec![0.0; n],
            zeros: vec![0.0; rows],
            joints: vec![0.0; rows],
            participants: Vec::new(),
            plain_solves_left: 0,
            direct_solves_left: 0,
        }
    }

    /// From the velocities (or displacements) v without the blocks to those with them. `p` are the impulses, one per
    /// row on the level of velocities, one per block on that of positions; `P` those of the joints.
    pub fn solve(
        &mut self,
        level: SolveLevel,
        eq: &Equations,
        blocks: &LawBlocks,
        islands: &Islands,
        response: &mut ImpulseResponse,
        settings: &SweepSettings,
        v: &mut [f64],
        p: &mut [f64],
        P: &mut [f64],
    ) -> SolveReport {
        let mut report = SolveReport::default();
        self.direct_solves_left = self.direct_solves_left.saturating_sub(1);
        for island in islands.list.iter().filter(|i| i.activity == IslandActivity::Awake) {
            let mut taking = std::mem::take(&mut self.participants);
            taking.clear();
            let takes = |b: &usize| level.law(&blocks.list[*b]).is_some();
            taking.extend(islands.order[island.blocks.clone()].iter().copied().filter(takes));
            let rows: usize = taking.iter().filter_map(|b| level.law(&blocks.list[*b])).map(|l| l.rows()).sum();
            let passed = |b: &usize| {
                let block = &blocks.list[*b];
                let found = blocks.times(eq, block, 0, v) + level.offset(blocks, block, 0);
                found < -0.5 * block.slack || found.is_nan()
            };
            if !taking.is_empty() && (level == SolveLevel::Velocity || taking.iter().any(passed)) {
                match island.kind {
                    IslandKind::Free if rows > MAX_FALLBACK_ROWS => {
                        if self.sweep_island(level, eq, blocks, &taking, response, settings, v, p, &mut report)
                            == SweepResult::Done
                        {
                            self.copy_solution(level, eq, blocks, &taking, v, p);
                        }
                    }
                    IslandKind::Free if rows > MAX_DIRECT_ROWS && self.direct_solves_left == 0 => {
                        let mut swept = SolveReport::default();
                        let done = self.sweep_island(level, eq, blocks, &taking, response, settings, v, p, &mut swept);
                        if done == SweepResult::Done && swept.residual <= settings.tolerance {
                            self.copy_solution(level, eq, blocks, &taking, v, p);
                            report.add(swept.sweeps, swept.residual, swept.worst.unwrap_or(taking[0]));
                        } else {
                            self.direct_solves_left = SOLVES_BEFORE_RETRY;
                            if done == SweepResult::Done && swept.residual.is_finite() {
                                self.copy_impulses(level, blocks, &taking, p);
                            }
                            self.solve_directly(
                                level,
                                IslandKind::Free,
                                eq,
                                blocks,
                                &taking,
                                rows,
                                settings.tolerance,
                                response,
                                v,
                                p,
                                P,
                                &mut report,
                            );
                        }
                    }
                    kind => {
                        let tolerance = settings.tolerance;
                        self.solve_directly(
                            level,
                            kind,
                            eq,
                            blocks,
                            &taking,
                            rows,
                            tolerance,
                            response,
                            v,
                            p,
                            P,
                            &mut report,
                        );
                    }
                }
            }
            self.participants = taking;
        }
        report
    }

    /// Solves by sweeps; the solution stays in `sweep` until it is copied.
    fn sweep_island(
        &mut self,
        level: SolveLevel,
        eq: &Equations,
        blocks: &LawBlocks,
        taking: &[usize],
        response: &ImpulseResponse,
        settings: &SweepSettings,
        v: &[f64],
        p: &[f64],
        report: &mut SolveReport,
    ) -> SweepResult {
        self.round += 1;
        self.sweep.clear();
        self.bodies.clear();
        for &b in taking {
            for tie in &blocks.bodies[blocks.list[b].bodies.clone()] {
                if self.sweep_index[tie.body].1 != self.round {
                    let body = &eq.layout.bodies[tie.body];
                    match self.sweep.add_body(&response.inverse_mass[body.mass.clone()], &v[body.v.clone()]) {
                        Ok(index) => self.sweep_index[tie.body] = (index, self.round),
                        Err(_) => {
                            report.add(0, f64::NAN, b);
                            return SweepResult::NotFinite;
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
            let ties = &blocks.bodies[block.bodies.clone()];
            let mut c = [0.0; 6];
            c.iter_mut().enumerate().take(m).for_each(|(i, c)| *c = level.offset(blocks, block, i));
            let first = first_impulse(level, block, b);
            let start = &p[first..first + m];
            let added = self.add_to_sweep(eq, blocks, law, ties, &c[..m], start);
            if added.is_err() {
                report.add(0, f64::NAN, b);
                return SweepResult::NotFinite;
            }
        }
        let done = self.iterate_sweeps(settings);
        let worst = match done.outcome {
            crate::complementarity::SolverOutcome::Stalled { block, .. } => taking[block],
            crate::complementarity::SolverOutcome::Converged { .. } => taking[0],
        };
        report.add(done.sweeps, done.outcome.residual(), worst);
        SweepResult::Done
    }

    /// Copies the solution of the sweeps.
    fn copy_solution(
        &self,
        level: SolveLevel,
        eq: &Equations,
        blocks: &LawBlocks,
        taking: &[usize],
        v: &mut [f64],
        p: &mut [f64],
    ) {
        self.copy_impulses(level, blocks, taking, p);
        for &body in &self.bodies {
            if let Some(found) = self.sweep.velocity(self.sweep_index[body].0) {
                v[eq.layout.bodies[body].v.clone()].copy_from_slice(found);
            }
        }
    }

    /// Copies the impulses of the sweeps.
    fn copy_impulses(&self, level: SolveLevel, blocks: &LawBlocks, taking: &[usize], p: &mut [f64]) {
        for (contact, &b) in taking.iter().enumerate() {
            let start = first_impulse(level, &blocks.list[b], b);
            let m = level.law(&blocks.list[b]).map_or(0, |l| l.rows());
            self.sweep.impulse(contact, &mut p[start..start + m]);
        }
    }

    /// Plain sweeps converge best in piles, extrapolated ones in stacks. Extrapolated sweeps follow as long as they help.
    fn iterate_sweeps(&mut self, settings: &SweepSettings) -> sweep::SweepReport {
        let plain = SweepSettings { relaxation: 1.0, acceleration: SweepAcceleration::Plain, ..*settings };
        if self.sweep.contact_count() > LARGE_ISLAND_CONTACTS {
            return self
                .sweep
                .solve(&SweepSettings { max_sweeps: settings.max_sweeps.min(LARGE_ISLAND_SWEEPS), ..plain });
        }
        if self.plain_solves_left > 0 {
            self.plain_solves_left -= 1;
            return self
                .sweep
                .solve(&SweepSettings { max_sweeps: settings.max_sweeps.min(EXTRAPOLATED_SWEEPS), ..plain });
        }
        let mut done = self.sweep.solve(&SweepSettings { max_sweeps: settings.max_sweeps.min(PLAIN_SWEEPS), ..plain });
        while !done.outcome.is_converged() && done.sweeps < settings.max_sweeps {
            let kept = self.sweep.impulses().to_vec();
            let sweeps = EXTRAPOLATED_SWEEPS.min(settings.max_sweeps - done.sweeps);
            let next = self.sweep.solve(&SweepSettings { max_sweeps: sweeps, ..*settings });
            let (before, after) = (done.outcome.residual(), next.outcome.residual());
            done.sweeps += next.sweeps;
            if after.is_nan() || after >= before {
                self.sweep.set_impulses(&kept);
                self.plain_solves_left = SOLVES_BEFORE_RETRY;
                break;
            }
            done.outcome = next.outcome;
            if after > WORTHWHILE_REDUCTION * before {
                self.plain_solves_left = SOLVES_BEFORE_RETRY;
                break;
            }
        }
        done
    }

    /// x = velocity change by the generalised impulses y, which act on the bodies of these blocks; x of other free bodies is unchanged.
    fn apply_response(
        &mut self,
        kind: IslandKind,
        eq: &Equations,
        blocks: &LawBlocks,
        on: &[usize],
        response: &mut ImpulseResponse,
    ) {
        match kind {
            IslandKind::Jointed => response.solve(eq, &self.y, &self.zeros, &mut self.x, &mut self.joints),
            IslandKind::Free => {
                self.round += 1;
                for tie in on.iter().flat_map(|b| &blocks.bodies[blocks.list[*b].bodies.clone()]) {
                    if self.sweep_index[tie.body].1 != self.round {
                        self.sweep_index[tie.body].1 = self.round;
                        let v = eq.layout.bodies[tie.body].v.clone();
                        response.add_body_response(eq, tie.body, &self.y[v.clone()], &mut self.x[v]);
                    }
                }
            }
        }
    }
}

/// Index of the first impulse of a block.
fn first_impulse(level: SolveLevel, block: &LawBlock, index: usize) -> usize {
    match level {
        SolveLevel::Velocity => block.rows.start,
        SolveLevel::Position(_) => index,
    }
}
