//! `taut run`: the motion in time, into a folder of results.

mod row_density;
mod trust;
mod trust_content;
mod trust_drawing;
mod trust_page;

pub use row_density::RowDensity;

use crate::commands::lab;
#[cfg(not(feature = "view"))]
use crate::commands::left_out;
#[cfg(feature = "view")]
use crate::commands::report;
use crate::exit::{self, CliError, ExitStatus, print_json, print_stderr, print_stdout};
use crate::expectations::{self, CheckedExpectation};
use crate::interrupt;
use crate::options::{
    ModelOverrides, OutputOptions, OutputStyle, RunSettings, TableFormat, open_model_file, require_fixed_step, stem,
};
#[cfg(feature = "view")]
use crate::overwrite::check_overwrite;
use crate::progress::Progress;
use crate::run_folder;
use crate::summary::Summary;
use clap::{Args, ValueEnum};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use taut::analyses::{self, AnalysisError, Limits, RankReport, RunMethod, StartedRun, Transient, rank, start_run};
use taut::{Coverage, Extremes, Model, Outcome, Solution, Table, Verdict};
use taut_io::model::{self, ModelFile, Override};
use taut_io::results::{self, DriveOptions, DriveOutcome, Go, NewRun, RunWriter, StoredRun, unmatched};
use taut_papers::text;
use trust::{CheckedRun, SheetRequest};

/// Most numbers of an earlier part that are read for the summary of a resumed run.
const MAX_VALUES_REREAD: usize = 1 << 25;

/// A verdict of the audit that does not fail the command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Accept {
    /// Results that violate a law of mechanics.
    Wrong,
}

/// Arguments of `taut run`.
#[derive(Debug, Args)]
#[command(after_help = "\
Results go to the folder MODEL.run in the current directory. A finished run in that folder is replaced, with a notice. A run \
that was interrupted or stopped by --wall-clock or --max-steps is replaced only with --force. A folder with other content \
is never touched. Ctrl-C keeps everything computed so far; --resume continues the run, with bitwise the same results as without \
the interruption; the limits start again. If the model contains [[expect]] entries, they are checked. Every run is audited (docs/trust.md). The \
first line of the summary gives the verdict: sound, doubtful or wrong. If it is wrong, the exit code is 3; the results are kept.

Examples:
  taut run crank.toml
  taut run crank.toml -t \"10 s\" --every \"5 ms\" --rtol 1e-10
  taut run chain.toml --set n=50 --set link2.mass=\"3 kg\" -o heavy.run
  taut run crank.toml --format parquet --json
  taut run crank.toml --report  # also write crank.html, a self-contained report
  taut run crank.toml --trust  # also check the run by others: crank.trust.html
  taut run crank.toml --method all  # same as taut lab crank.toml
  taut run --resume crank.run")]
pub struct Arguments {
    /// Model file: TOML, URDF, or MJCF (.xml)
    #[arg(required_unless_present = "resume")]
    model: Option<PathBuf>,
    #[command(flatten)]
    changes: ModelOverrides,
    /// Folder for the results [default: MODEL.run]
    #[arg(short, long, value_name = "FOLDER")]
    output: Option<PathBuf>,
    /// Format of the result table: text (csv), compressed columns (parquet) or NumPy (npz)
    #[arg(long, value_enum, default_value_t)]
    format: TableFormat,
    /// Replace an unfinished run, which could still be resumed
    #[arg(long)]
    force: bool,
    /// Resume an interrupted or limited run, with the model and settings stored in its folder
    #[arg(long, value_name = "FOLDER")]
    #[arg(conflicts_with_all = ["model", "set", "output", "format", "force", "duration", "start_time", "rtol", "atol", "step",
        "max_step", "method", "formulation", "drift", "start", "max_steps", "wall_clock", "every"])]
    resume: Option<PathBuf>,
    /// Exit with code 0 even if the audit finds the results wrong
    #[arg(long, value_enum, value_name = "VERDICT")]
    accept: Option<Accept>,
    /// Also write an HTML report [default: name of the folder with .html]
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true)]
    report: Option<Option<PathBuf>>,
    /// Verify the run by further runs and write a trust sheet, as .html or .svg, and JSON [default: name of the folder with
    /// .trust.html]
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, conflicts_with = "resume")]
    trust: Option<Option<PathBuf>>,
    #[command(flatten)]
    printing: OutputOptions,
    #[command(flatten)]
    settings: RunSettings,
    #[arg(skip)]
    rows: RowDensity,
}

