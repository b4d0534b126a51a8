//! The swing, a beam between two links. [Masarati2010] section 4.2, tables 1 and 2

use crate::reproduce::ExampleResults;
use crate::reproduce::case::PaperModel;
use crate::reproduce::error::ReproductionError;
use crate::reproduce::reference_values::ReferenceValues;
use crate::reproduce::row::{ComparisonRow, Reference};
use taut::Solution;
use taut::analyses::linear::{ModeKind, ModeRequest, linearise, modes};
use taut::analyses::{Integrator, Output, StiffnessAction};
use taut::drift::{DriftControl, ProjectionWeight};

/// Keys of the frequencies, descriptions, and printed values.
const FREQUENCIES: [(&str, &str, &str); 4] = [
    ("sym1", "first symmetric bending", "0.443"),
    ("anti1", "first antisymmetric bending", "18.17"),
    ("sym2", "second symmetric bending", "28.46"),
    ("axial1", "first antisymmetric axial", "319.5"),
];

/// Runs of table 2: model, key, description, printed end time and steps.
const RUNS: [(&str, &str, &str, &str, &str); 6] = [
    ("masarati_swing_4", "1a", "(1a) beam elements, baseline", "0.69", "69,033"),
    ("masarati_swing_4", "1b", "(1b) beam elements, present", "0.69", "69,033"),
    ("masarati_swing_modal_axial", "2a", "(2a) modal, baseline", "1.00", "23,075"),
    ("masarati_swing_modal_axial", "2b", "(2b) modal, present", "1.00", "28,103"),
    ("masarati_swing_modal", "3a", "(3a) modal, baseline (no axial mode)", "1.00", "1,103"),
    ("masarati_swing_modal", "3b", "(3b) modal, present (no axial mode)", "1.00", "1,103"),
];

/// Table 1: frequencies of the beam between pins.
pub fn frequencies(found: &mut ExampleResults) -> Result<(), ReproductionError> {
    let known = ReferenceValues::of("masarati-2010/swing_frequencies_Hz")?;
    let case = PaperModel::open("masarati_swing_modes", &[])?;
    let wrong = |e: taut::analyses::linear::LinearError| ReproductionError::new(e.to_string());
    let lin = linearise(&case.model, &case.start, None).map_err(wrong)?;
    let all = modes(&lin, ModeRequest::All).map_err(wrong)?;
    let ours: Vec<f64> = all.modes.iter().filter(|m| m.kind == ModeKind::Vibration).map(|m| m.frequency()).collect();
    for (name, words, printed) in FREQUENCIES {
        let near = known.number(&format!("truth/{name}"))?;
        let ours = ours.iter().copied().min_by(|a, b| (a - near).abs().total_cmp(&(b - near).abs()));
        let remark = "E = 73 GPa, not MPa, bending over the thickness of 1 mm, and the inertia of rigid finite volumes \
                      reproduce the table to every digit.";
        let row = ComparisonRow::new("Table 1", words, "Hz").printed(printed).remark(remark);
        found.push(row.compared_with(ours.unwrap_or(f64::NAN), known.relative(&format!("truth/{name}"), 1e-5)?));
    }
    Ok(())
}

/// Where points A to E are, and the energy after the pulse.
pub fn motion(found: &mut ExampleResults) -> Result<(), ReproductionError> {
    let known = ReferenceValues::of("masarati-2010/swing_motion")?;
    for (model, key, words) in [
        ("masarati_swing_4", "4", "4 elements"),
        ("masarati_swing_8", "8", "8 elements"),
        ("masarati_swing_modal", "modal", "three modes"),
    ] {
        let case = PaperModel::open(model, &[])?;
        let settings = case.settings.clone().output(Output::Times(vec![0.0, 0.2, 0.4, 0.6]));
        let run = case.run_with(&settings)?;
        for (i, t) in ["0.2", "0.4", "0.6"].into_iter().enumerate() {
            for (k, point) in ["A", "B", "C", "D", "E"].into_iter().enumerate() {
                let expected = known.list(&format!("{key}/{t}/{point}"))?;
                let [x, y] = position(&run, key, k, i + 1)?;
                let off = (x - expected[0]).hypot(y - expected[1]);
                let row = ComparisonRow::new(
                    "Fig. 8",
                    format!("{words}: distance of {point} from where it is at {t} s"),
                    "m",
                );
                found.push(row.compared_with(off, Reference::at_most(1e-5, known.from())));
            }
        }
        let energy = run.column("energy.work")?.last().copied().unwrap_or(f64::NAN);
        let row = ComparisonRow::new("4.2", format!("{words}: energy after the pulse"), "J");
        found.push(row.compared_with(energy, known.absolute(&format!("energy_J/{key}"), 1e-8)?));
    }
    Ok(())
}

/// Point k of A to E in output i.
fn position(run: &Solution, key: &str, k: usize, i: usize) -> Result<[f64; 2], ReproductionError> {
    let name = match key {
        "4" => format!("beam_{k}"),
        "8" => format!("beam_{}", 2 * k),
        _ => format!("beam_{}", 10 * k),
    };
    Ok([run.column(&format!("{name}.x"))?[i], run.column(&format!("{name}.y"))?[i]])
}

/// Table 2: how far, in how many steps.
pub fn steps(found: &mut ExampleResults) -> Result<(), ReproductionError> {
    let known = ReferenceValues::of("masarati-2010/swing_steps")?;
    for (model, key, words, last, steps) in RUNS {
        let case = PaperModel::open(model, &[])?;
        let drift =
            if key.ends_with('a') { DriftControl::None } else { DriftControl::Projection(ProjectionWeight::Mass) };
        let mut settings = case.settings.clone().integrator(Integrator::DormandPrince).tolerance(1e-3, 1e-6);
        settings = settings.largest_step(1e-3).stiff(StiffnessAction::Ignore).output(Output::Ends);
        settings.t_end = if key.starts_with('1') { 0.69 } else { 1.0 };
        settings.choice.drift = drift;
        let run = case.run_to_any_end(&settings)?;
        let reached = run.t().last().copied().unwrap_or(f64::NAN);
        let row = ComparisonRow::new("Table 2", format!("last time, {words}"), "s").printed(last);
        found
            .push(row.compared_with(reached, Reference::at_least(settings.t_end - 1e-9, "the end that was requested")));
        let row = ComparisonRow::new("Table 2", format!("steps, {words}"), "").printed(steps);
        let row = row.remark("the tolerances behind the printed counts are not given; here 1e-3 and 1e-6.");
        found.push(row.alongside(run.statistics.steps as f64, known.number(&format!("correct/{key}"))?, known.from()));
    }
    // Explicit methods need very small steps here.
    let case = PaperModel::open("masarati_swing_4", &[])?;
    let mut settings =
        case.settings.clone().integrator(Integrator::RadauIia5).tolerance(1e-3, 1e-6).output(Output::Ends);
    settings.t_end = 1.0;
    let run = case.run_with(&settings)?;
    let row = ComparisonRow::new("4.2", "last time, beam elements, Radau IIA", "s");
    found.push(
        row.compared_with(run.t().last().copied().unwrap_or(f64::NAN), Reference::at_least(1.0, "the whole second")),
    );
    found.push(
        ComparisonRow::new("4.2", "steps, beam elements, Radau IIA, to 1 s", "")
            .information(run.statistics.steps as f64),
    );
    Ok(())
}
