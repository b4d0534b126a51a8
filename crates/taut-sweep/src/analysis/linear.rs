//! Modes of a member, and critical speeds.

use super::{Builder, Critical, Failure, Found};
use crate::measure::Evidence;
use std::f64::consts::TAU;
use taut::analyses::linear::{
    Eigenmode, LinearisedAt, ModeBranch, ModeKind, ModeRequest, OperatingPoint, modes, track_modes,
};
use taut::{Column, Table};
use taut_io::model::Override;

/// Number of additional modes tracked beyond those shown, because branches cross.
const EXTRA_TRACKED_MODES: usize = 6;

/// Free motions come first and are not counted: so many more modes are computed.
const FREE_MOTIONS: usize = 12;

fn column(name: String, unit: &str, meaning: &str, data: Vec<f64>) -> Column {
    Column { name, unit: unit.to_string(), meaning: meaning.to_string(), data }
}

fn found(columns: Vec<Column>, message: String) -> Found {
    let rows: Table = columns.into_iter().collect();
    Found { evidence: Evidence { rows, ..Evidence::default() }, message, ..Found::default() }
}

/// The modes of a model that vibrate, decay or grow; free motions have none of these numbers.
fn moving(
    build: &Builder,
    set: &[Override],
    request: usize,
    at: &OperatingPoint,
) -> Result<(Vec<Eigenmode>, Vec<String>), Failure> {
    let file = build(set)?;
    let model = file.build()?;
    let lin =
        at.linearise(&model, &file.state(&model), &file.transient).map_err(|e| Failure::Invalid(e.to_string()))?;
    let all = modes(&lin, ModeRequest::Lowest(request.saturating_add(FREE_MOTIONS)));
    let all = all.map_err(|e| Failure::Invalid(e.to_string()))?.modes;
    let moving = all.into_iter().filter(|m| m.kind != ModeKind::Free).take(request).collect();
    Ok((moving, lin.assumptions.messages()))
}

/// One row: `frequency_1`, `damping_1`, `real_1`, ….
pub(super) fn modes_table(build: &Builder, count: usize, at: &OperatingPoint) -> Result<Found, Failure> {
    let (modes, notes) = moving(build, &[], count, at)?;
    let time = if let LinearisedAt::Time(t) = at.at { t } else { 0.0 };
    let mut columns = vec![column("t".to_string(), "s", "time", vec![time])];
    for k in 0..count {
        let of = |x: &dyn Fn(&Eigenmode) -> f64| vec![modes.get(k).map_or(f64::NAN, x)];
        let n = k + 1;
        columns.push(column(format!("frequency_{n}"), "Hz", "frequency of oscillation", of(&Eigenmode::frequency)));
        columns.push(column(format!("damping_{n}"), "1", "damping ratio", of(&Eigenmode::damping)));
        columns.push(column(format!("real_{n}"), "1/s", "real part of the eigenvalue", of(&|m| m.lambda.re)));
    }
    Ok(found(columns, notes.join("; ")))
}

/// One row per speed: `speed`, `frequency_1`, `real_1`, …; `critical_k` is the speed at which the frequency of branch k equals
/// the rotational speed.
pub(super) fn critical_speeds(
    build: &Builder,
    count: usize,
    at: &OperatingPoint,
    over: &Critical,
) -> Result<Found, Failure> {
    let (mut lists, mut failures) = (Vec::with_capacity(over.speeds.len()), Vec::new());
    for speed in &over.speeds {
        let value = if over.unit.is_empty() { speed.to_string() } else { format!("{speed} {}", over.unit) };
        let set = [Override { path: over.parameter.clone(), value }];
        match moving(build, &set, count + EXTRA_TRACKED_MODES, at) {
            Ok((modes, _)) => lists.push(modes),
            Err(Failure::Interrupted) => return Err(Failure::Interrupted),
            Err(Failure::Invalid(why)) => {
                lists.push(Vec::new());
                failures.push(why);
            }
        }
    }
    if failures.len() == over.speeds.len() {
        return Err(Failure::Invalid(failures.swap_remove(0)));
    }
    let turns: Vec<f64> = over.speeds.iter().map(|s| revolutions(*s, &over.unit)).collect();
    let branches = slowest(track_modes(&lists), count);
    let rows = over.speeds.len();
    let mut columns = vec![column("t".to_string(), "1", "number of the speed", (0..rows).map(|i| i as f64).collect())];
    columns.push(column("speed".to_string(), &over.unit, "rotational speed", over.speeds.clone()));
    for k in 0..count {
        let branch = branches.get(k);
        let of = |x: &dyn Fn(f64, f64) -> f64| -> Vec<f64> {
            let at = |i: usize| branch.and_then(|b| b.lambda[i]).map_or(f64::NAN, |l| x(l.re, l.im));
            (0..rows).map(at).collect()
        };
        let frequency = of(&|_, im| im / TAU);
        let critical = crossing(&over.speeds, &turns, &frequency);
        let n = k + 1;
        columns.push(column(format!("frequency_{n}"), "Hz", "frequency of oscillation", frequency));
        columns.push(column(format!("real_{n}"), "1/s", "real part of the eigenvalue", of(&|re, _| re)));
        columns.push(column(format!("critical_{n}"), &over.unit, "critical speed", vec![critical; rows]));
    }
    let failed =
        failures.first().map_or_else(String::new, |why| format!("no modes at {} speeds: {why}", failures.len()));
    Ok(found(columns, failed))
}

/// Revolutions per second.
fn revolutions(speed: f64, unit: &str) -> f64 {
    match unit {
        "rpm" => speed / 60.0,
        "Hz" => speed,
        "deg/s" => speed / 360.0,
        _ => speed / TAU,
    }
}

/// The branches with the lowest frequencies at the first speed.
fn slowest(mut branches: Vec<ModeBranch>, count: usize) -> Vec<ModeBranch> {
    let first = |b: &ModeBranch| b.lambda.iter().flatten().next().map_or(f64::INFINITY, |l| l.norm());
    branches.sort_by(|a, b| first(a).total_cmp(&first(b)));
    branches.truncate(count);
    branches
}

/// The first speed at which a frequency equals the rotational frequency, by linear interpolation; NaN if there is none.
fn crossing(speeds: &[f64], turns: &[f64], frequency: &[f64]) -> f64 {
    let gap: Vec<f64> = frequency.iter().zip(turns).map(|(f, n)| f - n).collect();
    for i in 1..gap.len() {
        let (a, b) = (gap[i - 1], gap[i]);
        if a.is_finite() && b.is_finite() && a > 0.0 && b <= 0.0 {
            return speeds[i - 1] + (speeds[i] - speeds[i - 1]) * a / (a - b);
        }
    }
    f64::NAN
}

#[cfg(test)]
mod tests {
    use super::crossing;

    #[test]
    fn a_crossing_is_interpolated() {
        assert_eq!(crossing(&[0.0, 10.0, 20.0], &[0.0, 1.0, 2.0], &[1.5, 1.5, 1.5]), 15.0);
        assert!(crossing(&[0.0, 10.0], &[0.0, 1.0], &[1.5, 1.5]).is_nan());
        assert!(crossing(&[0.0, 10.0], &[0.0, 1.0], &[f64::NAN, 0.5]).is_nan());
    }
}
