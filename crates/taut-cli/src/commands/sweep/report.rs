//! Progress and summary of a sweep.

use crate::exit::{CliError, print_json, print_stderr, print_stdout};
use crate::options::OutputStyle;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::{Value as Json, json};
use std::time::Instant;
use taut_papers::text::{self, Align, number, table};
use taut_sweep::{Execution, MemberResult, Plan, Progress, Status, StoredSweep, SweepFolder};

/// Ranges of results are printed for sweeps of at most so many members.
const MAX_SUMMARISED: usize = 200_000;

/// Shows progress, collects messages.
pub struct SweepReport {
    style: OutputStyle,
    bar: ProgressBar,
    clock: Instant,
    /// Members that were done before.
    before: usize,
    names: (Vec<String>, Vec<String>),
    /// The first member that failed, and why.
    first_failure: Option<(usize, String)>,
    wrong: usize,
}

impl SweepReport {
    /// Shows the bar.
    pub fn begin(plan: &Plan, folder: &SweepFolder, jobs: usize, style: OutputStyle) -> SweepReport {
        let (total, before) = folder.progress();
        let target = match style {
            OutputStyle::Silent => ProgressDrawTarget::hidden(),
            _ => ProgressDrawTarget::stderr_with_hz(8),
        };
        let bar = ProgressBar::with_draw_target(Some(total as u64), target);
        if let Ok(template) =
            ProgressStyle::with_template("{bar:20} {pos} of {len} members, {per_sec}, {eta} left{msg}")
        {
            bar.set_style(template);
        }
        bar.set_position(before as u64);
        bar.reset_eta();
        if style == OutputStyle::Text {
            let threads = text::count(jobs, "thread", "threads");
            let resumed = if before > 0 { format!(", {before} of them done") } else { String::new() };
            print_stderr(&format!("{}: {total} members{resumed}, on {threads}", plan.title()));
        }
        let parameters = plan.design().parameters().iter().map(|p| p.name.clone()).collect();
        let results = plan.columns().iter().map(|c| c.name.clone()).collect();
        let clock = Instant::now();
        SweepReport { style, bar, clock, before, names: (parameters, results), first_failure: None, wrong: 0 }
    }

    /// Takes note of new members.
    pub fn update(&mut self, progress: Progress, rows: &[MemberResult]) {
        for row in rows {
            if row.status != Status::Finished && self.first_failure.is_none() {
                self.first_failure = Some((row.member, row.message.clone()));
            }
            self.wrong += usize::from(row.verdict.as_deref() == Some("wrong"));
            if self.style == OutputStyle::Json {
                // A closed stdout does not stop the sweep.
                let _ = print_stdout(&format!("{}\n", self.json(row)));
            }
        }
        self.bar.set_position(progress.done as u64);
        if progress.failed > 0 {
            self.bar.set_message(format!(", {} failed", progress.failed));
        }
    }

    fn json(&self, row: &MemberResult) -> Json {
        let parameters: serde_json::Map<String, Json> =
            self.names.0.iter().zip(&row.parameters).map(|(n, v)| (n.clone(), json!(v))).collect();
        let results: serde_json::Map<String, Json> =
            self.names.1.iter().zip(&row.values).map(|(n, x)| (n.clone(), json!(x))).collect();
        json!({
            "member": row.member,
            "parameters": parameters,
            "results": results,
            "status": row.status.label(),
            "verdict": row.verdict,
            "steps": row.steps,
            "message": row.message,
            "seconds": row.seconds,
        })
    }

    /// Prints the summary.
    pub fn finish(self, plan: &Plan, folder: &SweepFolder, ended: Execution) -> Result<(), CliError> {
        self.bar.finish_and_clear();
        let seconds = self.clock.elapsed().as_secs_f64();
        let Progress { total, done, failed } = ended.progress;
        let shown = folder.path().display();
        match self.style {
            OutputStyle::Silent => Ok(()),
            OutputStyle::Json => print_json(&json!({
                "folder": folder.path(),
                "members": total,
                "done": done,
                "failed": failed,
                "interrupted": ended.interrupted,
                "seconds": seconds,
            })),
            OutputStyle::Text => {
                let rate = number((done - self.before) as f64 / seconds.max(1e-9));
                let mut out = format!(
                    "{done} of {total} members, {failed} failed, after {} ({rate} per second)\n",
                    text::clock(seconds)
                );
                if total <= MAX_SUMMARISED {
                    out.push_str(&ranges(plan, &StoredSweep::open(folder.path())?));
                }
                out.push_str(&format!("results    {shown} (table.csv, table.parquet)\n"));
                if let Some((member, why)) = &self.first_failure {
                    print_stderr(&format!("warning: member {member} failed: {why}"));
                }
                if self.wrong > 0 {
                    print_stderr(&format!("warning: the audit finds the results of {} members wrong", self.wrong));
                }
                print_stdout(&out)
            }
        }
    }
}

/// The range of every result, with the members at its ends.
fn ranges(plan: &Plan, sweep: &StoredSweep) -> String {
    let heads = ["", "unit", "smallest", "member", "largest", "member"];
    let mut rows = vec![heads.map(String::from).to_vec()];
    for (i, column) in plan.columns().iter().enumerate() {
        let values = || sweep.rows().iter().map(|r| (r.values[i], r.member)).filter(|(x, _)| x.is_finite());
        let ends = (values().min_by(|a, b| a.0.total_cmp(&b.0)), values().max_by(|a, b| a.0.total_cmp(&b.0)));
        let (Some((low, at_low)), Some((high, at_high))) = ends else { continue };
        let unit = column.unit.clone();
        rows.push(vec![column.name.clone(), unit, number(low), at_low.to_string(), number(high), at_high.to_string()]);
    }
    if rows.len() == 1 {
        return String::new();
    }
    use Align::{Left, Right};
    table(&[Left, Left, Right, Right, Right, Right], &rows, "")
}
