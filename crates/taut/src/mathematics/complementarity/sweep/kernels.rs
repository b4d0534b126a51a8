//! Storage of one contact in flat arrays, and the inner loops of a sweep: û = Ĵ v + ĉ, and v ← v + M⁻¹ Ĵᵀ p.
//!
//! Ĵ is stored by columns, Ŵ = (M⁻¹ Ĵᵀ)ᵀ by rows. Both loops then add multiples of short vectors, four numbers at a time if the processor
//! has AVX2 and FMA. Rigid bodies, and one, three or six rows, have code of fixed size.

use crate::mathematics::complementarity::block_solver::PreparedBlock;
use crate::mathematics::complementarity::laws::ComplementarityLaw;

/// One body of a contact: index of its first velocity, number of velocities, and indices of its blocks of Ĵ and Ŵ.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ContactBody {
    pub velocity_start: usize,
    pub width: usize,
    /// Columns of Ĵ, each with [`column_stride`] entries.
    pub column_start: usize,
    /// Rows of Ŵ.
    pub row_start: usize,
}

/// Which code serves a contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ContactKernel {
    /// Bodies with six velocities, and one row, three rows or six rows.
    Rigid1,
    Rigid3,
    Rigid6,
    /// Any other.
    General,
}

/// A contact: its law, and the indices of its data.
#[derive(Clone, Copy, Debug)]
pub(super) struct SweepContact {
    pub law: ComplementarityLaw,
    pub kernel: ContactKernel,
    pub prepared: PreparedBlock,
    /// First row in p, and in c and s.
    pub first_row: usize,
    pub first_offset: usize,
    /// Index of its local Delassus matrix.
    pub delassus_start: usize,
    pub bodies: [ContactBody; 2],
}

impl ContactKernel {
    pub fn of(rows: usize, bodies: &[ContactBody; 2]) -> ContactKernel {
        let rigid = bodies[0].width == 6 && matches!(bodies[1].width, 0 | 6);
        match rows {
            1 if rigid => ContactKernel::Rigid1,
            3 if rigid => ContactKernel::Rigid3,
            6 if rigid => ContactKernel::Rigid6,
            _ => ContactKernel::General,
        }
    }
}

/// Entries of a column of Ĵ: three rows are padded to four, the width of a vector register.
pub(super) const fn column_stride(rows: usize) -> usize {
    if rows == 3 { 4 } else { rows }
}

/// Calls a function with the sizes (rows, velocities) as constants where they are those of rigid bodies, so that its loops are unrolled.
macro_rules! with_sizes {
    ($rows:expr, $width:expr, $call:expr) => {
        match ($rows, $width) {
            (1, 6) => $call(1, 6),
            (3, 6) => $call(3, 6),
            (6, 6) => $call(6, 6),
            (rows, width) => $call(rows, width),
        }
    };
}

/// W = J M⁻¹, row by row, and `diagonal` += diag(W Jᵀ). The rows of M⁻¹ are its columns.
pub(super) fn multiply_inverse_mass(inverse: &[f64], J: &[f64], W: &mut [f64], diagonal: &mut [f64; 6]) {
    #[inline(always)]
    fn sized(m: usize, n: usize, inverse: &[f64], J: &[f64], W: &mut [f64], diagonal: &mut [f64; 6]) {
        let (inverse, J, W) = (&inverse[..n * n], &J[..m * n], &mut W[..m * n]);
        for i in 0..m {
            let (J, W) = (&J[i * n..(i + 1) * n], &mut W[i * n..(i + 1) * n]);
            for k in 0..n {
                for a in 0..n {
                    W[a] += inverse[k * n + a] * J[k];
                }
            }
            for a in 0..n {
                diagonal[i] += W[a] * J[a];
            }
        }
    }
    let n = inverse.len().isqrt();
    let m = J.len().checked_div(n).unwrap_or(0);
    with_sizes!(m, n, |m, n| sized(m, n, inverse, J, W, diagonal));
}

