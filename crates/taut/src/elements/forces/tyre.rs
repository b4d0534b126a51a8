//! A tyre on a flat road: Fiala's law with relaxation lengths.

use super::{ExtraStates, Force, ForceReport, NonSmooth};
use crate::constraints::{ElementInput, MarkerReference};
use crate::error::ParameterError;
use crate::motion::{Vec3, Wrench};
use serde::{Deserialize, Serialize};

/// Slips above this count as this. They are beyond the limit of adhesion, so that the force is the same; the deflection of a wheel that
/// slides without rolling stays bounded.
const MAX_SLIP: f64 = 2.0;
/// Smallest sine of the angle between the axle and the normal of the road.
const MIN_UPRIGHT: f64 = 1e-3;

/// A tyre between a road, the xy plane of a marker, and a wheel, a thin disc of radius R about the z axis of a marker at its centre.
///
/// ```text
///  n normal of the road, a axle, x ∥ a × n direction of the wheel, y = n × x       h height of the centre, cos γ = |a × n|
///  l = h/cos γ,  δ = R − l        contact point P = centre − l e,  e the direction in the wheel plane nearest to n
///  N = max(0, k δ + c δ̇)/cos γ    where δ > 0
///
///  v_s velocity of the wheel at P relative to the road (slip velocity),  V = x·v_s + Ω l rolling speed,  Ω spin relative to the road
///  u̇ = −x·v_s − |V| u/σ_x         κ = u/σ_x              relaxation: the slips follow with the distance rolled
///  ẇ = −y·v_s − |V| w/σ_y         tan α = w/σ_y          steady: κ = −x·v_s/|V|, tan α = −y·v_s/|V|
///
///  ρ = |(C_κ κ, C_α tan α)|/(3 μ N)
///  F = μ N (1 − (1 − ρ)³) for ρ < 1,  μ N beyond;         along (C_κ κ, C_α tan α) in the axes x, y
/// ```
///
/// F/slip is C_κ and C_α at small slips, and the limit μ N is reached at the slip 3 μ N/C \[Fiala1954\]; the same law is that of the
/// brush model with a parabolic pressure \[Pacejka2012, section 3.2\]. The equations of the deflections u, w are those of the single
/// contact point model \[Pacejka2012, section 7.2.1\], which are valid down to standstill: there the tyre is a spring C/σ without damping.
/// The direction of the wheel is that of its axle: x = y × n if z of the wheel points to the left. Camber thrust, aligning moment and
/// rolling resistance are not part of this model.
///
/// # Examples
///
/// ```
/// use taut::forces::Tyre;
///
/// // At half of the limit slip, 7/8 of the limit of adhesion.
/// let tyre = Tyre { friction: 0.9, cornering_stiffness: 60e3, ..Tyre::default() };
/// let load = 4000.0;
/// let limit_slip = 3.0 * tyre.friction * load / tyre.cornering_stiffness;
/// let [_, lateral] = tyre.horizontal_force(load, [0.0, limit_slip / 2.0]);
/// assert!((lateral / (tyre.friction * load) - 0.875).abs() < 1e-15);
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tyre {
    /// The road: its xy plane, normal z.
    pub road: String,
    /// Centre of the wheel, axle z.
    pub wheel: String,
    /// Radius without load R, m.
    pub radius: f64,
    /// Radial stiffness k, N/m.
    pub stiffness: f64,
    /// Radial damping c, N s/m.
    #[serde(default)]
    pub damping: f64,
    /// Coefficient of friction μ.
    pub friction: f64,
    /// Longitudinal force per slip ratio at small slips C_κ, N.
    pub longitudinal_stiffness: f64,
    /// Lateral force per tan α at small slips C_α, N.
    pub cornering_stiffness: f64,
    /// Lateral relaxation length σ_y, m.
    pub relaxation_length: f64,
    /// Longitudinal relaxation length σ_x, m; default: the lateral one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub longitudinal_relaxation_length: Option<f64>,
}

