//! The page of a sweep: its members, and the motion of the one that is clicked.

use super::TemporaryFolder;
use crate::commands::{report, run};
use crate::exit::{CliError, print_stderr};
use crate::options::ModelOverrides;
use serde_json::json;
use std::path::Path;
use std::sync::{Arc, Mutex};
use taut_sweep::{Status, StoredSweep};
use taut_view::page;
use taut_view::server::{HTML, OnDemand, RUN, Resources};

/// What the server serves for a sweep: its page, and `/member/N/` for every member.
pub fn resources(folder: &Path) -> Result<Resources, CliError> {
    let sweep = StoredSweep::open(folder)?;
    let page = page::sweep(&data(&sweep)).into_bytes();
    let viewer = page::served(page::html()?, 0).into_bytes();
    // One member at a time: two windows may ask for the same one.
    let sweep = Mutex::new(sweep);
    let make = move |path: &str| {
        let (member, file) = path.strip_prefix("/member/")?.split_once('/')?;
        let member: usize = member.parse().ok()?;
        match file {
            "" => Some((HTML, viewer.clone())),
            "run.taut" => {
                let sweep = sweep.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                match packed(&sweep, member) {
                    Ok(bytes) => Some((RUN, bytes)),
                    Err(why) => {
                        print_stderr(&format!("member {member} cannot be shown: {}", why.one_line()));
                        None
                    }
                }
            }
            _ => None,
        }
    };
    Ok(Resources { page, on_demand: Some(OnDemand(Arc::new(make))), ..Resources::default() })
}

/// The run of a member: as kept, or computed now.
fn packed(sweep: &StoredSweep, member: usize) -> Result<Vec<u8>, CliError> {
    if let Some(folder) = sweep.run_folder(member) {
        return report::pack_folder(&folder, 1);
    }
    let row = sweep.rows().iter().find(|r| r.member == member);
    let row = row.ok_or_else(|| CliError::new("it is not finished"))?;
    let (model, set) = sweep.model_of(row);
    let folder = std::env::temp_dir().join(format!("taut-view-{}-member", std::process::id()));
    let held = TemporaryFolder(folder.clone());
    run::Arguments::for_display(&model, &ModelOverrides { set }, &folder, run::RowDensity::Smooth).run()?;
    let bytes = report::pack_folder(&folder, 1);
    drop(held);
    bytes
}

/// The data of the page.
fn data(sweep: &StoredSweep) -> serde_json::Value {
    let parameters = sweep.parameters().iter().map(|p| (&p.name, &p.unit));
    let columns: Vec<(&String, &String)> =
        parameters.chain(sweep.columns().iter().map(|c| (&c.name, &c.unit))).collect();
    let rows = sweep.rows().iter().map(|r| {
        let values = r.parameters.iter().map(|v| json!(v)).chain(r.values.iter().map(|x| json!(x)));
        json!({
            "member": r.member,
            "values": values.collect::<Vec<_>>(),
            "ok": r.status == Status::Finished,
            "verdict": r.verdict,
            "message": r.message,
        })
    });
    json!({
        "title": sweep.title(),
        "members": sweep.members(),
        "parameters": sweep.parameters().len(),
        "names": columns.iter().map(|c| c.0).collect::<Vec<_>>(),
        "units": columns.iter().map(|c| c.1).collect::<Vec<_>>(),
        "rows": rows.collect::<Vec<_>>(),
    })
}