/// Scales the rows of J and W, stores J by columns, and adds J Wᵀ to the local Delassus matrix.
pub(super) fn scale_and_add_delassus(J: &[f64], scale: &[f64], columns: &mut [f64], W: &mut [f64], g: &mut [f64]) {
    #[inline(always)]
    fn sized(m: usize, n: usize, J: &[f64], scale: &[f64], columns: &mut [f64], W: &mut [f64], g: &mut [f64]) {
        let stride = column_stride(m);
        let (J, W, scale) = (&J[..m * n], &mut W[..m * n], &scale[..m]);
        let (columns, g) = (&mut columns[..n * stride], &mut g[..m * m]);
        for i in 0..m {
            for a in 0..n {
                W[i * n + a] *= scale[i];
                columns[a * stride + i] = J[i * n + a] * scale[i];
            }
        }
        for i in 0..m {
            for a in 0..n {
                for j in 0..m {
                    g[i * m + j] += columns[a * stride + j] * W[i * n + a];
                }
            }
        }
    }
    let m = scale.len();
    let n = J.len() / m.max(1);
    with_sizes!(m, n, |m, n| sized(m, n, J, scale, columns, W, g));
}

/// a b + c, rounded once if `FUSED`.
#[inline(always)]
pub(super) fn multiply_add<const FUSED: bool>(a: f64, b: f64, c: f64) -> f64 {
    if FUSED { a.mul_add(b, c) } else { a * b + c }
}

/// Ĵ v of a contact of rigid bodies; `P` is the stride of a column.
#[inline(always)]
pub(super) fn rigid_velocity<const P: usize, const FUSED: bool>(
    contact: &SweepContact,
    J: &[f64],
    v: &[f64],
    c: &[f64; P],
) -> [f64; P] {
    let mut sums = [*c, [0.0; P]];
    for (end, sum) in contact.bodies.iter().zip(&mut sums).filter(|(end, _)| end.width == 6) {
        let Some(v) = v[end.velocity_start..].first_chunk::<6>() else { continue };
        let (columns, _) = J[end.column_start..end.column_start + 6 * P].as_chunks::<P>();
        for (column, v) in columns.iter().zip(v) {
            for i in 0..P {
                sum[i] = multiply_add::<FUSED>(column[i], *v, sum[i]);
            }
        }
    }
    let [mut u, other] = sums;
    for i in 0..P {
        u[i] += other[i];
    }
    u
}

/// v ← v + M⁻¹ Ĵᵀ p of a contact of rigid bodies.
#[inline(always)]
pub(super) fn rigid_impulse<const M: usize, const FUSED: bool>(
    contact: &SweepContact,
    W: &[f64],
    p: &[f64; M],
    v: &mut [f64],
) {
    for end in contact.bodies.iter().filter(|end| end.width == 6) {
        let Some(v) = v[end.velocity_start..].first_chunk_mut::<6>() else { continue };
        let (rows, _) = W[end.row_start..end.row_start + 6 * M].as_chunks::<6>();
        let mut sum = *v;
        for (row, p) in rows.iter().zip(p) {
            for k in 0..6 {
                sum[k] = multiply_add::<FUSED>(row[k], *p, sum[k]);
            }
        }
        *v = sum;
    }
}

/// û = Ĵ v + ĉ of one contact.
#[inline]
pub(super) fn contact_velocity(contact: &SweepContact, J: &[f64], v: &[f64], c: &[f64], u: &mut [f64; 6]) {
    let m = contact.law.rows();
    let stride = column_stride(m);
    u[..m].copy_from_slice(&c[contact.first_offset..contact.first_offset + m]);
    for end in contact.bodies.iter().filter(|end| end.width > 0) {
        let columns = J[end.column_start..end.column_start + stride * end.width].chunks_exact(stride);
        for (column, v) in columns.zip(&v[end.velocity_start..end.velocity_start + end.width]) {
            u.iter_mut().zip(&column[..m]).for_each(|(u, j)| *u += j * v);
        }
    }
}

/// v ← v + M⁻¹ Ĵᵀ p of one contact.
#[inline]
pub(super) fn apply_impulse(contact: &SweepContact, W: &[f64], p: &[f64], v: &mut [f64]) {
    for end in contact.bodies.iter().filter(|end| end.width > 0) {
        let v = &mut v[end.velocity_start..end.velocity_start + end.width];
        let rows = W[end.row_start..end.row_start + end.width * p.len()].chunks_exact(end.width);
        for (row, p) in rows.zip(p) {
            v.iter_mut().zip(row).for_each(|(v, w)| *v += w * p);
        }
    }
}
