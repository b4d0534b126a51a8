//! Single steppers: stopping, editing, taking back, refusing, saving.
#![allow(missing_docs)]

use crate::common;

use common::{ADAPTIVE, Given, Rates, distance, oscillator, stepper, swing, swing_solution};
use taut_ode::{Method, Refusal, Settings, StepFailure, Stepper, System, Tolerance};

fn advance(stepper: &mut dyn Stepper, system: &mut dyn System, t_stop: f64) {
    while stepper.t() != t_stop {
        stepper.step(system, t_stop).expect("no failure");
    }
}

fn look(stepper: &mut dyn Stepper, system: &mut dyn System, t: f64) -> [f64; 2] {
    let mut y = [0.0; 2];
    stepper.interpolate(system, t, &mut y).expect("inside");
    y
}

#[test]
fn stops_exactly_and_keeps_the_plan() {
    for method in common::ANY {
        let mut system = oscillator();
        let mut stepper = stepper(method, 0.0, &[1.0, 0.0], 1e-8);
        advance(&mut *stepper, &mut system, 1.0);
        let planned = stepper.h_next().expect("stepped");
        for k in 1..=5 {
            let stop = 1.0 + f64::from(k) * 0.1 * planned;
            stepper.step(&mut system, stop).expect("smooth");
            assert_eq!(stepper.t(), stop);
        }
        let kept = stepper.h_next().expect("stepped");
        assert!(kept > 0.8 * planned && kept <= planned, "{method}: {kept} {planned}");
        let before = stepper.save();
        let stop = stepper.t();
        stepper.step(&mut system, stop).expect("nothing to do");
        assert_eq!(stepper.save(), before);
    }
}

#[test]
fn goes_backward() {
    for method in common::ANY {
        let mut system = swing();
        let mut stepper = stepper(method, 1.5, &swing_solution(1.5), 1e-9);
        let mut previous = 1.5;
        while stepper.t() != -0.5 {
            stepper.step(&mut system, -0.5).expect("smooth");
            assert!(stepper.t() < previous && stepper.h() < 0.0);
            previous = stepper.t();
            let middle = stepper.t_old() + 0.3 * stepper.h();
            let y = look(&mut *stepper, &mut system, middle);
            assert!(distance(&y, &swing_solution(middle)) < 1e-5, "{method}");
        }
        assert!(distance(stepper.y(), &swing_solution(-0.5)) < 1e-6);
        // Forward again with the same stepper.
        advance(&mut *stepper, &mut system, 1.0);
        assert!(distance(stepper.y(), &swing_solution(1.0)) < 1e-6);
    }
}

#[test]
fn evaluations_are_shared_between_steps_unless_the_state_is_edited() {
    for (method, per_step) in
        [(Method::Rk4, 4), (Method::BogackiShampine, 3), (Method::DormandPrince, 6), (Method::Dop853, 12)]
    {
        let mut system = oscillator();
        let mut stepper = common::fixed(method, 0.0, &[1.0, 0.0], 0.01);
        stepper.step(&mut system, 9.0).expect("smooth");
        let first = system.calls;
        stepper.step(&mut system, 9.0).expect("smooth");
        assert_eq!(system.calls - first, per_step, "{method}");
        stepper.correct()[0] += 1e-9;
        let before = system.calls;
        stepper.step(&mut system, 9.0).expect("smooth");
        let shared = matches!(method, Method::BogackiShampine | Method::DormandPrince);
        assert_eq!(system.calls - before, per_step + usize::from(shared), "{method}");
        assert_eq!(stepper.statistics().evaluations, system.calls as u64);
        // Additional stages of the dense output: once per step.
        let before = system.calls;
        let (t, h) = (stepper.t(), stepper.h());
        look(&mut *stepper, &mut system, t - 0.5 * h);
        let extra = match method {
            Method::Rk4 => 1,
            Method::Dop853 => 4,
            _ => 0,
        };
        assert_eq!(system.calls - before, extra, "{method}");
        look(&mut *stepper, &mut system, t - 0.2 * h);
        assert_eq!(system.calls - before, extra, "{method}");
    }
}

