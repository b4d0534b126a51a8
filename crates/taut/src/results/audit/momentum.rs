//! Checks the momentum of an isolated mechanism: linear momentum, minus the impulse of gravity, and angular momentum
//! about the mass centre are conserved.
//!
//! ```text
//!  P·d = Σ w_d·v,   w_d the gravity force of a body in a unit field along d
//!  L·d = Σ u_d·M v, u_d the velocities of a body rotated about the axis d through the mass centre
//! ```
//!
//! As with the energy, a step changes them only by its local error, and the permitted errors of the steps are summed.

use super::{Promise, Scratch};
use crate::bodies::Carriage;
use crate::constraints::ConstraintKind;
use crate::dynamics::Dynamics;
use crate::equations::is_frame;
use crate::forces::ForceKind;
use crate::model::Model;
use crate::motion::Vec3;
use crate::solution::Severity;
use serde::{Deserialize, Serialize};
use taut_ode::Steering;

/// Doubtful above this multiple of the permitted error; wrong above the second multiple, if the change also exceeds
/// this fraction of the momentum at work.
const DOUBTFUL: f64 = 30.0;
const WRONG: f64 = 1e3;
const WRONG_SHARE: f64 = 1e-2;
/// Permitted fractions of the momentum at work for steps that are not controlled by a tolerance.
const LOOSE_DOUBTFUL: f64 = 2e-2;
const LOOSE_WRONG: f64 = 0.5;
/// Relative round-off of one sum.
const ROUND_OFF: f64 = 1e-12;

/// Linear and angular momentum, and the sums of the magnitudes of their terms.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Sums {
    kept: [f64; 6],
    at_work: [f64; 2],
}

/// Audit of the momentum so far.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Momentum {
    /// Time and momenta at the first check.
    first: Option<(f64, Sums)>,
    permitted: [f64; 2],
    /// The largest momenta at work.
    at_work: [f64; 2],
    told: Severity,
    #[serde(skip)]
    scratch: Scratch<Space>,
}

/// M v of all bodies, and velocities and accelerations of one rotated body.
#[derive(Clone, Debug, Default)]
struct Space {
    p: Vec<f64>,
    u: Vec<f64>,
    bias: Vec<f64>,
}

impl Space {
    /// u and bias for a body of n velocities.
    fn of_body(&mut self, n: usize) -> (&mut [f64], &mut [f64]) {
        for x in [&mut self.u, &mut self.bias] {
            x.resize(x.len().max(n), 0.0);
            x[..n].fill(0.0);
        }
        (&mut self.u[..n], &mut self.bias[..n])
    }
}

/// A violation of momentum conservation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Change {
    pub severity: Severity,
    /// `linear` or `angular`, and `x`, `y` or `z`.
    pub kind: &'static str,
    pub axis: &'static str,
    /// The change, and its fraction of the momentum at work.
    pub change: f64,
    pub share: f64,
}

/// Whether no external force except uniform gravity acts on the mechanism.
pub(crate) fn is_free(model: &Model) -> bool {
    let inside = |m: &usize| model.markers[*m].body.is_some() && is_frame(model, *m);
    let mutual = |f: &ForceKind| match f {
        ForceKind::Bushing(_) | ForceKind::Cable(_) | ForceKind::Compliant(_) | ForceKind::Beam(_) => true,
        ForceKind::Spring(_) => true,
        _ => false,
    };
    let forces = model.forces.iter().all(|f| mutual(&f.kind) && f.markers.iter().all(inside));
    let joints = model.constraints.iter().all(|c| match c.kind {
        ConstraintKind::Joint(_) | ConstraintKind::Contact(_) => c.markers.iter().all(inside),
        ConstraintKind::UnitNorm(_) => true,
        _ => false,
    });
    !model.bodies.is_empty() && model.events.is_empty() && forces && joints
}

impl Momentum {
    /// Checks after `steps` steps; the dynamics are evaluated at the end of the last.
    pub fn look(
        &mut self,
        d: &Dynamics,
        t: f64,
        q: &[f64],
        v: &[f64],
        steps: u32,
        promise: &Promise,
    ) -> Option<Change> {
        let seen = measure(d, q, v, promise, &mut self.scratch.0)?;
        if !seen.now.kept.iter().chain(&seen.of_step).all(|x| x.is_finite()) {
            return None;
        }
        let weight = d.model.gravity * seen.mass;
        self.weigh(t, seen.now, seen.of_step.map(|x| x * f64::from(steps)), weight, promise)
    }

    fn weigh(&mut self, t: f64, now: Sums, of_steps: [f64; 2], weight: Vec3, promise: &Promise) -> Option<Change> {
        let (start, first) = *self.first.get_or_insert((t, now));
        let mut worst: Option<Change> = None;
        for k in 0..2 {
            self.permitted[k] += of_steps[k];
            self.at_work[k] = self.at_work[k].max(now.at_work[k]);
            let round_off = ROUND_OFF * self.at_work[k];
            let (permitted, wrong) = match promise.steering {
                Steering::Close => {
                    let permitted = self.permitted[k] + round_off;
                    (DOUBTFUL * permitted, (WRONG * permitted).max(WRONG_SHARE * self.at_work[k]))
                }
                Steering::Loose => {
                    (LOOSE_DOUBTFUL * self.at_work[k] + round_off, LOOSE_WRONG * self.at_work[k] + round_off)
                }
            };
            for (i, axis) in ["x", "y", "z"].into_iter().enumerate() {
                let given = if k == 0 { weight[i] * (t - start) } else { 0.0 };
                let change = now.kept[3 * k + i] - first.kept[3 * k + i] - given;
                let severity = match change.abs() {
                    x if x > wrong => Severity::Wrong,
                    x if x > permitted => Severity::Doubtful,
                    _ => continue,
                };
                let share = change.abs() / self.at_work[k].max(f64::MIN_POSITIVE);
                if worst.is_none_or(|w| (severity, share) > (w.severity, w.share)) {
                    worst = Some(Change { severity, kind: ["linear", "angular"][k], axis, change, share });
                }
            }
        }
        let found = worst.filter(|w| w.severity > self.told)?;
        self.told = found.severity;
        Some(found)
    }
}

