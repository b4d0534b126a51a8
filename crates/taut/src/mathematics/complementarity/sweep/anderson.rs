//! Anderson acceleration of a fixed-point iteration p ← T(p), [Anderson1965].

/// Relative regularisation of the small least-squares problem, for nearly equal differences.
const REGULARISATION: f64 = 1e-8;
/// Growth of |f| at which the history is discarded.
const RESTART_GROWTH: f64 = 2.0;

/// The last differences of f = T(p) − p and of T(p), in ring buffers of `depth` columns.
#[derive(Clone, Debug, Default)]
pub(super) struct Anderson {
    n: usize,
    depth: usize,
    /// Number of differences since the last restart.
    filled: usize,
    /// Whether f and T of the previous iteration are known.
    has_previous: bool,
    start: Vec<f64>,
    f: Vec<f64>,
    T: Vec<f64>,
    df: Vec<f64>,
    dT: Vec<f64>,
    /// Inner products of the columns of df, updated incrementally.
    products: Vec<f64>,
    /// The small system and its solution.
    factor: Vec<f64>,
    gamma: Vec<f64>,
    /// Least |f| since the last restart.
    least_residual: f64,
}

impl Anderson {
    pub fn reset(&mut self, n: usize, depth: usize) {
        (self.n, self.depth, self.filled, self.has_previous, self.least_residual) = (n, depth, 0, false, f64::INFINITY);
        for (list, size) in [
            (&mut self.start, n),
            (&mut self.f, n),
            (&mut self.T, n),
            (&mut self.df, n * depth),
            (&mut self.dT, n * depth),
            (&mut self.products, depth * depth),
            (&mut self.factor, depth * depth),
            (&mut self.gamma, depth),
        ] {
            list.clear();
            list.resize(size, 0.0);
        }
    }

    /// Records the start of a sweep.
    pub fn record_start(&mut self, p: &[f64]) {
        if self.depth > 0 {
            self.start.copy_from_slice(p);
        }
    }

    /// Takes p = T(start) and extrapolates it in place; true if it did.
    pub fn extrapolate(&mut self, p: &mut [f64]) -> bool {
        if self.depth == 0 {
            return false;
        }
        let n = self.n;
        let slot = self.filled % self.depth;
        let mut size = 0.0;
        for i in 0..n {
            let f = p[i] - self.start[i];
            self.df[slot * n + i] = f - self.f[i];
            self.dT[slot * n + i] = p[i] - self.T[i];
            self.f[i] = f;
            self.T[i] = p[i];
            size += f * f;
        }
        let size = f64::sqrt(size);
        let grown = size > RESTART_GROWTH * self.least_residual;
        self.least_residual = if grown { size } else { self.least_residual.min(size) };
        if grown || !self.has_previous {
            (self.filled, self.has_previous) = (0, true);
            return false;
        }
        self.filled += 1;
        let m = self.filled.min(self.depth);
        for j in 0..m {
            let product = dot(&self.df[slot * n..(slot + 1) * n], &self.df[j * n..(j + 1) * n]);
            self.products[slot * self.depth + j] = product;
            self.products[j * self.depth + slot] = product;
        }
        // Columns are normalised, because old differences are much larger than new ones.
        let d = self.depth;
        let length = |i: usize| self.products[i * d + i].sqrt().max(f64::MIN_POSITIVE);
        for i in 0..m {
            for j in 0..m {
                self.factor[i * d + j] = self.products[i * d + j] / (length(i) * length(j));
            }
            self.factor[i * d + i] += REGULARISATION;
            self.gamma[i] = dot(&self.df[i * n..(i + 1) * n], &self.f) / length(i);
        }
        if solve(m, d, &mut self.factor, &mut self.gamma) == Definite::No {
            self.filled = 0;
            return false;
        }
        for j in 0..m {
            let gamma = self.gamma[j] / self.products[j * d + j].sqrt().max(f64::MIN_POSITIVE);
            for (p, d) in p.iter_mut().zip(&self.dT[j * n..(j + 1) * n]) {
                *p -= gamma * d;
            }
        }
        true
    }
}

#[derive(PartialEq)]
enum Definite {
    Yes,
    No,
}

/// Cholesky of the leading m rows of `a` (rows of `d` entries), in place, and x ← a⁻¹ x.
fn solve(m: usize, d: usize, a: &mut [f64], x: &mut [f64]) -> Definite {
    for i in 0..m {
        for j in 0..=i {
            let sum = a[i * d + j] - (0..j).map(|k| a[i * d + k] * a[j * d + k]).sum::<f64>();
            if i == j {
                if sum.is_nan() || sum <= 0.0 {
                    return Definite::No;
                }
                a[i * d + i] = sum.sqrt();
            } else {
                a[i * d + j] = sum / a[j * d + j];
            }
        }
        x[i] = (x[i] - (0..i).map(|k| a[i * d + k] * x[k]).sum::<f64>()) / a[i * d + i];
    }
    for i in (0..m).rev() {
        x[i] = (x[i] - (i + 1..m).map(|k| a[k * d + i] * x[k]).sum::<f64>()) / a[i * d + i];
    }
    Definite::Yes
}

/// Eight partial sums: one sum would wait for every addition.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<8>(), b.as_chunks::<8>());
    let mut sums = [0.0; 8];
    for (a, b) in a.iter().zip(b) {
        for i in 0..8 {
            sums[i] += a[i] * b[i];
        }
    }
    let rest: f64 = a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum();
    sums.iter().sum::<f64>() + rest
}