#[test]
fn a_correction_bends_the_dense_output_and_a_jump_does_not() {
    for method in common::ANY {
        for looked_before in [true, false] {
            let mut system = oscillator();
            let start = common::fixed(method, 0.0, &[1.0, 0.0], 0.2);
            let mut plain = start;
            plain.step(&mut system, 9.0).expect("smooth");
            let saved = plain.save();
            let middle = look(&mut *plain, &mut system, 0.1);
            let end = [plain.y()[0], plain.y()[1]];

            let mut corrected = common::fixed(method, 0.0, &[1.0, 0.0], 0.2);
            corrected.restore(&saved).expect("same method");
            if looked_before {
                look(&mut *corrected, &mut system, 0.1);
            }
            let h_next = corrected.h_next();
            corrected.correct()[0] += 1e-3;
            let edited = [corrected.y()[0], corrected.y()[1]];
            let t = corrected.t();
            assert_eq!(look(&mut *corrected, &mut system, t), edited);
            let near = look(&mut *corrected, &mut system, t - 1e-9);
            assert!(distance(&near, &edited) < 1e-8);
            let bent = look(&mut *corrected, &mut system, 0.1);
            // The cubic that rises by 1e-3 (with the derivative's change) is half way up.
            assert!((bent[0] - middle[0] - 0.5e-3).abs() < 5e-5, "{method}: {bent:?} {middle:?}");
            assert_eq!(look(&mut *corrected, &mut system, 0.0), [1.0, 0.0]);
            assert_eq!(corrected.h_next(), h_next);

            let mut jumped = common::fixed(method, 0.0, &[1.0, 0.0], 0.2);
            jumped.restore(&saved).expect("same method");
            if looked_before {
                look(&mut *jumped, &mut system, 0.1);
            }
            jumped.jump()[1] = 5.0;
            jumped.correct()[1] = 6.0;
            assert_eq!(look(&mut *jumped, &mut system, 0.1), middle, "{method}");
            assert_eq!(look(&mut *jumped, &mut system, t), end, "{method}");
            assert_eq!(jumped.y(), [end[0], 6.0]);
            assert_eq!(jumped.undo_step(0.5), Err(StepFailure::NothingToUndo));
            jumped.step(&mut system, 9.0).expect("smooth");
            assert_eq!(jumped.y_old(), [end[0], 6.0]);
            let expected = 6.0 * 0.2_f64.cos() - end[0] * 0.2_f64.sin();
            let bound = if method.order() == 2 { 5e-3 } else { 1e-3 };
            assert!((jumped.y()[1] - expected).abs() < bound, "{method}");
        }
    }
}

#[test]
fn edits_before_the_first_step_count() {
    for method in Method::EXPLICIT {
        for edit in [Stepper::correct, Stepper::jump] as [fn(&mut _) -> &mut [f64]; 2] {
            let mut system = oscillator();
            let mut stepper = RungeKutta::make(method);
            stepper.derivative(&mut system).expect("smooth");
            edit(&mut stepper)[0] = 0.0;
            edit(&mut stepper)[1] = 1.0;
            assert_eq!(look(&mut stepper, &mut system, 0.0), [0.0, 1.0]);
            advance(&mut stepper, &mut system, 1.0);
            assert!((stepper.y()[0] - 1.0_f64.sin()).abs() < 1e-6, "{method}");
        }
    }
}

/// Named to keep the test above readable.
struct RungeKutta;

impl RungeKutta {
    fn make(method: Method) -> taut_ode::RungeKutta {
        let settings = Settings { h_first: Some(0.01), ..Settings::with_tolerance(1e-8, 1e-8) };
        taut_ode::RungeKutta::new(method, 0.0, &[1.0, 0.0], &settings).expect("valid")
    }
}

#[test]
fn a_truncated_step_keeps_its_past_and_its_plan() {
    for method in common::ANY {
        let mut system = oscillator();
        let mut stepper = common::fixed(method, 0.0, &[1.0, 0.0], 0.2);
        stepper.step(&mut system, 9.0).expect("smooth");
        let early = look(&mut *stepper, &mut system, 0.05);
        let cut = look(&mut *stepper, &mut system, 0.13);
        let h_next = stepper.h_next();
        stepper.truncate(&mut system, 0.13).expect("inside");
        assert_eq!((stepper.t(), stepper.y()), (0.13, &cut[..]));
        assert_eq!(stepper.h_next(), h_next);
        assert_eq!(look(&mut *stepper, &mut system, 0.05), early);
        let mut y = [0.0; 2];
        let beyond = stepper.interpolate(&mut system, 0.15, &mut y);
        assert_eq!(beyond, Err(Refusal::OutsideDomain));
        // The dense output follows a correction of the truncated end, but not a jump after it.
        stepper.correct()[0] += 1e-6;
        let corrected = [cut[0] + 1e-6, cut[1]];
        assert_eq!(look(&mut *stepper, &mut system, 0.13), corrected);
        let near = look(&mut *stepper, &mut system, 0.13 - 1e-12);
        assert!(distance(&near, &corrected) < 1e-11);
        assert!(distance(&look(&mut *stepper, &mut system, 0.05), &early) < 1e-6);
        stepper.jump()[1] = -3.0;
        assert_eq!(look(&mut *stepper, &mut system, 0.13), corrected);
        assert_eq!(stepper.undo_step(0.5), Err(StepFailure::NothingToUndo));
        stepper.step(&mut system, 9.0).expect("smooth");
        assert_eq!((stepper.t_old(), stepper.y_old()), (0.13, &[corrected[0], -3.0][..]));
        assert!((stepper.h() - 0.2).abs() < 1e-15);
    }
}

