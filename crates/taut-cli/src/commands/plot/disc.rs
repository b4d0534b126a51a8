//! Quantities over a rotor disc.

use super::Arguments;
use crate::exit::{CliError, ExitStatus};
use std::f64::consts::TAU;
use taut_io::plot::{DiscMap, DiscSample};
use taut_io::results::{MODEL, StoredRun};

/// Fewest rows in the turn that is drawn.
const LEAST_ROWS: usize = 12;

/// A station of a wing: its place in the disc, and its azimuth and value over the rows.
struct Station {
    wing: String,
    sample: DiscSample,
}

impl Arguments {
    /// Draws quantities of the stations of a disc over its last turn.
    pub(super) fn plot_disc(&self, disc: &str, run: &StoredRun) -> Result<ExitStatus, CliError> {
        let wings = wings_of(disc, run)?;
        if self.columns.is_empty() {
            let help = format!("for example `taut plot RUN --disc {disc} alpha`");
            return Err(CliError::with_help("which quantity of the stations is to be drawn over the disc?", help));
        }
        let maps = self.columns.iter().map(|quantity| disc_map(run, disc, &wings, quantity));
        let maps = maps.collect::<Result<Vec<_>, _>>()?;
        let title = self.title.as_deref().unwrap_or(&run.manifest().title);
        let drawing = DiscMap::draw(&maps, title);
        self.write(&|| drawing.to_svg(), &|| drawing.to_png(2.0))
    }
}

/// The wings of a disc, from the model beside the run.
fn wings_of(disc: &str, run: &StoredRun) -> Result<Vec<String>, CliError> {
    let text = run.model()?;
    let file = taut_io::model::parse(&text, &run.folder().join(MODEL), &[])?;
    let found: Vec<String> =
        file.spec.wings.iter().filter(|w| w.item.disc.as_deref() == Some(disc)).map(|w| w.name.clone()).collect();
    if found.is_empty() {
        let names: Vec<&str> = file.spec.discs.iter().map(|d| d.name.as_str()).collect();
        let help = match names.as_slice() {
            [] => "the model has no discs".to_string(),
            _ => format!("discs: {}", names.join(", ")),
        };
        return Err(CliError::with_help(format!("there is no disc `{disc}`"), help));
    }
    Ok(found)
}

fn disc_map(run: &StoredRun, disc: &str, wings: &[String], quantity: &str) -> Result<DiscMap, CliError> {
    let mut stations: Vec<Station> = Vec::new();
    let mut unit = String::new();
    let mut quantities: Vec<&str> = Vec::new();
    for wing in wings {
        let of_wing = |name: &str| {
            let rest = name.strip_prefix(wing.as_str())?.strip_prefix(".s")?;
            let (number, quantity) = rest.split_once('.')?;
            number.parse::<usize>().ok().map(|n| (n, quantity.to_string()))
        };
        let mut found = Vec::new();
        for column in run.columns() {
            let Some((number, name)) = of_wing(&column.name) else { continue };
            if !quantities.contains(&column.name.rsplit('.').next().unwrap_or_default()) {
                quantities.push(column.name.rsplit('.').next().unwrap_or_default());
            }
            if name == quantity {
                unit.clone_from(&column.unit);
                found.push((number, column.name.as_str()));
            }
        }
        // Blades repeat each other: a wing whose radii are drawn already is left out.
        let mut of_one: Vec<Station> = Vec::new();
        for (number, name) in found {
            of_one.push(Station { wing: wing.clone(), sample: last_turn(run, wing, number, name)? });
        }
        let radii = |list: &[Station]| {
            let all = list.iter().map(|s| s.sample.radius);
            [all.clone().fold(f64::INFINITY, f64::min), all.fold(0.0, f64::max)]
        };
        let [low, high] = radii(&of_one);
        let is_new = stations.iter().all(|s| s.sample.radius < low || s.sample.radius > high);
        if is_new {
            stations.extend(of_one);
        }
    }
    if stations.is_empty() {
        let help = match quantities.is_empty() {
            true => "record them with `columns = \"stations\"` in the wings".to_string(),
            false => format!("recorded: {}", quantities.join(", ")),
        };
        return Err(CliError::with_help(format!("the stations of disc `{disc}` have no column `{quantity}`"), help));
    }
    let mut drawn: Vec<&str> = stations.iter().map(|s| s.wing.as_str()).collect();
    drawn.dedup();
    let unit = if unit == "1" { String::new() } else { format!(" [{unit}]") };
    let label = format!("{quantity}{unit}, last turn of {}", drawn.join(", "));
    Ok(DiscMap { label, stations: stations.into_iter().map(|s| s.sample).collect() })
}

/// A column of a station over the last turn.
fn last_turn(run: &StoredRun, wing: &str, number: usize, name: &str) -> Result<DiscSample, CliError> {
    let get = |quantity: &str| run.column(&format!("{wing}.s{number}.{quantity}"));
    let (radius, azimuth, values) = (get("radius")?, get("azimuth")?, run.column(name)?);
    // Azimuths without jumps.
    let mut whole = azimuth.clone();
    for k in 1..whole.len() {
        let step = azimuth[k] - azimuth[k - 1];
        whole[k] = whole[k - 1] + step - TAU * (step / TAU).round();
    }
    let end = whole.last().copied().unwrap_or_default();
    let first = whole.iter().rposition(|a| (end - a).abs() >= TAU * (1.0 - 1e-9));
    let Some(first) = first else {
        let turns = whole.first().map_or(0.0, |a| (end - a).abs() / TAU);
        let help = "a map shows the last whole turn";
        return Err(CliError::with_help(format!("wing `{wing}` has made only {turns:.2} turns"), help));
    };
    let rows = whole.len() - 1 - first;
    if rows < LEAST_ROWS {
        let message = format!("the last turn of wing `{wing}` has only {rows} rows, a map needs {LEAST_ROWS} or more");
        return Err(CliError::with_help(message, "record more rows: `every` in [outputs]"));
    }
    let radius = radius[first + 1..].iter().sum::<f64>() / rows as f64;
    Ok(DiscSample { radius, azimuth: azimuth[first + 1..].to_vec(), values: values[first + 1..].to_vec() })
}
