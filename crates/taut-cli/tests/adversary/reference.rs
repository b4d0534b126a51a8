//! Brute-force reference: the classical Runge-Kutta method in tiny steps, none of which crosses a change of branch.

use crate::signal::Branches;

/// Equations of motion in minimal coordinates, written by hand.
pub trait Plant {
    /// The state at the start.
    fn start(&self) -> Vec<f64>;
    fn rates(&self, t: f64, y: &[f64], on: &mut Branches, dy: &mut [f64]);
    /// Jump of the state at a change of branch; by default none, except for stops and sticking.
    fn jump(&self, _t: f64, _y: &mut [f64]) {}
}

fn branches_at(plant: &dyn Plant, t: f64, y: &[f64]) -> Branches {
    let mut here = Branches::recording();
    plant.rates(t, y, &mut here, &mut vec![0.0; y.len()]);
    here
}

/// One step of the classical method with the decisions of `frozen`.
fn step(plant: &dyn Plant, t: f64, y: &[f64], h: f64, frozen: &Branches) -> Vec<f64> {
    let n = y.len();
    let rates = |t: f64, y: &[f64]| {
        let (mut on, mut dy) = (frozen.clone(), vec![0.0; n]);
        on.rewind();
        plant.rates(t, y, &mut on, &mut dy);
        dy
    };
    let moved = |k: &[f64], h: f64| y.iter().zip(k).map(|(y, k)| y + h * k).collect::<Vec<f64>>();
    let k1 = rates(t, y);
    let k2 = rates(t + 0.5 * h, &moved(&k1, 0.5 * h));
    let k3 = rates(t + 0.5 * h, &moved(&k2, 0.5 * h));
    let k4 = rates(t + h, &moved(&k3, h));
    (0..n).map(|i| y[i] + h / 6.0 * (k1[i] + 2.0 * (k2[i] + k3[i]) + k4[i])).collect()
}

/// The states at the given times, from zero on.
pub fn solve(plant: &dyn Plant, times: &[f64], h: f64) -> Vec<Vec<f64>> {
    let (mut t, mut y) = (0.0, plant.start());
    let mut here = branches_at(plant, t, &y);
    let mut list = Vec::with_capacity(times.len());
    for &end in times {
        while t < end {
            let left = end - t;
            let (h, t_new) = if left <= h { (left, end) } else { (h, t + h) };
            let y_new = step(plant, t, &y, h, &here);
            let there = branches_at(plant, t_new, &y_new);
            if there.taken() == here.taken() {
                (t, y) = (t_new, y_new);
                continue;
            }
            // The last moment before the first change, by bisection.
            let (mut same, mut other) = (0.0, h);
            while other - same > 1e-15 * (1.0 + t) {
                let middle = 0.5 * (same + other);
                let y_middle = step(plant, t, &y, middle, &here);
                let changed = branches_at(plant, t + middle, &y_middle).taken() != here.taken();
                *(if changed { &mut other } else { &mut same }) = middle;
            }
            y = step(plant, t, &y, other, &here);
            t += other;
            plant.jump(t, &mut y);
            here = branches_at(plant, t, &y);
        }
        list.push(y.clone());
    }
    list
}
