//! Checks the momentum of an isolated mechanism: linear momentum, minus the impulse of gravity, and angular momentum
//! about the mass centre are conserved.
//!
//! ```text
//!  P·d = Σ w_d·v,   w_d the gravity force of a body in a unit field along d
//!  L·d = Σ u_d·M v, u_d the velocities of a body rotated about the axis d through the mass centre
//! ```
//!
//! As with the energy, a step changes them only by its local error, and the permitted errors of the steps are summed.

use super::{AuditScratch, RunTolerances};
use crate::bodies::SteadyRotation;
use crate::constraints::ConstraintKind;
use crate::dynamics::Dynamics;
use crate::equations::is_frame;
use crate::forces::ForceKind;
use crate::model::Model;
use crate::motion::Vec3;
use crate::solution::Severity;
use serde::{Deserialize, Serialize};
use taut_ode::ErrorControl;

/// Doubtful above this multiple of the permitted error; wrong above the second multiple, if the change also exceeds
/// this fraction of the momentum at work.
const DOUBTFUL_FACTOR: f64 = 30.0;
const WRONG_FACTOR: f64 = 1e3;
const WRONG_FRACTION: f64 = 1e-2;
/// Permitted fractions of the momentum at work for steps that are not controlled by a tolerance.
const UNCONTROLLED_DOUBTFUL_FRACTION: f64 = 2e-2;
const UNCONTROLLED_WRONG_FRACTION: f64 = 0.5;
/// Relative round-off of one sum.
const ROUND_OFF: f64 = 1e-12;

/// Linear and angular momentum, and the sums of the magnitudes of their terms.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
struct MomentumSums {
    momentum: [f64; 6],
    at_work: [f64; 2],
}

/// Audit of the momentum so far.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct MomentumAudit {
    /// Time and momenta at the first check.
    first: Option<(f64, MomentumSums)>,
    permitted: [f64; 2],
    /// The largest momenta at work.
    at_work: [f64; 2],
    reported: Severity,
    #[serde(skip)]
    scratch: AuditScratch<MomentumScratch>,
}

/// M v of all bodies, and velocities and accelerations of one rotated body.
#[derive(Clone, Debug, Default)]
struct MomentumScratch {
    p: Vec<f64>,
    u: Vec<f64>,
    bias: Vec<f64>,
}

impl MomentumScratch {
    /// u and bias for a body of n velocities.
    fn for_body(&mut self, n: usize) -> (&mut [f64], &mut [f64]) {
        for x in [&mut self.u, &mut self.bias] {
            x.resize(x.len().max(n), 0.0);
            x[..n].fill(0.0);
        }
        (&mut self.u[..n], &mut self.bias[..n])
    }
}

/// A violation of momentum conservation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct MomentumChange {
    pub severity: Severity,
    /// `linear` or `angular`, and `x`, `y` or `z`.
    pub kind: &'static str,
    pub axis: &'static str,
    /// The change, and its fraction of the momentum at work.
    pub change: f64,
    pub fraction: f64,
}

/// Whether no external force except uniform gravity acts on the mechanism.
pub(crate) fn is_isolated(model: &Model) -> bool {
    let inside = |m: &usize| model.markers[*m].body.is_some() && is_frame(model, *m);
    let mutual = |f: &ForceKind| {
        matches!(
            f,
            ForceKind::Bushing(_)
                | ForceKind::Cable(_)
                | ForceKind::Compliant(_)
                | ForceKind::Beam(_)
                | ForceKind::Spring(_)
        )
    };
    let forces = model.forces.iter().all(|f| mutual(&f.kind) && f.markers.iter().all(inside));
    let joints = model.constraints.iter().all(|c| match c.kind {
        ConstraintKind::Joint(_) | ConstraintKind::Contact(_) => c.markers.iter().all(inside),
        ConstraintKind::UnitNorm(_) | ConstraintKind::ForceBalance(_) => true,
        _ => false,
    });
    !model.bodies.is_empty() && model.events.is_empty() && forces && joints
}

