//! Brute force: the classical Runge–Kutta method with tiny fixed steps that end at every break, and no dense output.

/// States at given times of y' = f(t, y); each step lies within two breaks, and f is asked strictly inside of them. After each step `branch`
/// may say where within it the form of f changes: the step is then cut there.
pub struct Brute<'a> {
    pub f: Box<dyn FnMut(f64, &[f64], usize) -> Vec<f64> + 'a>,
    /// The form that holds at a state.
    pub form: Box<dyn Fn(f64, &[f64]) -> usize + 'a>,
    pub breaks: Vec<f64>,
    pub step: f64,
    t: f64,
    y: Vec<f64>,
}

impl<'a> Brute<'a> {
    pub fn new(
        y: Vec<f64>,
        mut breaks: Vec<f64>,
        step: f64,
        f: impl FnMut(f64, &[f64], usize) -> Vec<f64> + 'a,
    ) -> Brute<'a> {
        breaks.sort_by(f64::total_cmp);
        Brute { f: Box::new(f), form: Box::new(|_, _| 0), breaks, step, t: 0.0, y }
    }

    pub fn with_forms(mut self, form: impl Fn(f64, &[f64]) -> usize + 'a) -> Brute<'a> {
        self.form = Box::new(form);
        self
    }

    fn rk4(&mut self, h: f64, form: usize, inside: [f64; 2]) -> Vec<f64> {
        let (t, y) = (self.t, self.y.clone());
        // Never at a break itself, where either side could be meant.
        let hair = 1e-12 * (1.0 + inside[1].abs());
        let clamp = |t: f64| t.clamp(inside[0] + hair, (inside[1] - hair).max(inside[0] + hair));
        let add = |k: &[f64], h: f64| y.iter().zip(k).map(|(y, k)| y + h * k).collect::<Vec<f64>>();
        let k1 = (self.f)(clamp(t), &y, form);
        let k2 = (self.f)(clamp(t + 0.5 * h), &add(&k1, 0.5 * h), form);
        let k3 = (self.f)(clamp(t + 0.5 * h), &add(&k2, 0.5 * h), form);
        let k4 = (self.f)(clamp(t + h), &add(&k3, h), form);
        (0..y.len()).map(|i| y[i] + h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i])).collect()
    }

    /// The state at a time, not before the last one asked for.
    pub fn at(&mut self, end: f64) -> Vec<f64> {
        while self.t < end {
            let before = self.breaks.iter().copied().filter(|b| *b <= self.t + 1e-14).fold(0.0, f64::max);
            let next = self.breaks.iter().copied().filter(|b| *b > self.t + 1e-14).fold(f64::INFINITY, f64::min);
            let inside = [before, next.min(1e9)];
            let mut h = self.step.min(end - self.t).min(next - self.t);
            let form = (self.form)(self.t, &self.y);
            let mut after = self.rk4(h, form, inside);
            if (self.form)(self.t + h, &after) != form {
                // The step to the very change, from both sides.
                let (mut low, mut high) = (0.0, h);
                for _ in 0..50 {
                    h = 0.5 * (low + high);
                    after = self.rk4(h, form, inside);
                    if (self.form)(self.t + h, &after) == form { low = h } else { high = h }
                }
                h = high;
                after = self.rk4(h, form, inside);
            }
            self.t = if (end - self.t - h).abs() < 1e-15 { end } else { self.t + h };
            if (self.t - next).abs() < 1e-13 {
                self.t = next;
            }
            self.y = after;
        }
        self.y.clone()
    }
}
