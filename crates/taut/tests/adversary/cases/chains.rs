//! Masses on a line, springs and dampers between them, one of them pushed.

use super::inputs::Input;
use super::random::Random;
use super::reference::Brute;
use super::{Judgement, Trial};
use taut::forces::{Applied, Spring};
use taut::{FormulaForce, Frame, Joint, Measure, PointMass, Signal, Spec};

struct Chain {
    m: Vec<f64>,
    k: Vec<f64>,
    c: Vec<f64>,
    spec: Spec,
}

fn chain(r: &mut Random) -> Chain {
    let n = 1 + r.below(4);
    let m: Vec<f64> = (0..n).map(|_| r.ratio(0.2, 5.0)).collect();
    let k: Vec<f64> = (0..n).map(|_| r.ratio(20.0, 400.0)).collect();
    let c: Vec<f64> = (0..n).map(|_| if r.below(2) == 0 { 0.0 } else { r.ratio(0.01, 2.0) }).collect();
    let mut spec = Spec::new();
    spec.marker("ground.rail", Frame::at([0.0; 3]).axis([1.0, 0.0, 0.0]));
    for i in 0..n {
        let (name, before) = (format!("m{i}"), if i == 0 { "ground".to_string() } else { format!("m{}", i - 1) });
        spec.body(&name, PointMass::new(m[i], [(i + 1) as f64, 0.0, 0.0]))
            .constraint(&format!("guide{i}"), Joint::point_on_line("ground.rail", &name))
            .force(&format!("spring{i}"), Spring::linear(&before, &name, k[i], c[i], 1.0));
    }
    Chain { m, k, c, spec }
}

impl Chain {
    fn start(&self) -> Vec<f64> {
        let n = self.m.len();
        (0..2 * n).map(|i| if i < n { (i + 1) as f64 } else { 0.0 }).collect()
    }

    fn rates(&self, y: &[f64], on: usize, force: f64) -> Vec<f64> {
        let n = self.m.len();
        let pull = |i: usize| {
            let (x, v) = if i == 0 { (0.0, 0.0) } else { (y[i - 1], y[n + i - 1]) };
            -self.k[i] * (y[i] - x - 1.0) - self.c[i] * (y[n + i] - v)
        };
        let mut dy = y[n..].to_vec();
        for i in 0..n {
            let next = if i + 1 < n { pull(i + 1) } else { 0.0 };
            let push = if i == on { force } else { 0.0 };
            dy.push((pull(i) - next + push) / self.m[i]);
        }
        dy
    }

    fn columns(&self) -> Vec<String> {
        let n = self.m.len();
        (0..n).map(|i| format!("m{i}.x")).chain((0..n).map(|i| format!("m{i}.vx"))).collect()
    }

    fn told(&self) -> String {
        format!("m {:?}, k {:?}, c {:?}", self.m, self.k, self.c)
    }
}

/// A force over time that jumps, kinks or is over before it is seen.
pub fn jumping(r: &mut Random) -> Judgement {
    let mut chain = chain(r);
    let (end, on) = (r.between(1.0, 3.0), r.below(chain.m.len()));
    let input = Input::random(r, 0.1 * chain.k[on], end);
    chain
        .spec
        .force("push", Applied::force(&format!("m{on}"), [input.signal.clone(), Signal::default(), Signal::default()]));
    let model = chain.spec.build().expect("a chain");
    let trial = Trial::new(r, end);
    let told = format!("{}; push on m{on}: {}", chain.told(), input.told);
    let mut brute = Brute::new(chain.start(), input.breaks.clone(), end / 4000.0, |t, y, _| {
        chain.rates(y, on, input.signal.at(t).f)
    });
    trial.judge(&model, &chain.columns(), &mut |t| brute.at(t), &told)
}

/// A force that switches where the motion gets there.
pub fn switching(r: &mut Random) -> Judgement {
    let mut chain = chain(r);
    let (end, on) = (r.between(1.0, 3.0), r.below(chain.m.len()));
    let n = chain.m.len();
    let rest = (on + 1) as f64;
    let start = r.between(0.05, 0.2);
    let w = r.between(2.0, 60.0);
    let (deep, size) = (r.between(-0.1, 0.1), r.between(0.05, 0.3) * chain.k[on]);
    // The mass is let go from aside; the force has one of two forms.
    let x = format!("m{on}.x");
    let (text, kind) = match r.below(3) {
        0 => (format!("if_pos({x} - {}, -{size}, 0)", rest + deep), 0),
        1 => (format!("if_pos(0.1*sin({w}*t) - ({x} - {rest}), {size}, 0)"), 1),
        _ => (format!("-{size}*max({x} - {}, 0)*20", rest + deep), 2),
    };
    let force = FormulaForce::new(Measure::coordinate(&x), &text).expect("a formula");
    chain.spec.force("switch", force);
    let model = chain.spec.build().expect("a chain");
    let mut state = model.initial_state();
    model.set(&mut state, &x, rest + start).expect("a coordinate");
    let trial = Trial::new(r, end);
    let told = format!("{}; {text}, m{on} from {}", chain.told(), rest + start);
    let mut y = chain.start();
    y[on] += start;
    let form = move |t: f64, y: &[f64]| {
        let s = match kind {
            1 => 0.1 * (w * t).sin() - (y[on] - rest),
            _ => y[on] - rest - deep,
        };
        usize::from(s > 0.0)
    };
    let push = move |y: &[f64], form: usize| match (form, kind) {
        (0, _) => 0.0,
        (_, 0) => -size,
        (_, 1) => size,
        _ => -20.0 * size * (y[on] - rest - deep),
    };
    // Where a force drives the state back over its switch there is no solution but a sliding one: a refusal is right, brute force is not.
    if slides(&chain, y.clone(), end, on, &form, &push) {
        return Judgement::Met;
    }
    let _ = n;
    let mut brute = Brute::new(y, Vec::new(), end / 4000.0, |_, y, f| chain.rates(y, on, push(y, f))).with_forms(form);
    trial.judge_from(&model, &state, &chain.columns(), &mut |t| brute.at(t), &told)
}

/// Whether the form changes ever faster.
fn slides(
    chain: &Chain,
    y: Vec<f64>,
    end: f64,
    on: usize,
    form: &(impl Fn(f64, &[f64]) -> usize + Copy),
    push: &impl Fn(&[f64], usize) -> f64,
) -> bool {
    let mut last = (0.0, form(0.0, &y));
    let mut brute = Brute::new(y, Vec::new(), end / 2000.0, |_, y, f| chain.rates(y, on, push(y, f))).with_forms(*form);
    let (mut changes, mut soon) = (0, 0);
    for k in 1..=2000 {
        let t = end * f64::from(k) / 2000.0;
        let y = brute.at(t);
        let now = form(t, &y);
        if now != last.1 {
            changes += 1;
            soon += usize::from(t - last.0 < end / 500.0);
            last = (t, now);
        }
    }
    soon > 1 || changes > 200
}
