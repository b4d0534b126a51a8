//! Samples of the event functions along one step.
//!
//! There are three kinds of functions. For some the problem itself can exclude zeros between two states ([`IntervalCheck`]); for
//! others the values show how well they are resolved; the rest is sampled in equal parts of the step.

/// Samples of all functions, in order of time.
#[derive(Debug, Default)]
pub(crate) struct Samples {
    /// How many functions there are.
    pub count: usize,
    pub times: Vec<f64>,
    /// Values, row by row.
    pub values: Vec<f64>,
    /// Number under which the problem stores each sample.
    pub slots: Vec<usize>,
    /// Whether the neighbouring intervals have been checked since the sample was added.
    checked: Vec<bool>,
    /// Number of the next sample.
    next: usize,
}

/// A sample to be added: the index of the sample before it, and its time.
pub(crate) type SampleRequest = (usize, f64);

impl Samples {
    pub fn new(count: usize, capacity: usize) -> Self {
        Self {
            count,
            times: Vec::with_capacity(capacity),
            values: Vec::with_capacity(capacity * count),
            slots: Vec::with_capacity(capacity),
            checked: Vec::with_capacity(capacity),
            next: 0,
        }
    }

    pub fn clear(&mut self) {
        self.times.clear();
        self.values.clear();
        self.slots.clear();
        self.checked.clear();
        self.next = 0;
    }

    pub fn len(&self) -> usize {
        self.times.len()
    }

    /// The number of the next sample.
    pub fn next_slot(&self) -> usize {
        self.next
    }

    /// Adds a sample at the end.
    pub fn push(&mut self, t: f64, g: &[f64]) {
        self.times.push(t);
        self.values.extend_from_slice(g);
        self.slots.push(self.next);
        self.checked.push(false);
        self.next += 1;
    }

    /// Adds a sample before another.
    pub fn insert(&mut self, at: usize, t: f64, g: &[f64]) {
        let end = self.len();
        self.push(t, g);
        self.times[at..=end].rotate_right(1);
        self.slots[at..=end].rotate_right(1);
        self.checked[at..=end].rotate_right(1);
        self.values[at * self.count..].rotate_right(self.count);
    }

    /// Sorts the samples that were pushed behind the first `before` into the list: the k-th behind the sample `wanted[k].0`.
    pub fn merge(&mut self, before: usize, wanted: &[SampleRequest]) {
        // From the back, so that every sample is moved once.
        let count = self.count;
        let (times, values) = (self.times[before..].to_vec(), self.values[before * count..].to_vec());
        let (slots, mut to) = (self.slots[before..].to_vec(), self.len());
        let mut from = before;
        for (k, (behind, _)) in wanted.iter().enumerate().rev() {
            while from > behind + 1 {
                (from, to) = (from - 1, to - 1);
                self.move_to(from, to);
            }
            to -= 1;
            (self.times[to], self.slots[to], self.checked[to]) = (times[k], slots[k], false);
            self.values[to * count..(to + 1) * count].copy_from_slice(&values[k * count..(k + 1) * count]);
        }
    }

    fn move_to(&mut self, from: usize, to: usize) {
        self.times[to] = self.times[from];
        self.slots[to] = self.slots[from];
        self.checked[to] = self.checked[from];
        self.values.copy_within(from * self.count..(from + 1) * self.count, to * self.count);
    }

    /// Removes all samples before a time and inserts one at it; those after it, in the direction of integration, stay.
    pub fn restart_at(&mut self, t: f64, direction: f64, g: &[f64]) {
        let kept = self.times.partition_point(|time| direction * (time - t) <= 0.0);
        self.times.drain(..kept);
        self.slots.drain(..kept);
        self.checked.drain(..kept);
        self.values.drain(..kept * self.count);
        self.insert(0, t, g);
        // All intervals have been checked before.
        self.checked.fill(true);
    }

    pub fn value(&self, j: usize, i: usize) -> f64 {
        self.values[j * self.count + i]
    }

    /// Whether the samples around the interval `j` to `j + 1` have not changed since it was checked.
    pub fn is_checked(&self, j: usize) -> bool {
        self.checked[j.saturating_sub(2)..(j + 4).min(self.len())].iter().all(|judged| *judged)
    }

    /// Marks all intervals as checked.
    pub fn mark_checked(&mut self) {
        self.checked.fill(true);
    }

    /// The largest finite magnitude of function `i`.
    pub fn magnitude(&self, i: usize) -> f64 {
        let all = (0..self.len()).map(|j| self.value(j, i).abs());
        all.filter(|g| g.is_finite()).fold(0.0, f64::max)
    }

    /// Gives samples of function `i` with a magnitude of at most `touches` the sign of their neighbours, if these agree: such a
    /// function has touched zero, not crossed it.
    pub fn clamp_touching(&mut self, i: usize, touches: f64) {
        let mut before: Option<usize> = None;
        for j in 0..self.len() {
            let g = self.value(j, i);
            if g.abs() <= touches {
                continue;
            }
            if let Some(k) = before.filter(|k| k + 1 < j && self.value(*k, i) * g > 0.0) {
                for m in k + 1..j {
                    let here = &mut self.values[m * self.count + i];
                    *here = g.signum() * here.abs().max(f64::MIN_POSITIVE);
                }
            }
            before = Some(j);
        }
    }

