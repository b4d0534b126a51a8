//! Results for Python: columns as NumPy arrays, everything else as plain values.

use crate::dense::DenseOutput;
use crate::errors::TautError;
use crate::state::State;
use numpy::IntoPyArray;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use serde_json::{Value, json};
use taut::{Coverage, DriverEffort, Extremes, Model, Outcome, Peak, ReactionPeak, ResidualLevel, Solution, Table};

/// The result of a run as plain values; `taut.Solution` gives it names.
#[pyclass(frozen, get_all, module = "taut._taut")]
pub(crate) struct RawSolution {
    /// `(name, unit, meaning, values)` of every column.
    columns: Py<PyList>,
    /// `finished`, or a dictionary whose key is `event`, `step_too_small` …; `interrupted` after Ctrl-C.
    outcome: Py<PyAny>,
    /// The same as a sentence.
    message: String,
    /// Whether it ended as requested.
    success: bool,
    /// `sound`, `doubtful` or `wrong`; none if nothing is audited.
    verdict: Option<String>,
    /// Messages with time, severity and element.
    warnings: Py<PyAny>,
    /// Events with time, name and kind.
    events: Py<PyAny>,
    /// Numbers of steps and evaluations.
    statistics: Py<PyAny>,
    /// Length of the steps of a run by time stepping, s.
    time_step: Option<f64>,
    /// Wall-clock time, s.
    elapsed: f64,
    /// The last state.
    final_state: State,
    /// Extremes of reactions, driving forces, residuals and energies.
    extremes: Py<PyAny>,
    /// The motion between the rows.
    dense: Option<Py<DenseOutput>>,
}

/// What a result has besides the solution of the engine.
#[derive(Default)]
pub(crate) struct Extra {
    pub extremes: Option<Extremes>,
    pub dense: Option<DenseOutput>,
    /// Whether Ctrl-C stopped it.
    pub interrupted: bool,
    /// Length of the steps of a run by time stepping, s.
    pub time_step: Option<f64>,
    /// Rows of the table, if they are not in the solution.
    pub table: Option<Table>,
}

impl RawSolution {
    pub fn new(py: Python<'_>, model: &Model, mut found: Solution, extra: Extra) -> PyResult<RawSolution> {
        let table = extra.table.unwrap_or_else(|| std::mem::take(&mut found.table));
        let extremes = extra.extremes.unwrap_or_else(|| {
            let mut extremes = Extremes::of(model, &table);
            extremes.add_rows(&table);
            extremes.mark_determinacy(model, found.final_state());
            extremes
        });
        let (outcome, message) = match (&found.outcome, extra.interrupted) {
            (Outcome::Underway | Outcome::WallClock { .. }, true) => {
                (Ok(json!("interrupted")), format!("interrupted at t = {} s", found.final_state().t))
            }
            (outcome, _) => (serde_json::to_value(outcome), outcome.to_string()),
        };
        let json_value = |what: &str, value: Result<Value, serde_json::Error>| -> PyResult<Py<PyAny>> {
            let value = value.map_err(|e| TautError::new_err(format!("{what}: {e}")))?;
            Ok(to_python(py, &value)?.unbind())
        };
        let verdict =
            found.verdict.and_then(|v| serde_json::to_value(v).ok()).and_then(|v| v.as_str().map(str::to_string));
        Ok(RawSolution {
            outcome: json_value("outcome", outcome)?,
            message,
            success: found.outcome.is_success(),
            verdict,
            warnings: json_value("warnings", serde_json::to_value(&found.warnings))?,
            events: json_value("events", serde_json::to_value(&found.events))?,
            statistics: json_value("statistics", serde_json::to_value(found.statistics))?,
            time_step: extra.time_step,
            elapsed: found.elapsed.as_secs_f64(),
            final_state: State(found.final_state().clone()),
            extremes: to_python(py, &extremes_json(model, &extremes))?.unbind(),
            columns: columns(py, table)?.unbind(),
            dense: extra.dense.map(|dense| Py::new(py, dense)).transpose()?,
        })
    }
}

/// The columns of a table; the arrays take over their memory.
pub(crate) fn columns(py: Python<'_>, table: Table) -> PyResult<Bound<'_, PyList>> {
    let list = PyList::empty(py);
    for c in table.into_columns() {
        list.append((c.name, c.unit, c.meaning, c.data.into_pyarray(py)))?;
    }
    Ok(list)
}

/// Largest values with their times, and whether the reactions are unique.
pub(crate) fn extremes_json(model: &Model, of: &Extremes) -> Value {
    let label = |name: &str| of.determinacy_remark(name).unwrap_or_else(|| "unique".to_string());
    let peak = |p: &Peak| json!({ "value": p.value, "t": p.t });
    let reaction = |r: &ReactionPeak| {
        json!({
            "name": r.force.name, "force": peak(&r.force.peak), "moment": r.moment.as_ref().map(|m| peak(&m.peak)),
            "determinacy": label(&r.force.name),
        })
    };
    let drive = |d: &DriverEffort| json!({ "name": d.name, "unit": d.unit, "smallest": peak(&d.minimum), "largest": peak(&d.maximum) });
    let level = |l: &ResidualLevel| {
        let row = (l.row < model.rows.len()).then(|| model.row_name(l.row));
        (l.name.to_string(), json!({ "value": l.worst.value, "t": l.worst.t, "row": row }))
    };
    json!({
        "reactions": of.reactions.iter().map(reaction).collect::<Vec<_>>(),
        "drivers": of.driver_efforts.iter().map(drive).collect::<Vec<_>>(),
        "residuals": of.residual_levels.iter().map(level).collect::<serde_json::Map<_, _>>(),
        "energy_balance": of.energy_balance.as_ref().map(|(_, p)| peak(p)),
        "kinetic_energy": of.kinetic_energy.as_ref().map(|(_, p)| peak(p)),
        "of": if of.coverage == Coverage::Motion { "motion" } else { "rows" },
    })
}

/// A JSON value as Python data; the null of a number that is not finite becomes None.
pub(crate) fn to_python<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    Ok(match value {
        Value::Null => py.None().into_bound(py),
        Value::Bool(x) => (*x).into_pyobject(py)?.to_owned().into_any(),
        Value::Number(x) => match (x.as_i64(), x.as_u64()) {
            (Some(i), _) => i.into_pyobject(py)?.into_any(),
            (None, Some(i)) => i.into_pyobject(py)?.into_any(),
            _ => x.as_f64().unwrap_or(f64::NAN).into_pyobject(py)?.into_any(),
        },
        Value::String(text) => text.into_pyobject(py)?.into_any(),
        Value::Array(items) => {
            let list = PyList::empty(py);
            items.iter().try_for_each(|item| list.append(to_python(py, item)?))?;
            list.into_any()
        }
        Value::Object(map) => {
            let dict = PyDict::new(py);
            map.iter().try_for_each(|(k, v)| dict.set_item(k, to_python(py, v)?))?;
            dict.into_any()
        }
    })
}
