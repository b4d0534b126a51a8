//! Solver for very many contacts: nonsmooth Gauss–Seidel without G (\[Jean1999\], \[AcaryBrogliato2008\]).
//!
//! Bodies have velocities and an inverse mass matrix, contacts have a law and Jacobian blocks on one or two bodies:
//!
//! ```text
//!  v = v₀ + M⁻¹ Aᵀ p,      u = A v + c,      (p, u) of every contact satisfies its law
//! ```
//!
//! A sweep visits the contacts one after the other, solves the law of each exactly with all other impulses fixed (`block_solver.rs`), and
//! updates the velocities of its bodies: v ← v + M⁻¹ Aᵀ δp. The cost is linear in the number of contacts, without allocation.
//!
//! Impulses propagate through a stack by one contact per sweep, so a stack of n cubes that can rock needs very many sweeps: for
//! n = 20, plain sweeps do not reach 1e-8 after 10,000. Alternating forward and backward sweeps with under-relaxation and Anderson
//! acceleration of the impulses (\[Anderson1965\]) need 400. With f_i = T(p_i) − p_i of the last sweeps T, the next start is
//!
//! ```text
//!  p = Σ α_i T(p_i),      Σ α_i = 1,      |Σ α_i f_i| least
//! ```
//!
//! The acceleration restarts when f grows, because a contact has then changed its branch. It does not always help: for pyramids of
//! spheres with 1,120 contacts, all sweeps stayed at 1e-3 after 2,000 sweeps with μ = 0.4; plain sweeps were far better (2e-5) with
//! μ = 0.8; only accelerated sweeps converged with μ = 1.5.

use self::central::{CentralContact, SphericalInertia};
use self::kernels::{SweepContact, apply_impulse, contact_velocity};
use super::laws::ComplementarityLaw;
use super::scaled_problem::imposed_load;
use super::status::{BlockStatus, SolverOutcome};
use crate::interruption;
use anderson::Anderson;

mod anderson;
mod central;
mod input;
mod kernels;
mod settings;
#[cfg(test)]
mod tests;
mod visits;

pub use settings::{SweepAcceleration, SweepOrder, SweepSettings};

/// Upper bound of |p̂| / |ĉ| in the scale of the residual: a diverging p must not hide a large residual.
const IMPULSE_SCALE_LIMIT: f64 = 1e3;

/// Outcome and cost of a solve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SweepReport {
    /// Whether the laws are satisfied.
    pub outcome: SolverOutcome,
    /// Number of sweeps.
    pub sweeps: usize,
}

/// A body of the sweep.
#[derive(Clone, Copy, Debug)]
struct SweepBody {
    /// Index of its first velocity, index of its inverse mass matrix, number of velocities.
    velocity_start: usize,
    mass_start: usize,
    width: usize,
    spherical: Option<SphericalInertia>,
}

/// Where the data of a contact are.
#[derive(Clone, Copy, Debug)]
enum ContactStore {
    Jacobian(u32),
    Central(u32),
}

/// Geometry of a contact of two rigid bodies whose velocities are those of the mass centre and of rotation, in world axes. The contact acts
/// on the first body against its normal, on the second one along it.
#[derive(Clone, Copy, Debug)]
pub struct ContactFrame {
    /// Normal, and two tangents.
    pub axes: [[f64; 3]; 3],
    /// Indices of the bodies; none for the ground.
    pub bodies: [Option<usize>; 2],
    /// From the reference points of the bodies to the contact.
    pub arms: [[f64; 3]; 2],
}

/// Bodies and contacts in flat arrays. Keep it between time steps: the storage is reused.
#[derive(Clone, Debug, Default)]
pub struct SweepSolver {
    bodies: Vec<SweepBody>,
    inverse_mass: Vec<f64>,
    v_free: Vec<f64>,
    v: Vec<f64>,
    /// All contacts in the order in which they were added.
    order: Vec<ContactStore>,
    contacts: Vec<SweepContact>,
    central: Vec<CentralContact>,
    /// First velocity of the ground, which has zero velocity, if a contact needs it.
    ground: Option<u32>,
    /// Columns of Ĵ, and rows of (M⁻¹ Ĵᵀ)ᵀ.
    J: Vec<f64>,
    W: Vec<f64>,
    /// Ĵ M⁻¹ Ĵᵀ of each contact.
    g: Vec<f64>,
    c: Vec<f64>,
    p: Vec<f64>,
    s: Vec<f64>,
    anderson: Anderson,
}

