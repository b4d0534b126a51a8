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

use self::kernels::{
    ContactBody, ContactKernel, SweepContact, apply_impulse, column_stride, contact_velocity, multiply_inverse_mass,
    scale_and_add_delassus,
};
use super::block_solver::PreparedBlock;
use super::laws::{ComplementarityError, ComplementarityLaw};
use super::scaled_problem::{check_finite, imposed_load, row_scales};
use super::status::{BlockStatus, SolverOutcome};
use crate::interruption;
use anderson::Anderson;

mod anderson;
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

/// Bodies and contacts in flat arrays. Keep it between time steps: the storage is reused.
#[derive(Clone, Debug, Default)]
pub struct SweepSolver {
    /// For each body: index of its first velocity, index of its inverse mass matrix, number of velocities.
    bodies: Vec<(usize, usize, usize)>,
    inverse_mass: Vec<f64>,
    v_free: Vec<f64>,
    v: Vec<f64>,
    contacts: Vec<SweepContact>,
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
        self.contacts.clear();
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

    /// Adds a body with its inverse mass matrix (row by row) and its velocities without contact impulses; returns its index.
    pub fn add_body(&mut self, inverse_mass: &[f64], velocity: &[f64]) -> Result<usize, ComplementarityError> {
        let n = velocity.len();
        if inverse_mass.len() != n * n {
            return Err(ComplementarityError::Size {
                what: "the inverse mass",
                found: inverse_mass.len(),
                expected: n * n,
            });
        }
        check_finite("the inverse mass", inverse_mass)?;
        check_finite("the velocity", velocity)?;
        self.bodies.push((self.v_free.len(), self.inverse_mass.len(), n));
        self.inverse_mass.extend_from_slice(inverse_mass);
        self.v_free.extend_from_slice(velocity);
        Ok(self.bodies.len() - 1)
    }

    /// Adds a contact: its law, the Jacobian blocks (row by row) of one or two bodies, the offset c of u = A v + c,
    /// and the initial impulses. Returns its index.
    pub fn add_contact(
        &mut self,
        law: ComplementarityLaw,
        on: &[(usize, &[f64])],
        c: &[f64],
        start: &[f64],
    ) -> Result<usize, ComplementarityError> {
        let (index, m) = (self.contacts.len(), law.rows());
        law.check(index)?;
        for (what, found, expected) in [
            ("the offset", c.len(), m),
            ("the start", start.len(), m),
            ("the list of bodies", on.len(), on.len().clamp(1, 2)),
        ] {
            if found != expected {
                return Err(ComplementarityError::Size { what, found, expected });
            }
        }
        check_finite("the offset", c)?;
        check_finite("the start", start)?;
        for &(body, J) in on {
            let Some(&(_, _, n)) = self.bodies.get(body) else {
                return Err(ComplementarityError::Body { contact: index, body });
            };
            if J.len() != m * n {
                return Err(ComplementarityError::Size { what: "the Jacobian", found: J.len(), expected: m * n });
            }
            check_finite("the Jacobian", J)?;
        }
        let (mut ends, mut diagonal) = ([ContactBody::default(); 2], [0.0; 6]);
        // The blocks of (M⁻¹ Jᵀ)ᵀ = J M⁻¹: M⁻¹ is symmetric, so its rows are its columns.
        for (end, &(body, J)) in ends.iter_mut().zip(on) {
            let (v, mass, n) = self.bodies[body];
            *end = ContactBody { velocity_start: v, width: n, column_start: self.J.len(), row_start: self.W.len() };
            self.W.resize(end.row_start + m * n, 0.0);
            multiply_inverse_mass(
                &self.inverse_mass[mass..mass + n * n],
                J,
                &mut self.W[end.row_start..],
                &mut diagonal,
            );
            self.J.resize(end.column_start + column_stride(m) * n, 0.0);
        }
        let mut s = [0.0; 6];
        row_scales(&law, &diagonal[..m], 1.0, &mut s[..m]);
        let inverse_scale = s.map(|s| 1.0 / s);
        let g = self.g.len();
        self.g.resize(g + m * m, 0.0);
        for (end, &(_, J)) in ends.iter().zip(on).filter(|(end, _)| end.width > 0) {
            let (columns, W) = (&mut self.J[end.column_start..], &mut self.W[end.row_start..]);
            scale_and_add_delassus(J, &inverse_scale[..m], columns, W, &mut self.g[g..]);
        }
        let law = law.in_metric(&s[..m]);
        self.contacts.push(SweepContact {
            law,
            kernel: ContactKernel::of(m, &ends),
            prepared: PreparedBlock::new(&law, &self.g[g..]),
            first_row: self.p.len(),
            delassus_start: g,
            bodies: ends,
        });
        for i in 0..m {
            self.c.push(c[i] / s[i]);
            self.p.push(start[i] * s[i]);
            self.s.push(s[i]);
        }
        Ok(index)
    }

