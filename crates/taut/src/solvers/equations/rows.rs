//! Row-by-row assembly: A, φ̇ and b of one constraint.

use super::{Equations, StateView};
use crate::bodies::{Jacobian, each_body};
use crate::constraints::{Coincidence, ElementInput, RowLevel, RowTerms};
use crate::laws::{ActiveRows, ConstraintLaw};
use crate::model::{BlockUpdate, ConstraintEnd, ConstraintEntry, Model};
use crate::motion::{Motion, Vec3, Wrench};
use crate::state::ConstraintMode;

/// Signs of the two markers of a coincidence: p_B − p_A = 0.
const COINCIDENCE_SIGNS: [f64; 2] = [-1.0, 1.0];

/// Whether inactive rows are evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InactiveRowTreatment {
    /// Evaluated, if the constraint has a law.
    Evaluated,
    /// Not evaluated.
    Skipped,
}

impl InactiveRowTreatment {
    /// Whether this constraint is skipped altogether.
    #[inline(always)]
    fn skips(self, c: &ConstraintEntry, mode: ConstraintMode) -> bool {
        match c.law {
            ConstraintLaw::Bilateral => mode != ConstraintMode::Active,
            _ => mode == ConstraintMode::Idle && self == InactiveRowTreatment::Skipped,
        }
    }
}

/// 3 — φ, D, φ_t, and A = Σ D J.
#[inline(always)]
pub(crate) fn assemble_constraint_positions(
    model: &Model,
    c: &ConstraintEntry,
    mode: ConstraintMode,
    idle: InactiveRowTreatment,
    at: StateView,
    motions: &[Motion],
    D: &mut [Wrench],
    convective: &mut [f64],
    eq: &mut Equations,
) {
    let n = c.ends.len();
    if idle.skips(c, mode) {
        // Zero rows: the factor bounds their pivots, and their multipliers vanish.
        eq.phi[c.rows.clone()].fill(0.0);
        eq.phi_t[c.rows.clone()].fill(0.0);
        eq.phidot.values_mut()[c.rows.clone()].fill(0.0);
        D.fill(Wrench::ZERO);
        for b in &c.blocks {
            let values = c.rows.len() * model.bodies[b.body].v.len();
            eq.A[b.start..b.start + values].fill(0.0);
            if let Some(B) = eq.B.get_mut(b.start..b.start + values) {
                B.fill(0.0);
            }
        }
        return;
    }
    let view = ElementInput { t: at.t, motions, markers: &model.end_markers[c.ends.clone()], z: &at.z[c.z.clone()] };
    let mut rows = RowTerms {
        phi: &mut eq.phi[c.rows.clone()],
        D,
        phi_t: &mut eq.phi_t[c.rows.clone()],
        c: &mut convective[c.rows.clone()],
    };
    match &c.undriven_joint {
        Some(joint) => joint.position_terms(&view, &mut rows),
        None => c.kind.constraint().position_terms(&view, &mut rows),
    }
    for (k, &ConstraintEnd { marker: m, block, update: how }) in
        model.constraint_ends[c.ends.clone()].iter().enumerate()
    {
        let Some(block) = block else { continue };
        let entry = &model.bodies[block.body];
        let (nv, own, seen) = (entry.v.len(), &motions[entry.markers.start], &motions[m]);
        let A = &mut eq.A[block.start..block.start + c.rows.len() * nv];
        each_body!(&entry.kind, body => {
            let (q, marker) = (&at.q[entry.q.clone()], &model.marker_placements[m]);
            match how {
                BlockUpdate::Set => match c.coincidence {
                    Coincidence::Origins => body.coincidence_rows(q, own, marker, seen, COINCIDENCE_SIGNS[k], &rows.D[k..], n, A),
                    Coincidence::None => body.constraint_rows(q, own, marker, seen, &rows.D[k..], n, A),
                },
                BlockUpdate::Add => {
                    let rows = A.chunks_exact_mut(nv).zip(rows.D.iter().skip(k).step_by(n));
                    rows.for_each(|(a, d)| body.apply_transpose(q, own, marker, seen, d, a));
                }
            }
        });
    }
    if mode != ConstraintMode::Active {
        move_inactive_rows(model, c, mode.active_rows(&c.law), eq);
    }
    if !eq.B.is_empty() {
        transform_reactions(model, c, at, eq);
    }
}

/// Moves the inactive rows out of A, φ and φ_t into separate storage.
fn move_inactive_rows(model: &Model, c: &ConstraintEntry, held: ActiveRows, eq: &mut Equations) {
    let free = |i: &usize| !held.contains(*i);
    for i in (0..c.rows.len()).filter(free) {
        let row = c.rows.start + i;
        eq.inactive.phi[row] = std::mem::take(&mut eq.phi[row]);
        eq.inactive.phi_t[row] = std::mem::take(&mut eq.phi_t[row]);
        eq.phidot.values_mut()[row] = 0.0;
    }
    for block in &c.blocks {
        let nv = model.bodies[block.body].v.len();
        for i in (0..c.rows.len()).filter(free) {
            let values = block.start + i * nv..block.start + (i + 1) * nv;
            eq.inactive.A[values.clone()].copy_from_slice(&eq.A[values.clone()]);
            eq.A[values].fill(0.0);
        }
    }
}