#[test]
fn a_step_taken_back_leaves_no_trace_but_a_smaller_plan() {
    for method in common::ANY {
        let mut system = oscillator();
        let mut stepper = stepper(method, 0.0, &[1.0, 0.0], 1e-8);
        assert_eq!(stepper.undo_step(0.5), Err(StepFailure::NothingToUndo));
        for _ in 0..3 {
            stepper.step(&mut system, 9.0).expect("smooth");
        }
        let (t, y) = (stepper.t(), stepper.y().to_vec());
        stepper.step(&mut system, 9.0).expect("smooth");
        let h = stepper.h();
        stepper.correct()[0] = 77.0;
        let accepted = stepper.statistics().accepted;
        stepper.undo_step(0.5).expect("whole step");
        assert_eq!((stepper.t(), stepper.y()), (t, &y[..]));
        assert_eq!(stepper.h_next(), Some(0.5 * h));
        assert_eq!(stepper.statistics().accepted, accepted - 1);
        assert_eq!(stepper.undo_step(0.5), Err(StepFailure::NothingToUndo));
        stepper.step(&mut system, 9.0).expect("smooth");
        assert!((stepper.h() - 0.5 * h).abs() < 1e-14);
        assert!((stepper.y()[0] - stepper.t().cos()).abs() < 1e-7);
        if method == Method::Rk4 {
            assert_eq!(stepper.h_next(), Some(0.01));
        }
        assert!(stepper.undo_step(f64::NAN).is_err());
        assert!(stepper.undo_step(1e-300).is_err());
    }
}

/// `y' = -sqrt(y)` reaches zero at `t = 2 sqrt(y0)`; below, there is no right-hand side.
fn draining() -> Given<Rates> {
    Given::new(1, |_, y, f| {
        if y[0] < 0.0 {
            return Err(Refusal::OutsideDomain);
        }
        f[0] = -y[0].sqrt();
        Ok(())
    })
}

#[test]
fn refusals_reject_and_the_step_recovers() {
    for method in ADAPTIVE {
        let mut system = draining();
        let settings = Settings { h_first: Some(1.9999), ..Settings::with_tolerance(1e-2, 1e-2) };
        let mut stepper = method.stepper(0.0, &[1.0], &settings).expect("valid");
        advance(&mut *stepper, &mut system, 1.9);
        assert!((stepper.y()[0] - 0.0025).abs() < 2e-2, "{method}: {:?}", stepper.y());
        // On to the end of the domain. If the derivative at the end of a step is refused only when it
        // is evaluated, the step is undone.
        for _ in 0..60 {
            if stepper.step(&mut system, 4.0).is_err() {
                break;
            }
            if stepper.derivative(&mut system).is_err() && stepper.undo_step(0.5).is_err() {
                break;
            }
            assert!(stepper.y()[0] >= 0.0);
        }
        let statistics = stepper.statistics();
        assert!(statistics.refused > 0, "{method}: {statistics:?}");
    }
}

#[test]
fn a_fixed_step_shrinks_for_a_refusal_only() {
    let mut system = Given::new(1, |t: f64, _: &[f64], f: &mut [f64]| {
        if t > 0.25 && t < 0.35 {
            return Err(Refusal::Other(7));
        }
        f[0] = 1.0;
        Ok(())
    });
    let mut stepper = Method::Rk4.stepper(0.0, &[0.0], &Settings::with_step(0.2)).expect("valid");
    stepper.step(&mut system, 1.0).expect("before the gap");
    // 0.2..0.4 has its middle in the gap, 0.2..0.25 has not.
    stepper.step(&mut system, 1.0).expect("shortened");
    assert!((stepper.t() - 0.25).abs() < 1e-15);
    assert_eq!(stepper.h_next(), Some(0.2));
    assert_eq!(stepper.statistics().refused, 1);
}