/// Momenta at a state.
struct Seen {
    now: Sums,
    /// Permitted errors of a step to this state.
    of_step: [f64; 2],
    mass: f64,
}

const AXES: [Vec3; 3] = [Vec3::new(1.0, 0.0, 0.0), Vec3::new(0.0, 1.0, 0.0), Vec3::new(0.0, 0.0, 1.0)];

/// None if a body does not support it.
fn measure(d: &Dynamics, q: &[f64], v: &[f64], promise: &Promise, space: &mut Space) -> Option<Seen> {
    let (mut now, mut squares) = (Sums::default(), [0.0; 2]);
    let Centre { mass, at, flat } = centre(d, q, space)?;
    let mut p = std::mem::take(&mut space.p);
    p.resize(v.len(), 0.0);
    d.eq.mass_times(v, &mut p);
    for b in &d.model.bodies {
        let (body, q, v) = (b.kind.body(), &q[b.q.clone()], &v[b.v.clone()]);
        let own = &d.scene.motions[b.markers.start];
        let (u, bias) = space.of_body(v.len());
        for (i, axis) in AXES.iter().enumerate() {
            // Planar bodies are constrained to the plane from outside.
            if !(flat && i == 2) {
                u.fill(0.0);
                body.weight(q, own, axis, u);
                for (u, v) in u.iter().zip(v) {
                    now.kept[i] += u * v;
                    now.at_work[0] += (u * v).abs();
                    squares[0] += (u * (promise.atol + promise.rtol * v.abs())).powi(2);
                }
            }
            if flat && i < 2 {
                continue;
            }
            body.carried(q, &at, axis, u, bias);
            for (k, u) in u.iter().enumerate() {
                let (part, inertia) = (u * p[b.v.start + k], d.eq.M[b.mass.start + k * (v.len() + 1)]);
                now.kept[3 + i] += part;
                now.at_work[1] += part.abs();
                squares[1] += (part * promise.rtol).powi(2) + (u * promise.atol * inertia).powi(2);
            }
        }
    }
    space.p = p;
    let n = v.len() as f64;
    Some(Seen { now, of_step: squares.map(|x| (n * x).sqrt()), mass })
}

/// Mass and mass centre of all bodies, and whether some of them are planar.
struct Centre {
    mass: f64,
    at: Vec3,
    flat: bool,
}

/// None if a body cannot be rotated as a whole, or reports no mass.
fn centre(d: &Dynamics, q: &[f64], space: &mut Space) -> Option<Centre> {
    let (mut mass, mut moment, mut flat) = (0.0, Vec3::zeros(), false);
    for b in &d.model.bodies {
        let (body, q) = (b.kind.body(), &q[b.q.clone()]);
        let own = &d.scene.motions[b.markers.start];
        let (u, bias) = space.of_body(b.v.len());
        let mut carried = |axis: &Vec3| body.carried(q, &Vec3::zeros(), axis, u, bias) == Carriage::Carried;
        if !carried(&AXES[2]) {
            return None;
        }
        flat |= !carried(&AXES[0]);
        u.fill(0.0);
        body.weight(q, own, &AXES[0], u);
        mass += u.first()?;
        let rest = body.potential(q, own, &Vec3::zeros());
        for (i, axis) in AXES.iter().enumerate() {
            moment[i] += rest - body.potential(q, own, axis);
        }
    }
    (mass > 0.0).then(|| Centre { mass, at: moment / mass, flat })
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLOSE: Promise =
        Promise { rtol: 1e-8, atol: 1e-8, steering: Steering::Close, order: 8, span: 1.0, least_part: 0.0 };

    fn sums(px: f64, lz: f64) -> Sums {
        Sums { kept: [px, 0.0, 0.0, 0.0, 0.0, lz], at_work: [2.0, 5.0] }
    }

    #[test]
    fn what_the_weight_gives_is_no_change() {
        let mut momentum = Momentum::default();
        let weight = Vec3::new(-3.0, 0.0, 0.0);
        for k in 0..10 {
            let t = f64::from(k);
            assert_eq!(momentum.weigh(t, sums(1.0 - 3.0 * t, 4.0), [1e-8; 2], weight, &CLOSE), None);
        }
    }

    #[test]
    fn momentum_that_is_not_kept_is_told_with_its_axis() {
        let mut momentum = Momentum::default();
        assert_eq!(momentum.weigh(0.0, sums(1.0, 4.0), [1e-8; 2], Vec3::zeros(), &CLOSE), None);
        assert_eq!(momentum.weigh(1.0, sums(1.0, 4.0 + 2e-7), [1e-8; 2], Vec3::zeros(), &CLOSE), None);
        let found = momentum.weigh(2.0, sums(1.0, 4.001), [1e-8; 2], Vec3::zeros(), &CLOSE).unwrap();
        assert_eq!((found.severity, found.kind, found.axis), (Severity::Doubtful, "angular", "z"));
        let found = momentum.weigh(3.0, sums(2.0, 4.0), [1e-8; 2], Vec3::zeros(), &CLOSE).unwrap();
        assert_eq!((found.severity, found.kind, found.axis), (Severity::Wrong, "linear", "x"));
        assert_eq!(momentum.weigh(4.0, sums(3.0, 4.0), [1e-8; 2], Vec3::zeros(), &CLOSE), None, "it is reported once");
    }
}
