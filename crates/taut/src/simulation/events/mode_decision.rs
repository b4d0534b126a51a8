//! Decides the contact modes: those for which forces and accelerations obey all laws at once.
//!
//! Closed gaps and sticking friction are undecided; their forces p and accelerations u = G p + c form the
//! same complementarity problem as an impact. Sliding contacts have friction along the slip, p_t = −μ p_n d, which
//! makes G unsymmetric. If a diagonal entry is no longer positive, Coulomb's law has no or several solutions (Painlevé).
//! Contacts that would slide with the static coefficient are solved again with the kinetic one.

use super::delassus::{CandidateConstraint, DelassusOperator};
use super::static_equilibrium::holding_forces;
use super::{ModeSelectionError, ZERO_RATE_TOLERANCE};
use crate::complementarity::{BlockStatus, ComplementarityLaw as Block, dense};
use crate::interruption;
use crate::laws::{ConstraintLaw, slip_direction};
use crate::model::Model;
use crate::state::ConstraintMode;
use nalgebra::{DMatrix, DVector};

/// Motion of a candidate before its acceleration is known.
#[derive(Clone, Copy, Debug, PartialEq)]
enum CandidateMotion {
    /// Its gap is opening.
    Opening,
    /// It slides in this direction.
    Sliding([f64; 3]),
    /// It is at rest.
    AtRest,
}

/// Which friction coefficient applies to a contact at rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CoefficientRegime {
    Static,
    Kinetic,
}

const MAX_ROUNDS: usize = 100;

/// The modes of the candidates and their forces.
pub(super) struct DecidedModes {
    pub modes: Vec<ConstraintMode>,
    pub p: DVector<f64>,
    /// A constraint at which Coulomb's law has a second solution with different accelerations.
    pub ambiguous_contact: Option<usize>,
}

/// The inputs of a decision.
pub(super) struct ModeDecision<'a> {
    pub model: &'a Model,
    pub delassus: &'a DelassusOperator,
    pub t: f64,
    pub z: &'a [f64],
    /// Rates of the candidate rows.
    pub u: DVector<f64>,
    /// Their accelerations with all of them inactive, and the multipliers of the bilateral constraints then.
    pub free_accelerations: DVector<f64>,
    pub bilateral_multipliers: Vec<f64>,
    /// Largest velocity.
    pub speed: f64,
}

/// The problem of one round: p = F x + fixed, with one block of x per candidate that has one.
struct ReducedProblem {
    F: DMatrix<f64>,
    fixed: DVector<f64>,
    laws: Vec<Block>,
    /// Candidate of each block, and the rows of u in its law.
    owners: Vec<usize>,
    rows: Vec<usize>,
}

/// Forces, status of each block, and accelerations.
struct ReducedSolution {
    p: DVector<f64>,
    status: Vec<BlockStatus>,
    u: DVector<f64>,
    ambiguous_contact: Option<usize>,
}

