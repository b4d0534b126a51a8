//! Shared by the test crates: a run that must finish, comparisons with a message, a simple integrator.
#![allow(dead_code)] // every test binary takes what it needs

use taut::analyses::{Transient, simulate};
use taut::{Model, Outcome, Solution};

/// Runs from the state given in the model; anything but a clean end is a failure.
pub fn run(model: &Model, settings: &Transient) -> Solution {
    let s = simulate(model, &model.initial_state(), settings).unwrap();
    assert_eq!(s.outcome, Outcome::Finished, "{}", s.outcome);
    assert!(s.warnings.is_empty(), "{:?}", s.warnings);
    s
}

/// Largest magnitude in a column.
pub fn worst(s: &Solution, column: &str) -> f64 {
    largest(s.column(column).unwrap().iter().copied())
}

/// Largest magnitude; NaN if any entry is NaN.
pub fn largest(x: impl IntoIterator<Item = f64>) -> f64 {
    x.into_iter().fold(0.0, |a: f64, x| if x.is_nan() || x.abs() > a { x.abs() } else { a })
}

/// One value of a column at the output nearest to a time.
pub fn value(s: &Solution, column: &str, t: f64) -> f64 {
    let i = (0..s.len()).min_by(|&a, &b| (s.t()[a] - t).abs().total_cmp(&(s.t()[b] - t).abs())).unwrap();
    assert!((s.t()[i] - t).abs() < 1e-9, "no output at {t} s");
    s.column(column).unwrap()[i]
}

/// Several columns at one time.
pub fn values<const N: usize>(s: &Solution, columns: [&str; N], t: f64) -> [f64; N] {
    columns.map(|c| value(s, c, t))
}

/// Largest distance between two lists.
pub fn distance(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    largest(a.iter().zip(b).map(|(a, b)| a - b))
}

/// Fails unless two lists agree within a tolerance.
#[track_caller]
pub fn close(what: &str, found: &[f64], expected: &[f64], tolerance: f64) {
    let d = distance(found, expected);
    if std::env::var("BENCHMARKS_TELL").is_ok() {
        println!("{what}: {d:.2e} of {tolerance:.0e}");
    }
    assert!(d <= tolerance, "{what}: {found:?} is {d:.2e} from {expected:?}, more than {tolerance:.0e}");
}

/// Fails unless a number is at most a bound.
#[track_caller]
pub fn below(what: &str, found: f64, bound: f64) {
    if std::env::var("BENCHMARKS_TELL").is_ok() {
        println!("{what}: {found:.2e} of {bound:.0e}");
    }
    assert!(found <= bound, "{what}: {found:.3e} is more than {bound:.0e}");
}

/// |φ| and |φ̇| of every output are round-off.
#[track_caller]
pub fn taut(what: &str, s: &Solution, position: f64, velocity: f64) {
    below(&format!("{what} |phi|"), worst(s, "residual.position"), position);
    below(&format!("{what} |phidot|"), worst(s, "residual.velocity"), velocity);
}

/// The classical Runge–Kutta method with a fixed step, for references independent of the engine.
/// Returns the state after every `keep` steps, the start included.
pub fn rk4<const N: usize>(
    f: impl Fn(f64, &[f64; N]) -> [f64; N],
    mut y: [f64; N],
    h: f64,
    steps: usize,
    keep: usize,
) -> Vec<[f64; N]> {
    let add = |y: &[f64; N], k: f64, d: &[f64; N]| -> [f64; N] { std::array::from_fn(|i| y[i] + k * d[i]) };
    let mut kept = vec![y];
    // Compensated summation removes the round-off of a hundred thousand steps.
    let mut lost = [0.0; N];
    for n in 0..steps {
        let t = n as f64 * h;
        let a = f(t, &y);
        let b = f(t + 0.5 * h, &add(&y, 0.5 * h, &a));
        let c = f(t + 0.5 * h, &add(&y, 0.5 * h, &b));
        let d = f(t + h, &add(&y, h, &c));
        for i in 0..N {
            let step = h / 6.0 * (a[i] + 2.0 * b[i] + 2.0 * c[i] + d[i]) - lost[i];
            let sum = y[i] + step;
            lost[i] = (sum - y[i]) - step;
            y[i] = sum;
        }
        if (n + 1) % keep == 0 {
            kept.push(y);
        }
    }
    kept
}
