//! Stiff problems with known solutions.
#![allow(missing_docs)]

use crate::common;

use common::{Given, Rates, distance, fixed};
use taut_ode::{Method, Settings, StepControl, Stepper, System, Tolerance};

fn advance(stepper: &mut dyn Stepper, system: &mut dyn System, t_stop: f64) {
    while stepper.t() != t_stop {
        stepper.step(system, t_stop).expect("no failure");
    }
}

/// [HairerWanner1996] IV.1 eq. (1.4)
fn robertson() -> Given<Rates> {
    Given::new(3, |_, y, f| {
        f[0] = -0.04 * y[0] + 1e4 * y[1] * y[2];
        f[2] = 3e7 * y[1] * y[1];
        f[1] = -f[0] - f[2];
        Ok(())
    })
}

#[test]
fn robertsons_reaction_over_eleven_decades() {
    // SciPy 1.x, Radau with rtol = 1e-12 and the exact derivative.
    let expected = [
        (0.4, [0.985_172_113_860_991_1, 3.386_395_378_974_939e-5, 0.014_794_022_185_218_888]),
        (40.0, [0.715_827_068_719_397, 9.185_534_764_558_422e-6, 0.284_163_745_745_837_64]),
        (4e7, [5.203_071_844_118_815e-5, 2.081_335_731_891_837_3e-10, 0.999_947_969_073_426_3]),
        (1e11, [2.083_340_149_427_235e-8, 8.333_360_769_238_547e-14, 0.999_999_979_166_514_8]),
    ];
    // The trapezoidal rule does not damp stiff components: it is not suited to many decades.
    for (method, rtol, until, most) in [
        (Method::RadauIia5, 1e-6, 1e11, 500),
        (Method::Trapezoidal, 1e-5, 40.0, 300),
        (Method::TwoStep, 1e-5, 1e11, 3000),
    ] {
        let mut system = robertson();
        let tolerance = Tolerance::with_each(rtol, vec![1e-4 * rtol, 1e-8 * rtol, 1e-4 * rtol]);
        let settings = Settings { tolerance, spectral_radius: Some(0.0), ..Settings::default() };
        let mut stepper = method.stepper(0.0, &[1.0, 0.0, 0.0], &settings).expect("valid");
        for (t, y) in expected.into_iter().filter(|(t, _)| *t <= until) {
            advance(&mut *stepper, &mut system, t);
            let unit = |i: usize| settings.tolerance.scale(i, y[i]);
            let error = (0..3).map(|i| (stepper.y()[i] - y[i]).abs() / unit(i)).fold(0.0, f64::max);
            println!("{method} at {t:e}: error {error:.1e} tolerances, {:?}", stepper.statistics());
            // Local errors of up to one tolerance each add up; the error estimate of Radau has a lower order.
            let steps = stepper.statistics().accepted as f64;
            let bound = if method == Method::RadauIia5 { 1.0 } else { 0.25 * steps };
            assert!(error < bound, "{method} at {t:e}: {error:e} {:?}", stepper.y());
        }
        assert!(stepper.statistics().accepted < most, "{method}: {:?}", stepper.statistics());
    }
}

fn van_der_pol(mu: f64) -> impl System {
    Given::new(2, move |_, y: &[f64], f: &mut [f64]| {
        f[0] = y[1];
        f[1] = mu * (1.0 - y[0] * y[0]) * y[1] - y[0];
        Ok(())
    })
}

