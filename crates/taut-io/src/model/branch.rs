//! `branch`: which of several assembly modes a mechanism starts in, by signs of coordinates.

use super::ModelFile;
use super::node::Table;
use super::resolve::Context;
use crate::diagnostic::{Diagnostic, Place};
use taut::analyses::{
    AnalysisError, AssemblySettings, Branch, BranchReport, BranchSearch, InitialConditions, Output, Run, Simulation,
    Transient, assemble, branches,
};
use taut::{ColumnFamily, Columns, Model, State};

/// The words for signs.
const SIGNS: [&str; 2] = ["positive", "negative"];

/// The signs that a file requests.
#[derive(Clone, Debug)]
pub(crate) struct RequestedBranch {
    pub signs: Vec<(String, &'static str)>,
    place: Place,
}

/// Joint coordinates and measures of a branch, and the signs that distinguish it from the others; none if signs do not.
#[derive(Clone, Debug, PartialEq)]
pub struct BranchName {
    /// Coordinates and values; angles within ±π.
    pub coordinates: Vec<(String, f64)>,
    /// Coordinates and signs.
    pub signs: Vec<(String, &'static str)>,
}

/// Reads `branch = { "elbow.angle" = "positive" }`.
pub(super) fn read_branch(top: &Table, c: &mut Context) -> Option<RequestedBranch> {
    let node = top.get("branch")?;
    let Some(table) = node.table() else {
        c.diagnostics.push(Diagnostic::error("`branch` must be a table of coordinates and signs").at(&node.place));
        return None;
    };
    let mut signs = Vec::new();
    read_signs("", table, c, &mut signs);
    Some(RequestedBranch { signs, place: node.place.clone() })
}

fn read_signs(prefix: &str, table: &Table, c: &mut Context, signs: &mut Vec<(String, &'static str)>) {
    for entry in &table.0 {
        let name = format!("{prefix}{}", entry.key);
        if let Some(inner) = entry.node.table() {
            read_signs(&format!("{name}."), inner, c, signs);
            continue;
        }
        match entry.node.text().and_then(|word| SIGNS.iter().find(|s| **s == word)) {
            Some(sign) => signs.push((name, sign)),
            None => {
                let message = format!("branch, `{name}`: a sign is \"positive\" or \"negative\"");
                c.diagnostics.push(Diagnostic::error(message).at(&entry.place));
            }
        }
    }
}

/// Joint coordinates and measures at a state, then positions and angles of bodies.
fn coordinates(model: &Model, state: &State) -> Result<Vec<(String, f64)>, AnalysisError> {
    let mut all = recorded(model, state, vec![ColumnFamily::Joints, ColumnFamily::Measures])?;
    all.extend(recorded(model, state, vec![ColumnFamily::State])?);
    Ok(all)
}

/// Columns of these families at a state: of bodies those in m and rad, of others all but rates.
fn recorded(model: &Model, state: &State, families: Vec<ColumnFamily>) -> Result<Vec<(String, f64)>, AnalysisError> {
    let of_bodies = families == [ColumnFamily::State];
    let columns = Columns::Only(families);
    let settings = Transient::to(state.t).columns(columns).output(Output::Ends).start(InitialConditions::AsGiven);
    let mut run = Simulation::new(model, state, &settings)?;
    run.record_now();
    let solution = run.into_solution();
    let table = solution.table.columns().iter().skip(1);
    let wrapped = |unit: &str, x: f64| match unit {
        "rad" => x - std::f64::consts::TAU * (x / std::f64::consts::TAU).round(),
        _ => x,
    };
    let is_coordinate = |unit: &str| unit == "m" || unit == "rad" || !(of_bodies || unit.contains("/s"));
    let kept = table.filter(|c| is_coordinate(&c.unit));
    Ok(kept.filter_map(|c| c.data.first().map(|x| (c.name.clone(), wrapped(&c.unit, *x)))).collect())
}

fn sign(x: f64) -> &'static str {
    if x < 0.0 { SIGNS[1] } else { SIGNS[0] }
}

/// Names branches by as few signs as distinguish them.
///
/// # Errors
/// A branch that is no state of the model.
pub fn name_branches(model: &Model, found: &[Branch]) -> Result<Vec<BranchName>, AnalysisError> {
    let all: Vec<Vec<(String, f64)>> =
        found.iter().map(|b| coordinates(model, &b.state)).collect::<Result<_, AnalysisError>>()?;
    let count = all.first().map_or(0, Vec::len);
    let key = |chosen: &[usize], branch: usize| -> Vec<&'static str> {
        chosen.iter().map(|k| sign(all[branch][*k].1)).collect()
    };
    let groups = |chosen: &[usize]| -> usize {
        let mut keys: Vec<Vec<&str>> = (0..all.len()).map(|i| key(chosen, i)).collect();
        keys.sort();
        keys.dedup();
        keys.len()
    };
    let mut chosen: Vec<usize> = Vec::new();
    while groups(&chosen) < all.len() {
        let with = |k: usize| groups(&[&chosen[..], &[k]].concat());
        let Some(best) = (0..count).max_by_key(|k| (with(*k), std::cmp::Reverse(*k))) else { break };
        if with(best) == groups(&chosen) {
            break;
        }
        chosen.push(best);
    }
    if groups(&chosen) < all.len() {
        chosen.clear();
    }
    let signs = |own: &Vec<(String, f64)>| chosen.iter().map(|k| (own[*k].0.clone(), sign(own[*k].1))).collect();
    Ok(all.into_iter().map(|own| BranchName { signs: signs(&own), coordinates: own }).collect())
}

impl ModelFile {
    /// The assembly modes of the mechanism, with the hard values of `[start]`.
    ///
    /// # Errors
    /// As [`branches`].
    pub fn branches(&self, model: &Model, search: &BranchSearch) -> Result<BranchReport, AnalysisError> {
        branches(&self.spec, &self.state(model), &self.start_targets(), search)
    }