impl SweepSolver {
    /// No bodies, no contacts.
    pub fn new() -> SweepSolver {
        SweepSolver::default()
    }

    /// Removes bodies and contacts but keeps the storage.
    pub fn clear(&mut self) {
        self.bodies.clear();
        self.order.clear();
        self.contacts.clear();
        self.central.clear();
        self.ground = None;
        for list in [
            &mut self.inverse_mass,
            &mut self.v_free,
            &mut self.v,
            &mut self.J,
            &mut self.W,
            &mut self.g,
            &mut self.c,
            &mut self.p,
            &mut self.s,
        ] {
            list.clear();
        }
    }

    /// Number of contacts.
    pub fn contact_count(&self) -> usize {
        self.order.len()
    }

    /// Sweeps from the current impulses until the laws are satisfied or the maximum number of sweeps is reached.
    pub fn solve(&mut self, settings: &SweepSettings) -> SweepReport {
        self.update_velocities();
        let depth = match settings.acceleration {
            SweepAcceleration::Plain => 0,
            SweepAcceleration::Anderson { depth } => depth,
        };
        self.anderson.reset(self.p.len(), depth);
        let (offset, most) = self.load_scales();
        let each = if settings.order == SweepOrder::Alternating { 2 } else { 1 };
        let mut sweeps = 0;
        while sweeps < settings.max_sweeps && !interruption::is_requested() {
            self.anderson.record_start(&self.p);
            let (largest, size) = self.sweep_forward(settings.relaxation);
            if settings.order == SweepOrder::Alternating {
                self.sweep_backward(settings.relaxation);
            }
            sweeps += each;
            // The change over a sweep is not the residual of a single p. Compute the residual only when it may be small enough.
            if largest <= settings.tolerance * offset.max(size.min(most)) {
                self.update_velocities();
                let (worst, _, scale) = self.residual(offset, most);
                if worst <= settings.tolerance * scale {
                    break;
                }
            }
            if self.anderson.extrapolate(&mut self.p) {
                self.update_velocities();
            }
        }
        self.update_velocities();
        let (worst, block, scale) = self.residual(offset, most);
        let residual = if worst == 0.0 { 0.0 } else { worst / scale };
        let outcome = if residual <= settings.tolerance {
            SolverOutcome::Converged { residual }
        } else {
            SolverOutcome::Stalled { residual, block }
        };
        SweepReport { outcome, sweeps }
    }

    /// Impulses of all contacts, for [`SweepSolver::set_impulses`].
    pub(crate) fn impulses(&self) -> &[f64] {
        &self.p
    }

    /// Returns to impulses of the same contacts.
    pub(crate) fn set_impulses(&mut self, p: &[f64]) {
        self.p.copy_from_slice(p);
        self.update_velocities();
    }

    /// Velocities of a body after the solve.
    pub fn velocity(&self, body: usize) -> Option<&[f64]> {
        let body = self.bodies.get(body)?;
        self.v.get(body.velocity_start..body.velocity_start + body.width)
    }

    /// Impulses of a contact, written to the front of `p`.
    pub fn impulse(&self, contact: usize, p: &mut [f64]) {
        match self.order.get(contact) {
            Some(ContactStore::Jacobian(index)) => {
                let contact = &self.contacts[*index as usize];
                for (i, p) in p.iter_mut().enumerate().take(contact.law.rows()) {
                    *p = self.p[contact.first_row + i] / self.s[contact.first_offset + i];
                }
            }
            Some(ContactStore::Central(index)) => {
                let contact = &self.central[*index as usize];
                for (i, p) in p.iter_mut().enumerate().take(contact.rows as usize) {
                    *p = self.p[contact.first_row as usize + i] * contact.inverse_scale(i);
                }
            }
            None => {}
        }
    }

