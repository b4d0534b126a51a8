//! Constraints that are redundant as a whole, such as the seventh leg of a platform or the third hinge of a door.

use super::{JointChange, REMOVED, is_involved, replacements};
use crate::analyses::rank;
use crate::model::Model;
use crate::solvers::rank::RankReport;
use crate::spec::Spec;
use crate::state::State;

/// A mechanism without some of its constraints.
struct Reduced {
    spec: Spec,
    state: State,
    rank: RankReport,
    changes: Vec<JointChange>,
}

/// Sets of constraints that may be removed, with replacements of others where rows remain redundant. The constraints are tried from the last
/// to the first and from the first to the last.
pub(super) fn removals(spec: &Spec, model: &Model, state: &State, now: &RankReport) -> Vec<Vec<JointChange>> {
    let involved: Vec<&str> =
        spec.constraints.iter().map(|c| c.name.as_str()).filter(|name| is_involved(now, name)).collect();
    let mut found: Vec<Vec<JointChange>> = Vec::new();
    let backwards: Vec<&str> = involved.iter().rev().copied().collect();
    for order in [backwards, involved] {
        let whole = Reduced { spec: spec.clone(), state: state.clone(), rank: now.clone(), changes: Vec::new() };
        let reduced = order.into_iter().fold(whole, |reduced, name| without(reduced, model, name));
        if reduced.changes.is_empty() {
            continue;
        }
        let sets = match reduced.rank.redundant {
            0 => vec![Vec::new()],
            _ => replacements(&reduced.spec, &reduced.state, &reduced.rank),
        };
        for more in sets {
            let mut set = reduced.changes.clone();
            set.extend(more);
            set.sort_by(|a, b| a.joint.cmp(&b.joint));
            if !found.contains(&set) {
                found.push(set);
            }
        }
    }
    let least = found.iter().map(Vec::len).min().unwrap_or(0);
    found.retain(|set| set.len() == least);
    found.truncate(super::MAX_PROPOSALS);
    found
}

/// The mechanism without a constraint, if all rows of the constraint are redundant and nothing refers to it; otherwise unchanged.
fn without(from: Reduced, model: &Model, name: &str) -> Reduced {
    let Some(rows) = model.constraints.iter().find(|c| c.name == name).map(|c| c.rows.len()) else { return from };
    if rows > from.rank.redundant || !is_involved(&from.rank, name) {
        return from;
    }
    let mut spec = from.spec.clone();
    spec.constraints.retain(|c| c.name != name);
    let Ok(smaller) = spec.build() else { return from };
    // The bodies are the same; modes and extra states of constraints go by name.
    let mut state =
        State { t: from.state.t, q: from.state.q.clone(), v: from.state.v.clone(), ..smaller.initial_state() };
    let Ok(before) = from.spec.build() else { return from };
    for (c, mode) in smaller.constraints.iter().zip(&mut state.modes) {
        if let Some(k) = before.constraints.iter().position(|b| b.name == c.name) {
            *mode = from.state.modes[k];
        }
    }
    let Ok(found) = rank(&smaller, &state) else { return from };
    if found.redundant + rows != from.rank.redundant || found.freedoms != from.rank.freedoms {
        return from;
    }
    let mut changes = from.changes;
    changes.push(JointChange { joint: name.to_string(), from: "constraint", to: REMOVED });
    Reduced { spec, state, rank: found, changes }
}
