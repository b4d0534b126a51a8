//! Assembly modes: all poses that satisfy the constraints of a mechanism without freedoms.
//!
//! Newton's method from random poses finds one solution after the other. If each is found equally often, w solutions after n successes
//! mean that about w (n − 1)/(n − w − 2) exist in all (\[BoenderRinnooyKan1987\]). The search ends when this is w, and when the last
//! half of the starts has found nothing new. A count is proven only where it reaches the bound of a theorem: 2ᵏ for a chain of k planar
//! dyads, 6 for a planar body on three legs of given length (\[Hunt1983\]), 40 for a rigid body on six (\[RongaVust1995\]).

use super::start_targets::{StartTarget, TargetPriority, TargetQuantity, with_targets};
use super::{AnalysisError, AssemblySettings, assemble};
use crate::bodies::BodyKind;
use crate::constraints::{ConstraintKind, Term};
use crate::equations::{Equations, MarkerKinematics, StateView, assemble_positions, assemble_rates, is_frame};
use crate::interruption;
use crate::measures::Measure;
use crate::model::{ConstraintEntry, Model};
use crate::solvers::rank::analyse_rank;
use crate::spec::Spec;
use crate::state::State;
use serde::Serialize;

/// Poses count as one if their markers differ by less, relative to the size of the mechanism, and their axes by less.
const SAME_POSE: f64 = 1e-6;
/// Residuals to which solutions are polished, best first.
const POLISH: [f64; 3] = [2e-16, 2e-15, 1e-13];
/// Successes before the search may end.
const MIN_SUCCESSES: usize = 50;
/// Expected number of solutions not yet found at which the search ends.
const MAX_EXPECTED_MISSING: f64 = 0.1;

/// How branches are searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BranchSearch {
    /// Most random starts.
    pub max_starts: usize,
    /// Seed of the random numbers.
    pub seed: u64,
}

impl Default for BranchSearch {
    fn default() -> BranchSearch {
        BranchSearch { max_starts: 50_000, seed: 1 }
    }
}

/// One pose.
#[derive(Clone, Debug, PartialEq)]
pub struct Branch {
    /// The pose; velocities are those that were given.
    pub state: State,
    /// How many starts led to it.
    pub found: usize,
    /// Root mean square of the distances, m, of the markers of all constraints from the given pose.
    pub distance: f64,
}

/// How complete a list of branches is.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Completeness {
    /// Theory allows no more.
    Proven,
    /// The search ended by its rule.
    Found,
    /// The search ended at the largest number of starts.
    CutOff,
    /// The search was interrupted.
    Interrupted,
}

/// Where the given pose leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GivenPose {
    /// To the first branch of the list.
    FirstBranch,
    /// Nowhere: it cannot be assembled.
    Open,
}

/// All branches found, in order of the number of starts that led to them; the first is the one that the given pose leads to, if any.
#[derive(Clone, Debug, PartialEq)]
pub struct BranchReport {
    /// The branches.
    pub branches: Vec<Branch>,
    /// Where the given pose leads.
    pub given: GivenPose,
    /// Random starts.
    pub starts: usize,
    /// Starts that led to a pose.
    pub successes: usize,
    /// Number of solutions that theory allows, if it is known.
    pub bound: Option<usize>,
    /// How complete the list is.
    pub completeness: Completeness,
}

impl BranchReport {
    /// The branch nearest to the given pose.
    pub fn nearest(&self) -> usize {
        let by_distance = |a: &usize, b: &usize| self.branches[*a].distance.total_cmp(&self.branches[*b].distance);
        (0..self.branches.len()).min_by(by_distance).unwrap_or(0)
    }
}

/// Finds the assembly modes of a mechanism whose drivers and hard targets leave no freedom.
///
/// # Errors
/// If freedoms are left, or no pose satisfies the constraints.
pub fn branches(
    spec: &Spec,
    given: &State,
    targets: &[StartTarget],
    search: &BranchSearch,
) -> Result<BranchReport, AnalysisError> {
    let held: Vec<(&StartTarget, f64)> = targets
        .iter()
        .filter(|t| t.priority == TargetPriority::Hard && t.quantity == TargetQuantity::Value)
        .map(|t| (t, t.value))
        .collect();
    let (model, start) = with_targets(spec, &held, TargetQuantity::Value, given)?;
    let mut finder = Finder::new(&model, start.clone(), search.seed);
    let first = assemble(&model, &start, &AssemblySettings::default());
    let given_pose = if first.is_ok() { GivenPose::FirstBranch } else { GivenPose::Open };
    if let Ok(found) = &first {
        finder.add(found.state.clone());
    }
    let bound = leg_bound(&model).or_else(|| dyad_bound(&model));
    let mut last_new = 0;
    let mut starts = 0;
    let mut checked = false;
    while starts < search.max_starts && !interruption::is_requested() {
        if let (false, Some(b)) = (checked, finder.branches.first()) {
            checked = true;
            refuse_freedoms(&model, &b.state)?;
        }
        if bound == Some(finder.branches.len()) || (starts >= 2 * last_new && finder.is_complete()) {
            break;
        }
        starts += 1;
        let trial = finder.random_pose();
        // A joint with opposed axes is no assembly.
        if let Ok(found) = assemble(&model, &trial, &AssemblySettings::default())
            && found.ledger.flipped.is_empty()
            && finder.add(found.state)
        {
            last_new = starts;
        }
    }
    let Finder { mut branches, successes, .. } = finder;
    if branches.is_empty() {
        return Err(first.err().unwrap_or(AnalysisError::Ended));
    }
    let completeness = match bound {
        Some(most) if most == branches.len() => Completeness::Proven,
        _ if interruption::is_requested() => Completeness::Interrupted,
        _ if starts < search.max_starts => Completeness::Found,
        _ => Completeness::CutOff,
    };
    for b in &mut branches {
        b.state = State { q: std::mem::take(&mut b.state.q), ..given.clone() };
    }
    let rest = usize::from(given_pose == GivenPose::FirstBranch);
    branches[rest..].sort_by_key(|b| std::cmp::Reverse(b.found));
    Ok(BranchReport { branches, given: given_pose, starts, successes, bound, completeness })
}

