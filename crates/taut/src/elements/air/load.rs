//! The force of the air: a disc with all its wings, or one wing.
//!
//! One sweep over all stations yields wrenches, rates of states and sums over the disc. The states are the turn counters of formulas,
//! those of the inflow, and those of the stations, wing by wing.

mod force;
mod gradient;
mod part;
mod station_tangent;
mod sweep;
mod tangent;

pub(super) use part::Part;

use super::disc::Disc;
use super::formula_field::{BoundField, FieldFormula, Taken};
use super::inflow::Inflow;
use super::line::Line;
use super::medium::{Air, BoundAir};
use super::output::{AirColumn, outputs};
use super::polar::Polar;
use super::wing::Wing;
use crate::beams::Beam;
use crate::common::Named;
use crate::common::spelling::did_you_mean;
use crate::constraints::Scope;
use crate::error::{BuildError, ParameterError, element_error};

/// The loads of the air on a disc with all its wings, or on one wing; made by [`Spec::build`](crate::Spec::build).
#[derive(Clone, Debug)]
pub struct AirLoad {
    air: Air,
    disc: Option<Disc>,
    lines: Vec<Line>,
    polars: Vec<Polar>,
    outputs: Vec<AirColumn>,
    /// The formulas with their names resolved; none before the model is built.
    bound: Option<Box<Bound>>,
}

/// The formulas of an air load.
#[derive(Clone, Debug)]
struct Bound {
    air: BoundAir,
    /// The angle added to the sections of each line.
    controls: Vec<Option<FieldFormula>>,
    prescribed: Option<BoundField>,
    counters: usize,
}

/// Variables of a prescribed inflow.
const INFLOW_VARIABLES: [&str; 3] = ["r", "psi", "t"];

/// A wing by name, and the beam that carries it.
pub(crate) type NamedWing<'a> = (&'a str, &'a Wing, Option<&'a Beam>);

impl AirLoad {
    /// The load on the wings of a disc, or on one wing without a disc.
    pub(crate) fn new(
        air: &Air,
        disc: Option<(&str, &Disc)>,
        wings: &[NamedWing],
        polars: &[Named<Polar>],
    ) -> Result<AirLoad, BuildError> {
        let (mut lines, mut first_marker) = (Vec::with_capacity(wings.len()), 0);
        for (name, wing, beam) in wings {
            let refuse = |fault| element_error("wing", name, fault);
            let place = |polar: &String| {
                polars.iter().position(|p| p.name == *polar).ok_or_else(|| {
                    let hint = did_you_mean(polar, polars.iter().map(|p| p.name.as_str()));
                    refuse(ParameterError::invalid("polar", format!("there is no polar `{polar}`{hint}")))
                })
            };
            let places = wing.polar.iter().map(place).collect::<Result<Vec<_>, _>>()?;
            let mut line = Line::new(name, wing, *beam, &places).map_err(refuse)?;
            line.first_marker = first_marker;
            first_marker += line.markers.len();
            lines.push(line);
        }
        Ok(AirLoad {
            outputs: outputs(disc.map(|(name, _)| name), &lines),
            air: air.clone(),
            disc: disc.map(|(_, disc)| disc.clone()),
            lines,
            polars: polars.iter().map(|p| p.item.clone()).collect(),
            bound: None,
        })
    }

    /// The same with the names of its formulas resolved in a model.
    pub(crate) fn bind(&self, name: &str, scope: &Scope) -> Result<AirLoad, BuildError> {
        let mut taken = Taken { markers: self.own_markers(), counters: 0 };
        let mut controls = Vec::with_capacity(self.lines.len());
        for line in &self.lines {
            let bound = |text: &String, taken: &mut Taken| {
                FieldFormula::new(text, &["t"], ("wing", &line.name, "control"), scope, taken)
            };
            controls.push(line.control.as_ref().map(|text| bound(text, &mut taken)).transpose()?);
        }
        let prescribed = match self.disc.as_ref().map(|d| &d.inflow) {
            Some(Inflow::Prescribed { inflow }) => {
                Some(BoundField::new(inflow, &INFLOW_VARIABLES, ("disc", name, "inflow"), scope, &mut taken)?)
            }
            _ => None,
        };
        let air = BoundAir::new(&self.air, scope)?;
        let bound = Bound { air, controls, prescribed, counters: taken.counters };
        Ok(AirLoad { bound: Some(Box::new(bound)), ..self.clone() })
    }

    /// Number of markers that carry wings, which come first.
    pub(crate) fn carrier_count(&self) -> usize {
        self.lines.iter().map(|line| line.markers.len()).sum()
    }

    /// Carriers, and the hub behind them.
    fn own_markers(&self) -> usize {
        self.carrier_count() + usize::from(self.disc.is_some())
    }

    /// Number of blades for the annuli.
    fn blade_count(&self) -> f64 {
        self.disc.as_ref().and_then(|d| d.blades).unwrap_or(self.lines.len()) as f64
    }

    /// Whether it has a disc.
    pub(super) fn has_disc(&self) -> bool {
        self.disc.is_some()
    }

    /// Its wings.
    pub(super) fn lines(&self) -> &[Line] {
        &self.lines
    }

    fn inflow_states(&self) -> usize {
        self.disc.as_ref().map_or(0, |d| d.inflow.state_count())
    }
}

impl Bound {
    /// All formulas.
    fn formulas(&self) -> impl Iterator<Item = &FieldFormula> {
        self.controls.iter().flatten().chain(self.prescribed.iter().filter_map(BoundField::formula))
    }
}
