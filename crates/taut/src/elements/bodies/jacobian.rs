//! Jᵀ w: the generalised force of a wrench on a marker.

use super::Quantities;
use crate::marker::MarkerPlacement;
use crate::motion::{Motion, Wrench};

/// The transposed Jacobian of a marker. J itself is never formed: [`Body::marker_twist`](super::Body::marker_twist) gives the twist
/// J v, this trait Jᵀ w.
///
/// ```text
///  twist = J(q) v        f += Jᵀ w        A = Σ D J, row by row Jᵀ D
/// ```
///
/// Only [`apply_transpose`](Jacobian::apply_transpose) is required. The other methods are faster variants for the rows of A; a kind overrides
/// them if it can write a row without clearing it first.
pub trait Jacobian: Quantities {
    /// f += Jᵀ w: the generalised force of a wrench at a marker.
    fn apply_transpose(
        &self,
        q: &[f64],
        own: &Motion,
        marker: &MarkerPlacement,
        seen: &Motion,
        on: &Wrench,
        f: &mut [f64],
    );

    /// One row of A: Jᵀ w. Overwrites `row`.
    #[inline(always)]
    fn constraint_row(
        &self,
        q: &[f64],
        own: &Motion,
        marker: &MarkerPlacement,
        seen: &Motion,
        on: &Wrench,
        row: &mut [f64],
    ) {
        self.constraint_rows(q, own, marker, seen, std::slice::from_ref(on), 1, row);
    }

    /// Rows of A: Jᵀ w of the first wrench of `on` and of every `step`-th after it, as many as there are rows. Overwrites them.
    #[inline(always)]
    fn constraint_rows(
        &self,
        q: &[f64],
        own: &Motion,
        marker: &MarkerPlacement,
        seen: &Motion,
        on: &[Wrench],
        step: usize,
        rows: &mut [f64],
    ) {
        for (r, row) in rows.chunks_exact_mut(self.sizes().v).enumerate() {
            row.fill(0.0);
            self.apply_transpose(q, own, marker, seen, &on[r * step], row);
        }
    }

    /// The same for rows whose first three wrenches are `sense` (1 or −1) times the unit forces along the world axes, and
    /// whose other wrenches are pure moments.
    #[inline(always)]
    fn coincidence_rows(
        &self,
        q: &[f64],
        own: &Motion,
        marker: &MarkerPlacement,
        seen: &Motion,
        _sense: f64,
        on: &[Wrench],
        step: usize,
        rows: &mut [f64],
    ) {
        self.constraint_rows(q, own, marker, seen, on, step, rows);
    }
}
