//! How far errors grow where a guard crosses zero: see [`audit::switching`](crate::audit::switching).

use super::Problem;
use crate::audit::Promise;
use crate::audit::switching::Chatter;
use taut_ode::System;

/// Time over which rates are compared, relative to the length of the run and to 1 + t.
const MOMENT: f64 = 1e-8;
const ROUND_OFF: f64 = 1e-13;

impl Problem<'_> {
    /// Looks at the switch of guard `index`.
    pub(super) fn audit_switch(&mut self, index: usize, t: f64, y: &[f64]) {
        let Some(growth) = self.growth(index, t, y) else { return };
        if let Some(Chatter { count, growth }) = self.audit.switching.look(growth, self.promise.order) {
            let name = self.guarding.owner(self.dynamics.model, index).to_string();
            self.doubt(t, "a condition switches so often that errors add up", &name, || {
                format!(
                    ": that of `{name}` has switched {count} times, and each time an error of one tolerance becomes one of {growth:.0}; \
                     use `dop853` with a small `rtol`, or give the condition a hysteresis"
                )
            });
        }
    }

    /// The error behind the zero of a guard, in tolerances, that comes of an error of one tolerance before it.
    fn growth(&mut self, index: usize, t: f64, y: &[f64]) -> Option<f64> {
        let Promise { rtol, atol, span, .. } = self.promise;
        if rtol == 0.0 && atol == 0.0 {
            return None;
        }
        let mut rates = vec![0.0; y.len()];
        self.dynamics.rates(t, y, &mut rates).ok()?;
        let mut values = vec![0.0; self.guarding.count()];
        let mut guard = |problem: &mut Self, t: f64, y: &[f64]| {
            problem.guard_values(t, y, &mut values);
            values[index]
        };
        let along = |dt: f64| y.iter().zip(&rates).map(|(y, rate)| y + dt * rate).collect::<Vec<f64>>();
        let dt = MOMENT * span + ROUND_OFF * (1.0 + t.abs());
        let here = guard(self, t, y);
        let slope = (guard(self, t + dt, &along(dt)) - here) / dt;
        // Far enough to either side to be beyond the zero.
        let dt = dt + 2.0 * (here / slope).abs();
        if !dt.is_finite() {
            return Some(f64::INFINITY);
        }
        let (mut before, mut after) = (vec![0.0; y.len()], vec![0.0; y.len()]);
        self.dynamics.rates(t - dt, &along(-dt), &mut before).ok()?;
        self.dynamics.rates(t + dt, &along(dt), &mut after).ok()?;
        let n = self.dynamics.model.sizes.q + self.dynamics.model.sizes.v;
        let tolerance = |i: usize| (atol + rtol * y[i].abs()).max(f64::MIN_POSITIVE);
        let jump = (0..n).map(|i| ((after[i] - before[i]) / tolerance(i)).powi(2)).sum::<f64>().sqrt();
        // An error of one tolerance in all: of two that differ in half of their signs, the larger counts.
        let erred = |sign: fn(usize) -> f64| (0..y.len()).map(|i| y[i] + sign(i) * tolerance(i)).collect::<Vec<f64>>();
        let [one, other] = [erred(|_| 1.0), erred(|i| if i % 2 == 0 { 1.0 } else { -1.0 })];
        let error = (guard(self, t, &one) - here).abs().max((guard(self, t, &other) - here).abs());
        Some(jump * error / slope.abs())
    }
}
