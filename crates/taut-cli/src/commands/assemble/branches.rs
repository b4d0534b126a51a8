//! `taut assemble --branches`: all poses in which a mechanism can be assembled.

#[cfg(feature = "view")]
use super::branches_picture;
#[cfg(not(feature = "view"))]
use crate::commands::left_out;
use crate::exit::{CliError, ExitStatus, print_json, print_stdout};
#[cfg(feature = "view")]
use crate::file_format::PictureFormat;
use crate::options::OutputStyle;
use serde_json::json;
use std::fmt::Write;
use std::path::Path;
use taut::Model;
use taut::analyses::{BranchReport, BranchSearch, Completeness, GivenPose};
use taut_io::model::{BranchName, ModelFile, name_branches};
use taut_papers::text::{self, Align, number, table};

/// Most columns of coordinates in the table.
const MAX_COORDINATES: usize = 6;

/// Finds, names and prints the branches.
pub fn run(
    file: &ModelFile,
    model: &Model,
    search: &BranchSearch,
    style: OutputStyle,
    picture: Option<&Path>,
) -> Result<ExitStatus, CliError> {
    #[cfg(feature = "view")]
    let format = picture.map(PictureFormat::of).transpose()?;
    #[cfg(not(feature = "view"))]
    if picture.is_some() {
        return Err(left_out::missing("taut assemble --branches with a picture", "view"));
    }
    let found = file.branches(model, search)?;
    let names = name_branches(model, &found.branches)?;
    #[cfg(feature = "view")]
    if let (Some(path), Some(format)) = (picture, format) {
        branches_picture::write(file, model, &found, &names, path, format)?;
    }
    match style {
        OutputStyle::Json => print_json(&as_json(model, &found, &names))?,
        _ => print_stdout(&as_text(&found, &names))?,
    }
    Ok(if found.completeness == Completeness::CutOff { ExitStatus::Stopped } else { ExitStatus::Success })
}

fn as_json(model: &Model, found: &BranchReport, names: &[BranchName]) -> serde_json::Value {
    let (q, _) = model.state_names();
    let one = |(b, name): (&taut::analyses::Branch, &BranchName)| {
        let numbers: serde_json::Map<_, _> =
            q.iter().zip(&b.state.q).map(|(n, x)| (n.name.clone(), json!(x))).collect();
        let coordinates: serde_json::Map<_, _> = name.coordinates.iter().map(|(n, x)| (n.clone(), json!(x))).collect();
        let signs: serde_json::Map<_, _> = name.signs.iter().map(|(n, s)| (n.clone(), json!(s))).collect();
        json!({ "state": numbers, "coordinates": coordinates, "branch": signs, "found": b.found, "distance_m": b.distance })
    };
    json!({
        "count": found.branches.len(), "completeness": found.completeness, "bound": found.bound,
        "given_closes": found.given == GivenPose::FirstBranch, "nearest": found.nearest(), "starts": found.starts, "successes": found.successes,
        "branches": found.branches.iter().zip(names).map(one).collect::<Vec<_>>(),
    })
}

fn as_text(found: &BranchReport, names: &[BranchName]) -> String {
    let count = text::count(found.branches.len(), "branch", "branches");
    let starts = text::count(found.starts, "random start", "random starts");
    let mut out = match found.completeness {
        Completeness::Proven => format!("{count}: all that can exist, by theory\n"),
        Completeness::Found => format!("{count} found from {starts}; more are unlikely, but this is no proof\n"),
        Completeness::CutOff | Completeness::Interrupted => {
            format!("{count} found from {starts}; the search was cut off, more may exist\n")
        }
    };
    if found.given == GivenPose::Open {
        out.push_str("the given pose cannot be assembled\n");
    } else if found.nearest() != 0 {
        let _ = writeln!(out, "the given pose leads to branch 1, but branch {} is nearer to it", found.nearest() + 1);
    }
    let shown: Vec<&String> =
        names.first().iter().flat_map(|n| n.coordinates.iter().map(|(c, _)| c)).take(MAX_COORDINATES).collect();
    let head =
        ["branch", "found", "distance [m]"].map(String::from).into_iter().chain(shown.iter().map(|c| c.to_string()));
    let mut rows: Vec<Vec<String>> = vec![head.chain(["signs".to_string()]).collect()];
    for (i, (b, name)) in found.branches.iter().zip(names).enumerate() {
        let given = if i == 0 && found.given == GivenPose::FirstBranch { " (given)" } else { "" };
        let numbers = name.coordinates.iter().take(shown.len()).map(|(_, x)| number(*x));
        let signs: Vec<String> = name.signs.iter().map(|(n, s)| format!("{n} {s}")).collect();
        let first = [format!("{}{given}", i + 1), b.found.to_string(), number(b.distance)];
        rows.push(first.into_iter().chain(numbers).chain([signs.join(", ")]).collect());
    }
    let mut align = vec![Align::Right; shown.len() + 4];
    (align[0], align[shown.len() + 3]) = (Align::Left, Align::Left);
    out.push_str(&table(&align, &rows, "  "));
    if names.iter().all(|n| !n.signs.is_empty()) && names.len() > 1 {
        let signs: Vec<String> = names[0].signs.iter().map(|(n, s)| format!("\"{n}\" = \"{s}\"")).collect();
        let _ = writeln!(out, "to start in the first one: branch = {{ {} }}", signs.join(", "));
    }
    out
}
