//! Frequency response: output per unit of a harmonic input.
//!
//! T(iω) u = (f, g, 0) for one unit of the input. No mode is truncated, and driver inputs are exact.

use super::inputs::LinearInput;
use super::outputs::LinearOutput;
use super::pencil::Pencil;
use super::{LinearError, Linearised};
use crate::simulation::check_interruption;
use nalgebra::Complex;
use std::f64::consts::TAU;

impl Linearised<'_> {
    /// Response of every output to one unit of the input, at every frequency (Hz).
    ///
    /// # Errors
    /// If the equations are singular at a frequency, which is that of an undamped mode.
    pub fn response(
        &self,
        input: &LinearInput,
        outputs: &[LinearOutput],
        frequencies: &[f64],
    ) -> Result<Vec<Vec<Complex<f64>>>, LinearError> {
        let mut pencil: Pencil<Complex<f64>> = Pencil::new(self)?;
        let places = self.unknown_ranges();
        let real = |x: f64| Complex::new(x, 0.0);
        let none = vec![real(0.0); self.n()];
        let mut found = Vec::with_capacity(frequencies.len());
        for f in frequencies {
            check_interruption()?;
            let s = Complex::new(0.0, TAU * f);
            pencil.factor(s, || format!("{f} Hz"))?;
            let mut u = vec![real(0.0); places.z.end];
            u[places.xi.clone()].iter_mut().zip(&input.f).for_each(|(u, f)| *u = real(*f));
            for (row, _) in self.row_uses.iter().enumerate().filter(|(_, used)| used.any()) {
                u[places.lambda.start + row] = real(input.rows[row]);
            }
            pencil.solve(&mut u)?;
            let xi = &u[places.xi.clone()];
            let dv = self.velocities(s, &none, xi);
            let [_, Q] = self.frame_products(&dv);
            let vdot: Vec<Complex<f64>> = dv.iter().zip(&Q).map(|(dv, Q)| s * dv + Q).collect();
            let dot = |a: &[f64], b: &[Complex<f64>]| a.iter().zip(b).fold(real(0.0), |sum, (a, b)| sum + *b * *a);
            let one = |o: &LinearOutput| {
                dot(&o.by_xi, xi)
                    + dot(&o.by_dv, &dv)
                    + dot(&o.by_z, &u[places.z.clone()])
                    + dot(&o.by_vdot, &vdot)
                    + dot(&o.by_lambda, &u[places.lambda.clone()])
            };
            found.push(outputs.iter().map(one).collect());
        }
        Ok(found)
    }
}