/// Generalised forces of the rows, if the equations of motion are written in another space than v.
fn transform_reactions(model: &Model, c: &ConstraintEntry, at: StateView, eq: &mut Equations) {
    for block in &c.blocks {
        let entry = &model.bodies[block.body];
        let nv = entry.v.len();
        let values = block.start..block.start + c.rows.len() * nv;
        eq.B[values.clone()].copy_from_slice(&eq.A[values.clone()]);
        let rows = eq.B[values].chunks_exact_mut(nv);
        rows.for_each(|row| entry.kind.body().reaction_row(&at.q[entry.q.clone()], row));
    }
}

/// 3 — φ̇.
#[inline(always)]
pub(super) fn assemble_constraint_residual_rates(
    model: &Model,
    c: &ConstraintEntry,
    mode: ConstraintMode,
    at: StateView,
    eq: &mut Equations,
) {
    let held = mode.active_rows(&c.law);
    for r in 0..c.rows.len() {
        let row = c.rows.start + r;
        if held.contains(r) {
            let rate = eq.phi_t[row] + eq.row_times(c, r, at.v);
            eq.phidot.values_mut()[row] = if model.row_holds_at_level(row, RowLevel::Velocity) { rate } else { 0.0 };
        } else if c.law != ConstraintLaw::Bilateral {
            eq.inactive.rate[row] = eq.inactive.phi_t[row] + eq.inactive_row_times(c, r, at.v);
        }
    }
}

/// 5 — c, and b = −Σ D·bias − c.
#[inline(always)]
pub(crate) fn assemble_constraint_rates(
    model: &Model,
    c: &ConstraintEntry,
    mode: ConstraintMode,
    idle: InactiveRowTreatment,
    at: StateView,
    motions: &[Motion],
    D: &mut [Wrench],
    convective: &mut [f64],
    eq: &mut Equations,
) {
    if idle.skips(c, mode) {
        eq.b[c.rows.clone()].fill(0.0);
        // Turns are counted also while the constraint is inactive.
        let view =
            ElementInput { t: at.t, motions, markers: &model.end_markers[c.ends.clone()], z: &at.z[c.z.clone()] };
        c.kind.constraint().state_rates(&view, &mut eq.zdot[c.z.clone()]);
        return;
    }
    let n = c.ends.len();
    let view = ElementInput { t: at.t, motions, markers: &model.end_markers[c.ends.clone()], z: &at.z[c.z.clone()] };
    let mut rows = RowTerms {
        phi: &mut eq.phi[c.rows.clone()],
        D,
        phi_t: &mut eq.phi_t[c.rows.clone()],
        c: &mut convective[c.rows.clone()],
    };
    match &c.undriven_joint {
        Some(joint) => joint.velocity_terms(&view, &mut rows),
        None => {
            c.kind.constraint().velocity_terms(&view, &mut rows);
            c.kind.constraint().state_rates(&view, &mut eq.zdot[c.z.clone()]);
        }
    }
    let b = &mut eq.b[c.rows.clone()];
    match c.coincidence {
        Coincidence::Origins => {
            let (A, B) = (&view[0], &view[1]);
            let (axes, turns) = b.split_at_mut(3);
            axes.iter_mut().enumerate().for_each(|(i, b)| *b = A.bv[i] - B.bv[i]);
            turns.iter_mut().zip(&rows.c[3..]).for_each(|(b, convective)| *b = -convective);
            // Rigid bodies have no angular bias.
            if A.bw != Vec3::zeros() || B.bw != Vec3::zeros() {
                let D = rows.D[6..].chunks_exact(2);
                turns.iter_mut().zip(D).for_each(|(b, d)| *b -= d[0].m.dot(&A.bw) + d[1].m.dot(&B.bw));
            }
        }
        Coincidence::None => {
            b.iter_mut().zip(&*rows.c).for_each(|(b, convective)| *b = -convective);
            for (k, &ConstraintEnd { marker: m, block, .. }) in model.constraint_ends[c.ends.clone()].iter().enumerate()
            {
                // The ground has no acceleration.
                if block.is_none() {
                    continue;
                }
                let seen = &motions[m];
                let bent = seen.bw != Vec3::zeros();
                for (r, b) in b.iter_mut().enumerate() {
                    let d = &rows.D[r * n + k];
                    *b -= if bent { seen.bias(d) } else { d.f.dot(&seen.bv) };
                }
            }
        }
    }
    if mode != ConstraintMode::Active {
        let held = mode.active_rows(&c.law);
        for row in c.rows.clone().enumerate().filter(|(i, _)| !held.contains(*i)).map(|(_, row)| row) {
            eq.inactive.b[row] = std::mem::take(&mut eq.b[row]);
            // Constraints nonlinear in v compute their explicit rate again.
            eq.phi_t[row] = 0.0;
        }
    }
}
