//! Inputs that are not smooth, with the times at which they are not.

use super::random::Random;
use taut::Signal;
use taut::signals::{Ends, Extrapolation, Interpolation, Table};

/// A signal, where it has corners or jumps, and what it is.
pub struct Input {
    pub signal: Signal,
    pub breaks: Vec<f64>,
    pub told: String,
}

impl Input {
    fn formula(text: String, breaks: Vec<f64>) -> Input {
        Input { signal: Signal::expression(&text).expect("a formula"), breaks, told: text }
    }

    /// A random one of about this size, within 0 … end.
    pub fn random(r: &mut Random, size: f64, end: f64) -> Input {
        let size = size * r.between(0.3, 1.0) * if r.below(2) == 0 { 1.0 } else { -1.0 };
        let multiples = |p: f64| (1..).map(|k| f64::from(k) * p).take_while(|t| *t < end).collect::<Vec<f64>>();
        match r.below(9) {
            0 | 1 => {
                let (a, width) = (r.between(0.0, 0.9 * end), r.ratio(1e-4, 0.3) * end);
                let force = size * (0.05 * end / width).clamp(1.0, 50.0);
                let b = a + width;
                Input::formula(format!("if_pos(t - {a}, if_pos({b} - t, {force}, 0), 0)"), vec![a, b])
            }
            2 => {
                let a = r.between(0.0, end);
                Input::formula(format!("if_pos(t - {a}, {size}, 0)"), vec![a])
            }
            3 => {
                let w = r.between(3.0, 25.0);
                Input::formula(format!("{size}*abs(sin({w}*t))"), multiples(std::f64::consts::PI / w))
            }
            4 => {
                let p = r.between(0.05, 0.6) * end;
                Input::formula(format!("{size}*mod(t, {p})/{p}"), multiples(p))
            }
            5 => {
                let p = r.between(0.1, 0.6) * end;
                Input::formula(format!("0.3*{size}*floor(t/{p})"), multiples(p))
            }
            6 => {
                let (w, c) = (r.between(3.0, 15.0), r.between(0.2, 0.9));
                let first = c.asin() / w;
                let half = std::f64::consts::PI / w;
                let list = (0..).map(f64::from).take_while(|k| k * half < end + half);
                let breaks = list.flat_map(|k| [k * half - first, k * half + first]).filter(|t| *t > 0.0 && *t < end);
                Input::formula(format!("{size}*max(min(sin({w}*t), {c}), -{c})"), breaks.collect())
            }
            7 => {
                let (a, b) = (r.between(0.1, 0.4) * end, r.between(0.5, 0.9) * end);
                let w = r.ratio(1e-3, 1e-2) * end;
                let one = format!("if_pos(t - {a}, if_pos({a} + {w} - t, {}, 0), 0)", 10.0 * size);
                let two = format!("if_pos(t - {b}, if_pos({b} + {w} - t, {}, 0), 0)", -10.0 * size);
                Input::formula(format!("{one} + {two}"), vec![a, a + w, b, b + w])
            }
            _ => {
                let n = 3 + r.below(5);
                let mut t: Vec<f64> = (0..n).map(|_| r.between(0.0, end)).collect();
                t.sort_by(f64::total_cmp);
                t.dedup_by(|a, b| *a - *b < 1e-3 * end);
                if t.len() < 3 {
                    t = vec![0.2 * end, 0.3 * end, 0.7 * end];
                }
                let y: Vec<f64> = t.iter().map(|_| size * r.between(-1.0, 1.0)).collect();
                let ways = [
                    Interpolation::Linear,
                    Interpolation::Pchip,
                    Interpolation::Akima,
                    Interpolation::Spline(Ends::Natural),
                ];
                let way = ways[r.below(4)];
                let told = format!("table {way:?} {t:?} {y:?}");
                let table = Table::new(t.clone(), y, way, Extrapolation::Hold).expect("a table");
                Input { signal: Signal::Table(table), breaks: t, told }
            }
        }
    }
}
