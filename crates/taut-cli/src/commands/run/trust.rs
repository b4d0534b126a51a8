//! The trust sheet of a run: what was checked, with which result, and what was not.

use super::{trust_content, trust_drawing, trust_page};
use crate::exit::{CliError, print_stderr};
use crate::interrupt;
use crate::options::OutputStyle;
use crate::overwrite::{IfExists, check_overwrite, check_writable};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::Duration;
use taut::analyses::{
    CheckPlan, CheckRun, CheckedExtreme, DeterminacyReport, Disagreement, ElementAccount, KeepRows, Output,
    check_plans, checked_extremes, element_accounts, equation_condition, first_disagreement, multipliers, run_check,
};
use taut::{Coverage, Extremes, Model, Outcome, Solution, State, Table, Warning};
use taut_io::model::ModelFile;
use taut_io::results::StoredRun;

/// Runs disagree where a column differs by more than this part of the largest value with its unit.
const DISAGREEMENT: f64 = 1e-3;
/// Most numbers of a run that are compared row by row.
const MAX_VALUES: usize = 1 << 24;
/// A check may take this many times as long as the run, and at least so long.
const TIME_LIMIT_FACTOR: u32 = 20;
const LEAST_TIME_LIMIT: Duration = Duration::from_secs(20);

/// A trust sheet that is to be written.
pub struct SheetRequest {
    /// Where to.
    pub page: PathBuf,
    /// The state in which the run started.
    pub start: State,
}

/// A run whose sheet is written.
pub struct CheckedRun<'a> {
    pub name: &'a str,
    pub model: &'a Model,
    pub file: &'a ModelFile,
    pub sheet: &'a SheetRequest,
    pub folder: &'a Path,
    pub outcome: &'a Outcome,
    pub found: &'a Solution,
    pub extremes: &'a Extremes,
}

/// Both files of a sheet: the page, and the same numbers as JSON.
pub fn files(page: &Path) -> [PathBuf; 2] {
    [page.to_path_buf(), page.with_extension("json")]
}

/// Whether a sheet is drawn as SVG.
fn is_picture(page: &Path) -> bool {
    page.extension().is_some_and(|e| e.eq_ignore_ascii_case("svg"))
}

/// Checks that a sheet may be written; an earlier sheet is replaced, because it can be computed again.
///
/// # Errors
/// Another file is there and is to be kept, the file is the model, it cannot be written, or its format is unknown.
pub fn check_replaceable(page: &Path, model: &Path, force: bool) -> Result<(), CliError> {
    let extension = page.extension().and_then(|e| e.to_str()).unwrap_or("");
    if !["html", "htm", "svg"].contains(&extension.to_lowercase().as_str()) {
        let what = format!("--trust {}: the trust sheet is written as .html or .svg", page.display());
        return Err(CliError::new(what));
    }
    let is_sheet = std::fs::read_to_string(page).is_ok_and(|text| text.contains("<title>Trust sheet: "));
    files(page).iter().try_for_each(|output| {
        check_overwrite(output, model, IfExists::from(force || is_sheet))?;
        check_writable(output)
    })
}

/// One check with what came of it.
struct Check {
    run: CheckRun,
    disagreement: Option<Disagreement>,
    rows_compared: bool,
}