#[test]
fn van_der_pols_oscillator_with_mu_1e3_and_1e6() {
    // [HairerWanner1996] IV.10 (van der Pol with ε = μ⁻², in its time t/μ): y(2) = 1.706167732170483, μ y' = -0.8928097010247975.
    let mut system = van_der_pol(1e3);
    for (method, rtol, bound, most) in [
        (Method::RadauIia5, 1e-7, 1e-6, 1700),
        (Method::Trapezoidal, 1e-7, 1e-3, 30_000),
        (Method::TwoStep, 1e-7, 1e-3, 30_000),
    ] {
        let settings = Settings::with_tolerance(rtol, 1e-3 * rtol);
        let mut stepper = method.stepper(0.0, &[2.0, 0.0], &settings).expect("valid");
        advance(&mut *stepper, &mut system, 2000.0);
        let error = distance(stepper.y(), &[1.706_167_732_170_483, -0.892_809_701_024_797_5e-3]);
        println!("{method}, mu = 1e3: error {error:.1e}, {:?}", stepper.statistics());
        assert!(error < bound, "{method}: {error:e}");
        assert!(stepper.statistics().accepted < most);
    }
    // On the slow manifold y' = y/(μ (1 − y²)) + O(μ⁻³): ln y − y²/2 = t/μ + ln 2 − 2 up to O(μ⁻²).
    let mu = 1e6;
    let mut system = van_der_pol(mu);
    let settings = Settings::with_tolerance(1e-9, 1e-15);
    let mut stepper = Method::RadauIia5.stepper(0.0, &[2.0, 0.0], &settings).expect("valid");
    advance(&mut *stepper, &mut system, 0.5 * mu);
    let y = stepper.y()[0];
    let residual = y.ln() - 0.5 * y * y - (0.5 + 2.0_f64.ln() - 2.0);
    println!("mu = 1e6: residual {residual:.1e}, {:?}", stepper.statistics());
    assert!(residual.abs() < 1e-8, "{residual:e}");
    assert!(stepper.statistics().accepted < 300);
}

#[test]
fn radau_needs_no_more_work_than_scipys() {
    // SciPy 1.x, Radau with differences: 617 steps and 5167 evaluations; 372 and 2875. Stiff columns take one more evaluation
    // here, to test for a jump.
    let mut system = van_der_pol(1e3);
    let mut stepper =
        Method::RadauIia5.stepper(0.0, &[2.0, 0.0], &Settings::with_tolerance(1e-6, 1e-6)).expect("valid");
    advance(&mut *stepper, &mut system, 2000.0);
    println!("van der Pol: {:?}", stepper.statistics());
    assert!(stepper.statistics().accepted < 680 && stepper.statistics().evaluations < 5700);
    let mut system = robertson();
    let mut stepper =
        Method::RadauIia5.stepper(0.0, &[1.0, 0.0, 0.0], &Settings::with_tolerance(1e-6, 1e-10)).expect("valid");
    advance(&mut *stepper, &mut system, 1e11);
    println!("Robertson: {:?}", stepper.statistics());
    assert!(stepper.statistics().accepted < 410 && stepper.statistics().evaluations < 3500);
}

/// Prothero and Robinson: `y' = λ (y − cos t) − sin t`, solved by cos t however stiff.
// [HairerWanner1996] IV.15 eq. (15.1)
fn prothero_robinson(lambda: f64) -> impl System {
    Given::new(1, move |t: f64, y: &[f64], f: &mut [f64]| {
        f[0] = lambda * (y[0] - t.cos()) - t.sin();
        Ok(())
    })
}

#[test]
fn stiff_orders_on_prothero_and_robinsons_problem() {
    // Stiffly accurate with stage order 3: the error is λ⁻¹ h³ times a constant. The trapezoidal rule and the two steps
    // err by λ⁻¹ h² y'''-like terms.
    let lambda = -1e6;
    for (method, order) in [(Method::RadauIia5, 3.0), (Method::Trapezoidal, 2.0), (Method::TwoStep, 2.0)] {
        let errors = [20, 40].map(|steps| {
            let h = 1.0 / f64::from(steps);
            let mut system = prothero_robinson(lambda);
            let mut stepper = fixed(method, 0.0, &[1.0], h);
            advance(&mut *stepper, &mut system, 1.0);
            assert_eq!(stepper.statistics().accepted, u64::try_from(steps).expect("positive"));
            (stepper.y()[0] - 1.0_f64.cos()).abs()
        });
        let measured = (errors[0] / errors[1]).log2();
        println!("{method}: {errors:?}, order {measured:.2}");
        assert!((measured - order).abs() < 0.4, "{method}: {measured} {errors:?}");
        assert!(errors[1] < 1e-9, "{method}: {errors:?}");
    }
}

