//! The velocity jump at closing gaps: all impulses at once.
//!
//! ```text
//!  u⁺ = u⁻ + G p         0 ≤ u_n⁺ + e u_n⁻ ⊥ p_n ≥ 0        Newton
//!                        first e = 0, then p_n ≥ (1 + e) p_c   Poisson
//! ```
//!
//! with Coulomb's law between the tangential impulses and velocities ([Moreau1988]). Newton's law with friction may add
//! energy; e is then lowered until it does not.

use super::delassus::{CandidateConstraint, DelassusOperator};
use super::{ZENO_TIME, ZERO_RATE_TOLERANCE};
use crate::complementarity::dense::SolverEffort;
use crate::complementarity::{ComplementarityLaw as Block, dense};
use crate::formulations::CompleteOrthogonalDecomposition;
use crate::interruption;
use crate::laws::{ConstraintLaw, ImpactLaw, NormalForceSource};
use crate::model::Model;
use nalgebra::DVector;

/// The impact at one constraint.
#[derive(Clone, Debug)]
pub(super) struct ConstraintImpact {
    pub c: usize,
    pub impulse: f64,
    pub lost: f64,
    /// Remaining duration of a sequence of impacts that was cut short.
    pub rests_after: Option<f64>,
}

/// Most fixed-point iterations for bounds that depend on the impulses they bound.
const MAX_FIXED_POINT_ITERATIONS: usize = 200;
/// Most single impacts in a sequence.
const MAX_SEQUENTIAL_IMPACTS: usize = 10_000;

/// The impulses of the candidates.
pub(super) struct ImpactImpulses {
    pub p: DVector<f64>,
    pub impacts: Vec<ConstraintImpact>,
    /// Largest relative residual of the laws.
    pub residual: f64,
    /// Factor on e, if it was reduced to keep the energy from growing.
    pub restitution_factor: Option<f64>,
}

/// Impulses, and the largest residual of the laws.
#[derive(Clone, Debug)]
struct ImpulseSolution {
    p: DVector<f64>,
    residual: f64,
}

impl ImpulseSolution {
    /// These impulses after those.
    fn after(self, first: ImpulseSolution) -> ImpulseSolution {
        ImpulseSolution { p: first.p + self.p, residual: first.residual.max(self.residual) }
    }
}

/// The impulses that keep gaps closed which would open only for an instant, and the energy loss at each constraint.
pub(super) struct ClosingImpulses {
    pub p: DVector<f64>,
    pub losses: Vec<(usize, f64)>,
}

/// The impact problem of all candidates.
pub(super) struct ImpactProblem<'a> {
    pub model: &'a Model,
    pub delassus: &'a DelassusOperator,
    pub t: f64,
    pub z: &'a [f64],
    /// Largest velocity.
    pub speed: f64,
    /// Accelerations of the rows with all of them inactive.
    pub free: &'a DVector<f64>,
    /// Effort in the search for impulses.
    pub effort: SolverEffort,
}

