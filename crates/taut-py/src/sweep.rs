//! Sweeps: the plan of `taut-sweep` and the rows of any range of its members. `taut.sweep` distributes the ranges.

use crate::callbacks::raise_pending;
use crate::compiled::Compiled;
use crate::element_functions::{ElementFunction, add_functions};
use crate::errors::{TautError, model_error};
use crate::linear::PointArguments;
use crate::run::is_interrupted;
use crate::solution::{Extra, RawSolution};
use crate::stop_flags::StopFlag;
use pyo3::prelude::*;
use std::path::PathBuf;
use std::sync::Arc;
use taut::{Coverage, Extremes};
use taut_io::diagnostic::Diagnostic;
use taut_io::model::ModelTemplate;
use taut_sweep::{
    Addition, Analysis, Cases, Critical, Extensions, MemberResult, MemberSolution, Parameter, Plan, Request,
    ResultColumn, Sample, SamplingMethod, Status, StoredSweep, Value, csv_table, run_members,
};

pub(crate) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_class::<SweepPlan>()?;
    m.add_function(wrap_pyfunction!(sweep_csv, m)?)?;
    m.add_function(wrap_pyfunction!(read_sweep, m)?)?;
    Ok(())
}

/// A number or a text.
#[derive(FromPyObject, IntoPyObject)]
enum ParameterValue {
    Number(f64),
    Text(String),
}

/// Member, parameters, values, status, verdict, steps, message, seconds.
type Row = (usize, Vec<ParameterValue>, Vec<f64>, String, Option<String>, u64, String, f64);
/// Names with units.
type Units = Vec<(String, String)>;
/// Name, unit and formula of a result.
type Columns = Vec<(String, String, String)>;

fn to_row(row: MemberResult) -> Row {
    let value = |v: Value| match v {
        Value::Number(x) => ParameterValue::Number(x),
        Value::Text(text) => ParameterValue::Text(text),
    };
    let parameters = row.parameters.into_iter().map(value).collect();
    let status = row.status.label().to_string();
    (row.member, parameters, row.values, status, row.verdict, row.steps, row.message, row.seconds)
}

fn from_row((member, parameters, values, status, verdict, steps, message, seconds): Row) -> MemberResult {
    let value = |v: ParameterValue| match v {
        ParameterValue::Number(x) => Value::Number(x),
        ParameterValue::Text(text) => Value::Text(text),
    };
    let parameters = parameters.into_iter().map(value).collect();
    let known = [Status::Finished, Status::Stopped, Status::Failed];
    let status = known.into_iter().find(|s| s.label() == status).unwrap_or(Status::Failed);
    MemberResult { member, parameters, values, status, verdict, steps, message, seconds }
}

fn parameter_units(list: &[Parameter]) -> Units {
    list.iter().map(|p| (p.name.clone(), p.unit.clone())).collect()
}

fn result_columns(list: &[ResultColumn]) -> Columns {
    list.iter().map(|c| (c.name.clone(), c.unit.clone(), c.formula.clone())).collect()
}

/// A finding with the names of the arguments instead of those of the options of `taut sweep`.
fn with_argument_names(found: Diagnostic) -> Diagnostic {
    const NAMES: [(&str, &str); 8] = [
        ("--vary NAME=VALUES or --cases FILE", "`vary` or `cases`"),
        ("--sample sobol --count 256", "sample=\"sobol\", count=256"),
        ("--sample latin_hypercube", "sample=\"latin_hypercube\""),
        ("--over speed=\"0 rpm:9000 rpm:40\"", "over={\"speed\": \"0 rpm:9000 rpm:40\"}"),
        ("--vary", "vary"),
        ("--keep", "measure"),
        ("--over", "over"),
        ("--count", "count"),
    ];
    let named = NAMES.iter().fold(found, |found, (option, name)| found.with_option_renamed(option, name));
    named.with_option_renamed("--sample", "`sample`")
}

/// Name of the analysis, number of modes, load steps, operating point, speeds.
#[derive(FromPyObject)]
struct AnalysisArguments(String, usize, Option<usize>, PointArguments, Option<String>);

