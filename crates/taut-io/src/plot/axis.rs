//! Axes: a range, ticks at round numbers, and how they are written.

/// Scale of an axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scale {
    /// Equal differences, equal distances.
    #[default]
    Linear,
    /// Equal ratios, equal distances; what is not positive is a gap.
    Logarithmic,
}

/// One axis between two values, drawn between two places. Under a logarithmic scale `low`, `high` and `step` are decades.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    scale: Scale,
    /// Lower end; a power of ten under a logarithmic scale.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    from: f64,
    to: f64,
    step: f64,
    /// Power of ten that all labels leave out.
    pub exponent: i32,
}

impl Axis {
    /// For values of this range, between two places; `apart` is the least distance of two ticks.
    pub fn new(scale: Scale, range: (f64, f64), margin: f64, from: f64, to: f64, apart: f64) -> Axis {
        match scale {
            Scale::Linear => Axis::linear(range, margin, from, to, apart),
            Scale::Logarithmic => Axis::logarithmic(range, margin, from, to, apart),
        }
    }

    fn linear(range: (f64, f64), margin: f64, from: f64, to: f64, apart: f64) -> Axis {
        let (low, high) = widened(range, margin);
        let most = ((to - from).abs() / apart).max(1.0);
        let step = round_step((high - low) / most);
        let size = low.abs().max(high.abs());
        let power = size.log10().floor();
        let exponent = if size > 0.0 && !(-3.0..5.0).contains(&power) { 3 * (power / 3.0).floor() as i32 } else { 0 };
        Axis { scale: Scale::Linear, low, high, from, to, step, exponent }
    }

    fn logarithmic((low, high): (f64, f64), margin: f64, from: f64, to: f64, apart: f64) -> Axis {
        let (mut low, mut high) = if low > 0.0 && low <= high { (low.log10(), high.log10()) } else { (0.0, 1.0) };
        // Less than a decade is too little to be seen as one.
        let lack = (1.0 - (high - low)).max(0.0);
        let more = (margin * (high - low)).max(0.5 * lack);
        (low, high) = (low - more, high + more);
        let most = ((to - from).abs() / apart).max(1.0);
        let step = match (high - low) / most {
            // Three ticks to a decade, at 1, 2 and 5.
            least if least <= 0.3 => 0.0,
            least => least.ceil(),
        };
        Axis { scale: Scale::Logarithmic, low, high, from, to, step, exponent: 0 }
    }

    /// Where a value is drawn.
    pub fn place(&self, x: f64) -> f64 {
        let x = match self.scale {
            Scale::Linear => x,
            Scale::Logarithmic if x > 0.0 => x.log10(),
            Scale::Logarithmic => f64::NAN,
        };
        self.from + (x - self.low) / (self.high - self.low) * (self.to - self.from)
    }

    /// Ticks: value and label.
    pub fn ticks(&self) -> Vec<(f64, String)> {
        match self.scale {
            Scale::Linear => self.linear_ticks(),
            Scale::Logarithmic => self.logarithmic_ticks(),
        }
    }

    fn logarithmic_ticks(&self) -> Vec<(f64, String)> {
        let within = |x: &f64| (self.low - 1e-9..=self.high + 1e-9).contains(&x.log10());
        let (first, last) = (self.low.floor() as i32, self.high.ceil() as i32);
        let parts: &[f64] = if self.step == 0.0 { &[1.0, 2.0, 5.0] } else { &[1.0] };
        let stride = self.step.max(1.0) as i32;
        let label = |m: f64, power: i32| match (m, power) {
            // Powers near one are read faster as plain numbers.
            (m, 0..=3) => format!("{:.0}", m * 10f64.powi(power)),
            (m, -2..=-1) => format!("{:.*}", power.unsigned_abs() as usize, m * 10f64.powi(power)),
            (1.0, power) => format!("10{}", raised(power)),
            (m, power) => format!("{m:.0}·10{}", raised(power)),
        };
        let decades = (first..=last).filter(|p| p.rem_euclid(stride) == 0);
        let ticks = decades.flat_map(|p| parts.iter().map(move |m| (*m, p)));
        ticks.map(|(m, p)| (m * 10f64.powi(p), label(m, p))).filter(|(x, _)| within(x)).collect()
    }

    fn linear_ticks(&self) -> Vec<(f64, String)> {
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
        (self.exponent != 0).then(|| format!("×10{}", raised(self.exponent)))
    }
}

