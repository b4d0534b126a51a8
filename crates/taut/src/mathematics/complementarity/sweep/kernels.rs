//! Storage of one contact in flat arrays, and the inner loops of a sweep: û = Ĵ v + ĉ, and v ← v + M⁻¹ Ĵᵀ p.

use crate::mathematics::complementarity::laws::ComplementarityLaw;

/// One body of a contact: index of its first velocity, number of velocities, and index of its blocks of Ĵ and Ŵ.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ContactBody {
    pub velocity_start: usize,
    pub width: usize,
    pub block_start: usize,
}

/// A contact: its law, and the indices of its data.
#[derive(Clone, Copy, Debug)]
pub(super) struct SweepContact {
    pub law: ComplementarityLaw,
    /// First row, in p, c and s.
    pub first_row: usize,
    /// Index of its local Delassus matrix.
    pub delassus_start: usize,
    pub bodies: [ContactBody; 2],
}

/// Row i of a block.
#[inline]
pub(super) fn block_row<'a>(x: &'a [f64], end: &ContactBody, i: usize) -> &'a [f64] {
    &x[end.block_start + i * end.width..end.block_start + (i + 1) * end.width]
}

/// û = Ĵ v + ĉ of one contact.
#[inline]
pub(super) fn contact_velocity(contact: &SweepContact, J: &[f64], v: &[f64], c: &[f64], u: &mut [f64; 6]) {
    let m = contact.law.rows();
    u[..m].copy_from_slice(&c[contact.first_row..contact.first_row + m]);
    for end in contact.bodies.iter().filter(|end| end.width > 0) {
        // Most bodies are rigid: a width fixed at compile time is twice as fast.
        if let (6, Some(v)) = (end.width, v[end.velocity_start..].first_chunk::<6>()) {
            let (rows, _) = J[end.block_start..end.block_start + 6 * m].as_chunks::<6>();
            for (u, row) in u.iter_mut().zip(rows) {
                *u += (row[0] * v[0] + row[1] * v[1] + row[2] * v[2]) + (row[3] * v[3] + row[4] * v[4] + row[5] * v[5]);
            }
            continue;
        }
        let v = &v[end.velocity_start..end.velocity_start + end.width];
        for i in 0..m {
            u[i] += dot(block_row(J, end, i), v);
        }
    }
}

/// v ← v + M⁻¹ Ĵᵀ p of one contact.
#[inline]
pub(super) fn apply_impulse(contact: &SweepContact, W: &[f64], p: &[f64], v: &mut [f64]) {
    for end in contact.bodies.iter().filter(|end| end.width > 0) {
        if let (6, Some(v)) = (end.width, v[end.velocity_start..].first_chunk_mut::<6>()) {
            let mut sum = *v;
            let (rows, _) = W[end.block_start..end.block_start + 6 * p.len()].as_chunks::<6>();
            for (row, p) in rows.iter().zip(p) {
                for k in 0..6 {
                    sum[k] += row[k] * p;
                }
            }
            *v = sum;
            continue;
        }
        let v = &mut v[end.velocity_start..end.velocity_start + end.width];
        for (i, p) in p.iter().enumerate() {
            for (v, w) in v.iter_mut().zip(block_row(W, end, i)) {
                *v += w * p;
            }
        }
    }
}

#[inline]
pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
