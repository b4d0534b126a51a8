//! Storage of one contact in flat arrays, and the inner loops of a sweep: û = Ĵ v + ĉ, and v ← v + M⁻¹ Ĵᵀ p.

use crate::mathematics::complementarity::laws::Law;

/// One body of a contact: index of its first velocity, number of velocities, and index of its blocks of Ĵ and Ŵ.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct End {
    pub v: usize,
    pub width: usize,
    pub at: usize,
}

/// A contact: its law, and the indices of its data.
#[derive(Clone, Copy, Debug)]
pub(super) struct Contact {
    pub law: Law,
    /// First row, in p, c and s.
    pub row: usize,
    /// Index of its local Delassus matrix.
    pub g: usize,
    pub ends: [End; 2],
}

/// Row i of a block.
#[inline]
pub(super) fn span<'a>(x: &'a [f64], end: &End, i: usize) -> &'a [f64] {
    &x[end.at + i * end.width..end.at + (i + 1) * end.width]
}

/// û = Ĵ v + ĉ of one contact.
#[inline]
pub(super) fn approach(contact: &Contact, J: &[f64], v: &[f64], c: &[f64], u: &mut [f64; 6]) {
    let m = contact.law.rows();
    u[..m].copy_from_slice(&c[contact.row..contact.row + m]);
    for end in contact.ends.iter().filter(|end| end.width > 0) {
        // Most bodies are rigid: a width fixed at compile time is twice as fast.
        if let (6, Some(v)) = (end.width, v[end.v..].first_chunk::<6>()) {
            let (rows, _) = J[end.at..end.at + 6 * m].as_chunks::<6>();
            for (u, row) in u.iter_mut().zip(rows) {
                *u += (row[0] * v[0] + row[1] * v[1] + row[2] * v[2]) + (row[3] * v[3] + row[4] * v[4] + row[5] * v[5]);
            }
            continue;
        }
        let v = &v[end.v..end.v + end.width];
        for i in 0..m {
            u[i] += dot(span(J, end, i), v);
        }
    }
}

/// v ← v + M⁻¹ Ĵᵀ p of one contact.
#[inline]
pub(super) fn push(contact: &Contact, W: &[f64], p: &[f64], v: &mut [f64]) {
    for end in contact.ends.iter().filter(|end| end.width > 0) {
        if let (6, Some(v)) = (end.width, v[end.v..].first_chunk_mut::<6>()) {
            let mut sum = *v;
            let (rows, _) = W[end.at..end.at + 6 * p.len()].as_chunks::<6>();
            for (row, p) in rows.iter().zip(p) {
                for k in 0..6 {
                    sum[k] += row[k] * p;
                }
            }
            *v = sum;
            continue;
        }
        let v = &mut v[end.v..end.v + end.width];
        for (i, p) in p.iter().enumerate() {
            for (v, w) in v.iter_mut().zip(span(W, end, i)) {
                *v += w * p;
            }
        }
    }
}

#[inline]
pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
