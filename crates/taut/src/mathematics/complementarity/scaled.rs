//! The problem scaled with the diagonal of G: p̂ = s p, û = u / s, Ĝ = S⁻¹ G S⁻¹, ĉ = S⁻¹ c.

use super::laws::{Law, Misfit};
use super::status::Outcome;
use nalgebra::{DMatrix, DVector};

/// Upper bound of |Ĝ||p̂| / |ĉ| in the scale of the residual: a diverging p must not hide a large residual.
const GROWTH: f64 = 1e6;

/// Ĝ, ĉ and the laws, all scaled.
#[derive(Clone)]
pub(super) struct Scaled {
    pub G: DMatrix<f64>,
    pub c: DVector<f64>,
    pub laws: Vec<Law>,
    /// First row of each block.
    pub starts: Vec<usize>,
    pub s: DVector<f64>,
}

/// Largest relative residual of the laws, its scale and its block.
#[derive(Clone, Copy, Debug)]
pub(super) struct Residual {
    pub relative: f64,
    pub scale: f64,
    pub block: usize,
}

impl Residual {
    pub fn outcome(&self, tolerance: f64) -> Outcome {
        if self.relative <= tolerance {
            Outcome::Converged { residual: self.relative }
        } else {
            Outcome::Stalled { residual: self.relative, block: self.block }
        }
    }
}

impl Scaled {
    pub fn new(G: &DMatrix<f64>, c: &DVector<f64>, laws: &[Law]) -> Result<Scaled, Misfit> {
        laws.iter().enumerate().try_for_each(|(block, law)| law.check(block))?;
        let k = laws.iter().map(Law::rows).sum();
        for (what, found) in [("G (rows)", G.nrows()), ("G (columns)", G.ncols()), ("c", c.len())] {
            if found != k {
                return Err(Misfit::Size { what, found, expected: k });
            }
        }
        finite("G", G.as_slice())?;
        finite("c", c.as_slice())?;
        let diagonal: Vec<f64> = G.diagonal().iter().copied().collect();
        let largest = diagonal.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        let mut s = DVector::zeros(k);
        let (mut starts, mut hats) = (Vec::with_capacity(laws.len()), Vec::with_capacity(laws.len()));
        let mut start = 0;
        for law in laws {
            let rows = start..start + law.rows();
            scales(law, &diagonal[rows.clone()], largest, &mut s.as_mut_slice()[rows.clone()]);
            hats.push(law.in_metric(&s.as_slice()[rows.clone()]));
            starts.push(start);
            start = rows.end;
        }
        let G = DMatrix::from_fn(k, k, |i, j| G[(i, j)] / (s[i] * s[j]));
        let c = c.component_div(&s);
        Ok(Scaled { G, c, laws: hats, starts, s })
    }

    /// û = Ĝ p̂ + ĉ.
    pub fn u(&self, p: &DVector<f64>, u: &mut DVector<f64>) {
        u.copy_from(&self.c);
        u.gemv(1.0, &self.G, p, 1.0);
    }

    /// F = p̂ − proj_P (p̂ − û), and its largest block.
    pub fn residual(&self, p: &DVector<f64>, u: &DVector<f64>, F: &mut DVector<f64>) -> Residual {
        let z = p - u;
        let (mut worst, mut block) = (0.0_f64, 0);
        for (b, (law, &start)) in self.laws.iter().zip(&self.starts).enumerate() {
            let rows = start..start + law.rows();
            let F = &mut F.as_mut_slice()[rows.clone()];
            law.project(&z.as_slice()[rows.clone()], F);
            let mut sum = 0.0;
            for (f, p) in F.iter_mut().zip(&p.as_slice()[rows]) {
                *f = p - *f;
                sum += *f * *f;
            }
            // NaN counts as the worst.
            if sum > worst || sum.is_nan() {
                (worst, block) = (sum, b);
            }
        }
        let scale = self.scale(p);
        let relative = if worst == 0.0 { 0.0 } else { worst.sqrt() / scale };
        Residual { relative: if relative.is_nan() { f64::INFINITY } else { relative }, scale, block }
    }

    /// max(|ĉ|, |Ĝ||p̂|), the latter bounded by a multiple of the data.
    fn scale(&self, p: &DVector<f64>) -> f64 {
        let mut data = self.c.amax();
        for law in &self.laws {
            data = data.max(imposed(law));
        }
        let mut work = 0.0_f64;
        for i in 0..p.len() {
            work = work.max(self.G.row(i).iter().zip(p.iter()).map(|(g, p)| (g * p).abs()).sum());
        }
        self.c.amax().max(work.min(GROWTH * data))
    }
}

/// The load that a law imposes by itself, such as a drive at its limit.
pub(super) fn imposed(law: &Law) -> f64 {
    match *law {
        Law::Interval { lower, .. } if lower > 0.0 => lower,
        Law::Interval { upper, .. } if upper < 0.0 => -upper,
        Law::Disc { radius } | Law::Ball { radius } => radius,
        _ => 0.0,
    }
}

pub(super) fn finite(what: &'static str, x: &[f64]) -> Result<(), Misfit> {
    match x.iter().position(|x| !x.is_finite()) {
        Some(index) => Err(Misfit::NotFinite { what, index }),
        None => Ok(()),
    }
}

/// √G_ii for each row; the rows of a disc or ball get the largest value. A row with G_ii = 0 gets the scale of its block, or else
/// `otherwise`.
pub(super) fn scales(law: &Law, diagonal: &[f64], otherwise: f64, s: &mut [f64]) {
    let block = diagonal.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    let spare = if block > 0.0 { block } else { otherwise };
    let spare = if spare > 0.0 { spare } else { 1.0 };
    for (row, part) in law.parts() {
        let rows = row..row + part.rows();
        let largest = diagonal[rows.clone()].iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        s[rows].fill(if largest > 0.0 { largest } else { spare }.sqrt());
    }
}