impl Default for Tyre {
    /// A tyre of a passenger car: 0.3 m, 200 kN/m, μ = 1, 80 kN and 60 kN, relaxation lengths 0.1 m and 0.4 m.
    fn default() -> Tyre {
        Tyre {
            road: "ground".to_string(),
            wheel: "wheel".to_string(),
            radius: 0.3,
            stiffness: 200e3,
            damping: 0.0,
            friction: 1.0,
            longitudinal_stiffness: 80e3,
            cornering_stiffness: 60e3,
            relaxation_length: 0.4,
            longitudinal_relaxation_length: Some(0.1),
        }
    }
}

/// The contact of the wheel with the road.
struct Patch {
    n: Vec3,
    x: Vec3,
    y: Vec3,
    /// Contact point relative to the centres of wheel and road marker.
    from_wheel: Vec3,
    from_road: Vec3,
    /// δ and its rate; negative above the road.
    deflection: f64,
    deflection_rate: f64,
    cos_camber: f64,
    /// Components of the slip velocity along x and y.
    slip_velocity: [f64; 2],
    /// |V|, or more where the slip would exceed [`MAX_SLIP`].
    rolling_speed: f64,
}

impl Tyre {
    /// Longitudinal and lateral force at a load N and the slips (κ, tan α).
    pub fn horizontal_force(&self, load: f64, slips: [f64; 2]) -> [f64; 2] {
        let elastic = [self.longitudinal_stiffness * slips[0], self.cornering_stiffness * slips[1]];
        let size = elastic[0].hypot(elastic[1]);
        let limit = self.friction * load;
        if size == 0.0 || limit <= 0.0 {
            return [0.0; 2];
        }
        let rho = size / (3.0 * limit);
        // 1 − (1 − ρ)³ without cancellation.
        let fraction = if rho < 1.0 { rho * (3.0 - 3.0 * rho + rho * rho) } else { 1.0 };
        elastic.map(|f| f * limit * fraction / size)
    }

    fn relaxation_lengths(&self) -> [f64; 2] {
        [self.longitudinal_relaxation_length.unwrap_or(self.relaxation_length), self.relaxation_length]
    }

    /// The contact; none if the wheel lies flat.
    fn patch(&self, at: &ElementInput) -> Option<Patch> {
        let (road, wheel) = (&at[0], &at[1]);
        let (n, a) = (road.R.column(2).into_owned(), wheel.R.column(2).into_owned());
        let across = a.cross(&n);
        let cos_camber = across.norm();
        if cos_camber < MIN_UPRIGHT {
            return None;
        }
        let x = across / cos_camber;
        let e = (n - a * n.dot(&a)) / cos_camber;
        let l = n.dot(&(wheel.p - road.p)) / cos_camber;
        let from_wheel = e * -l;
        let from_road = wheel.p + from_wheel - road.p;
        let slip = wheel.v + wheel.w.cross(&from_wheel) - road.v - road.w.cross(&from_road);
        let y = n.cross(&x);
        let slip_velocity = [x.dot(&slip), y.dot(&slip)];
        let rolling = slip_velocity[0] + (wheel.w - road.w).dot(&a) * l;
        Some(Patch {
            n,
            x,
            y,
            from_wheel,
            from_road,
            deflection: self.radius - l,
            deflection_rate: -n.dot(&slip) / cos_camber,
            cos_camber,
            rolling_speed: rolling.abs().max(slip_velocity[0].hypot(slip_velocity[1]) / MAX_SLIP),
            slip_velocity,
        })
    }

    /// k δ + c δ̇.
    fn radial_force(&self, p: &Patch) -> f64 {
        self.stiffness * p.deflection + self.damping * p.deflection_rate
    }

    /// N.
    fn load(&self, p: &Patch) -> f64 {
        if p.deflection > 0.0 { self.radial_force(p).max(0.0) / p.cos_camber } else { 0.0 }
    }
}