impl ImpactProblem<'_> {
    fn zero_rate(&self) -> f64 {
        ZERO_RATE_TOLERANCE * (self.model.contact_scale.length() + self.speed)
    }

    fn impact_law(&self, k: &CandidateConstraint) -> Option<(ImpactLaw, f64)> {
        match self.model.constraints[k.c].law {
            ConstraintLaw::Unilateral(impact) => Some((impact.law, impact.restitution)),
            _ => None,
        }
    }

    /// Whether a gap closes with a finite speed, or a row with an infinite bound moves against it.
    pub fn is_due(&self, u: &DVector<f64>) -> bool {
        let runs_against = |k: &CandidateConstraint| {
            let (u, [lower, upper]) = (u[k.rows.start], k.friction_bound.sticking);
            match self.impact_law(k) {
                Some(_) => u < -self.zero_rate(),
                None => {
                    (u > self.zero_rate() && lower == f64::NEG_INFINITY)
                        || (u < -self.zero_rate() && upper == f64::INFINITY)
                }
            }
        };
        self.delassus.candidates.iter().any(runs_against)
    }

    /// Duration of the remaining impacts of this gap, if it is short enough to be cut.
    fn remaining_impact_time(&self, k: &CandidateConstraint, e: f64, u: f64) -> Option<f64> {
        let pull = -self.free[k.rows.start];
        // The first flight takes 2 e |u| / a, each further one e times the last.
        let rest = 2.0 * e * -u / (pull * (1.0 - e));
        let apex = 0.5 * (e * u).powi(2) / pull;
        let scale = self.model.contact_scale;
        let slow = -u < scale.capture_speed();
        let falls = e < 1.0 && pull > 0.0 && (rest < ZENO_TIME || apex < scale.least_rebound() || slow);
        match e > 0.0 {
            true if falls => Some(rest),
            // Other contacts keep it moving: it does not come to rest by itself, but it does not rebound either. A single gap without
            // a closing acceleration does rebound, however slow.
            true if slow && (pull > 0.0 || self.delassus.candidates.len() > 1) => Some(0.0),
            _ => None,
        }
    }

    /// Solves for p with the normal velocities after the impact at least −e u⁻ there.
    fn solve(&self, u: &DVector<f64>, e: &[f64], floor: Option<&DVector<f64>>) -> ImpulseSolution {
        let delassus = self.delassus;
        let mut c = u.clone();
        // Impulses returned from an earlier phase act from the start.
        let given = floor.cloned().unwrap_or_else(|| DVector::zeros(u.len()));
        c += &delassus.G * &given;
        for (k, e) in delassus.candidates.iter().zip(e) {
            if self.impact_law(k).is_some() && u[k.rows.start] < 0.0 {
                c[k.rows.start] += e * u[k.rows.start];
            }
        }
        let none = vec![0.0; self.model.rows.len()];
        let (mut p, mut residual) = (DVector::zeros(u.len()), 0.0);
        for _ in 0..MAX_FIXED_POINT_ITERATIONS {
            let total = &p + &given;
            let N = delassus.normal_forces(self.model, self.t, self.z, &total, &none);
            let laws: Vec<Block> = self.laws(u, &N, floor.is_some());
            let Ok(found) = dense::solve_with(&delassus.G, &c, &laws, Some(&p), self.effort) else {
                return ImpulseSolution { p: total, residual: f64::INFINITY };
            };
            let change = (&found.p - &p).amax();
            (p, residual) = (found.p, found.outcome.residual());
            if change <= 1e-14 * (p.amax() + given.amax()) || !self.bounds_depend(floor.is_some()) {
                break;
            }
        }
        ImpulseSolution { p: p + given, residual }
    }

    /// Whether bounds depend on impulses other than through the cones of the solver.
    fn bounds_depend(&self, split: bool) -> bool {
        let other = |k: &CandidateConstraint| {
            let press = self.model.constraints[k.c].kind.constraint().normal_force_source();
            matches!(press, NormalForceSource::GapOf(_) | NormalForceSource::Reaction(_)) || (split && k.rows.len() > 1)
        };
        self.delassus.candidates.iter().any(other)
    }

    fn laws(&self, u: &DVector<f64>, N: &[f64], split: bool) -> Vec<Block> {
        let mut laws = Vec::new();
        for (k, N) in self.delassus.candidates.iter().zip(N) {
            let first = if self.impact_law(k).is_some() { 1 } else { 0 };
            let tangential = u.rows(k.rows.start + first, k.rows.len() - first);
            let slips = !tangential.is_empty() && tangential.norm() > self.zero_rate();
            let friction = k.friction_bound.friction;
            let mu = if slips { friction.slip } else { friction.stick };
            match (first, k.rows.len(), split) {
                (1, 1, _) => laws.push(Block::NonNegative),
                (1, 2, false) => laws.push(Block::PlanarCone { mu }),
                (1, 3, false) => laws.push(Block::Cone { mu }),
                (1, rows, _) => {
                    laws.push(Block::NonNegative);
                    laws.extend(friction_laws(rows - 1, [0.0, 0.0], mu * N));
                }
                // Finite bounds give no impulse; infinite ones do.
                (_, rows, _) => {
                    let bounds = k.friction_bound.sticking.map(|b| if b.is_finite() { 0.0 } else { b });
                    laws.extend(friction_laws(rows, bounds, mu * N));
                }
            }
        }
        laws
    }

    /// Energy that the impulses add.
    fn energy_gain(&self, u: &DVector<f64>, p: &DVector<f64>) -> f64 {
        let after = u + &self.delassus.G * p;
        0.5 * p.dot(&(after + u))
    }

    /// The impulses of all closing gaps, simultaneous or in sequence.
    pub fn impulses(&self, u: &DVector<f64>) -> ImpactImpulses {
        let candidates = &self.delassus.candidates;
        let in_sequence = candidates.iter().any(|k| {
            matches!(self.impact_law(k), Some((ImpactLaw::Sequential, _))) && u[k.rows.start] < -self.zero_rate()
        });
        let (e, rests): (Vec<f64>, Vec<Option<f64>>) = candidates
            .iter()
            .map(|k| match self.impact_law(k) {
                Some((_, e)) if u[k.rows.start] < 0.0 => match self.remaining_impact_time(k, e, u[k.rows.start]) {
                    Some(rest) => (0.0, Some(rest)),
                    None => (e, None),
                },
                _ => (0.0, None),
            })
            .unzip();
        let poisson = candidates.iter().any(|k| matches!(self.impact_law(k), Some((ImpactLaw::Poisson, _))));
        let (ImpulseSolution { p, residual }, tamed) = if in_sequence {
            (self.sequential_impulses(u, &e), None)
        } else if poisson {
            (self.poisson_impulses(u, &e), None)
        } else {
            self.newton_impulses(u, &e)
        };
        ImpactImpulses { impacts: self.constraint_impacts(u, &p, rests), p, residual, restitution_factor: tamed }
    }

    /// Impulse and loss at each constraint.
    fn constraint_impacts(&self, u: &DVector<f64>, p: &DVector<f64>, rests: Vec<Option<f64>>) -> Vec<ConstraintImpact> {
        let after = u + &self.delassus.G * p;
        let hit = |(k, rests_after): (&CandidateConstraint, Option<f64>)| {
            let own = p.rows(k.rows.start, k.rows.len());
            let sum = after.rows(k.rows.start, k.rows.len()) + u.rows(k.rows.start, k.rows.len());
            let impulse = own.norm();
            (impulse > 0.0).then(|| ConstraintImpact { c: k.c, impulse, lost: -0.5 * own.dot(&sum), rests_after })
        };
        self.delassus.candidates.iter().zip(rests).filter_map(hit).collect()
    }

    /// The impulses that keep gaps closed which would open for less than [`ZENO_TIME`], as those of a rocking body do
    /// endlessly, and the energy loss at each.
    ///
    /// Gaps that have just rebounded are excluded: their own law decides when they come to rest.
    pub fn closing_impulses(&self, u: &DVector<f64>, rebound: &[usize]) -> Option<ClosingImpulses> {
        let slow = |k: &&CandidateConstraint| {
            if rebound.contains(&k.c) {
                return false;
            }
            let flight = 0.5 * ZENO_TIME * -self.free[k.rows.start];
            self.impact_law(k).is_some() && flight > 0.0 && u[k.rows.start].abs() <= flight.max(self.zero_rate())
        };
        let rows: Vec<usize> = self.delassus.candidates.iter().filter(slow).map(|k| k.rows.start).collect();
        if rows.iter().all(|r| u[*r] <= self.zero_rate()) {
            return None;
        }
        let G = self.delassus.G.select_rows(&rows).select_columns(&rows);
        let due = DVector::from_iterator(rows.len(), rows.iter().map(|r| -u[*r]));
        let own = CompleteOrthogonalDecomposition::new(&G, 1e-12)?.solve(&due)?;
        let mut p = DVector::zeros(u.len());
        rows.iter().zip(&own).for_each(|(r, x)| p[*r] = *x);
        let sum = u * 2.0 + &self.delassus.G * &p;
        let lost = |k: &CandidateConstraint| (k.c, -0.5 * p[k.rows.start] * sum[k.rows.start]);
        let losses = self.delassus.candidates.iter().filter(slow).map(lost).collect();
        Some(ClosingImpulses { p, losses })
    }

    fn newton_impulses(&self, u: &DVector<f64>, e: &[f64]) -> (ImpulseSolution, Option<f64>) {
        let found = self.solve(u, e, None);
        let p = &found.p;
        let size = 1e-13 * p.abs().dot(&u.abs()).max(f64::MIN_POSITIVE);
        if self.energy_gain(u, p) <= size {
            return (found, None);
        }
        // Without restitution no energy is gained: bisect for the largest e without gain.
        let (mut low, mut high) = (0.0, 1.0);
        let mut kept = self.solve(u, &vec![0.0; e.len()], None);
        for _ in 0..40 {
            if interruption::is_requested() {
                break;
            }
            let middle = 0.5 * (low + high);
            let scaled: Vec<f64> = e.iter().map(|e| e * middle).collect();
            let found = self.solve(u, &scaled, None);
            if self.energy_gain(u, &found.p) <= size {
                (low, kept) = (middle, found);
            } else {
                high = middle;
            }
        }
        (kept, Some(low))
    }

    fn poisson_impulses(&self, u: &DVector<f64>, e: &[f64]) -> ImpulseSolution {
        let compression = self.solve(u, &vec![0.0; e.len()], None);
        let mut back = DVector::zeros(u.len());
        for (k, e) in self.delassus.candidates.iter().zip(e).filter(|(k, _)| self.impact_law(k).is_some()) {
            back[k.rows.start] = e * compression.p[k.rows.start];
        }
        let between = u + &self.delassus.G * &compression.p;
        let none = vec![0.0; e.len()];
        self.solve(&between, &none, Some(&back)).after(compression)
    }

    /// The impulses of an impact without collision: if friction drives a contact into its support faster than it can
    /// recede, its slip stops at once. `None` if the normal impulse would be in tension.
    pub fn paradox_impulses(&self, u: &DVector<f64>, c: usize) -> Option<ImpactImpulses> {
        let candidates = &self.delassus.candidates;
        let none = vec![0.0; self.model.rows.len()];
        let N = self.delassus.normal_forces(self.model, self.t, self.z, &DVector::zeros(u.len()), &none);
        let mut laws = Vec::new();
        let mut at = 0;
        for law in self.laws(u, &N, true) {
            let owner = candidates.iter().find(|k| k.rows.contains(&at));
            at += law.rows();
            match owner {
                Some(k) if k.c == c => laws.extend((0..law.rows()).map(|_| Block::BILATERAL)),
                _ => laws.push(law),
            }
        }
        let found = dense::solve(&self.delassus.G, u, &laws, None).ok()?;
        let (p, residual) = (found.p, found.outcome.residual());
        let jammed = candidates.iter().find(|k| k.c == c)?;
        if p[jammed.rows.start] <= 0.0 {
            return None;
        }
        let rests = vec![None; candidates.len()];
        Some(ImpactImpulses { impacts: self.constraint_impacts(u, &p, rests), p, residual, restitution_factor: None })
    }

    /// Newton's law for the gap that closes fastest, then for the next, until none closes.
    fn sequential_impulses(&self, u: &DVector<f64>, e: &[f64]) -> ImpulseSolution {
        let candidates = &self.delassus.candidates;
        let (mut total, mut residual) = (DVector::zeros(u.len()), 0.0_f64);
        for _ in 0..MAX_SEQUENTIAL_IMPACTS {
            if interruption::is_requested() {
                break;
            }
            let now = u + &self.delassus.G * &total;
            let closing = |k: &(&CandidateConstraint, &f64)| {
                self.impact_law(k.0).is_some() && now[k.0.rows.start] < -self.zero_rate()
            };
            let speed = |k: &(&CandidateConstraint, &f64)| now[k.0.rows.start];
            let fastest = candidates.iter().zip(e).filter(closing).min_by(|a, b| speed(a).total_cmp(&speed(b)));
            let Some((k, given)) = fastest else { return ImpulseSolution { p: total, residual } };
            // A gap that did not close at first still has its own restitution.
            let e = if u[k.rows.start] < 0.0 { *given } else { self.impact_law(k).map_or(0.0, |(_, e)| e) };
            let G = self.delassus.G.view((k.rows.start, k.rows.start), (k.rows.len(), k.rows.len())).into_owned();
            let mut c: DVector<f64> = now.rows(k.rows.start, k.rows.len()).into_owned();
            c[0] *= 1.0 + e;
            let mu = k.friction_bound.friction.slip;
            let law = match k.rows.len() {
                1 => Block::NonNegative,
                2 => Block::PlanarCone { mu },
                _ => Block::Cone { mu },
            };
            let Ok(found) = dense::solve(&G, &c, &[law], None) else {
                return ImpulseSolution { p: total, residual: f64::INFINITY };
            };
            residual = residual.max(found.outcome.residual());
            let mut own = total.rows_mut(k.rows.start, k.rows.len());
            own += found.p;
        }
        // The remaining gaps close ever more slowly: end without rebound.
        let now = u + &self.delassus.G * &total;
        let none = vec![0.0; candidates.len()];
        self.solve(&now, &none, None).after(ImpulseSolution { p: total, residual })
    }
}

/// Bounds on one row, a disc of two, or a ball of three.
fn friction_laws(rows: usize, bounds: [f64; 2], radius: f64) -> Vec<Block> {
    match rows {
        0 => Vec::new(),
        1 => vec![Block::Interval { lower: bounds[0] - radius, upper: bounds[1] + radius }],
        2 => vec![Block::Disc { radius: bounds[1] + radius }],
        _ => vec![Block::Ball { radius: bounds[1] + radius }],
    }
}
