//! Input of bodies and contacts.

use super::central::{CentralContact, SphericalInertia};
use super::kernels::{
    ContactBody, ContactKernel, SweepContact, column_stride, multiply_inverse_mass, scale_and_add_delassus,
};
use super::{ContactFrame, ContactStore, SweepBody, SweepSolver};
use crate::mathematics::complementarity::block_solver::PreparedBlock;
use crate::mathematics::complementarity::laws::{ComplementarityError, ComplementarityLaw};
use crate::mathematics::complementarity::scaled_problem::{check_finite, row_scales};

impl SweepSolver {
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
        self.bodies.push(SweepBody {
            velocity_start: self.v_free.len(),
            mass_start: self.inverse_mass.len(),
            width: n,
            spherical: SphericalInertia::of(inverse_mass),
        });
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
        let (index, m) = (self.order.len(), law.rows());
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
            let Some(&SweepBody { width: n, .. }) = self.bodies.get(body) else {
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
            let SweepBody { velocity_start: v, mass_start: mass, width: n, .. } = self.bodies[body];
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
        self.order.push(ContactStore::Jacobian(self.contacts.len() as u32));
        self.contacts.push(SweepContact {
            law,
            kernel: ContactKernel::of(m, &ends),
            prepared: PreparedBlock::new(&law, &self.g[g..]),
            first_row: self.p.len(),
            first_offset: self.c.len(),
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

    /// Adds a contact of rigid bodies by its geometry. Contacts of spheres then need an eighth of the memory.
    pub fn add_rigid_contact(
        &mut self,
        law: ComplementarityLaw,
        frame: &ContactFrame,
        c: &[f64],
        start: &[f64],
    ) -> Result<usize, ComplementarityError> {
        if let Some(index) = self.add_central_contact(law, frame, c, start)? {
            return Ok(index);
        }
        let m = law.rows().min(6);
        let mut blocks = [[0.0; 36]; 2];
        for ((J, arm), sense) in blocks.iter_mut().zip(&frame.arms).zip([-1.0, 1.0]) {
            for (i, row) in J.as_chunks_mut::<6>().0.iter_mut().enumerate().take(m) {
                let [x, y, z] = frame.axes[i % 3].map(|e| sense * e);
                let [rx, ry, rz] = *arm;
                *row = match i {
                    0..3 => [x, y, z, ry * z - rz * y, rz * x - rx * z, rx * y - ry * x],
                    _ => [0.0, 0.0, 0.0, x, y, z],
                };
            }
        }
        let mut on = [(0, &[][..]); 2];
        let mut count = 0;
        for (body, J) in frame.bodies.iter().zip(&blocks) {
            if let Some(body) = body {
                on[count] = (*body, &J[..6 * m]);
                count += 1;
            }
        }
        self.add_contact(law, &on[..count], c, start)
    }

    /// None if it is not a central contact of bodies with a spherical inertia.
    fn add_central_contact(
        &mut self,
        law: ComplementarityLaw,
        frame: &ContactFrame,
        c: &[f64],
        start: &[f64],
    ) -> Result<Option<usize>, ComplementarityError> {
        let (index, m) = (self.order.len(), law.rows());
        if c.len() != m || start.len() != m {
            return Ok(None);
        }
        let mut inverse = [SphericalInertia::default(); 2];
        let mut starts = [0; 2];
        for (side, body) in frame.bodies.iter().enumerate() {
            let Some(body) = *body else {
                starts[side] = self.ground_velocity();
                continue;
            };
            let Some(known) = self.bodies.get(body) else {
                return Err(ComplementarityError::Body { contact: index, body });
            };
            let Some(spherical) = known.spherical else { return Ok(None) };
            (inverse[side], starts[side]) = (spherical, known.velocity_start as u32);
        }
        law.check(index)?;
        check_finite("the offset", c)?;
        check_finite("the start", start)?;
        let [a, b] = &frame.arms;
        let first_row = self.p.len() as u32;
        let Some(contact) = CentralContact::new(&law, &frame.axes, [a, b], inverse, starts, first_row, c) else {
            return Ok(None);
        };
        self.order.push(ContactStore::Central(self.central.len() as u32));
        self.p.extend(start.iter().enumerate().map(|(i, p)| p / contact.inverse_scale(i)));
        self.central.push(contact);
        Ok(Some(index))
    }

    fn ground_velocity(&mut self) -> u32 {
        *self.ground.get_or_insert_with(|| {
            self.v_free.extend([0.0; 6]);
            (self.v_free.len() - 6) as u32
        })
    }
}