    /// Number of contacts.
    pub fn contact_count(&self) -> usize {
        self.contacts.len()
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
        self.bodies.get(body).and_then(|&(v, _, n)| self.v.get(v..v + n))
    }

    /// Impulses of a contact, written to the front of `p`.
    pub fn impulse(&self, contact: usize, p: &mut [f64]) {
        if let Some(contact) = self.contacts.get(contact) {
            for (i, p) in p.iter_mut().enumerate().take(contact.law.rows()) {
                *p = self.p[contact.first_row + i] / self.s[contact.first_row + i];
            }
        }
    }

    /// The branch of its law that a contact is in, to the given relative tolerance.
    pub fn status(&self, contact: usize, tolerance: f64) -> Option<BlockStatus> {
        let contact = self.contacts.get(contact)?;
        let mut u = [0.0; 6];
        self.u(contact, &mut u);
        let (m, p) = (contact.law.rows(), &self.p[contact.first_row..]);
        let noise = tolerance * self.p.iter().fold(self.load_scales().0, |most, p| most.max(p.abs()));
        Some(BlockStatus::of(&contact.law, &p[..m], &u[..m], noise))
    }

    /// Recomputes v = v₀ + M⁻¹ Aᵀ p.
    fn update_velocities(&mut self) {
        self.v.clear();
        self.v.extend_from_slice(&self.v_free);
        for contact in &self.contacts {
            let m = contact.law.rows();
            apply_impulse(contact, &self.W, &self.p[contact.first_row..contact.first_row + m], &mut self.v);
        }
    }

    #[inline]
    fn u(&self, contact: &SweepContact, u: &mut [f64; 6]) {
        contact_velocity(contact, &self.J, &self.v, &self.c, u);
    }

    /// |ĉ| (û without any impulse), and the upper bound of |p̂| in the scale of the residual.
    fn load_scales(&self) -> (f64, f64) {
        let (mut offset, mut forced) = (0.0_f64, 0.0_f64);
        for contact in &self.contacts {
            let mut u = [0.0; 6];
            contact_velocity(contact, &self.J, &self.v_free, &self.c, &mut u);
            offset = u.iter().fold(offset, |most, u| most.max(u.abs()));
            forced = forced.max(imposed_load(&contact.law));
        }
        (offset, IMPULSE_SCALE_LIMIT * offset.max(forced))
    }

    /// Largest |p̂ − proj (p̂ − û)|, its contact, and max(|ĉ|, |p̂|) with the bound on |p̂|.
    fn residual(&self, offset: f64, most: f64) -> (f64, usize, f64) {
        let (mut worst, mut block) = (0.0_f64, 0);
        let (mut u, mut z, mut on) = ([0.0; 6], [0.0; 6], [0.0; 6]);
        for (index, contact) in self.contacts.iter().enumerate() {
            let m = contact.law.rows();
            let p = &self.p[contact.first_row..contact.first_row + m];
            self.u(contact, &mut u);
            for i in 0..m {
                z[i] = p[i] - u[i];
            }
            contact.law.project(&z[..m], &mut on[..m]);
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
