//! Participation of bodies and forces in a mode, and effective masses for base excitation.

use super::{Eigenmode, Linearised, ModeKind};
use crate::constraints::ElementInput;
use crate::equations::{Equations, MarkerKinematics, StateView, assemble_positions};
use crate::motion::Vec3;
use nalgebra::{Complex, DVector};
use serde::Serialize;

/// Share of an energy.
///
/// ```text
///  effective mass along e    2 |λ|² |ξᵀ w_e|² / (|λ|² ξ* M ξ + ξ* K ξ)       w_e = Σ weight of the bodies in the field e: M times a
///                            translation; without damping and gyroscopic terms |ξᵀ w_e|² / (ξ* M ξ)
///  share of a body           ξ_b* M_b ξ_b / (ξ* M ξ)
///  share of a force          second difference of its potential along ξ, over the sum of all
///  share of a constraint     the same of −λ·φ: the geometric stiffness of its reaction
/// ```
///
/// Their sum is ξᵀKξ. The potential of a weight is linear along a straight line and has no second difference. The stiffness of a
/// pendulum therefore appears as the share of its joint reaction.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EnergyShare {
    /// The body, force or constraint.
    pub name: String,
    /// Its fraction of the total.
    pub share: f64,
}

impl Linearised<'_> {
    /// Effective mass of a mode along x, y, z of the world, kg, for base excitation. The effective masses of all modes add up to the mass
    /// that can move along the axis, also with gyroscopic terms and repeated frequencies.
    pub fn effective_mass(&self, mode: &Eigenmode) -> [f64; 3] {
        let (mass, square) = (self.modal_mass(mode), mode.lambda.norm_sqr());
        let stiffness = self.modal_stiffness(mode);
        let factor = match mode.kind {
            ModeKind::Free => 1.0 / mass,
            ModeKind::Vibration if self.conservative() => 1.0 / mass,
            // Parseval's identity in twice the energy, |λ|² ξ*Mξ + ξ*Kξ; a pair of eigenvalues counts twice.
            ModeKind::Vibration => 2.0 * square / (square * mass + stiffness),
            ModeKind::Aperiodic => square / (square * mass + stiffness.abs()),
        };
        [Vec3::x(), Vec3::y(), Vec3::z()].map(|e| {
            let w = self.translation_inertia(&e);
            let share = mode.xi.iter().zip(&w).fold(Complex::new(0.0, 0.0), |s, (x, w)| s + x * *w);
            if mass > 0.0 && factor.is_finite() { factor * share.norm_sqr() } else { 0.0 }
        })
    }

    /// The weight in a unit field along e, which is M times a translation.
    pub(super) fn translation_inertia(&self, e: &Vec3) -> Vec<f64> {
        let own = self.marker_twists(&vec![0.0; self.n()]);
        let mut w = vec![0.0; self.n()];
        for b in &self.model.bodies {
            let q = &self.state.q[b.q.clone()];
            b.kind.body().gravity_force(q, &own[b.markers.start], e, &mut w[b.v.clone()]);
        }
        w
    }

    /// K ξ in the frame: the effect of T(0) on ξ.
    fn times_stiffness(&self, xi: &[Complex<f64>]) -> Vec<Complex<f64>> {
        let zero = Complex::new(0.0, 0.0);
        let dv = self.velocities(zero, &vec![zero; self.n()], xi);
        let [_, Q] = self.frame_products(&dv);
        let (inertia, damping) = (self.times_mass(&Q), self.times_pattern(&self.tangent.C, &dv));
        let held = self.times_pattern(&self.tangent.K, xi);
        (0..self.n()).map(|i| inertia[i] + damping[i] + held[i]).collect()
    }

    /// ξ* K ξ.
    fn modal_stiffness(&self, mode: &Eigenmode) -> f64 {
        let K = self.times_stiffness(&mode.xi);
        mode.xi.iter().zip(&K).map(|(x, k)| (x.conj() * k).re).sum()
    }

    /// ω² ξ_a* M ξ_b + ξ_a* K ξ_b, the latter made symmetric, and z_a* z_b; with ω = 0 ξ_a* M ξ_b and z_a* z_b. Vectors hold ξ, dv and z.
    pub(super) fn energy_product(
        &self,
        omega: f64,
        a: &DVector<Complex<f64>>,
        b: &DVector<Complex<f64>>,
    ) -> Complex<f64> {
        let n = self.n();
        let (xa, xb) = (&a.as_slice()[..n], &b.as_slice()[..n]);
        let dot = |x: &[Complex<f64>], y: &[Complex<f64>]| {
            x.iter().zip(y).fold(Complex::new(0.0, 0.0), |s, (x, y)| s + x.conj() * y)
        };
        let mass = dot(xa, &self.times_mass(xb));
        let states = dot(&a.as_slice()[2 * n..], &b.as_slice()[2 * n..]);
        if omega == 0.0 {
            return mass + states;
        }
        let stiffness = dot(xa, &self.times_stiffness(xb)) + dot(xb, &self.times_stiffness(xa)).conj();
        mass * (omega * omega) + stiffness * 0.5 + states * (omega * omega)
    }

    /// ξ* M ξ.
    pub fn modal_mass(&self, mode: &Eigenmode) -> f64 {
        let M = self.times_mass(&mode.xi);
        mode.xi.iter().zip(&M).map(|(x, m)| (x.conj() * m).re).sum()
    }

    /// Shares of the bodies in the kinetic energy of a mode, largest first.
    pub fn kinetic_shares(&self, mode: &Eigenmode) -> Vec<EnergyShare> {
        let M = self.times_mass(&mode.xi);
        let of = |b: &crate::model::BodyEntry| {
            let share = b.v.clone().map(|i| (mode.xi[i].conj() * M[i]).re).sum::<f64>();
            (b.name.clone(), share)
        };
        normalised_shares(self.model.bodies.iter().map(of).collect())
    }

    /// Shares of forces, weights (under the names of the bodies) and reactions (under those of the constraints) in the potential energy of
    /// a mode, largest first. In a state under load a share can be negative.
    pub fn potential_shares(&self, mode: &Eigenmode) -> Vec<EnergyShare> {
        let mut found: Vec<(String, f64)> = Vec::new();
        // The largest displacement is a ten thousandth of a length.
        let largest = mode.xi.iter().zip(self.displacement_scales()).fold(0.0_f64, |a, (x, s)| a.max(x.norm() / s));
        if largest == 0.0 {
            return Vec::new();
        }
        let h = 1e-4 / largest;
        let still = self.potential_energies(&vec![0.0; self.n()]);
        for part in [|x: &Complex<f64>| x.re, |x: &Complex<f64>| x.im] {
            let moved =
                |sign: f64| self.potential_energies(&mode.xi.iter().map(|x| sign * h * part(x)).collect::<Vec<_>>());
            let (plus, minus) = (moved(1.0), moved(-1.0));
            for (k, ((name, p), (_, m))) in plus.into_iter().zip(minus).enumerate() {
                let bend = (p + m - 2.0 * still[k].1) / (h * h);
                match found.get_mut(k) {
                    Some(f) => f.1 += bend,
                    None => found.push((name, bend)),
                }
            }
        }
        normalised_shares(found)
    }

    /// Potential of every force, of the weight of every body, and −λ·φ of every constraint at a displaced pose.
    fn potential_energies(&self, delta: &[f64]) -> Vec<(String, f64)> {
        let (model, state) = (self.model, &self.state);
        let mut q = state.q.clone();
        for b in &model.bodies {
            b.kind.body().displace(&mut q[b.q.clone()], &delta[b.v.clone()]);
        }
        let (mut scene, mut eq) = (MarkerKinematics::new(model), Equations::new(model));
        assemble_positions(model, StateView { q: &q, ..StateView::from(state) }, &mut scene, &mut eq);
        let mut found = Vec::with_capacity(model.forces.len() + model.bodies.len());
        for f in &model.forces {
            let view =
                ElementInput { t: state.t, motions: &scene.motions, markers: &f.markers, z: &state.z[f.z.clone()] };
            found.push((f.name.clone(), f.kind.force().potential(&view)));
        }
        for b in &model.bodies {
            let potential = b.kind.body().potential(&q[b.q.clone()], &scene.motions[b.markers.start], &model.gravity);
            found.push((b.name.clone(), potential));
        }
        for c in &model.constraints {
            let held = c.rows.clone().filter(|r| self.row_uses[*r].position());
            found.push((c.name.clone(), held.map(|r| -self.lambda[r] * eq.phi[r]).sum()));
        }
        found
    }
}

/// Fractions of the total, largest first; negligible ones are omitted.
fn normalised_shares(found: Vec<(String, f64)>) -> Vec<EnergyShare> {
    let whole: f64 = found.iter().map(|f| f.1).sum();
    let size: f64 = found.iter().map(|f| f.1.abs()).sum();
    let by = if whole.abs() > 1e-6 * size { whole } else { size };
    if by.is_nan() || by == 0.0 {
        return Vec::new();
    }
    let mut shares: Vec<EnergyShare> = found.into_iter().map(|(name, x)| EnergyShare { name, share: x / by }).collect();
    shares.retain(|s| s.share.abs() > 1e-4);
    shares.sort_by(|a, b| b.share.abs().total_cmp(&a.share.abs()));
    shares
}
