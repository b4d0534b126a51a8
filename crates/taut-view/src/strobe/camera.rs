//! View directions and projection to the sheet.

use super::palette::Palette;
use crate::scene::Space;
use nalgebra::{UnitQuaternion, Vector3};

pub(super) type Vec3 = Vector3<f64>;
pub(super) type Quat = UnitQuaternion<f64>;
/// A point on the sheet, y downwards.
pub(super) type SheetPoint = (f64, f64);

/// Direction of an orthographic view. Up on the sheet is opposite to gravity, or z without gravity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum View {
    /// Along the second horizontal axis: x to the right.
    Front,
    /// From the right of the front view.
    Side,
    /// From above.
    Top,
    /// From the front, to the right and above.
    Iso,
    /// From the front, turned to the right and raised by these angles, degrees.
    Angles {
        /// To the right.
        azimuth: f64,
        /// Above the horizon.
        elevation: f64,
    },
}

impl View {
    fn angles(self) -> (f64, f64) {
        match self {
            View::Front => (0.0, 0.0),
            View::Side => (90.0, 0.0),
            View::Top => (0.0, 90.0),
            View::Iso => (32.0, 24.0),
            View::Angles { azimuth, elevation } => (azimuth, elevation),
        }
    }
}

/// Axes of the sheet in the world.
#[derive(Clone, Copy, Debug)]
pub(super) struct Camera {
    pub right: Vec3,
    pub up: Vec3,
    /// From the viewer into the sheet.
    pub away: Vec3,
}

impl Camera {
    /// View of the xy plane along −z.
    pub fn planar() -> Camera {
        Camera { right: Vec3::x(), up: Vec3::y(), away: -Vec3::z() }
    }

    pub fn of(view: View, gravity: [f64; 3]) -> Camera {
        let up = Vec3::from(gravity).try_normalize(1e-9).map_or(Vec3::z(), |g| -g);
        // x points to the right, unless it points up.
        let first = if up.x.abs() > 0.9 { Vec3::y() } else { Vec3::x() };
        let first = (first - up * up.dot(&first)).normalize();
        let second = up.cross(&first);
        let (azimuth, elevation) = view.angles();
        let ((sa, ca), (se, ce)) = (azimuth.to_radians().sin_cos(), elevation.to_radians().sin_cos());
        let away = (second * ca - first * sa) * ce - up * se;
        let right = first * ca + second * sa;
        Camera { right, up: right.cross(&away), away }
    }

    /// A point on the picture plane, metres, y upwards.
    pub fn picture_plane_point(&self, p: &Vec3) -> SheetPoint {
        (self.right.dot(p), self.up.dot(p))
    }
}

/// The drawing sheet: camera, scale and colours of one picture.
#[derive(Clone, Debug)]
pub(super) struct Sheet {
    pub camera: Camera,
    pub space: Space,
    /// Drawing units per metre.
    pub scale: f64,
    /// Position of the world's origin.
    pub origin: SheetPoint,
    /// Radius of a pin.
    pub pin: f64,
    pub ink: Palette,
    /// Left, top, right and bottom of the drawing area.
    pub inner: (f64, f64, f64, f64),
}

impl Sheet {
    pub fn project(&self, p: &Vec3) -> SheetPoint {
        let (x, y) = self.camera.picture_plane_point(p);
        (self.origin.0 + self.scale * x, self.origin.1 - self.scale * y)
    }

    /// A world vector projected to the sheet, in drawing units.
    pub fn project_direction(&self, v: &Vec3) -> SheetPoint {
        let (x, y) = self.camera.picture_plane_point(v);
        (self.scale * x, -self.scale * y)
    }

    pub fn depth(&self, p: &Vec3) -> f64 {
        self.scale * self.camera.away.dot(p)
    }

    /// Illumination of a face, 0 to 1; the light comes from the upper left, in front of the sheet.
    pub fn light(&self, normal: &Vec3) -> f64 {
        let Camera { right, up, away } = self.camera;
        let light = (up * 0.75 - right * 0.45 - away * 0.6).normalize();
        (0.25 + 0.75 * normal.dot(&light)).clamp(0.0, 1.0)
    }
}

/// Length and direction of a vector on the sheet; to the right for a zero vector.
pub(super) fn length_and_direction((x, y): SheetPoint) -> (f64, SheetPoint) {
    let length = x.hypot(y);
    if length > 1e-9 { (length, (x / length, y / length)) } else { (0.0, (1.0, 0.0)) }
}

/// `a + s·u + r·v` on the sheet.
pub(super) fn offset(a: SheetPoint, u: SheetPoint, s: f64, r: f64) -> SheetPoint {
    // v is u rotated by a quarter turn.
    (a.0 + s * u.0 - r * u.1, a.1 + s * u.1 + r * u.0)
}

/// Vertices of the convex hull.
pub(super) fn convex_hull(points: &[SheetPoint]) -> Vec<SheetPoint> {
    let mut sorted = points.to_vec();
    sorted.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let turn = |a: SheetPoint, b: SheetPoint, c: SheetPoint| (b.0 - a.0) * (c.1 - a.1) - (b.1 - a.1) * (c.0 - a.0);
    let half = |points: &mut dyn Iterator<Item = SheetPoint>| {
        let mut chain: Vec<SheetPoint> = Vec::new();
        for p in points {
            while chain.len() > 1 && turn(chain[chain.len() - 2], chain[chain.len() - 1], p) <= 1e-9 {
                chain.pop();
            }
            chain.push(p);
        }
        chain.pop();
        chain
    };
    let mut all = half(&mut sorted.iter().copied());
    all.extend(half(&mut sorted.iter().rev().copied()));
    all
}

#[cfg(test)]
mod tests {
    use super::{Camera, Vec3, View, convex_hull};

    #[test]
    fn views_of_a_model_whose_z_is_up() {
        let gravity = [0.0, 0.0, -9.81];
        let flat = |view, p: [f64; 3]| Camera::of(view, gravity).picture_plane_point(&Vec3::from(p));
        assert_eq!(flat(View::Front, [1.0, 2.0, 3.0]), (1.0, 3.0));
        let (x, y) = flat(View::Side, [1.0, 2.0, 3.0]);
        assert!((x - 2.0).abs() < 1e-12 && (y - 3.0).abs() < 1e-12);
        let (x, y) = flat(View::Top, [1.0, 2.0, 3.0]);
        assert!((x - 1.0).abs() < 1e-12 && (y - 2.0).abs() < 1e-12);
        // Points nearer to the viewer have a smaller depth.
        let iso = Camera::of(View::Iso, gravity);
        assert!(iso.away.z < 0.0 && iso.away.y > 0.0 && iso.away.x < 0.0);
    }

    #[test]
    fn hull_of_a_square_with_a_point_inside() {
        let corners = convex_hull(&[(0.0, 0.0), (2.0, 0.0), (1.0, 1.0), (2.0, 2.0), (0.0, 2.0), (1.0, 0.0)]);
        assert_eq!(corners.len(), 4);
    }
}
