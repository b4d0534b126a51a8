//! Second-order systems with derivatives by differences and dense factors: slow but simple.

use taut_ode::{Refusal, SecondOrder, System};

/// The equations of a mechanism; everything else follows from them.
pub trait Mechanism {
    /// Sizes of q, v, z and λ.
    fn sizes(&self) -> [usize; 4];
    fn displace(&self, q: &mut [f64], delta: &[f64]);
    fn kinematics(&self, q: &[f64], v: &[f64], qdot: &mut [f64]) {
        let _ = q;
        qdot.copy_from_slice(v);
    }
    fn unroll(&self, delta: &[f64], v: &[f64], rate: &mut [f64]) {
        let _ = delta;
        rate.copy_from_slice(v);
    }
    fn residual(&self, y: &[f64], vdot: &[f64], lambda: &[f64], r: &mut [f64], g: &mut [f64], zdot: &mut [f64]);
    /// `b` of `A v̇ = b`.
    fn bias(&self, y: &[f64], b: &mut [f64]) {
        let _ = (y, b);
    }
}

/// Gaussian elimination with row exchanges, in place of a and x.
fn gauss(a: &mut [Vec<f64>], x: &mut [f64]) {
    let n = x.len();
    for k in 0..n {
        let pivot = (k..n).max_by(|&i, &j| a[i][k].abs().total_cmp(&a[j][k].abs())).expect("rows");
        a.swap(k, pivot);
        x.swap(k, pivot);
        for i in k + 1..n {
            let factor = a[i][k] / a[k][k];
            for j in k..n {
                a[i][j] -= factor * a[k][j];
            }
            x[i] -= factor * x[k];
        }
    }
    for i in (0..n).rev() {
        for j in i + 1..n {
            x[i] -= a[i][j] * x[j];
        }
        x[i] /= a[i][i];
    }
}

pub struct Model<T> {
    pub mechanism: T,
    /// Columns of ∂(r, g)/∂v̇, ∂v, ∂δ and ∂λ.
    columns: [Vec<Vec<f64>>; 4],
    matrix: Vec<Vec<f64>>,
    pub derivatives: usize,
}

impl<T: Mechanism> Model<T> {
    pub fn new(mechanism: T) -> Self {
        Self { mechanism, columns: Default::default(), matrix: Vec::new(), derivatives: 0 }
    }

    fn both(&self, y: &[f64], vdot: &[f64], lambda: &[f64]) -> Vec<f64> {
        let [_, nv, nz, nl] = self.mechanism.sizes();
        let (mut r, mut g, mut zdot) = (vec![0.0; nv], vec![0.0; nl], vec![0.0; nz]);
        self.mechanism.residual(y, vdot, lambda, &mut r, &mut g, &mut zdot);
        r.extend(g);
        r
    }

    /// Central differences with respect to all arguments.
    fn differ(&mut self, y: &[f64], vdot: &[f64], lambda: &[f64]) {
        let [nq, nv, _, nl] = self.mechanism.sizes();
        let d = 1e-5;
        for which in 0..4 {
            self.columns[which] = (0..if which == 3 { nl } else { nv })
                .map(|j| {
                    let shifted = |d: f64| {
                        let (mut y, mut vdot, mut lambda) = (y.to_vec(), vdot.to_vec(), lambda.to_vec());
                        match which {
                            0 => vdot[j] += d,
                            1 => y[nq + j] += d,
                            2 => {
                                let mut delta = vec![0.0; nv];
                                delta[j] = d;
                                self.mechanism.displace(&mut y[..nq], &delta);
                            }
                            _ => lambda[j] += d,
                        }
                        self.both(&y, &vdot, &lambda)
                    };
                    shifted(d).iter().zip(shifted(-d)).map(|(a, b)| (a - b) / (2.0 * d)).collect()
                })
                .collect();
        }
    }

    /// `[m M + c C + K, −Aᵀ; A, 0]`
    fn combine(&self, mass: f64, damping: f64, stiffness: f64) -> Vec<Vec<f64>> {
        let [_, nv, _, nl] = self.mechanism.sizes();
        let n = nv + nl;
        let mut matrix = vec![vec![0.0; n]; n];
        for i in 0..n {
            for j in 0..nv {
                let [M, C, K, _] = &self.columns;
                matrix[i][j] = if i < nv { mass * M[j][i] + damping * C[j][i] + stiffness * K[j][i] } else { K[j][i] };
            }
            for j in 0..nl {
                matrix[i][nv + j] = self.columns[3][j][i];
            }
        }
        matrix
    }