impl Arguments {
    /// A run with all columns into a folder, to be looked at.
    pub fn for_display(model: &Path, changes: &ModelOverrides, folder: &Path, rows: RowDensity) -> Arguments {
        let all = [("outputs.columns", "all"), ("outputs.only", "[]")];
        let wanted = all.map(|(path, value)| Override { path: path.to_string(), value: value.to_string() });
        Arguments {
            model: Some(model.to_path_buf()),
            changes: ModelOverrides { set: changes.set.iter().cloned().chain(wanted).collect() },
            output: Some(folder.to_path_buf()),
            format: TableFormat::Npz,
            force: false,
            resume: None,
            accept: None,
            report: None,
            trust: None,
            printing: OutputOptions::quiet(),
            settings: RunSettings::default(),
            rows,
        }
    }

    /// Runs. This build writes no reports.
    #[cfg(not(feature = "view"))]
    pub fn run(self) -> Result<ExitStatus, CliError> {
        match self.report {
            Some(_) => Err(left_out::missing("taut run --report", "view")),
            None => self.run_without_report(),
        }
    }

    /// Runs, and reports if requested to.
    #[cfg(feature = "view")]
    pub fn run(mut self) -> Result<ExitStatus, CliError> {
        let Some(file) = self.report.take() else { return self.run_without_report() };
        if self.settings.method.as_deref() == Some("all") {
            return Err(CliError::new("--report needs a single run: choose one method, or omit --report"));
        }
        let folder = match (&self.resume, &self.model) {
            (Some(folder), _) => folder.clone(),
            (None, Some(model)) => run_folder::output_folder(self.output.clone(), &stem(model), "run"),
            (None, None) => PathBuf::new(),
        };
        // What would be in the way afterwards is said before.
        let output = file.unwrap_or_else(|| report::default_report_path(&folder));
        let there = self.force.into();
        check_overwrite(&output, self.model.as_deref().unwrap_or(&folder.join(results::MODEL)), there)?;
        taut_view::page::html()?;
        let ending = self.run_without_report()?;
        report::write_report(&folder, &[], &output)?;
        Ok(ending)
    }

    fn run_without_report(self) -> Result<ExitStatus, CliError> {
        let begun = Instant::now();
        let style = self.printing.style();
        match (&self.model, self.resume) {
            (_, Some(folder)) => resume(&folder, style, self.accept),
            (Some(_), None) if self.trust.is_some() && self.settings.method.as_deref() == Some("all") => {
                Err(CliError::new("--trust needs a single run: choose one method, or omit --trust"))
            }
            (Some(path), None) if self.settings.method.as_deref() == Some("all") => {
                lab::Arguments::from_run(path.clone(), self.changes, self.output, self.printing, self.settings).run()
            }
            (Some(path), None) => {
                let accept = self.accept;
                let unfinished = self.force.into();
                let changes = [self.changes.set, self.settings.overrides()].concat();
                let (mut file, model) = open_model_file(path, &changes, style)?;
                let (start, end) = (file.state(&model).t, file.transient.t_end);
                self.rows.apply(&mut file.transient.output, start, end);
                let name = stem(path);
                let StartedRun { run, time_step, notice } = start_simulation(&model, &file, file.contact_method)?;
                let folder = run_folder::output_folder(self.output, &name, "run");
                run_folder::check_replaceable(&folder, unfinished, style)?;
                let page = self.trust.map(|page| page.unwrap_or_else(|| folder.with_extension("trust.html")));
                page.iter().try_for_each(|page| trust::check_replaceable(page, path, self.force))?;
                let sheet = page.map(|page| SheetRequest { page, start: run.state() });
                let about = NewRun { time_step, ..run_folder::new_run(&file, &name, self.format)? };
                warn_unmatched_patterns(&about.only, run.table());
                let writer = RunWriter::create(&folder, &about, run.table())?;
                let extremes = Extremes::of(&model, run.table());
                notice.iter().filter(|_| style != OutputStyle::Silent).for_each(|notice| print_stderr(notice));
                RunJob { name, folder, model: &model, file: &file, style, accept, begun, sheet }
                    .run_event_driven(run, writer, extremes)
            }
            (None, None) => Err(CliError::new("no model file given")),
        }
    }
}

