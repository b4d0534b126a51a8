//! A sweep that is ready to run: the model parsed once, the design, the measures.

use crate::analysis::{Failure, Needs};
use crate::design::Design;
use crate::measure::{self, Lookup, Measure};
use crate::member::{MemberResult, Status};
use crate::request::Request;
use crate::source::{Extensions, ModelSource};
use serde::{Deserialize, Serialize};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Instant;
use taut::{Solution, Table};
use taut_io::diagnostic::{Diagnostic, Severity};
use taut_io::model::{ModelFile, ModelTemplate, Override};
use taut_io::results::{ExistingResults, Format, NewRun, fingerprint, write_solution};

/// Members that are tried to find the columns of the results.
const MAX_TRIALS: usize = 16;

/// A column of results.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResultColumn {
    /// Its name.
    pub name: String,
    /// Its unit; empty if it does not follow from the formula.
    pub unit: String,
    /// The formula.
    pub formula: String,
}

/// A sweep that is ready to run. Threads share it.
#[derive(Debug)]
pub struct Plan {
    request: Request,
    source: ModelSource,
    design: Design,
    measures: Vec<Measure>,
    columns: Vec<ResultColumn>,
    needs: Needs,
    keeps_runs: bool,
    title: String,
    fingerprint: String,
}

impl Plan {
    /// Reads the model, makes the design and finds the measures.
    ///
    /// # Errors
    /// A model or values that cannot be read, unknown parameters or columns.
    pub fn new(request: Request) -> Result<Plan, Vec<Diagnostic>> {
        let template = ModelTemplate::read(&request.model)?;
        Plan::with_template(request, template)
    }

    /// The same with the model as a text; its path finds included files.
    ///
    /// # Errors
    /// As [`new`](Plan::new).
    pub fn with_template(request: Request, template: ModelTemplate) -> Result<Plan, Vec<Diagnostic>> {
        Plan::with_extensions(request, template, Extensions::default())
    }

    /// The same with what a program adds to every member.
    ///
    /// # Errors
    /// As [`new`](Plan::new), and those of the addition.
    pub fn with_extensions(
        request: Request,
        template: ModelTemplate,
        extensions: Extensions,
    ) -> Result<Plan, Vec<Diagnostic>> {
        let source = ModelSource { template, addition: extensions.addition };
        let design = request.design().map_err(|e| vec![e])?;
        let set: Vec<Override> = overrides(&request.set);
        let base = source.model(&set)?;
        check_parameters(&source, &set, &design)?;
        let keeps_runs = request.keep.iter().any(|k| k == "run");
        if keeps_runs && !request.analysis.has_motion() {
            let message = "--keep run: this analysis has no motion that could be kept";
            return Err(vec![Diagnostic::error(message)]);
        }
        if extensions.keep_solutions && !request.analysis.has_motion() {
            let message = "a function cannot measure this analysis: it has no motion";
            return Err(vec![Diagnostic::error(message).help("give formulas over its columns, such as frequency_1")]);
        }
        let reference = reference(&request, &source, &set, &design)?;
        let measures = measures(&request, &reference)?;
        let column =
            |m: &Measure| ResultColumn { name: m.name.clone(), unit: m.unit(&reference), formula: m.text.clone() };
        let columns: Vec<ResultColumn> = measures.iter().map(column).collect();
        check_names(&design, &columns)?;
        // Included files are part of the resolved model.
        let resolved = base.write().unwrap_or_default();
        let question = serde_json::to_string(&Request { model: "".into(), ..request.clone() }).unwrap_or_default();
        let fingerprint = fingerprint(&format!("{}\n{resolved}\n{question}", source.template.text()));
        let name = request.model.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
        let title = if base.title.is_empty() { name } else { base.title };
        let needs = Needs::of(&measures, keeps_runs || extensions.keep_solutions);
        Ok(Plan { request, source, design, measures, columns, needs, keeps_runs, title, fingerprint })
    }

    /// What was requested.
    pub fn request(&self) -> &Request {
        &self.request
    }

    /// The members.
    pub fn design(&self) -> &Design {
        &self.design
    }

