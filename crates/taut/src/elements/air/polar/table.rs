//! Measured polars: tables over angle of attack and Mach number.

use super::SectionCoefficients;
use crate::error::ParameterError;
use crate::scalar::Scalar;
use crate::signals::{Extrapolation, PassedEnd};
use serde::{Deserialize, Serialize};

/// One coefficient over a grid; values in between are interpolated linearly in both directions.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PolarGrid {
    /// Angles of attack, rad, increasing.
    pub alpha: Vec<f64>,
    /// Mach numbers, increasing; one is enough.
    pub mach: Vec<f64>,
    /// One row per angle, one value per Mach number.
    pub values: Vec<Vec<f64>>,
}

/// Tables of cl, cd and cm, each on its own grid, as c81 files have them.
///
/// Outside of a grid the value at its edge is used, and a run reports it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PolarTable {
    /// Lift.
    pub cl: PolarGrid,
    /// Drag; default: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cd: Option<PolarGrid>,
    /// Moment about the quarter-chord point, nose up; default: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cm: Option<PolarGrid>,
}

impl PolarTable {
    fn grids(&self) -> impl Iterator<Item = (&'static str, &PolarGrid)> {
        let more = [("cd", &self.cd), ("cm", &self.cm)];
        std::iter::once(("cl", &self.cl)).chain(more.into_iter().filter_map(|(n, g)| Some((n, g.as_ref()?))))
    }

    pub(super) fn check(&self) -> Result<(), ParameterError> {
        self.grids().try_for_each(|(name, grid)| grid.check(name))
    }

    pub(super) fn depends_on_mach(&self) -> bool {
        self.grids().any(|(_, grid)| grid.mach.len() > 1)
    }

    pub(super) fn coefficients<S: Scalar>(&self, alpha: S, mach: S) -> SectionCoefficients<S> {
        let value = |grid: &Option<PolarGrid>| grid.as_ref().map_or(S::from(0.0), |g| g.value(alpha, mach));
        SectionCoefficients { cl: self.cl.value(alpha, mach), cd: value(&self.cd), cm: value(&self.cm) }
    }

    pub(super) fn passed_end(&self, alpha: f64, mach: f64) -> Option<PassedEnd> {
        self.grids().find_map(|(_, grid)| grid.passed_end(alpha, mach))
    }
}

impl PolarGrid {
    /// A curve over the angle alone.
    pub fn curve(alpha: Vec<f64>, values: Vec<f64>) -> PolarGrid {
        PolarGrid { alpha, mach: vec![0.0], values: values.into_iter().map(|v| vec![v]).collect() }
    }

    fn check(&self, name: &'static str) -> Result<(), ParameterError> {
        let refuse = |what: String| Err(ParameterError::invalid(name, what));
        for (axis, x) in [("alpha", &self.alpha), ("mach", &self.mach)] {
            if let Some(k) = x.iter().position(|x| !x.is_finite()) {
                return refuse(format!("number {} of `{axis}` is {}; every entry needs a value", k + 1, x[k]));
            }
            if let Some(k) = x.windows(2).position(|pair| pair[0] >= pair[1]) {
                let [a, b] = [x[k], x[k + 1]].map(|x| if axis == "alpha" { angle(x) } else { x.to_string() });
                return refuse(format!("`{axis}` must increase; number {} is {a}, number {} is {b}", k + 1, k + 2));
            }
        }
        if self.alpha.len() < 2 || self.mach.is_empty() {
            return refuse(format!("a table needs two angles or more, found {}", self.alpha.len()));
        }
        if self.values.len() != self.alpha.len() {
            return refuse(format!("{} angles have {} rows of values", self.alpha.len(), self.values.len()));
        }
        for (row, alpha) in self.values.iter().zip(self.alpha.iter().map(|a| angle(*a))) {
            if row.len() != self.mach.len() {
                let what =
                    format!("at alpha = {alpha} there are {} values for {} Mach numbers", row.len(), self.mach.len());
                return refuse(what);
            }
            if let Some(value) = row.iter().find(|v| !v.is_finite()) {
                return refuse(format!("at alpha = {alpha} a value is {value}; every entry needs a value"));
            }
        }
        Ok(())
    }

