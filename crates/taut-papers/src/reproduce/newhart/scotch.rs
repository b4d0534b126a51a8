//! The Scotch mechanism in the three sets of numbers that the thesis has for it. [Newhart2019] section 2.4.2

use super::difference::{self, ComparedRuns};
use crate::reproduce::ExampleResults;
use crate::reproduce::case::{PaperModel, at};
use crate::reproduce::error::ReproductionError;
use crate::reproduce::reference_values::ReferenceValues;
use crate::reproduce::row::ComparisonRow;
use taut::dynamics::{Dynamics, SolverSettings};

/// Changes to a model, as `--set` has them.
type Changes = &'static [(&'static str, &'static str)];
/// A set of numbers: source, description, key of the reference values, overrides of the model.
type Set = (&'static str, &'static str, &'static str, Changes);

const SETS: [Set; 3] = [
    ("A.3", "program (m = W/g, b = 0.05 in)", "newhart-2019/scotch", &[]),
    ("Table 3", "table (m = W/g, b = 2 in)", "newhart-2019/scotch_table", &[("b", "2 in")]),
    (
        "2.4.2",
        "text (weights as masses, b = 2 in)",
        "newhart-2019/scotch_literal",
        &[("b", "2 in"), ("per", "1 in/s^2")],
    ),
];

pub fn compute(found: &mut ExampleResults) -> Result<(), ReproductionError> {
    for (source, set, name, changes) in SETS {
        let (case, known) = (PaperModel::open("newhart_scotch", changes)?, ReferenceValues::of(name)?);
        let motion = case.run()?;
        for t in known.list("t")? {
            let row = ComparisonRow::new(source, format!("theta at {t} s, {set}"), "rad");
            found.push(row.compared_with(at(&motion, "rod.theta", t)?, known.absolute_at("theta", t, 1e-9)?));
            let row = ComparisonRow::new(source, format!("x2 at {t} s, {set}"), "in");
            found.push(row.compared_with(at(&motion, "yoke.x", t)? / 0.0254, known.absolute_at("x_in", t, 1e-7)?));
        }
    }
    for (compared, changes) in &COMPARED {
        difference::push_differences(found, &PaperModel::open("newhart_scotch_coordinates", changes)?, compared)?;
    }
    let row = ComparisonRow::new("2.4.2", "M11, weights as masses", "").printed("104").remark(
        "printed: masses in pounds of force, a penalty of 1e7 for \"104\", b = 2. Right: m = W/g in slinches as in the program, \
         where mu = 1e5 and b = 0.05.",
    );
    let case = PaperModel::open("newhart_scotch_coordinates", LITERAL)?;
    let state = case.start.clone();
    let mut dynamics = Dynamics::at(&case.model, &state, &SolverSettings::default());
    dynamics.solve_accelerations(state.t, &state.q, &state.v, &state.z)?;
    let known = ReferenceValues::of("newhart-2019/scotch_literal")?;
    found.push(row.compared_with(dynamics.eq.dense_mass()[(0, 0)], known.relative("M11", 1e-12)?));
    Ok(())
}

/// Weights taken for masses.
const LITERAL: Changes = &[("b", "2"), ("per", "1")];
/// In the coordinates of the thesis, with their units.
const COLUMNS: &[(&str, &str)] =
    &[("rods.theta", "rad"), ("rods.yoke", "in"), ("rods.theta'", "rad/s"), ("rods.yoke'", "in/s")];

const COMPARED: [(ComparedRuns, Changes); 3] = [
    (
        ComparedRuns {
            source: "Fig. 19",
            words: "program, mu = 1e5",
            known: "newhart-2019/scotch",
            penalty: 1e5,
            seconds: "0.7528 s, 0.7214 s",
            hidden: false,
            columns: COLUMNS,
        },
        &[],
    ),
    (
        ComparedRuns {
            source: "Fig. 19",
            words: "table, mu = 1e7",
            known: "newhart-2019/scotch_table",
            penalty: 1e7,
            seconds: "0.7528 s, 0.7214 s",
            hidden: true,
            columns: COLUMNS,
        },
        &[("b", "2")],
    ),
    (
        ComparedRuns {
            source: "Fig. 19",
            words: "text, mu = 1e7",
            known: "newhart-2019/scotch_literal",
            penalty: 1e7,
            seconds: "0.7528 s, 0.7214 s",
            hidden: false,
            columns: COLUMNS,
        },
        LITERAL,
    ),
];