impl Force for Tyre {
    fn markers(&self) -> Vec<MarkerReference<'_>> {
        vec![MarkerReference::frame(&self.road), MarkerReference::frame(&self.wheel)]
    }

    fn check(&self) -> Result<(), ParameterError> {
        for (field, x) in [
            ("radius", self.radius),
            ("stiffness", self.stiffness),
            ("friction", self.friction),
            ("longitudinal_stiffness", self.longitudinal_stiffness),
            ("cornering_stiffness", self.cornering_stiffness),
            ("relaxation_length", self.relaxation_length),
            ("longitudinal_relaxation_length", self.relaxation_lengths()[0]),
        ] {
            ParameterError::check_positive(field, x)?;
        }
        ParameterError::check_finite("damping", &[self.damping])?;
        match self.damping < 0.0 {
            true => Err(ParameterError::invalid("damping", format!("it is {}; it must not be negative", self.damping))),
            false => Ok(()),
        }
    }

    fn apply(&self, at: &ElementInput, on: &mut [Wrench]) {
        on.fill(Wrench::ZERO);
        let Some(p) = self.patch(at) else { return };
        let load = self.load(&p);
        if load == 0.0 {
            return;
        }
        let lengths = self.relaxation_lengths();
        let [fx, fy] = self.horizontal_force(load, [at.z[0] / lengths[0], at.z[1] / lengths[1]]);
        let f = p.n * load + p.x * fx + p.y * fy;
        on[0] = Wrench { f: -f, m: -p.from_road.cross(&f) };
        on[1] = Wrench { f, m: p.from_wheel.cross(&f) };
    }

    fn potential(&self, at: &ElementInput) -> f64 {
        let deflection = self.patch(at).map_or(0.0, |p| p.deflection.max(0.0));
        0.5 * self.stiffness * deflection * deflection
    }

    fn nonconservative_power(&self, at: &ElementInput, on: &[Wrench]) -> f64 {
        let total: f64 = on.iter().enumerate().map(|(k, w)| at[k].power(w)).sum();
        let stored = self.patch(at).map_or(0.0, |p| self.stiffness * p.deflection.max(0.0) * p.deflection_rate);
        total + stored
    }
}

impl ForceReport for Tyre {
    fn doubt(&self, at: &ElementInput) -> Option<&'static str> {
        self.patch(at).is_none().then_some("the wheel lies flat on the road; a tyre needs an axle along the road")
    }
}

impl ExtraStates for Tyre {
    fn state_count(&self) -> usize {
        2
    }

    fn state_rates(&self, at: &ElementInput, zdot: &mut [f64]) {
        zdot.fill(0.0);
        let Some(p) = self.patch(at) else { return };
        let touches = if self.load(&p) > 0.0 { 1.0 } else { 0.0 };
        for (i, length) in self.relaxation_lengths().into_iter().enumerate() {
            zdot[i] = -touches * p.slip_velocity[i] - p.rolling_speed * at.z[i] / length;
        }
    }
}

impl NonSmooth for Tyre {
    fn guard_count(&self) -> usize {
        if self.damping > 0.0 { 2 } else { 1 }
    }