    fn value<S: Scalar>(&self, alpha: S, mach: S) -> S {
        let (i, x) = cell(&self.alpha, alpha);
        let (j, y) = cell(&self.mach, mach);
        let along = |row: &[f64]| match row.get(j + 1) {
            Some(next) => y * (next - row[j]) + row[j],
            None => S::from(row[j]),
        };
        let low = along(&self.values[i]);
        match self.values.get(i + 1) {
            Some(row) => low + x * (along(row) - low),
            None => low,
        }
    }

    fn passed_end(&self, alpha: f64, mach: f64) -> Option<PassedEnd> {
        let beyond = |x: &[f64], at: f64| {
            let (first, last) = (*x.first()?, *x.last()?);
            // Angles within round-off of half a turn belong to a table that covers the full circle.
            let margin = 1e-9 * (last - first);
            let end = if at < first - margin { first } else { last };
            (at < first - margin || at > last + margin).then_some(PassedEnd { end, extrapolation: Extrapolation::Hold })
        };
        beyond(&self.alpha, alpha).or_else(|| beyond(&self.mach, mach).filter(|_| self.mach.len() > 1))
    }
}

/// An angle of a message.
fn angle(x: f64) -> String {
    format!("{x:.6} rad ({:.4} degrees)", x.to_degrees())
}

/// The interval of a grid and the fraction within it; beyond the ends the fraction stays 0 or 1.
fn cell<S: Scalar>(grid: &[f64], at: S) -> (usize, S) {
    let k = grid.partition_point(|x| *x <= at.value()).saturating_sub(1).min(grid.len().saturating_sub(2));
    let Some(next) = grid.get(k + 1) else { return (k, S::from(0.0)) };
    let x = (at - grid[k]) / (next - grid[k]);
    let inside = x.value() >= 0.0 && x.value() <= 1.0;
    (k, if inside { x } else { S::from(x.value().clamp(0.0, 1.0)) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scalar::Dual;

    fn grid() -> PolarGrid {
        let values = vec![vec![-1.0, -1.2], vec![0.0, 0.0], vec![1.0, 1.4]];
        PolarGrid { alpha: vec![-0.2, 0.0, 0.2], mach: vec![0.0, 0.8], values }
    }

    #[test]
    fn values_are_bilinear_and_held_at_the_edges() {
        let g = grid();
        assert!((g.value(0.1, 0.4) - 0.6).abs() < 1e-15);
        let slope = g.value(Dual::<1>::variable(0.1, 0), Dual::from(0.4)).eps[0];
        assert!((slope - 6.0).abs() < 1e-13);
        assert_eq!((g.value(0.5, 0.0), g.value(0.5, 2.0), g.value(-3.0, 0.0)), (1.0, 1.4, -1.0));
        assert_eq!(g.passed_end(0.5, 0.1).unwrap().end, 0.2);
        assert_eq!(g.passed_end(0.1, 0.9).unwrap().end, 0.8);
        assert!(g.passed_end(0.1, 0.5).is_none());
        assert_eq!(PolarGrid::curve(vec![0.0, 1.0], vec![2.0, 4.0]).value(0.5, 3.0), 3.0);
    }

    #[test]
    fn gaps_and_disorder_are_named() {
        let message = |g: PolarGrid| g.check("cl").unwrap_err().to_string();
        assert!(
            message(PolarGrid { alpha: vec![0.0, -0.2, 0.2], ..grid() })
                .contains("number 2 is -0.200000 rad (-11.4592 degrees)")
        );
        let gap = PolarGrid { values: vec![vec![1.0, 2.0], vec![0.0], vec![1.0, 1.0]], ..grid() };
        assert!(message(gap).contains("(0.0000 degrees) there are 1 values for 2 Mach numbers"));
        let nan = PolarGrid { values: vec![vec![1.0, 2.0], vec![0.0, f64::NAN], vec![1.0, 1.0]], ..grid() };
        assert!(message(nan).contains("NaN"));
    }
}