/// A whole number as an exponent.
fn raised(power: i32) -> String {
    const RAISED: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    power.to_string().chars().map(|c| c.to_digit(10).map_or('⁻', |d| RAISED[d as usize])).collect()
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

/// Smallest and largest value that a scale can show.
pub fn range<'a>(scale: Scale, values: impl Iterator<Item = &'a f64>) -> (f64, f64) {
    let wider = |(low, high): (f64, f64), x: &f64| (low.min(*x), high.max(*x));
    let shown = |x: &&f64| match scale {
        // Beyond this the width of a range is no number any more.
        Scale::Linear => x.abs() < 1e300,
        Scale::Logarithmic => (1e-300..1e300).contains(*x),
    };
    values.filter(shown).fold((f64::INFINITY, f64::NEG_INFINITY), wider)
}

#[cfg(test)]
mod tests {
    use super::{Axis, Scale, range};

    fn labels(low: f64, high: f64) -> Vec<String> {
        Axis::new(Scale::Linear, (low, high), 0.0, 0.0, 400.0, 80.0)
            .ticks()
            .into_iter()
            .map(|(_, label)| label)
            .collect()
    }

    #[test]
    fn ticks_are_round() {
        assert_eq!(labels(0.0, 10.0), ["0", "2", "4", "6", "8", "10"]);
        assert_eq!(labels(-0.3, 0.31), ["−0.2", "0", "0.2"]);
        assert_eq!(labels(0.95, 1.05), ["0.96", "0.98", "1.00", "1.02", "1.04"]);
        let tiny = Axis::new(Scale::Linear, (0.0, 3e-13), 0.0, 0.0, 400.0, 80.0);
        assert_eq!(tiny.factor().unwrap(), "×10⁻¹⁵");
        assert_eq!(tiny.ticks().last().unwrap().1, "300");
        assert_eq!(Axis::new(Scale::Linear, (0.0, 2.5e7), 0.0, 0.0, 400.0, 80.0).factor().unwrap(), "×10⁶");
    }

    #[test]
    fn odd_ranges_are_drawn_too() {
        for r in [
            (1.0, 1.0),
            (0.0, 0.0),
            range(Scale::Linear, [].iter()),
            (1.0, 1.0 + 1e-15),
            (-1e299, 1e299),
            (0.0, 5e-324),
            (-3.0, -3.0),
        ] {
            let axis = Axis::new(Scale::Linear, r, 0.05, 400.0, 0.0, 40.0);
            let ticks = axis.ticks();
            assert!((2..30).contains(&ticks.len()), "{r:?}: {ticks:?}");
            assert!(ticks.iter().all(|(x, _)| (-1.0..=401.0).contains(&axis.place(*x))), "{r:?}");
        }
        assert_eq!(range(Scale::Linear, [1.0, f64::NAN, f64::INFINITY, -2.0].iter()), (-2.0, 1.0));
    }

    #[test]
    fn decades_are_ticks_of_a_logarithmic_axis() {
        let axis = |low: f64, high: f64| Axis::new(Scale::Logarithmic, (low, high), 0.0, 0.0, 400.0, 50.0);
        let labels = |a: &Axis| a.ticks().into_iter().map(|(_, label)| label).collect::<Vec<_>>();
        let wide = axis(1e-12, 1e-2);
        assert_eq!(labels(&wide), ["10⁻¹²", "10⁻¹⁰", "10⁻⁸", "10⁻⁶", "10⁻⁴", "0.01"]);
        assert_eq!((wide.place(1e-12), wide.place(1e-7), wide.place(1e-2)), (0.0, 200.0, 400.0));
        assert!(wide.place(0.0).is_nan() && wide.place(-1.0).is_nan());
        assert_eq!(labels(&axis(0.8, 60.0)), ["1", "2", "5", "10", "20", "50"]);
        // One value, none, and what is not positive.
        let one = axis(3.0, 3.0);
        assert!((one.place(3.0) - 200.0).abs() < 1e-9 && labels(&one) == ["1", "2", "5"], "{:?}", labels(&one));
        let none = range(Scale::Logarithmic, [0.0, -1.0, f64::NAN].iter());
        assert!(labels(&Axis::new(Scale::Logarithmic, none, 0.05, 0.0, 400.0, 80.0)).len() > 1);
        assert_eq!(range(Scale::Logarithmic, [0.0, 2.0, -1.0, 0.5].iter()), (0.5, 2.0));
    }
}
