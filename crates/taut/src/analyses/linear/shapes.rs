//! Mode shapes: complex translation and rotation of every body and marker.

use super::{Eigenmode, Linearised};
use crate::equations::is_frame;
use crate::motion::Motion;
use nalgebra::Complex;

/// Motion of a marker in a mode: the real part at phase 0, the imaginary part a quarter of a period earlier.
#[derive(Clone, Debug, PartialEq)]
pub struct MarkerShape {
    /// The marker; that of a body's own frame is the body's name.
    pub marker: String,
    /// Displacement along the axes of the world.
    pub translation: [Complex<f64>; 3],
    /// Rotation vector, likewise.
    pub rotation: [Complex<f64>; 3],
}

impl Linearised<'_> {
    /// Motions of all frames on bodies, normalised to a largest translation of 1 (or rotation, if there is no translation).
    pub fn shapes(&self, mode: &Eigenmode) -> Vec<MarkerShape> {
        let part = |x: fn(&Complex<f64>) -> f64| mode.xi.iter().map(x).collect::<Vec<f64>>();
        let (re, im) = (self.marker_twists(&part(|x| x.re)), self.marker_twists(&part(|x| x.im)));
        let mut shapes: Vec<MarkerShape> = Vec::new();
        for (i, m) in
            self.model.markers.iter().enumerate().filter(|(i, m)| m.body.is_some() && is_frame(self.model, *i))
        {
            let pair = |a: &crate::motion::Vec3, b: &crate::motion::Vec3| [0, 1, 2].map(|k| Complex::new(a[k], b[k]));
            let (translation, rotation) = (pair(&re[i].v, &im[i].v), pair(&re[i].w, &im[i].w));
            shapes.push(MarkerShape { marker: m.name.clone(), translation, rotation });
        }
        let largest = |of: fn(&MarkerShape) -> &[Complex<f64>; 3]| {
            let all = shapes.iter().flat_map(of);
            all.fold(Complex::new(0.0, 0.0), |a, x| if x.norm() > a.norm() { *x } else { a })
        };
        let (far, turned) = (largest(|s| &s.translation), largest(|s| &s.rotation));
        // For a rotation about the markers themselves, translations are only round-off.
        let by = if far.norm() > 1e-9 * turned.norm() { far } else { turned };
        if by.norm() > 0.0 {
            for s in &mut shapes {
                s.translation.iter_mut().chain(&mut s.rotation).for_each(|x| *x /= by);
            }
        }
        shapes
    }

    /// Twists of all markers, with the displacements taken as velocities.
    pub(super) fn marker_twists(&self, xi: &[f64]) -> Vec<Motion> {
        let mut motions = vec![Motion::REST; self.model.markers.len()];
        for b in &self.model.bodies {
            let body = b.kind.body();
            let (q, xi) = (&self.state.q[b.q.clone()], &xi[b.v.clone()]);
            let mut own = Motion::REST;
            body.frame_pose(q, &mut own);
            body.frame_twist(q, xi, &mut own);
            for m in b.markers.clone() {
                motions[m] = own;
                if m > b.markers.start {
                    body.marker_pose(q, &own, &self.model.markers[m].placement, &mut motions[m]);
                    body.marker_twist(q, xi, &own, &self.model.markers[m].placement, &mut motions[m]);
                }
            }
        }
        motions
    }
}
