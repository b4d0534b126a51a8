//! Detects jumps of prescribed positions, which no finite force can follow.

use crate::breaks::BreakList;
use crate::constraints::{ConstraintKind, ElementInput, RowLevel, RowTerms};
use crate::equations::{Equations, MarkerKinematics, StateView, assemble_positions};
use crate::laws::ConstraintLaw;
use crate::model::{ConstraintEntry, Model};
use crate::motion::{Motion, Vec3, Wrench};
use crate::state::State;
use taut_ode::Break;

/// Number of windows searched for jumps before a run; if there are more breaks, the run finds the later ones itself.
const SEARCH_WINDOWS: usize = 64;
/// Maximum number of breaks checked in each window.
const MAX_BREAKS_PER_WINDOW: usize = 256;
/// Smallest jump of φ that counts, relative to 1 + |φ|.
const JUMP_TOLERANCE: f64 = 1e-8;

/// A prescribed position that jumps.
#[derive(Clone, Debug, PartialEq)]
pub struct PositionJump {
    /// The constraint.
    pub constraint: String,
    /// When.
    pub t: f64,
    /// Size of the jump: m or rad.
    pub size: f64,
}

impl Model {
    /// The first jump of a prescribed position between the time of a state and `end`, as far as it can be known before
    /// the run: jumps of drivers, and jumps of formulas that do not depend on the coordinates.
    pub fn position_jump(&self, state: &State, end: f64) -> Option<PositionJump> {
        let drives = |c: &&ConstraintEntry| {
            let position = self.rows[c.rows.clone()].iter().any(|r| r.level == RowLevel::Position);
            let known =
                matches!(c.kind, ConstraintKind::Joint(_) | ConstraintKind::Relation(_) | ConstraintKind::Formula(_));
            c.law == ConstraintLaw::Bilateral && position && known
        };
        let driven: Vec<&ConstraintEntry> = self.constraints.iter().filter(drives).collect();
        let mut motions: Option<[Vec<Motion>; 2]> = None;
        let width = (end - state.t) / SEARCH_WINDOWS as f64;
        let mut first: Option<PositionJump> = None;
        for entry in driven {
            for k in 0..SEARCH_WINDOWS {
                let from = state.t + width * k as f64;
                if first.as_ref().is_some_and(|found| found.t <= from) {
                    break;
                }
                let mut list = BreakList::default();
                entry.kind.constraint().breaks(
                    from,
                    if k + 1 == SEARCH_WINDOWS { end } else { from + width },
                    &mut list,
                );
                let found = list.into_sorted();
                if found.is_empty() {
                    continue;
                }
                let motions = motions.get_or_insert_with(|| self.original_and_shifted_motions(state));
                let jump = found
                    .iter()
                    .take(MAX_BREAKS_PER_WINDOW)
                    .find_map(|b| Some((b.before, self.jump_at(entry, state, motions, b)?)));
                if let Some((t, by)) = jump {
                    let earlier = first.as_ref().is_none_or(|found| t < found.t);
                    let constraint = entry.name.clone();
                    first = if earlier { Some(PositionJump { constraint, t, size: by }) } else { first };
                    break;
                }
            }
        }
        first
    }

    /// Motions of all markers as they are, and with every marker shifted: a jump that is equal in both does not depend
    /// on the pose.
    fn original_and_shifted_motions(&self, state: &State) -> [Vec<Motion>; 2] {
        let (mut scene, mut eq) = (MarkerKinematics::new(self), Equations::new(self));
        let State { t, q, v, z, modes } = state;
        assemble_positions(self, StateView { t: *t, q, v, z, modes }, &mut scene, &mut eq);
        let mut shifted = scene.motions.clone();
        for (k, m) in shifted.iter_mut().enumerate() {
            let k = 1.0 + k as f64;
            m.p += Vec3::new(0.37 * k.sin(), 0.41 * k.cos(), 0.29 * (2.0 * k).sin());
        }
        [scene.motions, shifted]
    }

    /// The jump of a position row at a break.
    fn jump_at(&self, entry: &ConstraintEntry, state: &State, motions: &[Vec<Motion>; 2], at: &Break) -> Option<f64> {
        let n = entry.rows.len();
        let phi = |t: f64, motions: &[Motion]| {
            let mut D = vec![Wrench::ZERO; n * entry.markers.len()];
            let (mut phi, mut phi_t, mut c) = (vec![0.0; n], vec![0.0; n], vec![0.0; n]);
            let view = ElementInput { t, motions, markers: &entry.markers, z: &state.z[entry.z.clone()] };
            let mut rows = RowTerms { phi: &mut phi, D: &mut D, phi_t: &mut phi_t, c: &mut c };
            entry.kind.constraint().position_terms(&view, &mut rows);
            phi
        };
        let [one, two] = motions.each_ref().map(|m| {
            let (before, after) = (phi(at.before, m), phi(at.after, m));
            (0..n).map(|r| (after[r] - before[r], before[r].abs().min(after[r].abs()))).collect::<Vec<_>>()
        });
        let jumped = |r: &usize| {
            let ((jump, size), (again, other)) = (one[*r], two[*r]);
            let least = JUMP_TOLERANCE * (1.0 + size.min(other));
            jump.abs() > least && (jump - again).abs() <= least
        };
        let position = |r: &usize| self.rows[entry.rows.start + r].level == RowLevel::Position;
        (0..n).filter(position).find(jumped).map(|r| one[r].0.abs())
    }
}