    fn accelerate(&mut self, y: &[f64], vdot: &mut [f64], lambda: &mut [f64], zdot: &mut [f64]) {
        let [_, nv, _, nl] = self.mechanism.sizes();
        vdot.fill(0.0);
        lambda.fill(0.0);
        self.differ(y, vdot, lambda);
        let mut x: Vec<f64> = self.both(y, vdot, lambda).iter().map(|r| -r).collect();
        self.mechanism.bias(y, &mut x[nv..]);
        gauss(&mut self.combine(1.0, 0.0, 0.0), &mut x);
        vdot.copy_from_slice(&x[..nv]);
        lambda.copy_from_slice(&x[nv..]);
        let (mut r, mut g) = (vec![0.0; nv], vec![0.0; nl]);
        self.mechanism.residual(y, vdot, lambda, &mut r, &mut g, zdot);
    }
}

impl<T: Mechanism> System for Model<T> {
    fn dimension(&self) -> usize {
        let [nq, nv, nz, _] = self.mechanism.sizes();
        nq + nv + nz
    }
    fn rates(&mut self, _: f64, y: &[f64], f: &mut [f64]) -> Result<(), Refusal> {
        let [nq, nv, _, nl] = self.mechanism.sizes();
        self.mechanism.kinematics(&y[..nq], &y[nq..nq + nv], &mut f[..nq]);
        // The derivatives stored for an iteration must not change.
        let held = std::mem::take(&mut self.columns);
        let (vdot, zdot) = f[nq..].split_at_mut(nv);
        self.accelerate(y, vdot, &mut vec![0.0; nl], zdot);
        self.columns = held;
        Ok(())
    }
    fn second_order(&mut self) -> Option<&mut dyn SecondOrder> {
        Some(self)
    }
}

impl<T: Mechanism> SecondOrder for Model<T> {
    fn velocity_count(&self) -> usize {
        self.mechanism.sizes()[1]
    }
    fn state_count(&self) -> usize {
        self.mechanism.sizes()[2]
    }
    fn multiplier_count(&self) -> usize {
        self.mechanism.sizes()[3]
    }
    fn kinematics(&self, q: &[f64], v: &[f64], qdot: &mut [f64]) {
        self.mechanism.kinematics(q, v, qdot);
    }
    fn displace(&self, q: &mut [f64], delta: &[f64]) {
        self.mechanism.displace(q, delta);
    }
    fn residual(
        &mut self,
        _: f64,
        y: &[f64],
        vdot: &[f64],
        lambda: &[f64],
        r: &mut [f64],
        g: &mut [f64],
        zdot: &mut [f64],
    ) -> Result<(), Refusal> {
        self.mechanism.residual(y, vdot, lambda, r, g, zdot);
        Ok(())
    }
    fn linearise(&mut self, _: f64, y: &[f64], vdot: &[f64], lambda: &[f64]) -> Result<(), Refusal> {
        self.derivatives += 1;
        self.differ(y, vdot, lambda);
        Ok(())
    }
    fn factor(&mut self, mass: f64, damping: f64) -> Result<(), Refusal> {
        self.matrix = self.combine(mass, damping, 1.0);
        Ok(())
    }
    fn solve(&mut self, r: &mut [f64], g: &mut [f64]) -> Result<(), Refusal> {
        let mut x = [&*r, &*g].concat();
        gauss(&mut self.matrix.clone(), &mut x);
        let (delta, lambda) = x.split_at(r.len());
        r.copy_from_slice(delta);
        g.copy_from_slice(lambda);
        Ok(())
    }
    fn accelerations(
        &mut self,
        _: f64,
        y: &[f64],
        vdot: &mut [f64],
        lambda: &mut [f64],
        zdot: &mut [f64],
    ) -> Result<(), Refusal> {
        let held = std::mem::take(&mut self.columns);
        self.accelerate(y, vdot, lambda, zdot);
        self.columns = held;
        Ok(())
    }
    fn displacement_rate(&self, _: &[f64], delta: &[f64], v: &[f64], rate: &mut [f64]) {
        self.mechanism.unroll(delta, v, rate);
    }
}
