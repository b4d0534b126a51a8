//! Row-by-row assembly: A, φ̇ and b of one constraint.

use super::{At, Equations};
use crate::bodies::{Jacobian, each_body};
use crate::constraints::{Level, Meeting, Rows, View};
use crate::laws::{Held, Law};
use crate::model::{ConstraintEntry, End, Entry, Model};
use crate::motion::{Motion, Vec3, Wrench};
use crate::state::Mode;

/// Signs of the two markers of a coincidence: p_B − p_A = 0.
const SENSE: [f64; 2] = [-1.0, 1.0];

/// Whether inactive rows are evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Idle {
    /// Evaluated, if the constraint has a law.
    Seen,
    /// Not evaluated.
    Skipped,
}

impl Idle {
    /// Whether this constraint is skipped altogether.
    #[inline(always)]
    fn skips(self, c: &ConstraintEntry, mode: Mode) -> bool {
        match c.law {
            Law::Bilateral => mode != Mode::Active,
            _ => mode == Mode::Idle && self == Idle::Skipped,
        }
    }
}

/// 3 — φ, D, φ_t, and A = Σ D J.
#[inline(always)]
pub(crate) fn place_constraint(
    model: &Model,
    c: &ConstraintEntry,
    mode: Mode,
    idle: Idle,
    at: At,
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
        eq.phidot.values()[c.rows.clone()].fill(0.0);
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
    let view = View { t: at.t, motions, ids: &model.end_markers[c.ends.clone()], z: &at.z[c.z.clone()] };
    let mut rows = Rows {
        phi: &mut eq.phi[c.rows.clone()],
        D,
        phi_t: &mut eq.phi_t[c.rows.clone()],
        c: &mut convective[c.rows.clone()],
    };
    match &c.still {
        Some(joint) => joint.place(&view, &mut rows),
        None => c.kind.constraint().place(&view, &mut rows),
    }
    for (k, &End { marker: m, block, entry: how }) in model.ends[c.ends.clone()].iter().enumerate() {
        let Some(block) = block else { continue };
        let entry = &model.bodies[block.body];
        let (nv, own, seen) = (entry.v.len(), &motions[entry.markers.start], &motions[m]);
        let A = &mut eq.A[block.start..block.start + c.rows.len() * nv];
        each_body!(&entry.kind, body => {
            let (q, marker) = (&at.q[entry.q.clone()], &model.places[m]);
            match how {
                Entry::First => match c.meeting {
                    Meeting::InPoint => body.spread_point(q, own, marker, seen, SENSE[k], &rows.D[k..], n, A),
                    Meeting::Apart => body.spread_rows(q, own, marker, seen, &rows.D[k..], n, A),
                },
                Entry::Further => {
                    let rows = A.chunks_exact_mut(nv).zip(rows.D.iter().skip(k).step_by(n));
                    rows.for_each(|(a, d)| body.pull(q, own, marker, seen, d, a));
                }
            }
        });
    }
    if mode != Mode::Active {
        loosen(model, c, mode.held(&c.law), eq);
    }
    if !eq.B.is_empty() {
        react(model, c, at, eq);
    }
}

/// Moves the inactive rows out of A, φ and φ_t into separate storage.
fn loosen(model: &Model, c: &ConstraintEntry, held: Held, eq: &mut Equations) {
    let free = |i: &usize| !held.has(*i);
    for i in (0..c.rows.len()).filter(free) {
        let row = c.rows.start + i;
        eq.loose.phi[row] = std::mem::take(&mut eq.phi[row]);
        eq.loose.phi_t[row] = std::mem::take(&mut eq.phi_t[row]);
        eq.phidot.values()[row] = 0.0;
    }
    for block in &c.blocks {
        let nv = model.bodies[block.body].v.len();
        for i in (0..c.rows.len()).filter(free) {
            let values = block.start + i * nv..block.start + (i + 1) * nv;
            eq.loose.A[values.clone()].copy_from_slice(&eq.A[values.clone()]);
            eq.A[values].fill(0.0);
        }
    }
}

/// Generalised forces of the rows, if the equations of motion are written in another space than v.
fn react(model: &Model, c: &ConstraintEntry, at: At, eq: &mut Equations) {
    for block in &c.blocks {
        let entry = &model.bodies[block.body];
        let nv = entry.v.len();
        let values = block.start..block.start + c.rows.len() * nv;
        eq.B[values.clone()].copy_from_slice(&eq.A[values.clone()]);
        let rows = eq.B[values].chunks_exact_mut(nv);
        rows.for_each(|row| entry.kind.body().react(&at.q[entry.q.clone()], row));
    }
}

/// 3 — φ̇.
#[inline(always)]
pub(super) fn rate_constraint(model: &Model, c: &ConstraintEntry, mode: Mode, at: At, eq: &mut Equations) {
    let held = mode.held(&c.law);
    for r in 0..c.rows.len() {
        let row = c.rows.start + r;
        if held.has(r) {
            let rate = eq.phi_t[row] + eq.row_times(c, r, at.v);
            eq.phidot.values()[row] = if model.holds(row, Level::Velocity) { rate } else { 0.0 };
        } else if c.law != Law::Bilateral {
            eq.loose.rate[row] = eq.loose.phi_t[row] + eq.loose_times(c, r, at.v);
        }
    }
}

/// 5 — c, and b = −Σ D·bias − c.
#[inline(always)]
pub(crate) fn carry_constraint(
    model: &Model,
    c: &ConstraintEntry,
    mode: Mode,
    idle: Idle,
    at: At,
    motions: &[Motion],
    D: &mut [Wrench],
    convective: &mut [f64],
    eq: &mut Equations,
) {
    if idle.skips(c, mode) {
        eq.b[c.rows.clone()].fill(0.0);
        // Turns are counted also while the constraint is inactive.
        let view = View { t: at.t, motions, ids: &model.end_markers[c.ends.clone()], z: &at.z[c.z.clone()] };
        c.kind.constraint().states_rate(&view, &mut eq.zdot[c.z.clone()]);
        return;
    }
    let n = c.ends.len();
    let view = View { t: at.t, motions, ids: &model.end_markers[c.ends.clone()], z: &at.z[c.z.clone()] };
    let mut rows = Rows {
        phi: &mut eq.phi[c.rows.clone()],
        D,
        phi_t: &mut eq.phi_t[c.rows.clone()],
        c: &mut convective[c.rows.clone()],
    };
    match &c.still {
        Some(joint) => joint.carry(&view, &mut rows),
        None => {
            c.kind.constraint().carry(&view, &mut rows);
            c.kind.constraint().states_rate(&view, &mut eq.zdot[c.z.clone()]);
        }
    }
    let b = &mut eq.b[c.rows.clone()];
    match c.meeting {
        Meeting::InPoint => {
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
        Meeting::Apart => {
            b.iter_mut().zip(&*rows.c).for_each(|(b, convective)| *b = -convective);
            for (k, &End { marker: m, block, .. }) in model.ends[c.ends.clone()].iter().enumerate() {
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
    if mode != Mode::Active {
        let held = mode.held(&c.law);
        for row in c.rows.clone().enumerate().filter(|(i, _)| !held.has(*i)).map(|(_, row)| row) {
            eq.loose.b[row] = std::mem::take(&mut eq.b[row]);
            // Constraints nonlinear in v compute their explicit rate again.
            eq.phi_t[row] = 0.0;
        }
    }
}
