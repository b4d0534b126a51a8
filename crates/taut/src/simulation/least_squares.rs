//! Contradictory constraints: the pose and the velocities of least squares of the residuals.

use super::AssemblySettings;
use super::position_newton::PositionNewton;
use crate::drift::row_scales;
use crate::dynamics::RowWeighting;
use crate::kkt::{Projector, RankPolicy};
use crate::mathematics::magnitude::max_abs;
use crate::state::State;

/// Most iterations; their convergence is linear if residuals remain.
const MAX_ITERATIONS: usize = 200;
/// Most halvings of a step.
const MAX_STEP_HALVINGS: usize = 20;

impl PositionNewton<'_> {
    /// The pose of least squares of φ, by Gauss-Newton iterations from the given state or from the one that the search for
    /// an exact solution ended with. None if they do not converge.
    ///
    /// At the result no correction can reduce the residual: its projection onto the range of A vanishes,
    /// \[Masarati2010\] eq. (26b) with the pseudo-inverse of \[FumagalliMasarati2009\] eq. (46).
    pub fn least_squares_positions(
        &mut self,
        given: &State,
        tried: &State,
        settings: &AssemblySettings,
    ) -> Option<State> {
        [given, tried].into_iter().find_map(|from| {
            let mut state = from.clone();
            self.normalise(&mut state);
            for _ in 0..MAX_ITERATIONS {
                let size = self.evaluate(&state).size;
                let mut projector = self.weighted_projector(settings.row_weighting);
                let removable = self.removable(&mut projector, &self.eq.phi)?;
                if max_abs(&removable) <= settings.tolerance * size {
                    return Some(state);
                }
                projector.project(&self.eq, &removable, &mut self.x);
                state = self.shorter_residual(&state, settings.row_weighting)?;
            }
            None
        })
    }

    /// The velocities of least squares of φ̇ at the pose; whether they were found.
    pub fn least_squares_velocities(&mut self, state: &mut State, weighting: RowWeighting, most: f64) -> bool {
        for _ in 0..MAX_ITERATIONS {
            self.evaluate(state);
            let mut projector = self.weighted_projector(weighting);
            let Some(removable) = self.removable(&mut projector, &self.eq.phidot) else { return false };
            if max_abs(&removable) <= most {
                return true;
            }
            projector.project(&self.eq, &removable, &mut self.x);
            state.v.iter_mut().zip(&self.x).for_each(|(v, d)| *v += d);
        }
        false
    }

    fn weighted_projector(&self, weighting: RowWeighting) -> Projector {
        let W = self.weights();
        let scale = row_scales(self.model, &W, &self.eq);
        let mut projector = Projector::new(&self.eq.layout, &scale, &RankPolicy::default()).with_weighting(weighting);
        projector.factor(&W, &self.eq.A);
        projector
    }

    /// The part of a residual that a correction can remove; none if it is not finite.
    fn removable(&self, projector: &mut Projector, residual: &[f64]) -> Option<Vec<f64>> {
        let mut part = residual.to_vec();
        projector.remove_contradiction(&self.eq, &mut part);
        Some(part).filter(|part| part.iter().all(|x| x.is_finite()))
    }

    /// The state after a step along the correction, halved until the weighted squares do not grow.
    fn shorter_residual(&mut self, state: &State, weighting: RowWeighting) -> Option<State> {
        let scale = match weighting {
            RowWeighting::AsWritten => vec![1.0; self.eq.phi.len()],
            RowWeighting::Scaled => row_scales(self.model, &self.weights(), &self.eq),
        };
        let before = self.merit(&scale);
        let mut fraction = 1.0;
        for _ in 0..MAX_STEP_HALVINGS {
            let mut trial = state.clone();
            self.displace(&mut trial, fraction);
            self.evaluate(&trial);
            if self.merit(&scale) <= before * (1.0 + 1e-12) {
                return Some(trial);
            }
            fraction *= 0.5;
        }
        None
    }
}