impl AnalysisArguments {
    fn analysis(self) -> Result<Analysis, Diagnostic> {
        let AnalysisArguments(name, count, load_steps, point, over) = self;
        Ok(match name.as_str() {
            "run" => Analysis::Run,
            "kinematics" => Analysis::Kinematics,
            "static" => Analysis::Static { load_steps },
            "modes" => Analysis::Modes { count, at: point.into() },
            "campbell" => {
                let Some(over) = over else {
                    let help = "give the rotational speed, for example over={\"speed\": \"0 rpm:9000 rpm:40\"}";
                    return Err(Diagnostic::error("analysis \"campbell\" needs `over`").help(help));
                };
                Analysis::Campbell { count, at: point.into(), over: Critical::parse(&over)? }
            }
            _ => {
                let help = "give run, kinematics, static, modes or campbell";
                return Err(Diagnostic::error(format!("there is no analysis `{name}` of a sweep")).help(help));
            }
        })
    }
}

/// Method, number and seed of samples.
#[derive(FromPyObject)]
struct SampleArguments(String, usize, u64);

impl SampleArguments {
    fn sample(self) -> Result<Sample, Diagnostic> {
        let SampleArguments(name, count, seed) = self;
        let method = match name.as_str() {
            "latin_hypercube" | "lhs" => SamplingMethod::LatinHypercube,
            "sobol" => SamplingMethod::Sobol,
            "monte_carlo" => SamplingMethod::MonteCarlo,
            _ => {
                let help = "give latin_hypercube, sobol or monte_carlo";
                return Err(Diagnostic::error(format!("there is no sampling method `{name}`")).help(help));
            }
        };
        Ok(Sample { method, count, seed })
    }
}

/// A sweep that is ready to run.
#[pyclass(frozen, module = "taut._taut")]
pub(crate) struct SweepPlan {
    plan: Plan,
    /// A function of (solution, model) that returns the values of further measures; none if there are none.
    measure: Option<Py<PyAny>>,
    /// Number of these measures.
    measures: usize,
}

#[pymethods]
impl SweepPlan {
    /// The model is a text with overrides and functions; then what is varied, cases, samples, the analysis, what is kept, and a
    /// function with the number of its measures.
    #[new]
    fn new(
        py: Python<'_>,
        model: (String, PathBuf, Vec<(String, String)>, Vec<ElementFunction>),
        vary: Vec<String>,
        cases: Option<(PathBuf, String)>,
        sample: Option<SampleArguments>,
        analysis: AnalysisArguments,
        keep: Vec<String>,
        measure: Option<(Py<PyAny>, usize)>,
    ) -> PyResult<SweepPlan> {
        let (text, path, set, functions) = model;
        let request = || -> Result<Request, Diagnostic> {
            Ok(Request {
                model: path.clone(),
                set,
                vary,
                cases: cases.map(|(path, text)| Cases { path, text }),
                sample: sample.map(SampleArguments::sample).transpose()?,
                analysis: analysis.analysis()?,
                keep,
            })
        };
        let request = request().map_err(|found| model_error(py, &[with_argument_names(found)]))?;
        let addition = (!functions.is_empty()).then(|| addition(functions));
        let extensions = Extensions { addition, keep_solutions: measure.is_some() };
        let made = py.detach(|| {
            let template = ModelTemplate::parse(&text, &path);
            Plan::with_extensions(request, template, extensions)
        });
        raise_pending(py)?;
        let made = made.map_err(|found| found.into_iter().map(with_argument_names).collect::<Vec<_>>());
        let plan = made.map_err(|found| model_error(py, &found))?;
        if plan.keeps_runs() {
            return Err(TautError::new_err(
                "a table cannot keep whole runs: use `taut sweep --keep run`, or a function as a measure",
            ));
        }
        let measures = measure.as_ref().map_or(0, |(_, count)| *count);
        Ok(SweepPlan { plan, measure: measure.map(|(function, _)| function), measures })
    }

    /// Number of members.
    #[getter]
    fn members(&self) -> usize {
        self.plan.design().len()
    }

    /// Title of the model.
    #[getter]
    fn title(&self) -> &str {
        self.plan.title()
    }

    /// The varied parameters with their units.
    #[getter]
    fn parameters(&self) -> Units {
        parameter_units(self.plan.design().parameters())
    }

    /// Name, unit and formula of the results.
    #[getter]
    fn columns(&self) -> Columns {
        result_columns(self.plan.columns())
    }

    /// Rows of members `first`, `first + 1` … below `end`, on `jobs` threads; true if Ctrl-C stopped it.
    fn run(&self, py: Python<'_>, first: usize, end: usize, jobs: usize) -> PyResult<(Vec<Row>, bool)> {
        let flag = StopFlag::new();
        let mut raised: PyResult<bool> = Ok(false);
        let rows = py.detach(|| {
            let observer = &mut |_| match is_interrupted() {
                Ok(false) => {}
                other => {
                    flag.set();
                    if matches!(raised, Ok(false)) {
                        raised = other;
                    }
                }
            };
            let complete = |row: &mut MemberResult, solution| self.complete(row, solution);
            run_members(&self.plan, first..end, jobs, Some(flag.get()), &complete, observer)
        });
        Ok((rows.into_iter().map(to_row).collect(), raised?))
    }
}

