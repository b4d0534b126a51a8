//! `taut run`: the motion in time, into a folder of results.

mod rows;

pub use rows::Rows;

use crate::ending::{self, Ending, Failure, note, say, say_json};
use crate::expect::{self, Checked};
use crate::folder::{self, Unfinished};
use crate::interrupt;
use crate::options::{Changes, Printing, Settings, Style, TableFormat, open, stem, step_is_given};
use crate::overwrite::{There, permit};
use crate::progress::Progress;
use crate::summary::{Coverage, Extremes, Summary};
use crate::verbs::{lab, report};
use clap::{Args, ValueEnum};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use taut::analyses::{self, AnalysisError, Limits, Rank, RunMethod, StartedRun, Transient, rank, start_run};
use taut::{Model, Outcome, Solution, Table, Verdict};
use taut_io::model::{self, ModelFile, Override};
use taut_io::results::{self, Drive, Ended, Go, Run, RunWriter, unmatched};
use taut_papers::text;

/// Most numbers of an earlier part that are read for the summary of a resumed run.
const READ: usize = 1 << 25;

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
is never touched. Ctrl-C keeps everything computed so far; --resume continues the run with bitwise the same results, and the \
limits start again. If the model contains [[expect]] entries, they are checked. Every run is audited (docs/trust.md). The \
first line of the summary gives the verdict: sound, doubtful or wrong. If it is wrong, the exit code is 3; the results are kept.

Examples:
  taut run crank.toml
  taut run crank.toml -t \"10 s\" --every \"5 ms\" --rtol 1e-10
  taut run chain.toml --set n=50 --set link2.mass=\"3 kg\" -o heavy.run
  taut run crank.toml --format parquet --json
  taut run crank.toml --report                         also write crank.html, a self-contained report
  taut run crank.toml --method all                     same as taut lab crank.toml
  taut run --resume crank.run")]
pub struct Arguments {
    /// Model file: TOML, URDF, or MJCF (.xml)
    #[arg(required_unless_present = "resume")]
    model: Option<PathBuf>,
    #[command(flatten)]
    changes: Changes,
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
    #[command(flatten)]
    printing: Printing,
    #[command(flatten)]
    settings: Settings,
    #[arg(skip)]
    rows: Rows,
}

impl Arguments {
    /// A run with all columns into a folder, to be looked at.
    pub fn shown(model: &Path, changes: &Changes, folder: &Path, rows: Rows) -> Arguments {
        let all = [("outputs.columns", "all"), ("outputs.only", "[]")];
        let wanted = all.map(|(path, value)| Override { path: path.to_string(), value: value.to_string() });
        Arguments {
            model: Some(model.to_path_buf()),
            changes: Changes { set: changes.set.iter().cloned().chain(wanted).collect() },
            output: Some(folder.to_path_buf()),
            format: TableFormat::Npz,
            force: false,
            resume: None,
            accept: None,
            report: None,
            printing: Printing::quiet(),
            settings: Settings::default(),
            rows,
        }
    }

    /// Runs, and reports if asked to.
    pub fn run(mut self) -> Result<Ending, Failure> {
        let Some(file) = self.report.take() else { return self.only_run() };
        if self.settings.method.as_deref() == Some("all") {
            return Err(Failure::new("--report needs a single run: choose one method, or omit --report"));
        }
        let folder = match (&self.resume, &self.model) {
            (Some(folder), _) => folder.clone(),
            (None, Some(model)) => folder::choose(self.output.clone(), &stem(model), "run"),
            (None, None) => PathBuf::new(),
        };
        // What would be in the way afterwards is said before.
        let output = file.unwrap_or_else(|| report::beside(&folder));
        let there = if self.force { There::Replaced } else { There::Kept };
        permit(&output, self.model.as_deref().unwrap_or(&folder.join(results::MODEL)), there)?;
        taut_view::page::html()?;
        let ending = self.only_run()?;
        report::write(&folder, None, &output)?;
        Ok(ending)
    }

