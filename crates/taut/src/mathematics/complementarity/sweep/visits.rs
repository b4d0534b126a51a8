//! Visits of a sweep: one contact after the other, forward or backward.

use super::central::CentralContact;
use super::kernels::{
    ContactKernel, SweepContact, apply_impulse, column_stride, contact_velocity, multiply_add, rigid_impulse,
    rigid_velocity,
};
use super::{ContactStore, SweepSolver};

/// Largest change and largest impulse of a sweep.
type Extent = (f64, f64);

impl SweepSolver {
    pub(super) fn sweep_forward(&mut self, relaxation: f64) -> Extent {
        self.visit::<false>(relaxation)
    }

    pub(super) fn sweep_backward(&mut self, relaxation: f64) {
        self.visit::<true>(relaxation);
    }

    /// Fused products round once: as in the factorisation, results agree to the bit only between machines of the same kind.
    fn visit<const BACKWARD: bool>(&mut self, relaxation: f64) -> Extent {
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma") {
            // Safety: the processor features have been checked.
            #[allow(unsafe_code)]
            return unsafe { self.visit_wide::<BACKWARD>(relaxation) };
        }
        self.visit_with::<BACKWARD, false>(relaxation)
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,fma")]
    fn visit_wide<const BACKWARD: bool>(&mut self, relaxation: f64) -> Extent {
        self.visit_with::<BACKWARD, true>(relaxation)
    }

    #[inline(always)]
    fn visit_with<const BACKWARD: bool, const FUSED: bool>(&mut self, relaxation: f64) -> Extent {
        let mut met = (0.0, 0.0);
        let n = self.order.len();
        for i in 0..n {
            self.solve_contact::<FUSED>(if BACKWARD { n - 1 - i } else { i }, relaxation, &mut met);
        }
        met
    }

    #[inline(always)]
    fn solve_contact<const FUSED: bool>(&mut self, index: usize, relaxation: f64, met: &mut Extent) {
        let index = match self.order[index] {
            ContactStore::Jacobian(index) => index as usize,
            ContactStore::Central(index) => {
                let index = index as usize;
                return match self.central[index].rows {
                    1 => self.solve_central::<1, FUSED>(index, relaxation, met),
                    3 => self.solve_central::<3, FUSED>(index, relaxation, met),
                    _ => self.solve_central::<6, FUSED>(index, relaxation, met),
                };
            }
        };
        match self.contacts[index].kernel {
            ContactKernel::Rigid1 => self.solve_rigid::<1, 1, FUSED>(index, relaxation, met),
            ContactKernel::Rigid3 => self.solve_rigid::<3, 4, FUSED>(index, relaxation, met),
            ContactKernel::Rigid6 => self.solve_rigid::<6, 6, FUSED>(index, relaxation, met),
            ContactKernel::General => self.solve_general(index, relaxation, met),
        }
    }

    /// Solves one central contact with `M` rows.
    #[inline(always)]
    fn solve_central<const M: usize, const FUSED: bool>(&mut self, index: usize, relaxation: f64, met: &mut Extent) {
        let contact: &CentralContact = &self.central[index];
        let Some(p) = self.p[contact.first_row as usize..].first_chunk_mut::<M>() else { return };
        let u = contact.velocity::<M, FUSED>(&self.v);
        let new = contact.solve::<M>(&u, p);
        let (mut change, mut own) = ([0.0; M], (0.0_f64, 0.0_f64));
        for i in 0..M {
            change[i] = relaxation * (new[i] - p[i]);
            p[i] += change[i];
            own = (own.0.max(change[i].abs()), own.1.max(p[i].abs()));
        }
        // The extent of all contacts is updated once, so that a visit need not wait for the one before.
        *met = (met.0.max(own.0), met.1.max(own.1));
        if change.iter().any(|x| *x != 0.0) {
            contact.apply::<M, FUSED>(&change, &mut self.v);
        }
    }

    /// Solves one contact of rigid bodies with `M` rows; `P` is the stride of its columns.
    #[inline(always)]
    fn solve_rigid<const M: usize, const P: usize, const FUSED: bool>(
        &mut self,
        index: usize,
        relaxation: f64,
        met: &mut Extent,
    ) {
        const { assert!(P == column_stride(M)) };
        let contact: &SweepContact = &self.contacts[index];
        let row = contact.first_row;
        let (Some(p), Some(c)) =
            (self.p[row..].first_chunk_mut::<M>(), self.c[contact.first_offset..].first_chunk::<M>())
        else {
            return;
        };
        let (g, _) = self.g[contact.delassus_start..contact.delassus_start + M * M].as_chunks::<M>();
        // û without the contact's own impulses.
        let mut offset = [0.0; P];
        for (i, offset) in offset.iter_mut().enumerate().take(M) {
            *offset = c[i];
        }
        for (row, p) in g.iter().zip(&*p) {
            for i in 0..M {
                offset[i] = multiply_add::<FUSED>(-row[i], *p, offset[i]);
            }
        }
        let w = rigid_velocity::<P, FUSED>(contact, &self.J, &self.v, &offset);
        let old = *p;
        contact.prepared.solve(&contact.law, g.as_flattened(), &w[..M], p);
        let (mut change, mut moved) = ([0.0; M], false);
        for i in 0..M {
            change[i] = relaxation * (p[i] - old[i]);
            p[i] = old[i] + change[i];
            met.0 = met.0.max(change[i].abs());
            met.1 = met.1.max(p[i].abs());
            moved |= change[i] != 0.0;
        }
        if moved {
            rigid_impulse::<M, FUSED>(contact, &self.W, &change, &mut self.v);
        }
    }

    /// Solves one contact of any bodies.
    fn solve_general(&mut self, index: usize, relaxation: f64, met: &mut Extent) {
        let contact = &self.contacts[index];
        let m = contact.law.rows();
        let mut w = [0.0; 6];
        contact_velocity(contact, &self.J, &self.v, &self.c, &mut w);
        let g = &self.g[contact.delassus_start..contact.delassus_start + m * m];
        let p = &mut self.p[contact.first_row..contact.first_row + m];
        for (row, p) in g.chunks_exact(m).zip(&*p) {
            w.iter_mut().zip(row).for_each(|(w, g)| *w -= g * p);
        }
        let mut change = [0.0; 6];
        change[..m].copy_from_slice(p);
        contact.prepared.solve(&contact.law, g, &w[..m], p);
        for i in 0..m {
            let old = change[i];
            change[i] = relaxation * (p[i] - old);
            p[i] = old + change[i];
            met.0 = met.0.max(change[i].abs());
            met.1 = met.1.max(p[i].abs());
        }
        if change[..m].iter().any(|x| *x != 0.0) {
            apply_impulse(contact, &self.W, &change[..m], &mut self.v);
        }
    }
}
