//! Trim: parameters for which results of an analysis take given values.
//!
//! Newton's method on g(p) = 0, with derivatives by differences of the parameters. As long as steps help, Broyden's update replaces new
//! differences (\[Deuflhard2004\]). The analysis behind g may be a periodic motion or an equilibrium; each evaluation starts from the last
//! one, so it needs few iterations. Steps end at the bounds of the parameters.

use nalgebra::{DMatrix, DVector};
use thiserror::Error;

/// Step of the differences, relative to the size of a parameter.
const DIFFERENCE_STEP: f64 = 1e-5;
/// Singular values below this, relative to the largest, belong to parameters without effect.
const RANK_TOLERANCE: f64 = 1e-9;
/// A step that leaves more than this part of the difference needs new derivatives at its end.
const KEPT_DERIVATIVES: f64 = 0.3;
/// Most halvings of a step that does not help.
const MAX_HALVINGS: usize = 5;

/// A parameter to be found.
#[derive(Clone, Debug, PartialEq)]
pub struct TrimParameter {
    /// Its name.
    pub name: String,
    /// Where the search starts.
    pub start: f64,
    /// Bounds.
    pub bounds: [f64; 2],
    /// A change that matters; the unit of its differences.
    pub size: f64,
}

/// A result that must take a value.
#[derive(Clone, Debug, PartialEq)]
pub struct TrimTarget {
    /// Its name.
    pub name: String,
    /// The value.
    pub value: f64,
    /// Permitted difference.
    pub tolerance: f64,
}

/// Parameters that meet the targets.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Trimmed {
    /// Values of the parameters.
    pub parameters: Vec<f64>,
    /// Values of the results.
    pub results: Vec<f64>,
    /// Iterations.
    pub iterations: usize,
    /// Derivatives of the results (rows) by the parameters (columns), by differences; at the parameters found, if the analysis
    /// succeeds beside them.
    pub derivatives: DMatrix<f64>,
}

/// Why there is no trim.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum TrimError<E: std::error::Error> {
    /// The analysis failed.
    #[error("at {parameters}: {cause}")]
    Analysis {
        /// Names and values.
        parameters: String,
        /// Why.
        cause: E,
    },
    /// More targets than parameters, or none.
    #[error(
        "{targets} targets and {parameters} parameters: give at least one target, and as many parameters as targets"
    )]
    Count {
        /// Number of targets.
        targets: usize,
        /// Number of parameters.
        parameters: usize,
    },
    /// A parameter that changes nothing.
    #[error("`{parameter}` has no effect on any target")]
    NoEffect {
        /// The parameter.
        parameter: String,
    },
    /// A target that no parameter changes.
    #[error("no parameter has an effect on `{target}`, which is {found}, not {wanted}")]
    Unreachable {
        /// The target.
        target: String,
        /// Its value.
        found: f64,
        /// The value it should have.
        wanted: f64,
    },
    /// A target that is not met.
    #[error(
        "the targets cannot be met: the nearest found has `{target}` = {found}, not {wanted}, at {parameters}{at_bounds}"
    )]
    NotMet {
        /// The target that is farthest off.
        target: String,
        /// Its value.
        found: f64,
        /// The value it should have.
        wanted: f64,
        /// Names and values of the parameters.
        parameters: String,
        /// The parameters at their bounds.
        at_bounds: String,
    },
}