impl CheckedRun<'_> {
    /// Checks the run and writes its sheet.
    ///
    /// # Errors
    /// Results that cannot be read, or files that cannot be written.
    pub fn write(&self, style: OutputStyle) -> Result<(), CliError> {
        let sheet = self.sheet(style)?;
        let [page_path, data] = files(&self.sheet.page);
        let text = serde_json::to_string_pretty(&sheet).map_err(|e| CliError::new(format!("trust sheet: {e}")))?;
        let blocks = trust_content::blocks(&sheet);
        let page = match is_picture(&page_path) {
            true => trust_drawing::drawing(&blocks).to_svg(),
            false => trust_page::html(&blocks),
        };
        for (path, text) in [(&page_path, page), (&data, text)] {
            std::fs::write(path, text).map_err(|e| CliError::file_error("write", path, &e))?;
        }
        if style != OutputStyle::Silent {
            print_stderr(&format!("wrote the trust sheet {} and {}", page_path.display(), data.display()));
        }
        Ok(())
    }

    fn sheet(&self, style: OutputStyle) -> Result<Value, CliError> {
        let stored = StoredRun::open(self.folder)?;
        let manifest = stored.manifest();
        let mut not_checked = Vec::new();
        let own = self.own_rows(&stored, &mut not_checked)?;
        let checks = self.checks(manifest.time_step, own.as_ref(), style, &mut not_checked);
        let complete: Vec<&Extremes> = checks.iter().filter(|c| c.run.is_complete()).map(|c| &c.run.extremes).collect();
        let extremes = checked_extremes(self.extremes, &complete);
        let end = self.found.final_state();
        let determinacy = match multipliers(self.model, &self.sheet.start) {
            Ok(lambda) => DeterminacyReport::at(self.model, &self.sheet.start, &lambda),
            Err(e) => DeterminacyReport::not_examined(&e),
        };
        not_checked.extend(determinacy.notes.iter().map(|n| format!("determinacy: {n}")));
        if self.extremes.coverage == Coverage::Rows {
            not_checked.push("extremes between output rows".to_string());
        }
        not_checked.push("the model itself: masses, dimensions, force laws, limits of the material".to_string());
        Ok(json!({
            "title": manifest.title, "model": self.name, "model_sha256": manifest.model_sha256,
            "taut": manifest.versions.taut, "settings": manifest.settings, "time_step": manifest.time_step,
            "outcome": self.outcome.to_string(), "t": [self.sheet.start.t, end.t],
            "verdict": self.found.verdict, "cause": Warning::decisive(&self.found.warnings),
            "warnings": self.found.warnings, "statistics": self.found.statistics,
            "checks": checks.iter().map(check_json).collect::<Vec<_>>(),
            "agree_within": DISAGREEMENT,
            "extremes": extremes.iter().map(|e| self.extreme_json(e)).collect::<Vec<_>>(),
            "energy": self.energy(&stored)?,
            "accounts": self.accounts(&stored, end)?,
            "residuals": self.residuals(),
            "determinacy": determinacy,
            "condition": { "start": equation_condition(self.model, &self.sheet.start).ok(), "end": equation_condition(self.model, end).ok() },
            "rank": rank_range(&stored)?,
            "not_checked": not_checked,
        }))
    }

    /// The rows of the run; none if the checks have other rows, or if they are too many.
    fn own_rows(&self, stored: &StoredRun, not_checked: &mut Vec<String>) -> Result<Option<Table>, CliError> {
        let names: Vec<&str> = stored.columns().iter().map(|c| c.name.as_str()).collect();
        if self.file.transient.output == Output::Steps {
            not_checked
                .push("rows: they are those of the steps, which every check takes elsewhere; give `every`".to_string());
        } else if names.len() * stored.manifest().table.rows > MAX_VALUES {
            not_checked.push("rows: they are too many to be compared; only extremes were".to_string());
        } else {
            return Ok(Some(stored.table(&names)?));
        }
        Ok(None)
    }

    fn checks(
        &self,
        time_step: Option<f64>,
        own: Option<&Table>,
        style: OutputStyle,
        not_checked: &mut Vec<String>,
    ) -> Vec<Check> {
        let limit = LEAST_TIME_LIMIT.max(self.found.elapsed * TIME_LIMIT_FACTOR);
        let keep = if own.is_some() { KeepRows::Yes } else { KeepRows::No };
        let mut list = Vec::new();
        let mut add = |model: &Model, state: &State, plan: &CheckPlan, keep: KeepRows| {
            if style != OutputStyle::Silent {
                print_stderr(&format!("checking with {}", plan.what));
            }
            let run = run_check(model, state, plan, limit, keep, &interrupt::stop_requested);
            let rows = own.filter(|_| keep == KeepRows::Yes && !run.rows.is_empty());
            let disagreement = rows.and_then(|own| first_disagreement(own, &run.rows, DISAGREEMENT));
            list.push(Check { rows_compared: rows.is_some(), disagreement, run });
        };
        let plans = check_plans(&self.file.transient, self.file.contact_method, time_step);
        let state = self.file.state(self.model);
        plans
            .iter()
            .for_each(|plan| add(self.model, &state, plan, if plan.has_same_rows { keep } else { KeepRows::No }));
        if !self.file.spec.beams.is_empty() {
            match self.finer_mesh() {
                Some((file, model, what)) => {
                    let (settings, method) = (file.transient.clone(), file.contact_method);
                    let plan = CheckPlan { what, settings, method, has_same_rows: false };
                    add(&model, &file.state(&model), &plan, KeepRows::No);
                }
                None => not_checked.push(
                    "the mesh of beams: the model gives the states of nodes, refers to an element, or cannot be refined".to_string(),
                ),
            }
        }
        for check in list.iter().filter(|c| !c.run.is_complete()) {
            let why = match &check.run.outcome {
                Ok(outcome) => outcome.to_string(),
                Err(why) => why.clone(),
            };
            not_checked.push(format!("{}: {why}", check.run.what));
        }
        list
    }

    /// The model with twice as many elements in every beam.
    fn finer_mesh(&self) -> Option<(ModelFile, Model, String)> {
        let file = self.file.with_finer_beams()?;
        let model = file.build().ok()?;
        let mut counts: Vec<usize> = file.spec.beams.iter().map(|b| b.item.elements).collect();
        counts.sort_unstable();
        counts.dedup();
        let what = match counts[..] {
            [n] => format!("twice as many elements, {n} per beam"),
            _ => "twice as many elements in every beam".to_string(),
        };
        Some((file, model, what))
    }

    fn extreme_json(&self, e: &CheckedExtreme) -> Value {
        let label = self.extremes.determinacy_remark(&e.name).unwrap_or_else(|| "unique".to_string());
        json!({
            "name": e.name, "quantity": e.quantity, "unit": e.unit, "value": e.value, "t": e.t,
            "error": e.error, "digits": e.digits, "text": e.text(), "determinacy": label,
        })
    }

    fn residuals(&self) -> Value {
        let level = |l: &taut::ResidualLevel| {
            let row = (l.row < self.model.rows.len()).then(|| self.model.row_name(l.row));
            json!({ "level": l.name, "worst": l.worst.value, "t": l.worst.t, "row": row })
        };
        self.extremes.residual_levels.iter().map(level).collect()
    }

    fn energy(&self, stored: &StoredRun) -> Result<Value, CliError> {
        let ends = |name: &str| -> Result<Value, CliError> {
            if !stored.columns().iter().any(|c| c.name == name) {
                return Ok(Value::Null);
            }
            let data = stored.column(name)?;
            Ok(json!([data.first(), data.last()]))
        };
        Ok(json!({
            "kinetic": ends("energy.kinetic")?, "potential": ends("energy.potential")?, "work": ends("energy.work")?,
            "friction": ends("energy.friction")?, "impacts": ends("energy.impacts")?, "largest_balance": self.extremes.energy_balance.map(|(_, p)| p.value),
        }))
    }

    /// Energy and momentum of every element at the start and at the end; nodes and elements of a beam are summed.
    fn accounts(&self, stored: &StoredRun, end: &State) -> Result<Value, CliError> {
        let (Ok(first), Ok(last)) =
            (element_accounts(self.model, &self.sheet.start), element_accounts(self.model, end))
        else {
            return Ok(json!([]));
        };
        let beams: Vec<&str> = self.file.spec.beams.iter().map(|b| b.name.as_str()).collect();
        let owner = |name: &str| -> String {
            // Nodes are `arm_3`, elements `arm.e3`.
            let is_part = |rest: &str| {
                let number = rest.strip_prefix('_').or_else(|| rest.strip_prefix(".e"));
                number.is_some_and(|k| k.parse::<usize>().is_ok())
            };
            let of = beams.iter().find(|b| name.strip_prefix(**b).is_some_and(is_part));
            of.map_or(name.to_string(), |b| b.to_string())
        };
        let mut rows: Vec<(String, &'static str, [ElementAccount; 2], Option<f64>)> = Vec::new();
        for (a, b) in first.iter().zip(&last) {
            let name = owner(&a.name);
            let family = if name == a.name { a.family } else { "beam" };
            let work = self.work(stored, &a.name)?;
            match rows.iter_mut().find(|(n, f, ..)| *n == name && *f == family) {
                Some((_, _, sums, total)) => {
                    sums.iter_mut().zip([a, b]).for_each(|(sum, own)| {
                        sum.kinetic += own.kinetic;
                        sum.potential += own.potential;
                        sum.momentum.iter_mut().zip(own.momentum).for_each(|(s, x)| *s += x);
                    });
                    *total = total.zip(work).map(|(a, b)| a + b).or(*total).or(work);
                }
                None => rows.push((name, family, [a.clone(), b.clone()], work)),
            }
        }
        let one = |(name, family, [a, b], work): &(String, &'static str, [ElementAccount; 2], Option<f64>)| {
            json!({
                "name": name, "family": family, "kinetic": [a.kinetic, b.kinetic],
                "potential": [a.potential, b.potential], "momentum": [a.momentum, b.momentum], "work_of_rows": work,
            })
        };
        Ok(rows.iter().map(one).collect())
    }

    /// ∫ power dt of a force over the rows, by the trapezoidal rule.
    fn work(&self, stored: &StoredRun, name: &str) -> Result<Option<f64>, CliError> {
        let power = format!("{name}.power");
        if !stored.columns().iter().any(|c| c.name == power) {
            return Ok(None);
        }
        let (t, p) = (stored.column("t")?, stored.column(&power)?);
        let steps = t.windows(2).zip(p.windows(2)).map(|(t, p)| 0.5 * (t[1] - t[0]) * (p[0] + p[1]));
        Ok(Some(steps.sum()))
    }
}

fn check_json(check: &Check) -> Value {
    let outcome = match &check.run.outcome {
        Ok(outcome) => outcome.to_string(),
        Err(why) => why.clone(),
    };
    json!({
        "what": check.run.what, "outcome": outcome, "complete": check.run.is_complete(), "verdict": check.run.verdict,
        "rows_compared": check.rows_compared, "first_disagreement": check.disagreement,
    })
}

/// Smallest and largest rank over the rows, and the times at which it is smaller than the largest.
fn rank_range(stored: &StoredRun) -> Result<Value, CliError> {
    if !stored.columns().iter().any(|c| c.name == "rank") {
        return Ok(Value::Null);
    }
    let (t, rank) = (stored.column("t")?, stored.column("rank")?);
    let finite = || rank.iter().filter(|r| r.is_finite());
    let (least, most) = (finite().fold(f64::INFINITY, |a, r| a.min(*r)), finite().fold(0.0_f64, |a, r| a.max(*r)));
    let times: Vec<f64> = t.iter().zip(&rank).filter(|(_, r)| **r < most).map(|(t, _)| *t).take(10).collect();
    Ok(if least.is_finite() { json!({ "least": least, "most": most, "lower_at": times }) } else { Value::Null })
}