    fn only_run(self) -> Result<Ending, Failure> {
        let begun = Instant::now();
        let style = self.printing.style();
        match (&self.model, self.resume) {
            (_, Some(folder)) => resume(&folder, style, self.accept),
            (Some(path), None) if self.settings.method.as_deref() == Some("all") => {
                lab::Arguments::of_run(path.clone(), self.changes, self.output, self.printing, self.settings).run()
            }
            (Some(path), None) => {
                let accept = self.accept;
                let unfinished = if self.force { Unfinished::Replaced } else { Unfinished::Kept };
                let changes = [self.changes.set, self.settings.changes()].concat();
                let (mut file, model) = open(path, &changes, style)?;
                let (start, end) = (file.state(&model).t, file.transient.t_end);
                self.rows.apply(&mut file.transient.output, start, end);
                let name = stem(path);
                let StartedRun { run, notice } = begin(&model, &file, file.march)?;
                let folder = folder::choose(self.output, &name, "run");
                folder::clear(&folder, unfinished, style)?;
                let about = folder::describe(&file, &name, self.format)?;
                tell_unmatched(&about.only, run.table());
                let writer = RunWriter::create(&folder, &about, run.table())?;
                let extremes = Extremes::of(&model, run.table());
                notice.iter().filter(|_| style != Style::Silent).for_each(|notice| note(notice));
                Job { name, folder, model: &model, file: &file, style, accept, begun }.go(run, writer, extremes)
            }
            (None, None) => Err(Failure::new("no model file given")),
        }
    }
}

/// A run at its start. Its limits are left to the drive, which stops at them so that the run can be resumed.
fn begin<'m>(model: &'m Model, file: &ModelFile, method: RunMethod) -> Result<StartedRun<'m>, Failure> {
    let settings = Transient { limits: Limits::default(), ..file.transient.clone() };
    start_run(model, &file.state(model), &settings, method).map_err(|e| match (&e, step_is_given(&settings)) {
        (AnalysisError::Integrator(_), Err(no_step)) => no_step,
        _ => file.diagnose(&e).into(),
    })
}

/// Says which patterns of columns fit none.
fn tell_unmatched(only: &[String], table: &Table) {
    for pattern in unmatched(only, table) {
        note(&format!("warning: `{pattern}` in outputs.only matches no column; `taut plot RUN` lists the columns"));
    }
}

/// Goes on with an interrupted run.
fn resume(folder: &Path, style: Style, accept: Option<Accept>) -> Result<Ending, Failure> {
    let begun = Instant::now();
    let found = results::resume(folder)?;
    let ended = &found.manifest.outcome;
    if !folder::can_go_on(ended) {
        let help = "run the model again; it may get further with other settings";
        return Err(Failure::with_help(
            format!("{}: the run cannot be resumed, because it ended: {ended}", folder.display()),
            help,
        ));
    }
    let mut file = model::parse(&found.model, &folder.join(results::MODEL), &[])?;
    let model = file.build()?;
    let settings: Transient = serde_json::from_value(found.manifest.settings.clone()).map_err(|e| {
        let path = folder.join(results::MANIFEST);
        Failure::new(format!("{}: cannot read the settings: {e}", path.display()))
    })?;
    file.transient = settings;
    let job =
        Job { name: stem(folder), folder: folder.to_path_buf(), model: &model, file: &file, style, accept, begun };
    let mut run = begin(&model, &file, found.checkpoint.method())?.run;
    run.look_between_rows();
    // Rows and events of the start are in the folder already.
    run.take_rows();
    run.take_events();
    run.restore(&found.checkpoint)?;
    let mut extremes = Extremes::of(&model, run.table());
    let writer = found.writer(run.table())?;
    see_earlier(folder, &model, &mut extremes)?;
    job.go(run, writer, extremes)
}

/// The summary is of the whole run.
fn see_earlier(folder: &Path, model: &Model, extremes: &mut Extremes) -> Result<(), Failure> {
    let run = Run::open(folder)?;
    let names: Vec<&str> = run.columns().iter().map(|c| c.name.as_str()).filter(|n| extremes.needs(n)).collect();
    if names.len() * run.manifest().table.rows <= READ {
        let before = run.table(&names)?;
        let mut earlier = Extremes::of(model, &before);
        earlier.see(&before);
        extremes.take_over(&earlier);
    }
    Ok(())
}

