//! Against differences of sixth order of the wrenches and rates themselves.

use crate::air::load::AirLoad;
use crate::air::{Air, Disc, Field, Inflow, LinearInflow, Polar, TipLoss, Unsteady, Wing};
use crate::beams::{Beam, Section};
use crate::common::Named;
use crate::constraints::{ElementInput, ReactionNames, Scope};
use crate::forces::{CoupledRates, CoupledTangent, ExtraStates, Force, TangentAvailability};
use crate::mathematics::stencils::SIXTH_ORDER;
use crate::measures::Measure;
use crate::motion::{Motion, Vec3, Wrench};
use nalgebra::Rotation3;

const T: f64 = 0.3;

fn wing(on: &str, unsteady: Unsteady) -> Wing {
    Wing {
        stations: 3,
        unsteady,
        control: Some("0.08 + 0.05*cos(turn) + 0.01*turn.rate + 0.02*sin(t)".into()),
        disc: Some("main".into()),
        twist: crate::air::Distribution::Constant(0.03),
        offset: crate::air::Distribution::Constant(0.05),
        ..Wing::new(on, [0.5, 0.1, 0.02], [3.0, 0.0, 0.1], 0.4, "section")
    }
}

fn plate() -> Polar {
    serde_json::from_str(r#"{"type": "plate", "slope": 5.7, "drag": 0.02}"#).unwrap()
}

/// Depends on the Mach number, with moment.
fn compressible() -> Polar {
    let text = r#"{"type": "formula", "cl": "5.7*sin(alpha + 0.02)/sqrt(1 - 0.5*mach^2)", "cd": "0.01 + 0.3*sin(alpha)^2", "cm": "-0.02*cos(alpha)"}"#;
    serde_json::from_str(text).unwrap()
}

struct Rotor {
    inflow: Inflow,
    unsteady: Unsteady,
    polar: Polar,
    wind: [f64; 2],
    beam: bool,
}

impl Rotor {
    fn with(inflow: Inflow) -> Rotor {
        Rotor { inflow, unsteady: Unsteady::None, polar: plate(), wind: [18.0, 0.3], beam: false }
    }

    fn load(&self) -> AirLoad {
        let [speed, shear] = self.wind;
        let wind = [format!("{speed}*(1 + {shear}*0.1*z)"), format!("{shear}*y*cos(t)"), "-2 + 0*x".to_string()];
        let air = Air { wind: wind.map(Field::Formula), ..Air::default() };
        let section = Section::diagonal([1e6, 1e6, 1e6, 1e2, 1e2, 1e2], 1.0, [1e-3; 3]);
        let beam = Beam::straight([0.0; 3], [2.6, 0.0, 0.0], section, 1);
        let [first, mut second] = ["blade0", "blade1"].map(|name| wing(name, self.unsteady));
        if self.beam {
            second = Wing { beam: Some("blade".into()), on: None, from: None, to: None, ..second };
        }
        let disc = Disc { at: "hub".into(), radius: 3.1, blades: None, inflow: self.inflow.clone() };
        let polars = [Named { name: "section".to_string(), item: self.polar.clone() }];
        let wings = [("blade0", &first, None), ("blade1", &second, self.beam.then_some(&beam))];
        let load = AirLoad::new(&air, Some(("main", &disc)), &wings, &polars).unwrap();
        let measures = [Named { name: "turn".to_string(), item: Measure::angle("ground", "shaft") }];
        let scope = Scope {
            bodies: &[],
            markers: &[],
            constraints: &[],
            measures: &measures,
            signals: &[],
            reactions: ReactionNames::Refused,
        };
        load.bind("main", &scope).unwrap()
    }
}

/// Blades that turn about a tilted hub, with some motion of their own.
fn motions(names: &[String]) -> Vec<Motion> {
    let spin = Vec3::new(0.9, -0.5, 28.0);
    let place = |k: usize, name: &str| {
        let k = k as f64;
        let turn = match name {
            "hub" => [0.05, -0.08, 0.4],
            "ground" => [0.0; 3],
            "shaft" => [0.0, 0.0, 0.9],
            _ => [0.06 * k - 0.03, 0.04 - 0.05 * k, 0.7 + 2.4 * (k / 2.0).floor()],
        };
        let R = Rotation3::from_euler_angles(turn[0], turn[1], turn[2]).into_inner();
        let (p, v, w) = match name {
            "hub" => (Vec3::new(0.1, -0.2, 0.3), Vec3::new(0.8, 0.5, -0.4), Vec3::new(0.1, 0.2, 27.0)),
            "ground" => (Vec3::zeros(), Vec3::zeros(), Vec3::zeros()),
            // The second node of a beam.
            "blade_1" => (R * Vec3::new(2.7, 0.05, 0.1), R * Vec3::new(0.5, 80.0, 2.0), spin),
            _ => (R * Vec3::new(0.2, 0.0, 0.1), R * Vec3::new(0.3, 3.0, 0.8), spin + Vec3::new(0.3 * k, 0.2, 0.5)),
        };
        Motion { R, p, v, w, ..Motion::REST }
    };
    names.iter().enumerate().map(|(k, name)| place(k, name)).collect()
}

fn moved(m: &Motion, i: usize, h: f64) -> Motion {
    let (mut m, e) = (*m, Vec3::ith(i % 3, h));
    match i / 3 {
        0 => m.p += e,
        1 => m.R = Rotation3::new(e).into_inner() * m.R,
        2 => m.v += e,
        _ => m.w += e,
    }
    m
}

fn evaluated(load: &AirLoad, motions: &[Motion], z: &[f64]) -> Vec<f64> {
    let ids: Vec<usize> = (0..motions.len()).collect();
    let (mut on, mut zdot) = (vec![Wrench::ZERO; motions.len()], vec![0.0; z.len()]);
    load.apply_with_rates(&ElementInput::new(T, motions, &ids, z), &mut on, &mut zdot);
    on.iter().flat_map(|w| w.f.iter().chain(w.m.iter()).copied().collect::<Vec<_>>()).chain(zdot).collect()
}

fn check(rotor: &Rotor) {
    let load = rotor.load();
    let names: Vec<String> = load.markers().iter().map(|marker| marker.name.to_string()).collect();
    let motions = motions(&names);
    let (n, m) = (motions.len(), load.state_count());
    let ids: Vec<usize> = (0..n).collect();
    let mut z = vec![0.0; m];
    load.initialise_states(&ElementInput::new(T, &motions, &ids, &[]), &mut z);
    z.iter_mut().enumerate().for_each(|(i, z)| *z = *z * 0.9 + 0.01 * (i as f64 + 1.0));
    let at = ElementInput::new(T, &motions, &ids, &z);
    let mut tangent = CoupledTangent::default();
    tangent.reset(n, m);
    assert_eq!(load.coupled_tangent(&at, &mut tangent), TangentAvailability::Full);
    // Each derivative with the name of its variable: of all wrenches, then of all rates.
    let difference = |moved: &dyn Fn(f64) -> (Vec<Motion>, Vec<f64>), h: f64| {
        let mut sum = vec![0.0; 6 * n + m];
        for (place, weight) in SIXTH_ORDER {
            let (motions, z) = moved(place * h);
            evaluated(&load, &motions, &z).iter().zip(&mut sum).for_each(|(x, sum)| *sum += weight / h * x);
        }
        sum
    };
    // Round-off of a difference is that of the wrench by the step.
    let values = evaluated(&load, &motions, &z);
    let compare = |what: &str, found: &[f64], expected: &[f64]| {
        for range in [0..6 * n, 6 * n..6 * n + m] {
            let least = values[range.clone()].iter().fold(1e-3_f64, |a, x| a.max(1e-3 * x.abs()));
            let scale = expected[range.clone()].iter().fold(least, |scale, x| scale.max(x.abs()));
            for i in range {
                let error = (found[i] - expected[i]).abs() / scale;
                assert!(error < 1e-8, "{:?} {what}, entry {i}: {} {}", rotor.inflow, found[i], expected[i]);
            }
        }
    };
    for j in 0..n {
        for i in 0..12 {
            let by = |h: f64| {
                let mut motions = motions.clone();
                motions[j] = moved(&motions[j], i, h);
                (motions, z.clone())
            };
            let (blocks, rates) = match i < 6 {
                true => (&tangent.pose, &tangent.rates_by_pose),
                false => (&tangent.twist, &tangent.rates_by_twist),
            };
            let wrenches = (0..n).flat_map(|k| blocks[k * n + j].column(i % 6).iter().copied().collect::<Vec<_>>());
            let found: Vec<f64> = wrenches.chain((0..m).map(|s| rates[s * n + j][i % 6])).collect();
            compare(&format!("marker {} {i}", names[j]), &found, &difference(&by, if i < 6 { 2e-3 } else { 2e-2 }));
        }
    }
    for s in 0..m {
        let by = |h: f64| {
            let mut z = z.clone();
            z[s] += h;
            (motions.clone(), z)
        };
        let wrenches = (0..n).flat_map(|k| tangent.by_state[k * m + s].iter().copied().collect::<Vec<_>>());
        let found: Vec<f64> = wrenches.chain((0..m).map(|i| tangent.rates_by_state[i * m + s])).collect();
        compare(&format!("state {s}"), &found, &difference(&by, 2e-3));
    }
}

#[test]
fn each_inflow_has_exact_derivatives() {
    let formula = Field::Formula("2 + 1.5*r^2*cos(psi) + 0.4*r*sin(2*psi) + 0.1*t".into());
    let inflows = [
        Inflow::None,
        Inflow::Prescribed { inflow: Field::Constant(3.0) },
        Inflow::Prescribed { inflow: formula },
        Inflow::Uniform { time_constant: None },
        Inflow::Uniform { time_constant: Some(0.2) },
        Inflow::PittPeters { initial: None },
        Inflow::Annular { tip_loss: TipLoss::None },
        Inflow::Annular { tip_loss: TipLoss::Prandtl },
    ];
    inflows.into_iter().for_each(|inflow| check(&Rotor::with(inflow)));
    for law in [
        LinearInflow::Coleman,
        LinearInflow::Drees,
        LinearInflow::PittPeters,
        LinearInflow::WhiteBlake,
        LinearInflow::Howlett,
    ] {
        check(&Rotor::with(Inflow::Linear { law }));
    }
}

#[test]
fn unsteady_sections_and_beams_have_exact_derivatives() {
    for unsteady in [Unsteady::QuasiSteady, Unsteady::Wagner, Unsteady::Stall] {
        for beam in [false, true] {
            let inflow = Inflow::PittPeters { initial: None };
            check(&Rotor { unsteady, beam, ..Rotor::with(inflow) });
        }
    }
    let uniform = || Inflow::Uniform { time_constant: None };
    check(&Rotor { unsteady: Unsteady::Wagner, beam: true, ..Rotor::with(uniform()) });
    check(&Rotor { polar: compressible(), beam: true, ..Rotor::with(uniform()) });
}

/// A stall over the Mach number would need second derivatives of the polar: the caller uses differences.
#[test]
fn stall_over_the_mach_number_is_left_to_differences() {
    let rotor = Rotor { unsteady: Unsteady::Stall, polar: compressible(), ..Rotor::with(Inflow::None) };
    let load = rotor.load();
    let names: Vec<String> = load.markers().iter().map(|marker| marker.name.to_string()).collect();
    let motions = motions(&names);
    let ids: Vec<usize> = (0..motions.len()).collect();
    let z = vec![0.1; load.state_count()];
    let mut tangent = CoupledTangent::default();
    tangent.reset(motions.len(), z.len());
    let found = load.coupled_tangent(&ElementInput::new(T, &motions, &ids, &z), &mut tangent);
    assert_eq!(found, TangentAvailability::Unavailable);
}