    /// The columns of results.
    pub fn columns(&self) -> &[ResultColumn] {
        &self.columns
    }

    /// Title of the model.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// Identifies model and request: two sweeps with the same fingerprint have the same members.
    pub fn fingerprint(&self) -> &str {
        &self.fingerprint
    }

    /// Whether whole runs are kept in the folder of the sweep.
    pub fn keeps_runs(&self) -> bool {
        self.keeps_runs
    }

    /// The model of a member.
    ///
    /// # Errors
    /// An invalid model for these values.
    pub fn model(&self, member: usize) -> Result<ModelFile, Vec<Diagnostic>> {
        self.source.model(&self.overrides(member))
    }

    /// Computes one member; none if the flag was set meanwhile. `runs` is the folder for whole runs.
    pub(crate) fn run_member(
        &self,
        member: usize,
        runs: Option<&Path>,
        lookup: &mut Lookup,
        flag: Option<&'static AtomicBool>,
    ) -> Option<(MemberResult, Option<MemberSolution>)> {
        let begun = Instant::now();
        let computed = catch_unwind(AssertUnwindSafe(|| self.compute(member, runs, lookup, flag)));
        let result =
            computed.unwrap_or_else(|_| Err(Failure::Invalid("internal error: the analysis panicked".to_string())));
        let blank = || MemberResult {
            member,
            parameters: self.design.values(member),
            values: vec![f64::NAN; self.measures.len()],
            status: Status::Failed,
            verdict: None,
            steps: 0,
            message: String::new(),
            seconds: 0.0,
        };
        let (row, solution) = match result {
            Ok((row, solution)) => (MemberResult { parameters: self.design.values(member), ..row }, solution),
            Err(Failure::Interrupted) => return None,
            Err(Failure::Invalid(message)) => (MemberResult { message, ..blank() }, None),
        };
        Some((MemberResult { member, seconds: begun.elapsed().as_secs_f64(), ..row }, solution))
    }

    fn compute(
        &self,
        member: usize,
        runs: Option<&Path>,
        lookup: &mut Lookup,
        flag: Option<&'static AtomicBool>,
    ) -> Result<(MemberResult, Option<MemberSolution>), Failure> {
        let own = self.overrides(member);
        let build = |more: &[Override]| self.source.model(&[&own[..], more].concat());
        let found = self.request.analysis.compute(&build, &self.needs, flag)?;
        if let (Some(solution), Some(runs)) = (&found.solution, runs.filter(|_| self.keeps_runs)) {
            let file = build(&[])?;
            let run = NewRun {
                title: file.title.clone(),
                model: file.write()?,
                settings: serde_json::to_value(&file.transient).unwrap_or_default(),
                time_step: found.time_step,
                format: Format::Npz,
                only: file.column_patterns.clone(),
                existing: ExistingResults::Replace,
            };
            write_solution(&runs.join(run_name(member)), &run, solution)
                .map_err(|e| Failure::Invalid(e.to_string()))?;
        }
        let stopped = found.stopped.is_some();
        let values = match stopped {
            true => vec![f64::NAN; self.measures.len()],
            false => measure::values(&self.measures, &found.evidence, lookup),
        };
        let row = MemberResult {
            member,
            parameters: Vec::new(),
            values,
            status: if stopped { Status::Stopped } else { Status::Finished },
            verdict: found.verdict.map(|v| v.to_string()),
            steps: found.steps,
            message: found.stopped.unwrap_or(found.message),
            seconds: 0.0,
        };
        let (peaks, found_all_peaks, time_step) = (found.evidence.peaks, found.found_all_peaks, found.time_step);
        let solution = found.solution.map(|solution| MemberSolution { solution, peaks, found_all_peaks, time_step });
        Ok((row, solution))
    }

    /// All overrides of a member.
    pub fn overrides(&self, member: usize) -> Vec<Override> {
        [overrides(&self.request.set), self.design.overrides(member)].concat()
    }
}