/// What is run, and where to.
struct Job<'a> {
    name: String,
    folder: PathBuf,
    model: &'a Model,
    file: &'a ModelFile,
    style: Style,
    accept: Option<Accept>,
    begun: Instant,
}

impl Job<'_> {
    /// What is left of the limits: the clock runs from the start of the command, and making ready a large model takes time
    /// too. A tenth is left in any case, so that a run that is resumed again and again comes forward.
    fn limits(&self) -> Limits {
        let limits = self.file.transient.limits;
        let left = |most: Duration| most.saturating_sub(self.begun.elapsed()).max(most / 10);
        Limits { wall_clock: limits.wall_clock.map(left), ..limits }
    }

    /// Runs to the end and reports.
    fn go(
        self,
        mut run: Box<dyn analyses::Run + '_>,
        writer: RunWriter,
        mut extremes: Extremes,
    ) -> Result<Ending, Failure> {
        interrupt::listen();
        let rank = rank(self.model, &run.state()).ok();
        let progress = Progress::new(self.file.start_time, run.t(), self.file.transient.t_end, self.style);
        run.look_between_rows();
        let mut samples = Table::default();
        let watch = |run: &mut dyn analyses::Run, rows: &Table| {
            extremes.see(rows);
            run.take_samples(&mut samples);
            extremes.see_peaks(&samples);
            extremes.covers(if run.saw_all_peaks() { Coverage::Motion } else { Coverage::Rows });
            progress.show(run.t(), &run.statistics(), extremes.residual());
            if interrupt::asked() { Go::Stop } else { Go::On }
        };
        let flag = Some(interrupt::flag());
        let how = Drive { limits: self.limits(), flag, watch: Box::new(watch), ..Drive::default() };
        let ended = results::drive(&mut *run, writer, how);
        progress.end();
        let outcome = match ended? {
            Ended::Run(outcome) => Some(outcome),
            Ended::Stopped => None,
        };
        self.tell(outcome, run.solution(), &extremes, rank)
    }

    /// Says what came of it.
    fn tell(
        self,
        outcome: Option<Outcome>,
        found: Solution,
        extremes: &Extremes,
        rank: Option<Rank>,
    ) -> Result<Ending, Failure> {
        let expected = match outcome {
            Some(_) => expect::check(&Run::open(&self.folder)?, &self.file.expect)?,
            None => Vec::new(),
        };
        if self.style != Style::Silent {
            for w in &found.warnings {
                note(&format!("warning: at t = {} s: {}", text::number(w.t), w.message));
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
            elapsed: found.elapsed.as_secs_f64(),
            warnings: &found.warnings,
            verdict: found.verdict,
            expected: &expected,
            folder: self.folder.display().to_string(),
        };
        match self.style {
            Style::Text => say(&summary.text())?,
            Style::Json => say_json(&summary.json())?,
            Style::Silent => {}
        }
        let folder = self.folder.display();
        match outcome {
            None => {
                note(&format!(
                    "interrupted; the results so far are in {folder}; resume with: taut run --resume {folder}"
                ));
                Ok(Ending::Interrupted)
            }
            Some(outcome) if outcome.is_success() => {
                let missed: Vec<&Checked> = expected.iter().filter(|e| !e.is_met()).collect();
                missed.iter().for_each(|e| note(&format!("error: expectation not met: {}", e.text())));
                Ok(match (found.verdict, self.accept) {
                    (Some(Verdict::Wrong), None) => {
                        note("error: the audit finds the results wrong; use --accept wrong to accept them");
                        Ending::Wrong
                    }
                    _ if !missed.is_empty() => Ending::Refused,
                    _ => Ending::Done,
                })
            }
            Some(outcome) => {
                ending::report(&[self.file.diagnose_ending(&outcome)]);
                // What is run to be shown goes away again: there is nothing to point to.
                let lasting = !matches!(self.style, Style::Silent);
                if lasting {
                    note(&format!("  the results up to that time are in {folder}"));
                }
                if lasting && folder::can_go_on(&outcome) {
                    note(&format!("  resume with: taut run --resume {folder}"));
                }
                Ok(Ending::Stopped)
            }
        }
    }
}
