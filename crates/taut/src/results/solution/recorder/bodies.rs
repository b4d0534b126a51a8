//! Columns of bodies: coordinates, velocities, accelerations, orientation. Also the accelerations of all markers.

use super::Recorder;
use super::recorded_state::RecordedState;
use super::sink::{ColumnSink, rate_unit};
use crate::bodies::ExtraColumn;
use crate::dynamics::Dynamics;
use crate::forces::ForceKind;
use crate::marker::MarkerPlacement;
use crate::model::{BodyEntry, Model};
use crate::motion::{Motion, Vec3};
use crate::results::solution::columns::ColumnFamily;
use crate::results::solution::label::ColumnLabel;
use crate::results::solution::output_measures::MarkerAcceleration;

impl Recorder {
    /// Coordinates, velocities and accelerations of every body.
    pub(super) fn body_columns(&self, d: &Dynamics, now: RecordedState, sink: &mut ColumnSink) {
        let (state, rates) =
            (self.columns.includes(ColumnFamily::State), self.columns.includes(ColumnFamily::Accelerations));
        if !state && !rates {
            return;
        }
        // Only the declaration needs names; values follow in the same order.
        let (q, v) = match sink {
            ColumnSink::Names(_) => d.model.state_names(),
            ColumnSink::Values(..) => (Vec::new(), Vec::new()),
        };
        for b in &d.model.bodies {
            if state {
                for i in b.q.clone() {
                    sink.put("body", q.get(i).map_or("1", |n| n.unit), now.q[i], || ColumnLabel::of_body(&q[i].name));
                }
                for i in b.v.clone() {
                    sink.put("body", v.get(i).map_or("1", |n| n.unit), now.v[i], || ColumnLabel::of_body(&v[i].name));
                }
            }
            if rates {
                for i in b.v.clone() {
                    let unit = rate_unit(v.get(i).map_or("1", |n| n.unit));
                    sink.put("body", unit, d.vdot[i], || ColumnLabel::of_acceleration(&v[i].name));
                }
            }
            for extra in b.kind.body().extra_columns() {
                self.rotation_columns(d, now, b, *extra, sink);
            }
        }
        if state {
            extra_state_columns(d.model, now, sink);
        }
    }

    /// Orientation and angular velocity of a body whose coordinates and velocities do not show them.
    fn rotation_columns(
        &self,
        d: &Dynamics,
        now: RecordedState,
        b: &BodyEntry,
        extra: ExtraColumn,
        sink: &mut ColumnSink,
    ) {
        let (state, rates) =
            (self.columns.includes(ColumnFamily::State), self.columns.includes(ColumnFamily::Accelerations));
        let (body, q, own) = (b.kind.body(), &now.q[b.q.clone()], &d.kinematics.motions[b.markers.start]);
        let label = |short: &str| ColumnLabel::of_body(&format!("{}.{short}", b.name));
        match extra {
            ExtraColumn::Attitude if state => {
                for (x, short) in body.attitude(q).into_iter().zip(["qw", "qx", "qy", "qz"]) {
                    sink.put("body", "1", x, || label(short));
                }
            }
            ExtraColumn::Attitude => {}
            ExtraColumn::AngularVelocity => {
                if state {
                    sink.vector("body", "rad/s", &own.w, |x| label(&format!("w{x}")));
                }
                if rates {
                    let mut pulled = *own;
                    body.frame_twist(q, &d.vdot[b.v.clone()], &mut pulled);
                    sink.vector("body", "rad/s²", &(pulled.w + own.bw), |x| label(&format!("alpha_{x}")));
                }
            }
        }
    }
}

/// The extra states of generalised bodies.
fn extra_state_columns(model: &Model, now: RecordedState, sink: &mut ColumnSink) {
    for f in &model.forces {
        let ForceKind::Coordinates(forces) = &f.kind else { continue };
        for (i, z) in f.z.clone().skip(forces.counter_count()).enumerate() {
            sink.put("body", "1", now.z[z], || {
                let name = forces.state_names().nth(i).unwrap_or_default();
                ColumnLabel::new(name.clone(), format!("extra state `{name}`"))
            });
        }
    }
}

/// J v̇ + bias of every marker; J v̇ is the twist that v̇ would give as a velocity.
pub(super) fn marker_accelerations(d: &Dynamics, now: RecordedState, out: &mut [MarkerAcceleration]) {
    let model: &Model = d.model;
    for b in &model.bodies {
        let body = b.kind.body();
        let (q, vdot) = (&now.q[b.q.clone()], &d.vdot[b.v.clone()]);
        let mut own: Motion = d.kinematics.motions[b.markers.start];
        body.frame_twist(q, vdot, &mut own);
        for i in b.markers.clone() {
            let seen = &d.kinematics.motions[i];
            let mut pulled = if i == b.markers.start { own } else { *seen };
            if i != b.markers.start {
                body.marker_twist(q, vdot, &own, &model.markers[i].placement, &mut pulled);
            }
            out[i] = match model.markers[i].placement {
                MarkerPlacement::Frame(..) => MarkerAcceleration { a: pulled.v + seen.bv, alpha: pulled.w + seen.bw },
                MarkerPlacement::Coordinate(_) => MarkerAcceleration { a: pulled.v + seen.bv, alpha: Vec3::zeros() },
            };
        }
    }
}