impl ModeDecision<'_> {
    fn has_gap(&self, k: &CandidateConstraint) -> bool {
        matches!(self.model.constraints[k.c].law, ConstraintLaw::Unilateral(_))
    }

    fn motion_of(&self, k: &CandidateConstraint) -> CandidateMotion {
        let rest = ZERO_RATE_TOLERANCE * (self.model.contact_scale.length() + self.speed);
        let first = usize::from(self.has_gap(k));
        if self.has_gap(k) && self.u[k.rows.start] > rest {
            return CandidateMotion::Opening;
        }
        let slip = self.u.rows(k.rows.start + first, k.rows.len() - first);
        let (d, speed) = slip_direction(slip.as_slice());
        // Slip rates are known to more digits than closing rates.
        if speed <= rest { CandidateMotion::AtRest } else { CandidateMotion::Sliding(d) }
    }

    /// One mode per candidate.
    pub fn solve_modes(&self) -> Result<DecidedModes, ModeSelectionError> {
        let candidates = &self.delassus.candidates;
        let standing: Vec<CandidateMotion> = candidates.iter().map(|k| self.motion_of(k)).collect();
        let mut under = vec![CoefficientRegime::Static; candidates.len()];
        let mut p = DVector::zeros(self.u.len());
        let mut modes = vec![ConstraintMode::Idle; candidates.len()];
        let mut several = None;
        for _ in 0..MAX_ROUNDS {
            if interruption::is_requested() {
                break;
            }
            let N = self.delassus.normal_forces(self.model, self.t, self.z, &p, &self.bilateral_multipliers);
            let reduced = self.reduce(&standing, &under, &N);
            let ReducedSolution { p: found, status, u, ambiguous_contact: other } = self.solve(&reduced, &standing)?;
            several = other;
            let change = (&found - &p).amax();
            let size = found.amax().max(p.amax());
            p = found;
            let mut anew = false;
            for (k, standing) in standing.iter().enumerate() {
                modes[k] = match standing {
                    CandidateMotion::Opening => ConstraintMode::Idle,
                    CandidateMotion::Sliding(d) => ConstraintMode::Sliding(*d),
                    CandidateMotion::AtRest => ConstraintMode::Active,
                };
            }
            for (block, &k) in reduced.owners.iter().enumerate() {
                let sliding = match (status[block], standing[k]) {
                    (BlockStatus::Open, _) => {
                        modes[k] = ConstraintMode::Idle;
                        continue;
                    }
                    (_, CandidateMotion::Sliding(_)) => continue,
                    (BlockStatus::Slide(d), _) => d,
                    // The acceleration gives the direction, even if both bounds are equal.
                    (BlockStatus::AtLower | BlockStatus::AtUpper, _) if self.accelerates(&u, k) => {
                        [u[candidates[k].rows.start].signum(), 0.0, 0.0]
                    }
                    _ => continue,
                };
                modes[k] = ConstraintMode::Sliding(sliding);
                let grip = candidates[k].friction_bound;
                let differ = grip.friction.stick != grip.friction.slip || grip.sticking != grip.slipping;
                if under[k] == CoefficientRegime::Static && differ {
                    (under[k], anew) = (CoefficientRegime::Kinetic, true);
                }
            }
            if !anew && change <= 1e-13 * size {
                break;
            }
        }
        // Coulomb's law may let redundant points slide although some load distribution holds them all: then they stick.
        let slips = |(standing, mode): (&CandidateMotion, &ConstraintMode)| {
            *standing == CandidateMotion::AtRest && mode.slip_direction().is_some()
        };
        let still = standing.iter().all(|s| *s == CandidateMotion::AtRest);
        if still
            && standing.iter().zip(&modes).any(slips)
            && candidates.iter().all(|k| self.has_gap(k))
            && let Some(p) = holding_forces(&self.delassus.G, &self.free_accelerations, candidates)
        {
            return Ok(DecidedModes {
                modes: vec![ConstraintMode::Active; candidates.len()],
                p,
                ambiguous_contact: None,
            });
        }
        Ok(DecidedModes { modes, p, ambiguous_contact: several })
    }

    /// Whether the rows of a candidate accelerate.
    fn accelerates(&self, u: &DVector<f64>, k: usize) -> bool {
        let rows = self.delassus.candidates[k].rows.clone();
        let size = self.free_accelerations.amax().max(u.amax());
        rows.into_iter().any(|r| u[r].abs() > 1e-12 * size)
    }

    fn reduce(&self, standing: &[CandidateMotion], under: &[CoefficientRegime], N: &[f64]) -> ReducedProblem {
        let n = self.u.len();
        let mut reduced = ReducedProblem {
            F: DMatrix::zeros(n, 0),
            fixed: DVector::zeros(n),
            laws: Vec::new(),
            owners: Vec::new(),
            rows: Vec::new(),
        };
        let mut columns: Vec<DVector<f64>> = Vec::new();
        let unit = |r: usize| DVector::from_fn(n, |i, _| f64::from(u8::from(i == r)));
        for (i, k) in self.delassus.candidates.iter().enumerate() {
            let (friction, bounds) = match (under[i], standing[i]) {
                (CoefficientRegime::Kinetic, _) | (_, CandidateMotion::Sliding(_)) => {
                    (k.friction_bound.friction.slip, k.friction_bound.slipping)
                }
                (CoefficientRegime::Static, _) => (k.friction_bound.friction.stick, k.friction_bound.sticking),
            };
            let gap = self.has_gap(k);
            let first = k.rows.start + usize::from(gap);
            let tangential = k.rows.end - first;
            // λ along the slip is α + β N.
            let along = |d: [f64; 3]| match tangential {
                1 if d[0] > 0.0 => (unit(first), bounds[0], -friction),
                1 => (unit(first), bounds[1], friction),
                n => ((0..n).zip(d).map(|(i, d)| unit(first + i) * d).sum(), -bounds[1], -friction),
            };
            match (gap, standing[i]) {
                (true, CandidateMotion::Opening) => {}
                (true, CandidateMotion::Sliding(d)) => {
                    let (column, alpha, beta) = along(d);
                    columns.push(unit(k.rows.start) + &column * beta);
                    reduced.fixed += column * alpha;
                    reduced.push(i, vec![Block::NonNegative], k.rows.start..k.rows.start + 1);
                }
                (true, CandidateMotion::AtRest) => {
                    columns.extend(k.rows.clone().map(unit));
                    let law = match tangential {
                        0 => Block::NonNegative,
                        1 => Block::PlanarCone { mu: friction },
                        _ => Block::Cone { mu: friction },
                    };
                    reduced.push(i, vec![law], k.rows.clone());
                }
                (false, CandidateMotion::Sliding(d)) => {
                    let (column, alpha, beta) = along(d);
                    reduced.fixed += column * (alpha + beta * N[i]);
                }
                (false, _) => {
                    columns.extend(k.rows.clone().map(unit));
                    let law = match tangential {
                        1 => Block::Interval { lower: bounds[0] - friction * N[i], upper: bounds[1] + friction * N[i] },
                        2 => Block::Disc { radius: bounds[1] + friction * N[i] },
                        _ => Block::Ball { radius: bounds[1] + friction * N[i] },
                    };
                    reduced.push(i, vec![law], k.rows.clone());
                }
            }
        }
        if !columns.is_empty() {
            reduced.F = DMatrix::from_columns(&columns);
        }
        reduced
    }

    fn solve(
        &self,
        reduced: &ReducedProblem,
        standing: &[CandidateMotion],
    ) -> Result<ReducedSolution, ModeSelectionError> {
        let G = &self.delassus.G;
        let c = &self.free_accelerations + G * &reduced.fixed;
        if reduced.laws.is_empty() {
            return Ok(ReducedSolution { p: reduced.fixed.clone(), status: Vec::new(), u: c, ambiguous_contact: None });
        }
        let all = G * &reduced.F;
        let own = all.select_rows(&reduced.rows);
        let c_own = DVector::from_iterator(reduced.rows.len(), reduced.rows.iter().map(|r| c[*r]));
        let paradox = |k: usize| ModeSelectionError::Paradox(self.delassus.candidates[k].c);
        let mut at = 0;
        for (law, &k) in reduced.laws.iter().zip(&reduced.owners) {
            let r = self.delassus.candidates[k].rows.start;
            if matches!(standing[k], CandidateMotion::Sliding(_))
                && own[(at, at)] <= 1e-12 * G[(r, r)]
                && c_own[at] <= 0.0
            {
                return Err(paradox(k));
            }
            at += law.rows();
        }
        let answer = dense::solve(&own, &c_own, &reduced.laws, None).map_err(|_| paradox(reduced.owners[0]))?;
        if let crate::complementarity::SolverOutcome::Stalled { residual, block } = answer.outcome
            && residual > 1e-9
        {
            return Err(paradox(reduced.owners[block]));
        }
        let p = &reduced.F * &answer.p + &reduced.fixed;
        let u = &self.free_accelerations + G * &p;
        let slips = |k: &usize| matches!(standing[*k], CandidateMotion::Sliding(_));
        let several = reduced.owners.iter().copied().find(slips).and_then(|k| {
            let pressed = reduced.laws.iter().all(|law| *law == Block::NonNegative);
            let other = pressed && has_other_solution(&own, &c_own, &answer.p);
            other.then(|| self.delassus.candidates[k].c)
        });
        Ok(ReducedSolution { p, status: answer.status, u, ambiguous_contact: several })
    }
}