/// Freedoms make the solutions a continuum.
fn refuse_freedoms(model: &Model, state: &State) -> Result<(), AnalysisError> {
    let (mut scene, mut eq) = (MarkerKinematics::new(model), Equations::new(model));
    assemble_positions(model, StateView::from(state), &mut scene, &mut eq);
    assemble_rates(model, StateView::from(state), &mut scene, &mut eq);
    let rank = analyse_rank(model, &eq, &state.modes)?;
    if rank.freedoms == 0 {
        return Ok(());
    }
    let why = format!(
        "{} freedom(s) are left, so the poses form a continuum; hold them with drivers, or with hard values in [start]",
        rank.freedoms
    );
    Err(AnalysisError::Inapplicable { method: "branches", why })
}

/// Solutions found so far.
struct Finder<'m> {
    model: &'m Model,
    start: State,
    /// The given pose.
    given: MarkerKinematics,
    size: f64,
    random: u64,
    branches: Vec<Branch>,
    poses: Vec<MarkerKinematics>,
    successes: usize,
}

impl<'m> Finder<'m> {
    fn new(model: &'m Model, start: State, seed: u64) -> Finder<'m> {
        let given = MarkerKinematics::new(model);
        let mut finder = Finder {
            model,
            start,
            given,
            size: 1.0,
            random: seed,
            branches: Vec::new(),
            poses: Vec::new(),
            successes: 0,
        };
        finder.given = finder.pose(&finder.start);
        let points = || finder.given.motions.iter().map(|m| m.p);
        let from = |p: nalgebra::Vector3<f64>| points().map(|q| (p - q).norm()).fold(0.0, f64::max);
        let size = points().map(from).fold(0.0, f64::max);
        finder.size = if size > 0.0 { size } else { 1.0 };
        finder
    }

    fn pose(&self, state: &State) -> MarkerKinematics {
        let (mut scene, mut eq) = (MarkerKinematics::new(self.model), Equations::new(self.model));
        assemble_positions(self.model, state.into(), &mut scene, &mut eq);
        scene
    }

    /// The solution to round-off: close to a singular pose the tolerance of the assembly is not enough.
    fn polished(&self, state: State) -> State {
        let to = |tolerance: f64| AssemblySettings { tolerance, ..AssemblySettings::default() };
        let found = POLISH.iter().find_map(|tolerance| assemble(self.model, &state, &to(*tolerance)).ok());
        found.map_or(state, |found| found.state)
    }

    /// Counts a solution; whether it is new.
    fn add(&mut self, state: State) -> bool {
        self.successes += 1;
        let state = self.polished(state);
        let pose = self.pose(&state);
        let same = |other: &MarkerKinematics| {
            other
                .motions
                .iter()
                .zip(&pose.motions)
                .all(|(a, b)| (a.p - b.p).amax() <= SAME_POSE * self.size && (a.R - b.R).amax() <= SAME_POSE)
        };
        if let Some(i) = self.poses.iter().position(same) {
            self.branches[i].found += 1;
            return false;
        }
        let distance = self.distance(&pose);
        self.poses.push(pose);
        self.branches.push(Branch { state, found: 1, distance });
        true
    }

    /// Root mean square of the distances of the markers of all constraints on bodies from the given pose.
    fn distance(&self, pose: &MarkerKinematics) -> f64 {
        let mut markers: Vec<usize> = self.model.constraints.iter().flat_map(|c| c.markers.iter().copied()).collect();
        markers.retain(|m| self.model.markers[*m].body.is_some() && is_frame(self.model, *m));
        markers.sort_unstable();
        markers.dedup();
        let apart = |m: &usize| (pose.motions[*m].p - self.given.motions[*m].p).norm_squared();
        (markers.iter().map(apart).sum::<f64>() / markers.len().max(1) as f64).sqrt()
    }

    /// Whether no further solutions are expected.
    fn is_complete(&self) -> bool {
        let (w, n) = (self.branches.len() as f64, self.successes as f64);
        self.successes >= MIN_SUCCESSES && n > w + 2.0 && w * (n - 1.0) / (n - w - 2.0) < w + MAX_EXPECTED_MISSING
    }

    /// Uniform in [−1, 1) (splitmix64).
    fn uniform(&mut self) -> f64 {
        self.random = self.random.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.random;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        2.0 * ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64 - 1.0
    }

    /// Bodies anywhere within the size of the mechanism, in any orientation.
    fn random_pose(&mut self) -> State {
        let mut state = self.start.clone();
        let model = self.model;
        for b in &model.bodies {
            let velocities = b.kind.body().velocities();
            let delta: Vec<f64> = velocities
                .iter()
                .map(|v| match v.unit {
                    "m/s" => self.size * self.uniform(),
                    "rad/s" => std::f64::consts::PI * self.uniform(),
                    _ => self.uniform(),
                })
                .collect();
            b.kind.body().displace(&mut state.q[b.q.clone()], &delta);
        }
        state
    }
}

/// The bound for one body on legs of given length.
fn leg_bound(model: &Model) -> Option<usize> {
    let is_leg = |c: &ConstraintEntry| match &c.kind {
        ConstraintKind::Relation(r) => matches!(&r.terms[..], [Term { coordinate: Measure::Distance { .. }, .. }]),
        _ => false,
    };
    let [body] = &model.bodies[..] else { return None };
    match (&body.kind, model.constraints.len(), model.constraints.iter().all(is_leg)) {
        (BodyKind::Planar(_), 3, true) => Some(6),
        (BodyKind::Rigid(_), 6, true) => Some(40),
        _ => None,
    }
}

/// What a constraint between two bodies means for the closure of a planar mechanism.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Link {
    /// A pin or a slider.
    Pair,
    /// A pin or slider whose motion is given, or a weld.
    Placed,
    /// The driven coordinate of a joint.
    Driven,
}

