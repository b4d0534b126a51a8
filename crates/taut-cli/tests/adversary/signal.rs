//! Non-smooth signals: their text for a model file, and their value by independent code.

use crate::random::Random;

/// Branch decisions during an evaluation: recorded, or replayed so that a step sees one smooth piece.
#[derive(Default, Clone, PartialEq, Debug)]
pub struct Branches {
    taken: Vec<i64>,
    replay: Option<usize>,
}

impl Branches {
    /// Records the decisions.
    pub fn recording() -> Branches {
        Branches::default()
    }

    /// Replays the recorded decisions from the first one on.
    pub fn rewind(&mut self) {
        self.replay = Some(0);
    }

    pub fn taken(&self) -> &[i64] {
        &self.taken
    }

    pub fn choose(&mut self, here: i64) -> i64 {
        match &mut self.replay {
            None => {
                self.taken.push(here);
                here
            }
            Some(next) => {
                let choice = self.taken[*next];
                *next += 1;
                choice
            }
        }
    }
}

/// A term over time and the coordinates of a plant.
#[derive(Clone, Debug)]
pub enum Term {
    Number(f64),
    Time,
    /// A coordinate, by index and name.
    Coordinate(usize, String),
    Add(Box<Term>, Box<Term>),
    Times(Box<Term>, Box<Term>),
    Sin(Box<Term>),
    Abs(Box<Term>),
    Sign(Box<Term>),
    Max(Box<Term>, Box<Term>),
    /// Remainder by a positive number.
    Mod(Box<Term>, f64),
    Floor(Box<Term>),
    IfPos(Box<Term>, Box<Term>, Box<Term>),
    /// step(t, t0, 0, t1, 1)
    Step(f64, f64),
}

use Term::{Abs, Add, Floor, IfPos, Max, Mod, Number, Sign, Sin, Step, Time, Times};

fn term(t: Term) -> Box<Term> {
    Box::new(t)
}

impl Term {
    pub fn text(&self) -> String {
        match self {
            Number(x) if *x < 0.0 => format!("({x:e})"),
            Number(x) => format!("{x:e}"),
            Time => "t".to_string(),
            Term::Coordinate(_, name) => name.clone(),
            Add(a, b) => format!("({} + {})", a.text(), b.text()),
            Times(a, b) => format!("{}*{}", a.text(), b.text()),
            Sin(x) => format!("sin({})", x.text()),
            Abs(x) => format!("abs({})", x.text()),
            Sign(x) => format!("sign({})", x.text()),
            Max(a, b) => format!("max({}, {})", a.text(), b.text()),
            Mod(x, p) => format!("mod({}, {p:e})", x.text()),
            Floor(x) => format!("floor({})", x.text()),
            IfPos(g, a, b) => format!("if_pos({}, {}, {})", g.text(), a.text(), b.text()),
            Step(t0, t1) => format!("step(t, {t0:e}, 0, {t1:e}, 1)"),
        }
    }

    pub fn value(&self, t: f64, q: &[f64], on: &mut Branches) -> f64 {
        match self {
            Number(x) => *x,
            Time => t,
            Term::Coordinate(i, _) => q[*i],
            Add(a, b) => a.value(t, q, on) + b.value(t, q, on),
            Times(a, b) => a.value(t, q, on) * b.value(t, q, on),
            Sin(x) => x.value(t, q, on).sin(),
            Abs(x) => {
                let x = x.value(t, q, on);
                x * on.choose(if x >= 0.0 { 1 } else { -1 }) as f64
            }
            Sign(x) => {
                let x = x.value(t, q, on);
                on.choose(if x > 0.0 { 1 } else { -1 }) as f64
            }
            Max(a, b) => {
                let (a, b) = (a.value(t, q, on), b.value(t, q, on));
                if on.choose(i64::from(a >= b)) == 1 { a } else { b }
            }
            Mod(x, p) => {
                let x = x.value(t, q, on);
                x - p * on.choose((x / p).floor() as i64) as f64
            }
            Floor(x) => {
                let x = x.value(t, q, on);
                on.choose(x.floor() as i64) as f64
            }
            IfPos(g, a, b) => {
                let (g, a, b) = (g.value(t, q, on), a.value(t, q, on), b.value(t, q, on));
                if on.choose(i64::from(g > 0.0)) == 1 { a } else { b }
            }
            Step(t0, t1) => {
                let place = if t <= *t0 {
                    0
                } else if t >= *t1 {
                    2
                } else {
                    1
                };
                match on.choose(place) {
                    0 => 0.0,
                    1 => {
                        let u = (t - t0) / (t1 - t0);
                        u * u * (3.0 - 2.0 * u)
                    }
                    _ => 1.0,
                }
            }
        }
    }
}

fn sine(omega: f64) -> Term {
    Sin(term(Times(term(Number(omega)), term(Time))))
}

fn after(t0: f64) -> Term {
    Add(term(Time), term(Number(-t0)))
}

fn scaled(a: f64, x: Term) -> Term {
    Times(term(Number(a)), term(x))
}

/// A coordinate that a term may contain.
pub struct NamedCoordinate<'a> {
    pub index: usize,
    pub name: &'a str,
}

/// A random term of the size `a`, over a run of the length `end`.
pub fn random_term(r: &mut Random, a: f64, end: f64, seen: Option<&NamedCoordinate>) -> Term {
    let t0 = r.between(0.05, 0.8) * end;
    let omega = r.decades(1.0, 40.0);
    match r.below(if seen.is_some() { 12 } else { 10 }) {
        0 => {
            let width = r.decades(1e-3, 0.3);
            let inner = IfPos(term(scaled(-1.0, after(t0 + width))), term(Number(a)), term(Number(0.0)));
            IfPos(term(after(t0)), term(inner), term(Number(0.0)))
        }
        1 => scaled(a, Step(t0, t0 + r.decades(1e-3, 0.5))),
        2 => scaled(a, Sign(term(sine(omega)))),
        3 => scaled(a, Abs(term(sine(omega)))),
        4 => scaled(a, Mod(term(Time), r.between(0.05, 0.9))),
        5 => {
            let n = r.between(1.5, 20.0);
            scaled(a / n, Floor(term(scaled(n, Time))))
        }
        6 => Max(term(Number(0.0)), term(scaled(a, sine(omega)))),
        7 => {
            IfPos(term(Add(term(sine(omega)), term(Number(-r.between(0.5, 0.98))))), term(Number(a)), term(Number(0.0)))
        }
        8 => Times(term(scaled(a, Sign(term(sine(omega))))), term(Step(t0, t0 + 0.1))),
        9 => scaled(a, sine(omega)),
        10 => {
            let NamedCoordinate { index, name } = seen.expect("chosen where a coordinate is seen");
            let x = Term::Coordinate(*index, (*name).to_string());
            IfPos(term(Add(term(sine(omega)), term(scaled(-3.0, x)))), term(Number(a)), term(Number(-0.5 * a)))
        }
        _ => {
            let NamedCoordinate { index, name } = seen.expect("chosen where a coordinate is seen");
            let x = Term::Coordinate(*index, (*name).to_string());
            scaled(-a, Max(term(Number(0.0)), term(Add(term(x), term(Number(-0.02))))))
        }
    }
}
