//! Columns of bodies: coordinates, velocities, accelerations, orientation. Also the accelerations of all markers.

use super::Recorder;
use super::moment::Moment;
use super::sink::{Sink, per_second};
use crate::bodies::Extra;
use crate::dynamics::Dynamics;
use crate::marker::Place;
use crate::model::{BodyEntry, Model};
use crate::motion::{Motion, Vec3};
use crate::results::solution::columns::Family;
use crate::results::solution::gauge::Acceleration;
use crate::results::solution::label::Label;

impl Recorder {
    /// Coordinates, velocities and accelerations of every body.
    pub(super) fn state(&self, d: &Dynamics, now: Moment, sink: &mut Sink) {
        let (state, rates) = (self.columns.shows(Family::State), self.columns.shows(Family::Accelerations));
        if !state && !rates {
            return;
        }
        // Only the declaration needs names; values follow in the same order.
        let (q, v) = match sink {
            Sink::Names(_) => d.model.state_names(),
            Sink::Values(..) => (Vec::new(), Vec::new()),
        };
        for b in &d.model.bodies {
            if state {
                for i in b.q.clone() {
                    sink.put("body", q.get(i).map_or("1", |n| n.unit), now.q[i], || Label::of_body(&q[i].name));
                }
                for i in b.v.clone() {
                    sink.put("body", v.get(i).map_or("1", |n| n.unit), now.v[i], || Label::of_body(&v[i].name));
                }
            }
            if rates {
                for i in b.v.clone() {
                    let unit = per_second(v.get(i).map_or("1", |n| n.unit));
                    sink.put("body", unit, d.vdot[i], || Label::of_acceleration(&v[i].name));
                }
            }
            for extra in b.kind.body().extras() {
                self.extra(d, now, b, *extra, sink);
            }
        }
    }

    /// Orientation and angular velocity of a body whose coordinates and velocities do not show them.
    fn extra(&self, d: &Dynamics, now: Moment, b: &BodyEntry, extra: Extra, sink: &mut Sink) {
        let (state, rates) = (self.columns.shows(Family::State), self.columns.shows(Family::Accelerations));
        let (body, q, own) = (b.kind.body(), &now.q[b.q.clone()], &d.scene.motions[b.markers.start]);
        let label = |short: &str| Label::of_body(&format!("{}.{short}", b.name));
        match extra {
            Extra::Attitude if state => {
                for (x, short) in body.attitude(q).into_iter().zip(["qw", "qx", "qy", "qz"]) {
                    sink.put("body", "1", x, || label(short));
                }
            }
            Extra::Attitude => {}
            Extra::AngularVelocity => {
                if state {
                    sink.vector("body", "rad/s", &own.w, |x| label(&format!("w{x}")));
                }
                if rates {
                    let mut pulled = *own;
                    body.reference_twist(q, &d.vdot[b.v.clone()], &mut pulled);
                    sink.vector("body", "rad/s²", &(pulled.w + own.bw), |x| label(&format!("alpha_{x}")));
                }
            }
        }
    }
}

/// J v̇ + bias of every marker; J v̇ is the twist that v̇ would give as a velocity.
pub(super) fn accelerations(d: &Dynamics, now: Moment, out: &mut [Acceleration]) {
    let model: &Model = d.model;
    for b in &model.bodies {
        let body = b.kind.body();
        let (q, vdot) = (&now.q[b.q.clone()], &d.vdot[b.v.clone()]);
        let mut own: Motion = d.scene.motions[b.markers.start];
        body.reference_twist(q, vdot, &mut own);
        for i in b.markers.clone() {
            let seen = &d.scene.motions[i];
            let mut pulled = if i == b.markers.start { own } else { *seen };
            if i != b.markers.start {
                body.twist(q, vdot, &own, &model.markers[i].place, &mut pulled);
            }
            out[i] = match model.markers[i].place {
                Place::Frame(..) => Acceleration { a: pulled.v + seen.bv, alpha: pulled.w + seen.bw },
                Place::Coordinate(_) => Acceleration { a: pulled.v + seen.bv, alpha: Vec3::zeros() },
            };
        }
    }
}