#[test]
fn a_linear_oscillator_far_too_fast_for_the_step_dies_as_the_spectral_radius_says() {
    let omega: f64 = 1e6;
    let mut system = Given::new(2, move |_: f64, y: &[f64], f: &mut [f64]| {
        f.copy_from_slice(&[omega * y[1], -omega * y[0]]);
        Ok(())
    });
    for rho in [0.3, 0.6, 0.9] {
        let settings = Settings {
            spectral_radius: Some(rho),
            tolerance: Tolerance::new(1e-10, 1e-14),
            ..Settings::with_step(0.1)
        };
        let mut stepper = Method::TwoStep.stepper(0.0, &[1.0, 0.0], &settings).expect("valid");
        advance(&mut *stepper, &mut system, 2.0);
        let first = stepper.y()[0].hypot(stepper.y()[1]);
        advance(&mut *stepper, &mut system, 4.0);
        let second = stepper.y()[0].hypot(stepper.y()[1]);
        // A double root −ρ: amplitudes n ρⁿ, so that twenty steps leave ρ²⁰ · 40/20.
        let per_step = (second / first / 2.0).powf(0.05);
        println!("rho {rho}: {per_step:.4}");
        assert!((per_step - rho).abs() < 0.01 * rho, "{rho}: {per_step}");
    }
    let settings = Settings { tolerance: Tolerance::new(1e-10, 1e-14), ..Settings::with_step(0.1) };
    let mut stepper = Method::Trapezoidal.stepper(0.0, &[1.0, 0.0], &settings).expect("valid");
    assert_eq!(stepper.step_control(), StepControl::Fixed);
    advance(&mut *stepper, &mut system, 4.0);
    let amplitude = stepper.y()[0].hypot(stepper.y()[1]);
    assert!((amplitude - 1.0).abs() < 1e-6, "{amplitude}");
}

#[test]
fn two_steps_keep_their_order_when_the_steps_vary() {
    // Steps of changing size: 1, 1.8, 0.7, 1.3 times h, again and again.
    let error = |parts: u32| {
        let mut system = common::swing();
        let h = 1.0 / f64::from(parts);
        let settings = Settings { tolerance: Tolerance::new(1e-12, 1e-12), ..Settings::with_step(1.0) };
        let mut stepper = Method::TwoStep.stepper(0.1, &common::swing_solution(0.1), &settings).expect("valid");
        let mut stop: f64 = 0.1;
        let mut k = 0;
        while stop < 2.0 {
            stop = (stop + h * [1.0, 1.8, 0.7, 1.3][k % 4]).min(2.0);
            k += 1;
            stepper.step(&mut system, stop).expect("smooth");
            assert_eq!(stepper.t(), stop);
        }
        distance(stepper.y(), &common::swing_solution(2.0))
    };
    let order = (error(100) / error(200)).log2();
    println!("order {order:.2}");
    assert!((order - 2.0).abs() < 0.2, "{order}");
}

#[test]
fn explicit_methods_tell_that_stability_holds_them_back() {
    for method in [Method::BogackiShampine, Method::DormandPrince, Method::Dop853] {
        let run = |system: &mut dyn System, y: &[f64], tolerance: f64| {
            let mut stepper = common::stepper(method, 0.0, y, tolerance);
            assert_eq!(stepper.stiffness(), None);
            advance(&mut *stepper, system, 2.0);
            stepper.stiffness().expect("measured")
        };
        let stiff = run(&mut prothero_robinson(-1e4), &[1.0], 1e-4);
        let easy = run(&mut common::oscillator(), &[1.0, 0.0], 1e-8);
        println!("{method}: {stiff:.2} on a stiff problem, {easy:.2} on an easy one");
        assert!(stiff > 0.8 && stiff < 2.0, "{method}: {stiff}");
        assert!(easy < 0.4, "{method}: {easy}");
    }
    assert_eq!(fixed(Method::RadauIia5, 0.0, &[1.0], 0.1).stiffness(), None);
}

/// The oscillator with its own solver, written out: `(σ I − J)⁻¹` for `J = [0 1; −1 0]`.
#[derive(Default)]
struct Own {
    sigma: [(f64, f64); 2],
    derived: usize,
}