    // Where the tyre meets or leaves the road.
    fn guard(&self, at: &ElementInput, i: usize) -> f64 {
        match (self.patch(at), i) {
            (None, _) => f64::INFINITY,
            (Some(p), 0) => p.deflection,
            (Some(p), _) => self.radial_force(&p),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::motion::{Mat3, Motion};

    fn rolling(tyre: &Tyre, z: &[f64; 2]) -> ([Motion; 2], Vec<Wrench>) {
        // A tilted road that moves, and a cambered wheel.
        let road = Motion {
            R: *nalgebra::Rotation3::from_euler_angles(0.1, -0.2, 0.3).matrix(),
            p: Vec3::new(0.3, -0.1, 0.2),
            v: Vec3::new(0.4, 0.1, -0.3),
            w: Vec3::new(0.02, -0.05, 0.3),
            ..Motion::REST
        };
        let axle: Mat3 =
            *nalgebra::Rotation3::from_euler_angles(-std::f64::consts::FRAC_PI_2 + 0.15, 0.1, 0.4).matrix();
        let wheel = Motion {
            R: road.R * axle,
            p: road.p + road.R * Vec3::new(2.0, 1.0, 0.28),
            v: Vec3::new(9.0, 3.0, 0.2),
            w: Vec3::new(5.0, 30.0, -4.0),
            ..Motion::REST
        };
        let motions = [road, wheel];
        let mut on = vec![Wrench::ZERO; 2];
        tyre.apply(&ElementInput::new(0.0, &motions, &[0, 1], z), &mut on);
        (motions, on)
    }

    #[test]
    fn action_is_reaction_and_power_balances() {
        let tyre = Tyre { damping: 300.0, ..Tyre::default() };
        let z = [0.004, -0.02];
        let (motions, on) = rolling(&tyre, &z);
        assert!(on[1].f.norm() > 1000.0);
        let moment = on[0].m + on[1].m + (motions[1].p - motions[0].p).cross(&on[1].f);
        assert!((on[0].f + on[1].f).norm() < 1e-9 && moment.norm() < 1e-9);
        // The power of the potential, by differences along the motion of both frames.
        let moved = |h: f64| {
            motions.map(|m| {
                let turn = nalgebra::Rotation3::new(m.w * h);
                Motion { R: turn.matrix() * m.R, p: m.p + m.v * h, ..m }
            })
        };
        let stored = |h: f64| tyre.potential(&ElementInput::new(0.0, &moved(h), &[0, 1], &z));
        let rate = (stored(1e-6) - stored(-1e-6)) / 2e-6;
        let view = ElementInput::new(0.0, &motions, &[0, 1], &z);
        let total: f64 = motions.iter().zip(&on).map(|(m, w)| m.power(w)).sum();
        assert!((tyre.nonconservative_power(&view, &on) - (total + rate)).abs() < 1e-5 * total.abs());
        // Damping and slip dissipate at steady slips.
        let p = tyre.patch(&view).unwrap();
        let lengths = tyre.relaxation_lengths();
        let steady = [0, 1].map(|i| -lengths[i] * p.slip_velocity[i] / p.rolling_speed);
        let (_, on) = rolling(&tyre, &steady);
        assert!(tyre.nonconservative_power(&ElementInput::new(0.0, &motions, &[0, 1], &steady), &on) < 0.0);
        let mut zdot = [1.0; 2];
        tyre.state_rates(&ElementInput::new(0.0, &motions, &[0, 1], &steady), &mut zdot);
        assert!(zdot.iter().all(|z| z.abs() < 1e-12));
    }

    #[test]
    fn stiffness_saturation_and_direction() {
        let tyre = Tyre::default();
        let [fx, fy] = tyre.horizontal_force(4000.0, [1e-9, 2e-9]);
        assert!((fx / 1e-9 - 80e3).abs() < 1e-2 && (fy / 2e-9 - 60e3).abs() < 1e-2);
        let [fx, fy] = tyre.horizontal_force(4000.0, [-0.4, 0.3]);
        assert!((fx.hypot(fy) - 4000.0).abs() < 1e-9 && (fx / fy + 32.0 / 18.0).abs() < 1e-12);
        assert_eq!(tyre.horizontal_force(0.0, [0.1, 0.1]), [0.0; 2]);
        let limit = 3.0 * 4000.0 / 60e3;
        let [_, below] = tyre.horizontal_force(4000.0, [0.0, limit * (1.0 - 1e-6)]);
        assert!((below - 4000.0).abs() < 1e-9);
    }

    #[test]
    fn no_force_above_the_road_or_lying_flat() {
        let tyre = Tyre::default();
        let above = [Motion::REST, Motion { p: Vec3::new(0.0, 0.0, 0.31), R: sideways(), ..Motion::REST }];
        let flat = [Motion::REST, Motion { p: Vec3::new(0.0, 0.0, 0.1), ..Motion::REST }];
        for motions in [above, flat] {
            let view = ElementInput::new(0.0, &motions, &[0, 1], &[0.1, 0.1]);
            let mut on = vec![Wrench::ZERO; 2];
            tyre.apply(&view, &mut on);
            assert_eq!(on[1].f, Vec3::zeros());
        }
        assert!(tyre.doubt(&ElementInput::new(0.0, &flat, &[0, 1], &[0.0; 2])).is_some());
    }

    fn sideways() -> Mat3 {
        *nalgebra::Rotation3::from_euler_angles(-std::f64::consts::FRAC_PI_2, 0.0, 0.0).matrix()
    }
}
