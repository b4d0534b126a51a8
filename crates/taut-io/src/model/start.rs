//! The start of a model taken from a state: an assembled pose, an equilibrium, the end of a run.

use super::ModelFile;
use taut::beams::Beam;
use taut::bodies::BodyKind;
use taut::motion::{Mat3, Motion, quaternion_of_rotation};
use taut::{BodyEntry, Frame, FrameReference, MarkerAxes, MarkerPlacement, Model, Orientation, Spec, State};

impl ModelFile {
    /// Sets the initial pose and velocities of the bodies from a state of the model; [`write`](ModelFile::write) then writes
    /// them. Markers keep their places on the bodies.
    pub fn set_start(&mut self, model: &Model, state: &State) {
        apply_state_to_spec(&mut self.spec, model, state);
        // The state meets the initial values, or replaces them.
        self.start.clear();
        self.branch = None;
    }
}

/// Sets the initial pose and velocities of the bodies from a state; markers keep their places on the bodies.
fn apply_state_to_spec(spec: &mut Spec, model: &Model, state: &State) {
    for m in spec.markers.iter_mut().filter(|m| m.item.relative_to == FrameReference::World) {
        let found = model.marker(&m.name).map(|i| &model.markers[i]);
        if let Some(taut::Marker { body: Some(_), placement: MarkerPlacement::Frame(p, axes), .. }) = found {
            let orientation = match axes {
                MarkerAxes::Aligned => Orientation::Aligned,
                _ => {
                    let turned = axes.world_orientation(&Mat3::identity());
                    let column = |k: usize| [turned[(0, k)], turned[(1, k)], turned[(2, k)]];
                    Orientation::Axes { z: column(2), x: Some(column(0)) }
                }
            };
            m.item = Frame { at: [p.x, p.y, p.z], orientation, relative_to: FrameReference::Body };
        }
    }
    for beam in &mut spec.beams {
        beam.item.node_states = beam_node_states(&beam.name, &beam.item, model, state).unwrap_or_default();
    }
    for body in &mut spec.bodies {
        // The coordinates of a reduced set determine its members.
        let member = |e: &BodyEntry| match &e.kind {
            BodyKind::Ritz(set) => set.member(&body.name, &state.q[e.q.clone()], &state.v[e.v.clone()]),
            _ => None,
        };
        let own = model.body(&body.name).map(|b| &model.bodies[b]);
        let found = match own {
            Some(e) => Some((state.q[e.q.clone()].to_vec(), state.v[e.v.clone()].to_vec())),
            None => model.bodies.iter().find_map(member),
        };
        let Some((q, v)) = found.as_ref().map(|(q, v)| (&q[..], &v[..])) else { continue };
        match &mut body.item {
            BodyKind::PointMass(b) => {
                b.position.copy_from_slice(q);
                b.velocity.copy_from_slice(v);
            }
            BodyKind::Planar(b) => {
                b.position.copy_from_slice(&q[..2]);
                b.angle = q[2];
                b.velocity.copy_from_slice(&v[..2]);
                b.angular_velocity = v[2];
            }
            BodyKind::Rigid(b) => {
                b.position.copy_from_slice(&q[..3]);
                b.orientation = Orientation::Quaternion([q[3], q[4], q[5], q[6]]);
                b.velocity.copy_from_slice(&v[..3]);
                b.angular_velocity.copy_from_slice(&v[3..]);
            }
            // Given in the model file like any rigid body, whatever its coordinates.
            BodyKind::EulerParameters(_) | BodyKind::Rodrigues(_) | BodyKind::EulerAngles(_) => {
                let mut own = Motion::REST;
                body.item.body().frame_pose(q, &mut own);
                body.item.body().frame_twist(q, v, &mut own);
                if let Some(b) = body.item.rigid_mut() {
                    (b.position, b.velocity, b.angular_velocity) = (own.p.into(), own.v.into(), own.w.into());
                    b.orientation = Orientation::Quaternion(quaternion_of_rotation(&own.R));
                }
            }
            BodyKind::Modal(b) => b.set_start(q, v),
            BodyKind::Variable(b) => b.value = q[0],
            BodyKind::Generalised(b) => {
                b.coordinates
                    .iter_mut()
                    .zip(q.iter().zip(v))
                    .for_each(|(c, (q, v))| (c.initial, c.velocity) = (*q, *v));
            }
            // A set follows its members; bodies in code have no start in a model file.
            _ => {}
        }
    }
}

/// Coordinates and velocities of the nodes of a beam, which are separate bodies or members of one body.
fn beam_node_states(name: &str, beam: &Beam, model: &Model, state: &State) -> Option<Vec<Vec<f64>>> {
    let entry = |name: &str| model.body(name).map(|b| &model.bodies[b]);
    let listed = |q: &[f64], v: &[f64]| q.iter().chain(v).copied().collect::<Vec<f64>>();
    if let Some(all) = entry(name).filter(|e| matches!(e.kind, BodyKind::BeamNodes(_))) {
        let (q, v) = (&state.q[all.q.clone()], &state.v[all.v.clone()]);
        let (of_q, of_v) = (q.len() / beam.node_count(), v.len() / beam.node_count());
        return Some(q.chunks(of_q).zip(v.chunks(of_v)).map(|(q, v)| listed(q, v)).collect());
    }
    let one = |k: usize| entry(&Beam::node_name(name, k)).map(|e| listed(&state.q[e.q.clone()], &state.v[e.v.clone()]));
    (0..beam.node_count()).map(one).collect()
}
