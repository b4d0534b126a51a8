//! Columns of discs, wings and stations.

use super::StationColumns;
use super::line::Line;
use super::load::{AirLoad, Part};
use crate::constraints::ElementInput;
use crate::forces::ForceOutput;
use crate::motion::Vec3;

/// The quantity of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AirQuantity {
    Disc(usize),
    /// Component of the force on a wing.
    Wing(usize, usize),
    /// Line, station, quantity.
    Station(usize, usize, usize),
}

/// A column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct AirColumn {
    quantity: AirQuantity,
    name: String,
    unit: &'static str,
    meaning: String,
}

impl AirColumn {
    pub fn describe(&self) -> ForceOutput<'_> {
        ForceOutput { name: &self.name, unit: self.unit, meaning: &self.meaning }
    }
}

const DISC: [(&str, &str, &str); 9] = [
    ("thrust", "N", "thrust of the air along the shaft"),
    ("h_force", "N", "force of the air in the plane of the disc, downwind"),
    ("y_force", "N", "force of the air in the plane of the disc, to the left of downwind"),
    ("torque", "N m", "torque about the shaft that the air takes from the rotor"),
    ("shaft_power", "W", "torque times rotor speed"),
    ("inflow", "m/s", "mean induced velocity through the disc"),
    ("ct", "1", "thrust coefficient, thrust by density, area and tip speed squared; 0 at rest"),
    ("cq", "1", "torque coefficient, torque by density, area, radius and tip speed squared; 0 at rest"),
    ("figure_of_merit", "1", "ideal power of hover by shaft power; 0 without thrust or power"),
];

const STATION: [(&str, &str, &str); 7] = [
    ("alpha", "rad", "angle of attack"),
    ("cl", "1", "lift coefficient"),
    ("mach", "1", "Mach number"),
    ("lift", "N/m", "lift per length"),
    ("drag", "N/m", "drag per length"),
    ("moment", "N", "moment per length about the quarter-chord point, nose up"),
    ("inflow", "m/s", "induced velocity against the axis of the disc"),
];

/// Where a station of a disc is.
const PLACE: [(&str, &str, &str); 2] =
    [("radius", "m", "distance from the axis of the disc"), ("azimuth", "rad", "azimuth from downwind, within −π … π")];

/// What arrows need: where they begin and where they point.
const VECTORS: [(&str, &str, &str); 9] = [
    ("x", "m", "x of the quarter-chord point"),
    ("y", "m", "y of the quarter-chord point"),
    ("z", "m", "z of the quarter-chord point"),
    ("fx", "N", "x force of the air on the piece of wing at the station, world axes"),
    ("fy", "N", "y force of the air on the piece of wing at the station, world axes"),
    ("fz", "N", "z force of the air on the piece of wing at the station, world axes"),
    ("wx", "m/s", "x velocity of the air with induced velocity, world axes"),
    ("wy", "m/s", "y velocity of the air with induced velocity, world axes"),
    ("wz", "m/s", "z velocity of the air with induced velocity, world axes"),
];

/// The columns of every station of a wing.
fn station_columns(
    columns: StationColumns,
    has_disc: bool,
) -> impl Iterator<Item = &'static (&'static str, &'static str, &'static str)> {
    let chosen: [&[_]; 3] = match columns {
        StationColumns::None => [&[], &[], &[]],
        StationColumns::Stations => [&STATION, if has_disc { &PLACE } else { &[] }, &[]],
        StationColumns::Vectors => [&STATION, if has_disc { &PLACE } else { &[] }, &VECTORS],
    };
    chosen.into_iter().flatten()
}

/// The columns of a disc and its wings.
pub(super) fn outputs(disc: Option<&str>, lines: &[Line]) -> Vec<AirColumn> {
    let of_disc = disc.into_iter().flat_map(|disc| {
        DISC.iter().enumerate().map(move |(k, (name, unit, what))| AirColumn {
            quantity: AirQuantity::Disc(k),
            name: format!("{disc}.{name}"),
            unit,
            meaning: format!("{what}, disc `{disc}`"),
        })
    });
    let of_wings = lines.iter().enumerate().flat_map(|(l, line)| {
        ["x", "y", "z"].into_iter().enumerate().map(move |(i, axis)| AirColumn {
            quantity: AirQuantity::Wing(l, i),
            name: format!("{}.f{axis}", line.name),
            unit: "N",
            meaning: format!("{axis} force of the air on wing `{}`, world axes", line.name),
        })
    });
    let of_stations = lines.iter().enumerate().flat_map(|(l, line)| {
        line.stations.iter().enumerate().flat_map(move |(s, station)| {
            station_columns(line.columns, disc.is_some()).enumerate().map(move |(k, (name, unit, what))| AirColumn {
                quantity: AirQuantity::Station(l, s, k),
                name: format!("{}.s{}.{name}", line.name, s + 1),
                unit,
                meaning: format!("{what} of wing `{}` at {:.6} m", line.name, station.x),
            })
        })
    });
    of_disc.chain(of_wings).chain(of_stations).collect()
}

impl AirLoad {
    /// Fills the columns, in the order of the list: disc, wings, stations.
    pub(super) fn fill_outputs(&self, at: &ElementInput, values: &mut [f64]) {
        values.fill(0.0);
        let of_disc = if self.has_disc() { DISC.len() } else { 0 };
        let (disc, rest) = values.split_at_mut(of_disc);
        let (wings, stations) = rest.split_at_mut(3 * self.lines().len());
        let mut place = 0;
        let sums = self.sweep(at, Part::Whole, None, None, |result| {
            let of = &mut wings[3 * result.line..3 * result.line + 3];
            (0..3).for_each(|i| of[i] += result.force[i]);
            let columns = self.lines()[result.line].columns;
            if columns == StationColumns::None {
                return;
            }
            let mut put = |found: &[f64]| {
                stations[place..place + found.len()].copy_from_slice(found);
                place += found.len();
            };
            let (loads, c) = (&result.loads, &result.loads.coefficients);
            let (lift, drag) = (loads.dynamic * c.cl, loads.dynamic * c.cd);
            put(&[loads.alpha, c.cl, loads.mach, lift, drag, loads.moment, result.induced]);
            if let Some([radius, azimuth]) = result.place {
                put(&[radius, azimuth]);
            }
            if columns == StationColumns::Vectors {
                [result.p, result.force, result.air].iter().for_each(|x| put(x.as_slice()));
            }
        });
        let Some((sums, frame)) = sums.and_then(|sums| Some((sums, sums.frame?))) else { return };
        let thrust = sums.loads.thrust;
        let side: Vec3 = frame.z.cross(&frame.downwind);
        let torque = -sums.moment.dot(&frame.z);
        let power = torque * frame.rotor_speed;
        let area = std::f64::consts::PI * frame.radius * frame.radius;
        let pressure = frame.density * area * frame.tip_speed().powi(2);
        let by = |x: f64, y: f64| if y != 0.0 { x / y } else { 0.0 };
        let ideal = thrust.abs() * (thrust.abs() / (2.0 * frame.density * area)).sqrt();
        let found = [
            thrust,
            sums.force.dot(&frame.downwind),
            sums.force.dot(&side),
            torque,
            power,
            sums.mean_inflow(),
            by(thrust, pressure),
            by(torque * frame.rotor_speed.signum(), pressure * frame.radius),
            by(ideal, power),
        ];
        disc.copy_from_slice(&found);
    }
}