impl System for Own {
    fn dimension(&self) -> usize {
        2
    }
    fn rates(&mut self, _: f64, y: &[f64], f: &mut [f64]) -> Result<(), taut_ode::Refusal> {
        f.copy_from_slice(&[y[1], -y[0]]);
        Ok(())
    }
    fn jacobian_solver(&mut self) -> Option<&mut dyn taut_ode::JacobianSolver> {
        Some(self)
    }
}

impl taut_ode::JacobianSolver for Own {
    fn linearise(&mut self, _: f64, _: &[f64]) -> Result<(), taut_ode::Refusal> {
        self.derived += 1;
        Ok(())
    }
    fn factor(&mut self, place: usize, re: f64, im: f64) -> Result<(), taut_ode::Refusal> {
        self.sigma[place] = (re, im);
        Ok(())
    }
    fn solve(&mut self, place: usize, re: &mut [f64], im: &mut [f64]) -> Result<(), taut_ode::Refusal> {
        // x = (σ r₀ + r₁, σ r₁ − r₀) / (σ² + 1)
        let (a, b) = self.sigma[place];
        let r = |i: usize| (re[i], im.get(i).copied().unwrap_or(0.0));
        let (r0, r1) = (r(0), r(1));
        let times = |x: (f64, f64), y: (f64, f64)| (x.0 * y.0 - x.1 * y.1, x.0 * y.1 + x.1 * y.0);
        let d = (a * a - b * b + 1.0, 2.0 * a * b);
        let inverse = (d.0 / (d.0 * d.0 + d.1 * d.1), -d.1 / (d.0 * d.0 + d.1 * d.1));
        let (s0, s1) = (times((a, b), r0), times((a, b), r1));
        let x = [times((s0.0 + r1.0, s0.1 + r1.1), inverse), times((s1.0 - r0.0, s1.1 - r0.1), inverse)];
        for i in 0..2 {
            re[i] = x[i].0;
            if let Some(im) = im.get_mut(i) {
                *im = x[i].1;
            }
        }
        Ok(())
    }
}

#[test]
fn a_system_with_its_own_solver_uses_it() {
    for method in Method::IMPLICIT {
        let (mut own, mut plain) = (Own::default(), common::oscillator());
        let run = |system: &mut dyn System| {
            let mut stepper = common::stepper(method, 0.0, &[1.0, 0.0], 1e-8);
            advance(&mut *stepper, system, 5.0);
            (stepper.y().to_vec(), stepper.statistics())
        };
        let ((a, by_own), (b, by_differences)) = (run(&mut own), run(&mut plain));
        assert!(own.derived > 0);
        assert!(distance(&a, &b) < 1e-8, "{method}: {a:?} {b:?}");
        assert!(by_own.evaluations < by_differences.evaluations, "{method}");
        assert_eq!(by_own.accepted, by_differences.accepted, "{method}");
    }
}

#[test]
fn a_derivative_by_differences_at_a_jump_is_taken_on_one_side() {
    // x'' = −x − 0.1 sign(v) from rest: half a swing about x = 0.1, to x = −0.8. The width of a difference at v = 0 contains the
    // jump of the friction.
    for method in [Method::Trapezoidal, Method::TwoStep, Method::RadauIia5] {
        let sign = |v: f64| if v == 0.0 { 0.0 } else { v.signum() };
        for start in [0.0, -1e-12, 1e-12] {
            let mut system = Given::new(2, |_, y: &[f64], f: &mut [f64]| {
                f.copy_from_slice(&[y[1], -y[0] - 0.1 * sign(y[1])]);
                Ok(())
            });
            let mut stepper = common::stepper(method, 0.0, &[1.0, start], 1e-6);
            let t = 2.0_f64;
            advance(&mut *stepper, &mut system, t);
            let expected = [0.1 + 0.9 * t.cos(), -0.9 * t.sin()];
            let error = distance(stepper.y(), &expected);
            println!("{method} from {start:e}: error {error:.1e}, {:?}", stepper.statistics());
            assert!(error < 1e-3, "{method} from {start:e}: {error:e}, {:?}", stepper.y());
        }
    }
}