#[test]
fn persistent_refusal_and_infinity_end_in_a_failure() {
    for method in common::ANY {
        for not_finite in [true, false] {
            let mut system = Given::new(1, |t: f64, _: &[f64], f: &mut [f64]| {
                f[0] = if t > 0.5 { f64::NAN } else { 1.0 };
                if t > 0.5 && !not_finite {
                    return Err(Refusal::Other(3));
                }
                Ok(())
            });
            let mut stepper = stepper(method, 0.0, &[0.0], 1e-6);
            let failure = loop {
                if let Err(failure) = stepper.step(&mut system, 1.0) {
                    break failure;
                }
            };
            let expected = if not_finite { Refusal::NotFinite } else { Refusal::Other(3) };
            let StepFailure::Refused { t, refusal } = failure else {
                panic!("{method}: {failure:?}");
            };
            assert_eq!(refusal, expected);
            assert!(t <= 0.5 && t > 0.499_999, "{method}: {t}");
            assert_eq!(stepper.t(), t);
            assert!((stepper.y()[0] - t).abs() < 1e-12);
        }
    }
}

#[test]
fn blow_up_ends_in_too_small_a_step() {
    // y' = y^2 from 1 has a pole at t = 1.
    for method in ADAPTIVE {
        let mut system = Given::new(1, |_, y: &[f64], f: &mut [f64]| {
            f[0] = y[0] * y[0];
            Ok(())
        });
        let settings = Settings { h_min: Some(1e-9), ..Settings::with_tolerance(1e-6, 1e-6) };
        let mut stepper = method.stepper(0.0, &[1.0], &settings).expect("valid");
        let failure = loop {
            if let Err(failure) = stepper.step(&mut system, 2.0) {
                break failure;
            }
        };
        assert!(matches!(failure, StepFailure::StepTooSmall { .. }), "{failure:?}");
        assert!((stepper.t() - 1.0).abs() < 1e-4);
    }
}

#[test]
fn tolerances_of_components_are_heeded() {
    // Two decoupled oscillators, the second a millionth of the first in size.
    let mut system = Given::new(4, |_, y: &[f64], f: &mut [f64]| {
        f.copy_from_slice(&[y[1], -y[0], 9.0 * y[3], -9.0 * y[2]]);
        Ok(())
    });
    let start = [1.0, 0.0, 1e-6, 0.0];
    let error = |tolerance: Tolerance, system: &mut dyn System| {
        let settings = Settings { tolerance, ..Settings::default() };
        let stepper = Method::DormandPrince.stepper(0.0, &start, &settings);
        let mut stepper = stepper.expect("valid");
        advance(&mut *stepper, system, 5.0);
        (stepper.y()[2] - 1e-6 * 45.0_f64.cos()).abs() / 1e-6
    };
    let coarse = error(Tolerance::new(0.0, 1e-6), &mut system);
    let each = vec![1e-6, 1e-6, 1e-12, 1e-12];
    let fine = error(Tolerance::with_each(0.0, each), &mut system);
    assert!(coarse > 1e-2 && fine < 1e-3, "{coarse} {fine}");
}

#[test]
fn an_obstacle_is_crossed_in_one_stride_amid_a_gap_of_the_nodes() {
    for method in [Method::DormandPrince, Method::Dop853, Method::BogackiShampine] {
        let mut stepper = method.stepper(0.0, &[1.0], &Settings::with_tolerance(1e-6, 1e-6)).unwrap();
        let mut system = Recorded { times: Vec::new() };
        for _ in 0..3 {
            stepper.step(&mut system, 10.0).unwrap();
        }
        let obstacle = stepper.t() + 1.2 * stepper.h_next().unwrap();
        stepper.set_singular_time(Some(obstacle));
        system.times.clear();
        while stepper.t() < obstacle {
            stepper.step(&mut system, 10.0).unwrap();
        }
        let nearest = system.times.iter().map(|t| (t - obstacle).abs()).fold(f64::INFINITY, f64::min);
        assert!(nearest > 0.05 * stepper.h(), "{method}: a stage {nearest} from the obstacle, step {}", stepper.h());
    }
}

/// y' = -y, recording the times of evaluation.
struct Recorded {
    times: Vec<f64>,
}

impl System for Recorded {
    fn dimension(&self) -> usize {
        1
    }
    fn rates(&mut self, t: f64, y: &[f64], dydt: &mut [f64]) -> Result<(), Refusal> {
        self.times.push(t);
        dydt[0] = -y[0];
        Ok(())
    }
}