    /// Whether function `i` may have zeros between the samples `j` and `j + 1` that the values there do not show.
    pub fn may_hide_zero(&self, i: usize, j: usize) -> bool {
        let (a, b) = (self.value(j, i), self.value(j + 1, i));
        if !(a.is_finite() && b.is_finite()) {
            return false;
        }
        let rough = self.prediction_error(i, j).max(self.prediction_error(i, j + 1));
        if (a > 0.0) != (b > 0.0) || a == 0.0 || b == 0.0 {
            return rough > SINGLE_CROSSING_TOLERANCE * (b - a).abs();
        }
        rough > FAR_FROM_ZERO_TOLERANCE * a.abs().min(b.abs()) || self.secants_cross_zero(i, j)
    }

    /// Difference of sample `k` from the value that four neighbours predict.
    fn prediction_error(&self, i: usize, k: usize) -> f64 {
        let n = self.len();
        if n < 5 {
            return 0.0;
        }
        let first = k.saturating_sub(2).min(n - 5);
        let others = (first..first + 5).filter(|m| *m != k);
        let t = self.times[k];
        let mut sum = 0.0;
        for m in others.clone() {
            let weight = others.clone().filter(|o| *o != m);
            let weight: f64 = weight.map(|o| (t - self.times[o]) / (self.times[m] - self.times[o])).product();
            sum += weight * self.value(m, i);
        }
        let off = (self.value(k, i) - sum).abs();
        // A NaN among the neighbours predicts nothing.
        if off.is_finite() { off } else { 0.0 }
    }

    /// Whether the secants on either side intersect beyond zero: a function that is convex towards zero lies above them.
    fn secants_cross_zero(&self, i: usize, j: usize) -> bool {
        if j == 0 || j + 2 >= self.len() {
            return false;
        }
        let [p, a, b, q] = [j - 1, j, j + 1, j + 2].map(|k| self.value(k, i) * self.value(j, i).signum());
        let [tp, ta, tb, tq] = [j - 1, j, j + 1, j + 2].map(|k| self.times[k]);
        let (left, right) = ((a - p) / (ta - tp), (q - b) / (tq - tb));
        let h = tb - ta;
        // In the direction of integration.
        let (left, right, h) = if h < 0.0 { (-left, -right, -h) } else { (left, right, h) };
        if !(left < 0.0 && right > 0.0) {
            return false;
        }
        let meet = (b - right * h - a) / (left - right);
        a + left * meet.clamp(0.0, h) <= 0.0
    }
}

/// Prediction error, as a share of the change, below which a sign change counts as a single crossing.
const SINGLE_CROSSING_TOLERANCE: f64 = 1e-3;

/// Prediction error, as a share of the magnitude, below which a function has no zero.
const FAR_FROM_ZERO_TOLERANCE: f64 = 0.5;

#[cfg(test)]
mod tests {
    use super::*;

    fn of(times: &[f64], g: impl Fn(f64) -> f64) -> Samples {
        let mut samples = Samples::new(1, times.len());
        times.iter().for_each(|t| samples.push(*t, &[g(*t)]));
        samples
    }

    #[test]
    fn what_is_merged_comes_into_the_order_of_time() {
        let mut samples = of(&[0.0, 1.0, 2.0, 3.0], |t| 10.0 * t);
        let wanted = [(0, 0.5), (2, 2.5)];
        wanted.iter().for_each(|(_, t)| samples.push(*t, &[10.0 * t]));
        samples.merge(4, &wanted);
        assert_eq!(samples.times, [0.0, 0.5, 1.0, 2.0, 2.5, 3.0]);
        assert_eq!(samples.values, [0.0, 5.0, 10.0, 20.0, 25.0, 30.0]);
        assert_eq!(samples.slots, [0, 4, 1, 2, 5, 3]);
        samples.insert(1, 0.25, &[2.5]);
        assert_eq!((samples.times[1], samples.slots[1], samples.values[1]), (0.25, 6, 2.5));
        samples.restart_at(1.5, 1.0, &[15.0]);
        assert_eq!(samples.times, [1.5, 2.0, 2.5, 3.0]);
    }

    #[test]
    fn what_the_values_do_not_tell_is_doubtful() {
        let even: Vec<f64> = (0..8).map(f64::from).collect();
        // The values of a line and of a parabola far from zero predict each other, those of an oscillation do not.
        let line = of(&even, |t| t - 3.3);
        let bowl = of(&even, |t| (t - 3.3).powi(2) + 5.0);
        let irregular = [0.0, 0.9, 2.2, 2.9, 4.4, 5.1, 5.8, 7.0];
        let wave = of(&irregular, |t| (50.0 * t).sin());
        for j in 0..7 {
            assert!(!line.may_hide_zero(0, j) && !bowl.may_hide_zero(0, j), "{j}");
            assert!(wave.may_hide_zero(0, j), "{j}");
        }
        // A corner between two samples whose secants intersect below zero.
        let corner = of(&even, |t| (t - 3.5).abs() - 1e-3);
        assert!(corner.may_hide_zero(0, 3) && !corner.may_hide_zero(0, 0));
    }
}