impl MomentumAudit {
    /// Checks after `steps` steps; the dynamics are evaluated at the end of the last.
    pub fn check(
        &mut self,
        d: &Dynamics,
        t: f64,
        q: &[f64],
        v: &[f64],
        steps: u32,
        promise: &RunTolerances,
    ) -> Option<MomentumChange> {
        let seen = sample_momentum(d, q, v, promise, &mut self.scratch.0)?;
        if !seen.now.momentum.iter().chain(&seen.step_error).all(|x| x.is_finite()) {
            return None;
        }
        let weight = d.model.gravity * seen.mass;
        self.assess(t, seen.now, seen.step_error.map(|x| x * f64::from(steps)), weight, promise)
    }

    fn assess(
        &mut self,
        t: f64,
        now: MomentumSums,
        of_steps: [f64; 2],
        weight: Vec3,
        promise: &RunTolerances,
    ) -> Option<MomentumChange> {
        let (start, first) = *self.first.get_or_insert((t, now));
        let mut worst: Option<MomentumChange> = None;
        for k in 0..2 {
            self.permitted[k] += of_steps[k];
            self.at_work[k] = self.at_work[k].max(now.at_work[k]);
            let round_off = ROUND_OFF * self.at_work[k];
            let (permitted, wrong) = match promise.steering {
                ErrorControl::Reliable => {
                    let permitted = self.permitted[k] + round_off;
                    (DOUBTFUL_FACTOR * permitted, (WRONG_FACTOR * permitted).max(WRONG_FRACTION * self.at_work[k]))
                }
                ErrorControl::Unreliable => (
                    UNCONTROLLED_DOUBTFUL_FRACTION * self.at_work[k] + round_off,
                    UNCONTROLLED_WRONG_FRACTION * self.at_work[k] + round_off,
                ),
            };
            for (i, axis) in ["x", "y", "z"].into_iter().enumerate() {
                let given = if k == 0 { weight[i] * (t - start) } else { 0.0 };
                let change = now.momentum[3 * k + i] - first.momentum[3 * k + i] - given;
                let severity = match change.abs() {
                    x if x > wrong => Severity::Wrong,
                    x if x > permitted => Severity::Doubtful,
                    _ => continue,
                };
                let fraction = change.abs() / self.at_work[k].max(f64::MIN_POSITIVE);
                if worst.is_none_or(|w| (severity, fraction) > (w.severity, w.fraction)) {
                    worst = Some(MomentumChange { severity, kind: ["linear", "angular"][k], axis, change, fraction });
                }
            }
        }
        let found = worst.filter(|w| w.severity > self.reported)?;
        self.reported = found.severity;
        Some(found)
    }
}

/// Momenta at a state.
struct MomentumSample {
    now: MomentumSums,
    /// Permitted errors of a step to this state.
    step_error: [f64; 2],
    mass: f64,
}

const AXES: [Vec3; 3] = [Vec3::new(1.0, 0.0, 0.0), Vec3::new(0.0, 1.0, 0.0), Vec3::new(0.0, 0.0, 1.0)];

/// None if a body does not support it.
fn sample_momentum(
    d: &Dynamics,
    q: &[f64],
    v: &[f64],
    promise: &RunTolerances,
    space: &mut MomentumScratch,
) -> Option<MomentumSample> {
    let (mut now, mut squares) = (MomentumSums::default(), [0.0; 2]);
    let MassCentre { mass, at, planar: flat } = mass_centre(d, q, space)?;
    let mut p = std::mem::take(&mut space.p);
    p.resize(v.len(), 0.0);
    d.eq.mass_times(v, &mut p);
    for b in &d.model.bodies {
        let (body, q, v) = (b.kind.body(), &q[b.q.clone()], &v[b.v.clone()]);
        let own = &d.kinematics.motions[b.markers.start];
        let (u, bias) = space.for_body(v.len());
        for (i, axis) in AXES.iter().enumerate() {
            // Planar bodies are constrained to the plane from outside.
            if !(flat && i == 2) {
                u.fill(0.0);
                body.gravity_force(q, own, axis, u);
                for (u, v) in u.iter().zip(v) {
                    now.momentum[i] += u * v;
                    now.at_work[0] += (u * v).abs();
                    squares[0] += (u * (promise.atol + promise.rtol * v.abs())).powi(2);
                }
            }
            if flat && i < 2 {
                continue;
            }
            body.steady_rotation(q, &at, axis, u, bias);
            for (k, u) in u.iter().enumerate() {
                let (part, inertia) = (u * p[b.v.start + k], d.eq.M[b.mass.start + k * (v.len() + 1)]);
                now.momentum[3 + i] += part;
                now.at_work[1] += part.abs();
                squares[1] += (part * promise.rtol).powi(2) + (u * promise.atol * inertia).powi(2);
            }
        }
    }
    space.p = p;
    let n = v.len() as f64;
    Some(MomentumSample { now, step_error: squares.map(|x| (n * x).sqrt()), mass })
}