    /// Moves the initial state of the model to the branch that the file requests.
    pub(super) fn choose_branch(&self, model: &mut Model) -> Result<(), Diagnostic> {
        let Some(wanted) = &self.branch else { return Ok(()) };
        let failed = |e: AnalysisError| Diagnostic::error(format!("branch: {e}")).at(&wanted.place);
        let fits = |model: &Model, state: &State| -> Result<bool, Diagnostic> {
            let own = coordinates(model, state).map_err(failed)?;
            for (name, sign) in &wanted.signs {
                match own.iter().find(|(n, _)| n == name) {
                    Some((_, x)) if self::sign(*x) == *sign => {}
                    Some(_) => return Ok(false),
                    None => {
                        let names: Vec<&str> = own.iter().map(|(n, _)| n.as_str()).collect();
                        let message = format!("branch: there is no coordinate `{name}`");
                        let help = format!("the coordinates are: {}", names.join(", "));
                        return Err(Diagnostic::error(message).at(&wanted.place).help(&help));
                    }
                }
            }
            Ok(true)
        };
        let given = State { t: self.start_time, ..model.initial_state() };
        if let Ok(found) = assemble(model, &given, &AssemblySettings::default())
            && fits(model, &found.state)?
        {
            return Ok(());
        }
        let report = branches(&self.spec, &given, &self.start_targets(), &BranchSearch::default()).map_err(failed)?;
        for b in &report.branches {
            if fits(model, &b.state)? {
                let state = b.state.clone();
                return model.set_initial_state(state).map_err(|e| failed(e.into()));
            }
        }
        let message = format!("branch: none of the {} poses found has these signs", report.branches.len());
        let help = "`taut assemble --branches` lists them";
        Err(Diagnostic::error(message).at(&wanted.place).help(help))
    }
}