/// A run at its start. Its limits are left to the drive, which stops at them so that the run can be resumed.
fn start_simulation<'m>(model: &'m Model, file: &ModelFile, method: RunMethod) -> Result<StartedRun<'m>, CliError> {
    let settings = Transient { limits: Limits::default(), ..file.transient.clone() };
    start_run(model, &file.state(model), &settings, method).map_err(|e| match (&e, require_fixed_step(&settings)) {
        (AnalysisError::Integrator(_), Err(no_step)) => no_step,
        _ => file.diagnose(&e).into(),
    })
}

/// Says which patterns of columns fit none.
fn warn_unmatched_patterns(only: &[String], table: &Table) {
    for pattern in unmatched(only, table) {
        print_stderr(&format!(
            "warning: `{pattern}` in outputs.only matches no column; `taut plot RUN` lists the columns"
        ));
    }
}

/// Goes on with an interrupted run.
fn resume(folder: &Path, style: OutputStyle, accept: Option<Accept>) -> Result<ExitStatus, CliError> {
    let begun = Instant::now();
    let found = results::resume(folder)?;
    let ended = &found.manifest.outcome;
    if !run_folder::is_resumable(ended) {
        let help = "run the model again; it may get further with other settings";
        return Err(CliError::with_help(
            format!("{}: the run cannot be resumed, because it ended: {ended}", folder.display()),
            help,
        ));
    }
    let mut file = model::parse(&found.model, &folder.join(results::MODEL), &[])?;
    let model = file.build()?;
    let settings: Transient = serde_json::from_value(found.manifest.settings.clone()).map_err(|e| {
        let path = folder.join(results::MANIFEST);
        CliError::new(format!("{}: cannot read the settings: {e}", path.display()))
    })?;
    file.transient = settings;
    let job = RunJob {
        name: stem(folder),
        folder: folder.to_path_buf(),
        model: &model,
        file: &file,
        style,
        accept,
        begun,
        sheet: None,
    };
    let mut run = start_simulation(&model, &file, found.checkpoint.method())?.run;
    run.search_peaks();
    // Rows and events of the start are in the folder already.
    run.take_rows();
    run.take_events();
    run.restore(&found.checkpoint)?;
    let mut extremes = Extremes::of(&model, run.table());
    let writer = found.writer(run.table())?;
    add_earlier_rows(folder, &model, &mut extremes)?;
    job.run_event_driven(run, writer, extremes)
}

/// The summary is of the whole run.
fn add_earlier_rows(folder: &Path, model: &Model, extremes: &mut Extremes) -> Result<(), CliError> {
    let run = StoredRun::open(folder)?;
    let names: Vec<&str> = run.columns().iter().map(|c| c.name.as_str()).filter(|n| extremes.needs_column(n)).collect();
    if names.len() * run.manifest().table.rows <= MAX_VALUES_REREAD {
        let before = run.table(&names)?;
        let mut earlier = Extremes::of(model, &before);
        earlier.add_rows(&before);
        extremes.merge_earlier(&earlier);
    }
    Ok(())
}

/// What is run, and where to.
struct RunJob<'a> {
    name: String,
    folder: PathBuf,
    model: &'a Model,
    file: &'a ModelFile,
    style: OutputStyle,
    accept: Option<Accept>,
    begun: Instant,
    sheet: Option<SheetRequest>,
}