/// Most gaps for which all combinations of modes are enumerated.
const MAX_ENUMERATED_GAPS: usize = 8;

/// Whether 0 ≤ p ⊥ G p + c ≥ 0 has another solution with different accelerations. If all principal minors of G are positive it
/// has none; sliding friction can make them negative.
fn has_other_solution(G: &DMatrix<f64>, c: &DVector<f64>, p: &DVector<f64>) -> bool {
    let n = c.len();
    if n > MAX_ENUMERATED_GAPS {
        return false;
    }
    let sets = || (1_usize..1 << n).map(|set| (0..n).filter(|i| set >> i & 1 == 1).collect::<Vec<_>>());
    let among = |set: &[usize]| G.select_rows(set).select_columns(set);
    let size = G.amax();
    let positive = |set: Vec<usize>| among(&set).determinant() > 1e-12 * size.powi(set.len() as i32);
    if sets().all(positive) {
        return false;
    }
    let u = G * p + c;
    let scale = c.amax().max(u.amax());
    let differs = |set: &[usize]| -> Option<bool> {
        let rest = DVector::from_iterator(set.len(), set.iter().map(|i| -c[*i]));
        let held = if set.is_empty() { rest } else { among(set).lu().solve(&rest)? };
        let mut other = DVector::zeros(n);
        set.iter().zip(&held).for_each(|(i, p)| other[*i] = *p);
        let moved = G * &other + c;
        let held = set.iter().all(|i| moved[*i].abs() <= 1e-9 * scale);
        let obeys = held && other.iter().all(|p| *p >= 0.0) && moved.iter().all(|u| *u >= -1e-9 * scale);
        Some(obeys && (moved - &u).amax() > 1e-9 * scale)
    };
    std::iter::once(Vec::new()).chain(sets()).any(|set| differs(&set) == Some(true))
}

impl ReducedProblem {
    fn push(&mut self, owner: usize, laws: Vec<Block>, rows: std::ops::Range<usize>) {
        self.owners.extend(laws.iter().map(|_| owner));
        self.laws.extend(laws);
        self.rows.extend(rows);
    }
}