/// The motion of a member, for functions of a program that measure it.
#[derive(Clone, Debug)]
pub struct MemberSolution {
    /// The rows and how the analysis ended.
    pub solution: Solution,
    /// Rows at peaks of reactions between the rows.
    pub peaks: Table,
    /// Whether these are all peaks.
    pub found_all_peaks: bool,
    /// Length of the steps of a run by time stepping, s.
    pub time_step: Option<f64>,
}

/// The name of the folder in which the run of a member is kept.
pub(crate) fn run_name(member: usize) -> String {
    format!("{member:07}.run")
}

fn overrides(set: &[(String, String)]) -> Vec<Override> {
    set.iter().map(|(path, value)| Override { path: path.clone(), value: value.clone() }).collect()
}

/// If the first member cannot be read: reports parameters neither of whose end values can be read.
fn check_parameters(source: &ModelSource, set: &[Override], design: &Design) -> Result<(), Vec<Diagnostic>> {
    if source.model(&[set, &design.overrides(0)].concat()).is_ok() {
        return Ok(());
    }
    for (parameter, ends) in design.ends() {
        let change = |member: usize| design.values(member)[parameter].as_override(&design.parameters()[parameter]);
        let read = |member: usize| source.model(&[set, &[change(member)]].concat());
        if let [Err(findings), Err(_)] = ends.map(read) {
            let errors = findings.into_iter().filter(|f| f.severity == Severity::Error);
            return Err(errors.collect());
        }
    }
    Ok(())
}

/// The columns of the first member that has any, of several spread over the design.
fn reference(
    request: &Request,
    source: &ModelSource,
    set: &[Override],
    design: &Design,
) -> Result<Table, Vec<Diagnostic>> {
    let mut first = None;
    let trials = design.len().min(MAX_TRIALS);
    for k in 0..trials {
        let member = if trials > 1 { k * (design.len() - 1) / (trials - 1) } else { 0 };
        let own = [set, &design.overrides(member)].concat();
        let build = |more: &[Override]| source.model(&[&own[..], more].concat());
        match request.analysis.columns(&build) {
            Ok(table) => return Ok(table),
            Err(Failure::Invalid(why)) => _ = first.get_or_insert((member, why)),
            Err(Failure::Interrupted) => {}
        }
    }
    let (member, why) = first.unwrap_or_default();
    let message = format!("none of {trials} members could be computed; member {member}: {why}");
    Err(vec![Diagnostic::error(message).help("check the model with `taut check`, and the values that are varied")])
}

/// The measures that were requested, or those that suit the analysis.
fn measures(request: &Request, columns: &Table) -> Result<Vec<Measure>, Vec<Diagnostic>> {
    let mut found = Vec::new();
    let wanted: Vec<&str> = request.keep.iter().map(|k| k.trim()).filter(|k| *k != "run").collect();
    if wanted.is_empty() {
        found = request.analysis.default_measures(columns);
    }
    for text in wanted {
        match text {
            "extremes" => found.extend(measure::extremes(columns)),
            "verdict" => {}
            _ => found.push(Measure::parse(text).map_err(|e| vec![e])?),
        }
    }
    for measure in &found {
        for name in measure.columns() {
            columns.get(name).map_err(|e| {
                let help = "`taut run` and `taut plot RUN` list the columns of a model; [outputs] selects them";
                vec![Diagnostic::error(format!("--keep {}: {e}", measure.text)).help(help)]
            })?;
        }
    }
    Ok(found)
}

/// Names must be unique in the table.
fn check_names(design: &Design, columns: &[ResultColumn]) -> Result<(), Vec<Diagnostic>> {
    let own = ["member", "status", "verdict", "steps", "message"];
    let parameters = design.parameters().iter().map(|p| p.name.as_str());
    let mut seen: Vec<&str> = own.into_iter().chain(parameters).collect();
    for column in columns {
        if seen.contains(&column.name.as_str()) {
            let message = format!("--keep: two columns have the name `{}`", column.name);
            return Err(vec![Diagnostic::error(message).help("give one a name: NAME = FORMULA")]);
        }
        seen.push(&column.name);
    }
    Ok(())
}