impl RunJob<'_> {
    /// What is left of the limits: the clock runs from the start of the command, and making ready a large model takes time
    /// too. A tenth is left in any case, so that a run that is resumed again and again comes forward.
    fn remaining_limits(&self) -> Limits {
        let limits = self.file.transient.limits;
        let left = |most: Duration| most.saturating_sub(self.begun.elapsed()).max(most / 10);
        Limits { wall_clock: limits.wall_clock.map(left), ..limits }
    }

    /// Runs to the end and reports.
    fn run_event_driven(
        self,
        mut run: Box<dyn analyses::Run + '_>,
        writer: RunWriter,
        mut extremes: Extremes,
    ) -> Result<ExitStatus, CliError> {
        interrupt::install_handler();
        let rank = rank(self.model, &run.state()).ok();
        extremes.mark_determinacy(self.model, &run.state());
        let progress = Progress::new(self.file.start_time, run.t(), self.file.transient.t_end, self.style);
        run.search_peaks();
        let mut samples = Table::default();
        let watch = |run: &mut dyn analyses::Run, rows: &Table| {
            extremes.add_rows(rows);
            run.take_peak_rows(&mut samples);
            extremes.add_peaks(&samples);
            extremes.set_coverage(if run.found_all_peaks() { Coverage::Motion } else { Coverage::Rows });
            progress.show(run.t(), &run.statistics(), extremes.largest_position_residual());
            if interrupt::stop_requested() { Go::Stop } else { Go::On }
        };
        let flag = Some(interrupt::stop_flag());
        let how = DriveOptions {
            limits: self.remaining_limits(),
            flag,
            observer: Box::new(watch),
            ..DriveOptions::default()
        };
        let ended = results::drive(&mut *run, writer, how);
        progress.finish();
        let outcome = match ended? {
            DriveOutcome::Run(outcome) => Some(outcome),
            DriveOutcome::Stopped => None,
        };
        extremes.mark_run(self.model, &*run);
        self.report_result(outcome, run.solution(), &extremes, rank)
    }

    /// Says what came of it.
    fn report_result(
        self,
        outcome: Option<Outcome>,
        found: Solution,
        extremes: &Extremes,
        rank: Option<RankReport>,
    ) -> Result<ExitStatus, CliError> {
        let expected = match outcome {
            Some(_) => expectations::check_expectations(&StoredRun::open(&self.folder)?, &self.file.expect)?,
            None => Vec::new(),
        };
        if self.style != OutputStyle::Silent {
            for w in &found.warnings {
                print_stderr(&format!("warning: at t = {} s: {}", text::number(w.t), w.message));
            }
        }
        let summary = Summary {
            name: &self.name,
            model: self.model,
            rank,
            outcome: outcome.as_ref(),
            t: found.final_state().t,
            statistics: found.statistics,
            extremes,
            wall_clock_seconds: found.elapsed.as_secs_f64(),
            warnings: &found.warnings,
            verdict: found.verdict,
            expected: &expected,
            folder: self.folder.display().to_string(),
        };
        match self.style {
            OutputStyle::Text => print_stdout(&summary.text())?,
            OutputStyle::Json => print_json(&summary.json())?,
            OutputStyle::Silent => {}
        }
        if let (Some(sheet), Some(outcome)) = (&self.sheet, &outcome) {
            let (name, folder, found) = (&self.name, &self.folder, &found);
            let run = CheckedRun { name, model: self.model, file: self.file, sheet, folder, outcome, found, extremes };
            run.write(self.style)?;
        }
        let folder = self.folder.display();
        match outcome {
            None => {
                print_stderr(&format!(
                    "interrupted; the results so far are in {folder}; resume with: taut run --resume {folder}"
                ));
                Ok(ExitStatus::Interrupted)
            }
            Some(outcome) if outcome.is_success() => {
                let missed: Vec<&CheckedExpectation> = expected.iter().filter(|e| !e.is_met()).collect();
                missed.iter().for_each(|e| print_stderr(&format!("error: expectation not met: {}", e.text())));
                Ok(match (found.verdict, self.accept) {
                    (Some(Verdict::Wrong), None) => {
                        print_stderr("error: the audit finds the results wrong; use --accept wrong to accept them");
                        ExitStatus::AuditFailed
                    }
                    _ if !missed.is_empty() => ExitStatus::Failed,
                    _ => ExitStatus::Success,
                })
            }
            Some(outcome) => {
                exit::print_diagnostics(&[self.file.diagnose_ending(&outcome)]);
                // What is run to be shown goes away again: there is nothing to point to.
                let lasting = !matches!(self.style, OutputStyle::Silent);
                if lasting {
                    print_stderr(&format!("  the results up to that time are in {folder}"));
                }
                if lasting && run_folder::is_resumable(&outcome) {
                    print_stderr(&format!("  resume with: taut run --resume {folder}"));
                }
                Ok(ExitStatus::Stopped)
            }
        }
    }
}