    /// The branch of its law that a contact is in, to the given relative tolerance.
    pub fn status(&self, contact: usize, tolerance: f64) -> Option<BlockStatus> {
        let (law, first_row) = self.law_and_row(*self.order.get(contact)?);
        let mut u = [0.0; 6];
        self.contact_velocity(self.order[contact], &self.v, &mut u);
        let (m, p) = (law.rows(), &self.p[first_row..]);
        let noise = tolerance * self.p.iter().fold(self.load_scales().0, |most, p| most.max(p.abs()));
        Some(BlockStatus::of(&law, &p[..m], &u[..m], noise))
    }

    /// The scaled law of a contact, and its first row.
    #[inline]
    fn law_and_row(&self, contact: ContactStore) -> (ComplementarityLaw, usize) {
        match contact {
            ContactStore::Jacobian(index) => {
                let contact = &self.contacts[index as usize];
                (contact.law, contact.first_row)
            }
            ContactStore::Central(index) => {
                let contact = &self.central[index as usize];
                (contact.law(), contact.first_row as usize)
            }
        }
    }

    /// Recomputes v = v₀ + M⁻¹ Aᵀ p.
    fn update_velocities(&mut self) {
        self.v.clear();
        self.v.extend_from_slice(&self.v_free);
        for contact in &self.order {
            match *contact {
                ContactStore::Jacobian(index) => {
                    let contact = &self.contacts[index as usize];
                    let m = contact.law.rows();
                    apply_impulse(contact, &self.W, &self.p[contact.first_row..contact.first_row + m], &mut self.v);
                }
                ContactStore::Central(index) => {
                    let contact = &self.central[index as usize];
                    contact.apply_from(&self.p, &mut self.v);
                }
            }
        }
    }

    /// û of a contact at the velocities v.
    #[inline]
    fn contact_velocity(&self, contact: ContactStore, v: &[f64], u: &mut [f64; 6]) {
        match contact {
            ContactStore::Jacobian(index) => {
                contact_velocity(&self.contacts[index as usize], &self.J, v, &self.c, u);
            }
            ContactStore::Central(index) => {
                let contact = &self.central[index as usize];
                match contact.rows {
                    1 => u[..1].copy_from_slice(&contact.velocity::<1, false>(v)),
                    3 => u[..3].copy_from_slice(&contact.velocity::<3, false>(v)),
                    _ => *u = contact.velocity::<6, false>(v),
                }
            }
        }
    }

    /// |ĉ| (û without any impulse), and the upper bound of |p̂| in the scale of the residual.
    fn load_scales(&self) -> (f64, f64) {
        let (mut offset, mut forced) = (0.0_f64, 0.0_f64);
        for contact in &self.order {
            let mut u = [0.0; 6];
            self.contact_velocity(*contact, &self.v_free, &mut u);
            offset = u.iter().fold(offset, |most, u| most.max(u.abs()));
            if let ContactStore::Jacobian(index) = contact {
                forced = forced.max(imposed_load(&self.contacts[*index as usize].law));
            }
        }
        (offset, IMPULSE_SCALE_LIMIT * offset.max(forced))
    }

    /// Largest |p̂ − proj (p̂ − û)|, its contact, and max(|ĉ|, |p̂|) with the bound on |p̂|.
    fn residual(&self, offset: f64, most: f64) -> (f64, usize, f64) {
        let (mut worst, mut block) = (0.0_f64, 0);
        let (mut u, mut z, mut on) = ([0.0; 6], [0.0; 6], [0.0; 6]);
        for (index, contact) in self.order.iter().enumerate() {
            let (law, first_row) = self.law_and_row(*contact);
            let m = law.rows();
            let p = &self.p[first_row..first_row + m];
            self.contact_velocity(*contact, &self.v, &mut u);
            for i in 0..m {
                z[i] = p[i] - u[i];
            }
            law.project(&z[..m], &mut on[..m]);
            let sum: f64 = p.iter().zip(&on).map(|(p, on)| (p - on) * (p - on)).sum();
            // NaN counts as the worst.
            if sum > worst || sum.is_nan() {
                (worst, block) = (sum, index);
            }
        }
        let size = self.p.iter().fold(0.0_f64, |size, p| size.max(p.abs()));
        (worst.sqrt(), block, offset.max(size.min(most)))
    }
}