impl SweepPlan {
    /// Reports exceptions of functions in the model, and adds the measures that are functions.
    fn complete(&self, row: &mut MemberResult, solution: Option<MemberSolution>) {
        // No look at Python for members without functions.
        if let Some(raised) = crate::callbacks::take_pending() {
            let message = Python::attach(|py| exception_text(py, &raised));
            row.values.fill(f64::NAN);
            (row.status, row.verdict, row.message) = (Status::Failed, None, message);
        }
        let Some(function) = &self.measure else { return };
        let mut values = vec![f64::NAN; self.measures];
        if row.status == Status::Finished
            && let Some(solution) = solution
        {
            let measured = Python::attach(|py| -> Result<(Vec<f64>, Option<String>), String> {
                let call = || -> PyResult<(Vec<f64>, Option<String>)> {
                    let (raw, compiled) = self.solution(py, row.member, solution)?;
                    function.bind(py).call1((raw, compiled))?.extract()
                };
                call().map_err(|e| exception_text(py, &e))
            });
            match measured {
                Ok((found, failed)) if found.len() == self.measures => {
                    values = found;
                    if let Some(message) = failed {
                        (row.status, row.message) = (Status::Failed, message);
                    }
                }
                Ok((found, _)) => {
                    (row.status, row.message) =
                        (Status::Failed, format!("{} values of {} measures", found.len(), self.measures));
                }
                Err(message) => (row.status, row.message) = (Status::Failed, message),
            }
        }
        row.values.extend(values);
    }

    /// The motion of a member with its model.
    fn solution(&self, py: Python<'_>, member: usize, found: MemberSolution) -> PyResult<(RawSolution, Compiled)> {
        let file = self.plan.model(member).map_err(|found| model_error(py, &found))?;
        let model = Arc::new(file.build().map_err(|found| model_error(py, &[found]))?);
        let MemberSolution { solution, peaks, found_all_peaks, time_step } = found;
        let mut extremes = Extremes::of(&model, &solution.table);
        extremes.add_peaks(&peaks);
        extremes.add_rows(&solution.table);
        extremes.mark_determinacy(&model, solution.final_state());
        extremes.set_coverage(if found_all_peaks { Coverage::Motion } else { Coverage::Rows });
        let extra = Extra { extremes: Some(extremes), time_step, ..Extra::default() };
        Ok((RawSolution::new(py, &model, solution, extra)?, Compiled { file, model }))
    }
}

/// The last line of a traceback.
fn exception_text(py: Python<'_>, e: &PyErr) -> String {
    let name = e.get_type(py).name().map_or_else(|_| "exception".to_string(), |n| n.to_string());
    format!("{name}: {}", e.value(py))
}

/// Adds functions of Python to the model of every member.
fn addition(functions: Vec<ElementFunction>) -> Addition {
    Arc::new(move |file| {
        Python::attach(|py| {
            let own = functions.iter().map(|f| f.clone_ref(py)).collect();
            add_functions(file, own).map_err(|e| Diagnostic::error(e.value(py).to_string()))
        })
    })
}

/// The table as text, as `table.csv` of the command.
#[pyfunction]
fn sweep_csv(parameters: Vec<String>, columns: Vec<String>, rows: Vec<Row>) -> String {
    let parameters: Vec<Parameter> =
        parameters.into_iter().map(|name| Parameter { name, unit: String::new() }).collect();
    let column = |name| ResultColumn { name, unit: String::new(), formula: String::new() };
    let columns: Vec<ResultColumn> = columns.into_iter().map(column).collect();
    let rows: Vec<MemberResult> = rows.into_iter().map(from_row).collect();
    csv_table(&parameters, &columns, &rows)
}

/// Title, parameters, columns, number of members and rows of a folder that `taut sweep` has written.
#[pyfunction]
fn read_sweep(py: Python<'_>, folder: PathBuf) -> PyResult<(String, Units, Columns, usize, Vec<Row>)> {
    let found = py.detach(|| StoredSweep::open(&folder)).map_err(|e| model_error(py, &[e]))?;
    let rows = found.rows().iter().cloned().map(to_row).collect();
    let (parameters, columns) = (parameter_units(found.parameters()), result_columns(found.columns()));
    Ok((found.title().to_string(), parameters, columns, found.members(), rows))
}