/// Finds parameters for which `evaluate` returns the values of the targets.
///
/// # Errors
/// The analysis fails at the start, a parameter or target has no part in the problem, or the targets cannot be met within the bounds.
///
/// # Examples
///
/// ```
/// use taut::analyses::{TrimParameter, TrimTarget, trim};
///
/// let p = TrimParameter { name: "x".to_string(), start: 1.0, bounds: [0.0, 10.0], size: 1.0 };
/// let target = TrimTarget { name: "square".to_string(), value: 2.0, tolerance: 1e-12 };
/// let found = trim(&[p], &[target], 20, |p| Ok::<_, std::fmt::Error>(vec![p[0] * p[0]]))?;
/// assert!((found.parameters[0] - 2.0_f64.sqrt()).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn trim<E: std::error::Error>(
    parameters: &[TrimParameter],
    targets: &[TrimTarget],
    iterations: usize,
    mut evaluate: impl FnMut(&[f64]) -> Result<Vec<f64>, E>,
) -> Result<Trimmed, TrimError<E>> {
    if targets.is_empty() || targets.len() != parameters.len() {
        return Err(TrimError::Count { targets: targets.len(), parameters: parameters.len() });
    }
    let described = |p: &[f64]| {
        let one = |(q, x): (&TrimParameter, &f64)| format!("{} = {x}", q.name);
        parameters.iter().zip(p).map(one).collect::<Vec<_>>().join(", ")
    };
    let mut at = |p: &[f64]| evaluate(p).map_err(|cause| TrimError::Analysis { parameters: described(p), cause });
    let off =
        |found: &[f64]| DVector::from_fn(targets.len(), |i, _| (found[i] - targets[i].value) / targets[i].tolerance);
    let mut p: Vec<f64> = parameters.iter().map(|q| q.start.clamp(q.bounds[0], q.bounds[1])).collect();
    let mut found = at(&p)?;
    // Rows in tolerances, columns in sizes of the parameters; none where it has to be computed.
    let mut K: Option<DMatrix<f64>> = None;
    let mut derivatives = DMatrix::zeros(targets.len(), parameters.len());
    let size = |j: usize| parameters[j].size;
    let mut iteration = 0;
    loop {
        let r = off(&found);
        if r.amax() <= 1.0 && iteration > 0 || r.amax() == 0.0 {
            derivatives = differences(parameters, targets, &p, &found, &mut at).unwrap_or(derivatives);
            return Ok(Trimmed { parameters: p, results: found, iterations: iteration, derivatives });
        }
        if iteration == iterations {
            break;
        }
        let fresh = K.is_none();
        let matrix = match K.take() {
            Some(kept) => kept,
            None => {
                derivatives = differences(parameters, targets, &p, &found, &mut at)?;
                check_effects(parameters, targets, &derivatives, &found)?;
                DMatrix::from_fn(targets.len(), parameters.len(), |i, j| {
                    derivatives[(i, j)] * size(j) / targets[i].tolerance
                })
            }
        };
        let svd = matrix.clone().svd(true, true);
        let limit = RANK_TOLERANCE * svd.singular_values.max();
        let Ok(step) = svd.solve(&-&r, limit) else { break };
        let mut fraction = 1.0;
        let mut next = None;
        for _ in 0..=MAX_HALVINGS {
            let tried: Vec<f64> = (0..p.len())
                .map(|j| (p[j] + fraction * step[j] * size(j)).clamp(parameters[j].bounds[0], parameters[j].bounds[1]))
                .collect();
            match at(&tried) {
                Ok(there) if off(&there).norm() < r.norm() => {
                    next = Some((tried, there));
                    break;
                }
                // Derivatives from elsewhere may be to blame.
                _ if !fresh => break,
                _ => fraction *= 0.5,
            }
        }
        match next {
            Some((tried, there)) => {
                let now = off(&there);
                if now.norm() <= KEPT_DERIVATIVES * r.norm() {
                    K = Some(broyden(
                        matrix,
                        &DVector::from_fn(p.len(), |j, _| (tried[j] - p[j]) / size(j)),
                        &(now - r),
                    ));
                }
                (p, found) = (tried, there);
                iteration += 1;
            }
            None if fresh => break,
            None => {}
        }
    }
    let r = off(&found);
    if r.amax() <= 1.0 {
        derivatives = differences(parameters, targets, &p, &found, &mut at).unwrap_or(derivatives);
        return Ok(Trimmed { parameters: p, results: found, iterations, derivatives });
    }
    let worst = r.iamax();
    let held = parameters.iter().zip(&p).filter(|(q, x)| **x <= q.bounds[0] || **x >= q.bounds[1]);
    let names: Vec<String> = held.map(|(q, _)| format!("`{}`", q.name)).collect();
    Err(TrimError::NotMet {
        target: targets[worst].name.clone(),
        found: found[worst],
        wanted: targets[worst].value,
        parameters: described(&p),
        at_bounds: if names.is_empty() { String::new() } else { format!("; at its bound: {}", names.join(", ")) },
    })
}