/// Mass and mass centre of all bodies, and whether some of them are planar.
struct MassCentre {
    mass: f64,
    at: Vec3,
    planar: bool,
}

/// None if a body cannot be rotated as a whole, or reports no mass.
fn mass_centre(d: &Dynamics, q: &[f64], space: &mut MomentumScratch) -> Option<MassCentre> {
    let (mut mass, mut moment, mut flat) = (0.0, Vec3::zeros(), false);
    for b in &d.model.bodies {
        let (body, q) = (b.kind.body(), &q[b.q.clone()]);
        let own = &d.kinematics.motions[b.markers.start];
        let (u, bias) = space.for_body(b.v.len());
        let mut carried =
            |axis: &Vec3| body.steady_rotation(q, &Vec3::zeros(), axis, u, bias) == SteadyRotation::Prescribed;
        if !carried(&AXES[2]) {
            return None;
        }
        flat |= !carried(&AXES[0]);
        u.fill(0.0);
        body.gravity_force(q, own, &AXES[0], u);
        mass += u.first()?;
        let rest = body.potential(q, own, &Vec3::zeros());
        for (i, axis) in AXES.iter().enumerate() {
            moment[i] += rest - body.potential(q, own, axis);
        }
    }
    (mass > 0.0).then(|| MassCentre { mass, at: moment / mass, planar: flat })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::switching::StepErrors;

    const CLOSE: RunTolerances = RunTolerances {
        rtol: 1e-8,
        atol: 1e-8,
        steering: ErrorControl::Reliable,
        order: 8,
        span: 1.0,
        min_tolerance_fraction: 0.0,
        errors: StepErrors::NONE,
        follows_growth: false,
    };

    fn sums(px: f64, lz: f64) -> MomentumSums {
        MomentumSums { momentum: [px, 0.0, 0.0, 0.0, 0.0, lz], at_work: [2.0, 5.0] }
    }

    #[test]
    fn the_impulse_of_gravity_is_no_change() {
        let mut momentum = MomentumAudit::default();
        let weight = Vec3::new(-3.0, 0.0, 0.0);
        for k in 0..10 {
            let t = f64::from(k);
            assert_eq!(momentum.assess(t, sums(1.0 - 3.0 * t, 4.0), [1e-8; 2], weight, &CLOSE), None);
        }
    }

    #[test]
    fn momentum_that_is_not_conserved_is_reported_with_its_axis() {
        let mut momentum = MomentumAudit::default();
        assert_eq!(momentum.assess(0.0, sums(1.0, 4.0), [1e-8; 2], Vec3::zeros(), &CLOSE), None);
        assert_eq!(momentum.assess(1.0, sums(1.0, 4.0 + 2e-7), [1e-8; 2], Vec3::zeros(), &CLOSE), None);
        let found = momentum.assess(2.0, sums(1.0, 4.001), [1e-8; 2], Vec3::zeros(), &CLOSE).unwrap();
        assert_eq!((found.severity, found.kind, found.axis), (Severity::Doubtful, "angular", "z"));
        let found = momentum.assess(3.0, sums(2.0, 4.0), [1e-8; 2], Vec3::zeros(), &CLOSE).unwrap();
        assert_eq!((found.severity, found.kind, found.axis), (Severity::Wrong, "linear", "x"));
        assert_eq!(momentum.assess(4.0, sums(3.0, 4.0), [1e-8; 2], Vec3::zeros(), &CLOSE), None, "it is reported once");
    }
}