/// 2ᵏ if the mechanism is planar and consists of bodies whose joint is driven and of k dyads: two bodies joined to each other and
/// each to a body already placed, which is the intersection of two circles or of a circle and a line.
fn dyad_bound(model: &Model) -> Option<usize> {
    let mut links: Vec<(Option<usize>, Option<usize>, Link)> = Vec::new();
    for c in &model.constraints {
        let ends: Vec<Option<usize>> = c.markers.iter().map(|m| model.markers[*m].body).collect();
        let link = match (&c.kind, c.rows.len()) {
            (ConstraintKind::Joint(_), 2) => Link::Pair,
            (ConstraintKind::Joint(_), 3) => Link::Placed,
            (ConstraintKind::Relation(r), 1) => match &r.terms[..] {
                [Term { coordinate: Measure::Angle { .. } | Measure::Slide { .. }, .. }] => Link::Driven,
                _ => return None,
            },
            _ => return None,
        };
        let [a, b] = ends[..] else { return None };
        links.push((a, b, link));
    }
    if !model.bodies.iter().all(|b| matches!(b.kind, BodyKind::Planar(_))) {
        return None;
    }
    let mut placed = vec![false; model.bodies.len()];
    let is_placed = |placed: &[bool], body: Option<usize>| body.is_none_or(|b| placed[b]);
    let between = |a: Option<usize>, b: Option<usize>| -> Vec<Link> {
        let joins = |l: &&(Option<usize>, Option<usize>, Link)| (l.0 == a && l.1 == b) || (l.0 == b && l.1 == a);
        links.iter().filter(joins).map(|l| l.2).collect()
    };
    // Links of a body to all bodies already placed, one list per body.
    let to_placed = |placed: &[bool], i: usize| -> Vec<Vec<Link>> {
        let all = std::iter::once(None).chain((0..placed.len()).filter(|j| *j != i).map(Some));
        all.filter(|b| is_placed(placed, *b)).map(|b| between(Some(i), b)).filter(|l| !l.is_empty()).collect()
    };
    let mut dyads = 0u32;
    loop {
        let open: Vec<usize> = (0..placed.len()).filter(|i| !placed[*i]).collect();
        if open.is_empty() {
            return (dyads < 20).then_some(1 << dyads);
        }
        let is_driven = |i: &&usize| match &to_placed(&placed, **i)[..] {
            [links] => matches!(links[..], [Link::Placed] | [Link::Pair, Link::Driven] | [Link::Driven, Link::Pair]),
            _ => false,
        };
        if let Some(i) = open.iter().find(is_driven) {
            placed[*i] = true;
            continue;
        }
        let has_one_pair = |i: usize| matches!(&to_placed(&placed, i)[..], [links] if links[..] == [Link::Pair]);
        let pair = open.iter().enumerate().find_map(|(k, i)| {
            let fits =
                |j: &&usize| has_one_pair(*i) && has_one_pair(**j) && between(Some(*i), Some(**j)) == [Link::Pair];
            open[k + 1..].iter().find(fits).map(|j| (*i, *j))
        });
        let (i, j) = pair?;
        (placed[i], placed[j]) = (true, true);
        dyads += 1;
    }
}
