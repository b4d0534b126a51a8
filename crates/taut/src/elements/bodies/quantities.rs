//! Coordinates, velocities and extra states of a body: numbers, names and units.

/// How many coordinates, velocities and extra states a body has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sizes {
    /// Coordinates q.
    pub q: usize,
    /// Velocities v.
    pub v: usize,
    /// Extra first-order states z.
    pub z: usize,
}

/// The kind of quantity that a displacement is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DisplacementKind {
    /// A length.
    Length,
    /// An angle, or a number without unit.
    Other,
}

/// Extra columns of a body in a solution besides its coordinates and velocities. With them all descriptions of a rotation
/// can be compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExtraColumn {
    /// The unit quaternion: `qw qx qy qz`.
    Attitude,
    /// Angular velocity and acceleration, world axes: `wx wy wz`, `alpha_x alpha_y alpha_z`.
    AngularVelocity,
}

/// Name and unit of one column of the solution that belongs to a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quantity {
    /// Short name within the body: `x`, `theta`.
    pub name: String,
    /// Its unit.
    pub unit: &'static str,
}

impl Quantity {
    /// A named quantity.
    pub fn new(name: &str, unit: &'static str) -> Quantity {
        Quantity { name: name.to_string(), unit }
    }
}

/// Numbers, names and units of q, v and z: the columns of a body in a solution.
///
/// ```text
///  q: coordinates        v: velocities, q̇ = N(q) v        z: extra states
/// ```
pub trait Quantities {
    /// Numbers of q, v, z.
    fn sizes(&self) -> Sizes;
    /// Names and units of q.
    fn coordinates(&self) -> Vec<Quantity>;
    /// Names and units of v.
    fn velocities(&self) -> Vec<Quantity>;
    /// Index of the scalar coordinate of that name, if a marker may refer to it (q̇ᵢ = vᵢ).
    fn coordinate_index(&self, name: &str) -> Option<usize>;
    /// Whether a displacement along velocity `i` is a length.
    fn displacement_kind(&self, i: usize) -> DisplacementKind {
        match self.velocities().get(i).map(|q| q.unit) {
            Some("m/s") => DisplacementKind::Length,
            _ => DisplacementKind::Other,
        }
    }
    /// Extra columns in a solution besides q and v.
    fn extra_columns(&self) -> &'static [ExtraColumn] {
        &[]
    }
    /// The unit quaternion of R_WB, continuous along a motion; called if [`ExtraColumn::Attitude`] is among the extra columns.
    fn attitude(&self, _q: &[f64]) -> [f64; 4] {
        [1.0, 0.0, 0.0, 0.0]
    }
}
