//! Axes: a range, ticks at round numbers, and how they are written.

/// One axis between two values, drawn between two places.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Axis {
    pub low: f64,
    pub high: f64,
    from: f64,
    to: f64,
    step: f64,
    /// Power of ten that all labels leave out.
    pub exponent: i32,
}

impl Axis {
    /// For values of this range, between two places; `apart` is the least distance of two ticks.
    pub fn new(range: (f64, f64), margin: f64, from: f64, to: f64, apart: f64) -> Axis {
        let (low, high) = widened(range, margin);
        let most = ((to - from).abs() / apart).max(1.0);
        let step = round_step((high - low) / most);
        let size = low.abs().max(high.abs());
        let power = size.log10().floor();
        let exponent = if size > 0.0 && !(-3.0..5.0).contains(&power) { 3 * (power / 3.0).floor() as i32 } else { 0 };
        Axis { low, high, from, to, step, exponent }
    }

    /// Where a value is drawn.
    pub fn place(&self, x: f64) -> f64 {
        self.from + (x - self.low) / (self.high - self.low) * (self.to - self.from)
    }

    /// Ticks: value and label.
    pub fn ticks(&self) -> Vec<(f64, String)> {
        let first = (self.low / self.step - 1e-9).ceil();
        let count = ((self.high - self.low) / self.step + 2.0).min(1000.0) as usize;
        let unit = 10f64.powi(self.exponent);
        let digits = (-(self.step / unit).log10() + 1e-9).ceil().clamp(0.0, 12.0) as usize;
        let tick = |i: usize| {
            let x = (first + i as f64) * self.step;
            let label = format!("{:.digits$}", x / unit);
            // No −0.
            let label = if label.trim_start_matches(['-', '0', '.']).is_empty() { "0".to_string() } else { label };
            (x, label.replace('-', "−"))
        };
        (0..count).map(tick).filter(|(x, _)| *x <= self.high + 1e-9 * self.step).collect()
    }

    /// `×10³` where labels leave a power of ten out.
    pub fn factor(&self) -> Option<String> {
        const RAISED: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
        let raise = |c: char| c.to_digit(10).map_or('⁻', |d| RAISED[d as usize]);
        (self.exponent != 0).then(|| format!("×10{}", self.exponent.to_string().chars().map(raise).collect::<String>()))
    }
}

/// The next of 1, 2, 5 times a power of ten.
fn round_step(least: f64) -> f64 {
    let power = 10f64.powf(least.log10().floor());
    let times = [1.0, 2.0, 5.0].into_iter().find(|m| m * power >= least * (1.0 - 1e-9));
    times.unwrap_or(10.0) * power
}

/// A range with a margin. Values that differ by round-off only are one value.
fn widened((low, high): (f64, f64), margin: f64) -> (f64, f64) {
    let size = low.abs().max(high.abs());
    if low > high || !size.is_finite() {
        return (0.0, 1.0);
    }
    if high - low <= 1e-12 * size {
        let about = 0.5 * low + 0.5 * high;
        let half = if size > 0.0 { 0.5 * size } else { 1.0 };
        return (about - half, about + half);
    }
    // A width of next to nothing cannot be divided into steps.
    if high - low < 1e-290 {
        return (0.0, 1.0);
    }
    let more = margin * (high - low);
    (low - more, high + more)
}

/// Smallest and largest finite value.
pub(crate) fn range<'a>(values: impl Iterator<Item = &'a f64>) -> (f64, f64) {
    let wider = |(low, high): (f64, f64), x: &f64| (low.min(*x), high.max(*x));
    // Beyond this the width of a range is no number any more.
    values.filter(|x| x.abs() < 1e300).fold((f64::INFINITY, f64::NEG_INFINITY), wider)
}

#[cfg(test)]
mod tests {
    use super::{Axis, range};

    fn labels(low: f64, high: f64) -> Vec<String> {
        Axis::new((low, high), 0.0, 0.0, 400.0, 80.0).ticks().into_iter().map(|(_, label)| label).collect()
    }

    #[test]
    fn ticks_are_round() {
        assert_eq!(labels(0.0, 10.0), ["0", "2", "4", "6", "8", "10"]);
        assert_eq!(labels(-0.3, 0.31), ["−0.2", "0", "0.2"]);
        assert_eq!(labels(0.95, 1.05), ["0.96", "0.98", "1.00", "1.02", "1.04"]);
        let tiny = Axis::new((0.0, 3e-13), 0.0, 0.0, 400.0, 80.0);
        assert_eq!(tiny.factor().unwrap(), "×10⁻¹⁵");
        assert_eq!(tiny.ticks().last().unwrap().1, "300");
        assert_eq!(Axis::new((0.0, 2.5e7), 0.0, 0.0, 400.0, 80.0).factor().unwrap(), "×10⁶");
    }

    #[test]
    fn odd_ranges_are_drawn_too() {
        for r in
            [(1.0, 1.0), (0.0, 0.0), range([].iter()), (1.0, 1.0 + 1e-15), (-1e299, 1e299), (0.0, 5e-324), (-3.0, -3.0)]
        {
            let axis = Axis::new(r, 0.05, 400.0, 0.0, 40.0);
            let ticks = axis.ticks();
            assert!((2..30).contains(&ticks.len()), "{r:?}: {ticks:?}");
            assert!(ticks.iter().all(|(x, _)| (-1.0..=401.0).contains(&axis.place(*x))), "{r:?}");
        }
        assert_eq!(range([1.0, f64::NAN, f64::INFINITY, -2.0].iter()), (-2.0, 1.0));
    }
}