/// Derivatives of the results by the parameters: differences away from the nearer bound.
fn differences<E: std::error::Error>(
    parameters: &[TrimParameter],
    targets: &[TrimTarget],
    p: &[f64],
    found: &[f64],
    at: &mut impl FnMut(&[f64]) -> Result<Vec<f64>, TrimError<E>>,
) -> Result<DMatrix<f64>, TrimError<E>> {
    let mut derivatives = DMatrix::zeros(targets.len(), parameters.len());
    for (j, q) in parameters.iter().enumerate() {
        let away = if p[j] - q.bounds[0] > q.bounds[1] - p[j] { -1.0 } else { 1.0 };
        let h = away * DIFFERENCE_STEP * q.size;
        let mut moved = p.to_vec();
        moved[j] += h;
        let there = at(&moved)?;
        (0..targets.len()).for_each(|i| derivatives[(i, j)] = (there[i] - found[i]) / h);
    }
    Ok(derivatives)
}

/// The matrix nearest to K that maps the step to the change.
fn broyden(K: DMatrix<f64>, step: &DVector<f64>, change: &DVector<f64>) -> DMatrix<f64> {
    let length = step.norm_squared();
    if length == 0.0 {
        return K;
    }
    let missing = change - &K * step;
    K + missing * step.transpose() / length
}

/// Every parameter must change a target, and every target that is off must be changed by a parameter.
fn check_effects<E: std::error::Error>(
    parameters: &[TrimParameter],
    targets: &[TrimTarget],
    derivatives: &DMatrix<f64>,
    found: &[f64],
) -> Result<(), TrimError<E>> {
    let effect = |i: usize, j: usize| (derivatives[(i, j)] * parameters[j].size / targets[i].tolerance).abs();
    for (j, q) in parameters.iter().enumerate() {
        // A whole size of the parameter moves no target by its tolerance.
        if (0..targets.len()).all(|i| effect(i, j) < 1.0) {
            return Err(TrimError::NoEffect { parameter: q.name.clone() });
        }
    }
    for (i, t) in targets.iter().enumerate() {
        let moved = (0..parameters.len()).any(|j| effect(i, j) >= 1.0);
        if !moved && (found[i] - t.value).abs() > t.tolerance {
            return Err(TrimError::Unreachable { target: t.name.clone(), found: found[i], wanted: t.value });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parameter(name: &str, start: f64, bounds: [f64; 2]) -> TrimParameter {
        TrimParameter { name: name.to_string(), start, bounds, size: 1.0 }
    }

    fn target(name: &str, value: f64) -> TrimTarget {
        TrimTarget { name: name.to_string(), value, tolerance: 1e-10 }
    }

    #[test]
    fn two_equations() {
        let ps = [parameter("x", 1.0, [-9.0, 9.0]), parameter("y", 1.0, [-9.0, 9.0])];
        let ts = [target("a", 5.0), target("b", 2.0)];
        let found = trim(&ps, &ts, 30, |p| Ok::<_, std::fmt::Error>(vec![p[0] * p[0] + p[1], p[0] * p[1]])).unwrap();
        assert!((found.results[0] - 5.0).abs() < 1e-10 && (found.results[1] - 2.0).abs() < 1e-10);
    }

    #[test]
    fn impossible_targets_are_named() {
        let square = |p: &[f64]| Ok::<_, std::fmt::Error>(vec![p[0] * p[0]]);
        let bounded = trim(&[parameter("x", 0.5, [0.0, 1.0])], &[target("area", 4.0)], 30, square);
        let message = bounded.unwrap_err().to_string();
        assert!(message.contains("`area`") && message.contains("`x`"), "{message}");
        let flat = trim(&[parameter("x", 0.5, [0.0, 1.0])], &[target("area", 4.0)], 30, |_| {
            Ok::<_, std::fmt::Error>(vec![1.0])
        });
        assert_eq!(flat.unwrap_err(), TrimError::NoEffect { parameter: "x".to_string() });
        let count = trim(&[], &[target("area", 4.0)], 30, square);
        assert!(matches!(count, Err(TrimError::Count { .. })));
    }
}
