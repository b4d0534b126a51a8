//! `taut modes`: natural frequencies, damping and mode shapes.

use super::operating_point::{MultibladeOption, OperatingPoint, open_model};
use crate::exit::{CliError, ExitStatus, print_json, print_stderr, print_stdout};
use crate::options::{JsonOption, ModelSource, OutputStyle};
use crate::overwrite;
use clap::Args;
use nalgebra::Complex;
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::PathBuf;
use taut::analyses::linear::{Eigenmode, EnergyShare, Linearised, ModeKind, ModeRequest, ModeSet, modes};
use taut::analyses::{Multiblade, MultibladeMode};
use taut_papers::text::{Align, number, table};

/// Name of the file of modes in a folder of results.
const MODES_FILE: &str = "modes.json";

/// Damping ratios below this are round-off.
const DAMPING_ROUND_OFF: f64 = 1e-14;

/// Arguments of `taut modes`.
#[derive(Debug, Args)]
#[command(after_help = "\
Constraints add no modes: the eigenvalues are those of the motions that the constraints allow. The effective masses m_x, m_y, \
m_z are the masses that a base feels when it moves along x, y, z. The shapes in modes.json are complex; the motion of a body \
is Re(shape * exp(lambda t)).

Examples:
  taut modes crane.toml --static            # about the equilibrium
  taut modes bicycle.toml --set v=5         # about steady motion
  taut modes blade.toml --static --rotating-about z --rate 22
  # collective, cyclic and differential modes
  taut modes rotor.toml --rotating-about z --multiblade blade
  taut modes swing.toml -n 20 -o swing.run  # with shapes, for taut view")]
pub struct Arguments {
    #[command(flatten)]
    source: ModelSource,
    /// Number of modes, slowest first
    #[arg(short, long, value_name = "COUNT", default_value_t = 10)]
    number: usize,
    #[command(flatten)]
    at: OperatingPoint,
    #[command(flatten)]
    group: MultibladeOption,
    /// Folder for modes.json
    #[arg(short, long, value_name = "FOLDER")]
    output: Option<PathBuf>,
    /// Replace an existing modes.json
    #[arg(long, requires = "output")]
    force: bool,
    #[command(flatten)]
    printing: JsonOption,
}

impl Arguments {
    /// Computes, prints and writes the modes.
    pub fn run(self) -> Result<ExitStatus, CliError> {
        let path = self.output.as_ref().map(|folder| folder.join(MODES_FILE));
        overwrite::check_optional_overwrite(path.as_deref(), &self.source.model, self.force.into())?;
        let (file, model) = open_model(&self.source)?;
        if self.group.requested() {
            let found = self.group.linearised(&self.at, &file, &model)?;
            return self.print_multiblade(&found, &file.title);
        }
        let lin = self.at.linearised(&file, &model)?;
        let found = modes(&lin, ModeRequest::Lowest(self.number))?;
        match self.printing.style() {
            OutputStyle::Json => print_json(&as_json(&lin, &found, &file.title))?,
            _ => print_stdout(&as_text(&lin, &found))?,
        }
        if let Some(folder) = self.output {
            std::fs::create_dir_all(&folder).map_err(|e| CliError::file_error("create", &folder, &e))?;
            let path = folder.join(MODES_FILE);
            let text = format!("{:#}\n", as_json(&lin, &found, &file.title));
            std::fs::write(&path, text).map_err(|e| CliError::file_error("write", &path, &e))?;
            print_stderr(&format!("wrote {}", path.display()));
        }
        Ok(ExitStatus::Success)
    }

    /// Prints modes in multiblade coordinates.
    fn print_multiblade(&self, found: &Multiblade, title: &str) -> Result<ExitStatus, CliError> {
        let modes = found.modes()?;
        let shown = &modes[..modes.len().min(self.number)];
        if self.printing.style() == OutputStyle::Json {
            let one = |m: &MultibladeMode| {
                let values = found.names.iter().zip(m.mode.xi.iter().chain(&m.mode.dv).chain(&m.mode.z));
                let displacements = values.filter(|(name, x)| name.contains("xi(") && x.norm() > 0.0);
                json!({
                    "eigenvalue": complex_json(&m.mode.lambda),
                    "frequency_hz": m.mode.frequency(),
                    "omega": m.mode.omega(),
                    "damping_ratio": m.mode.damping(),
                    "kind": m.mode.kind,
                    "label": m.label,
                    "share": m.share,
                    "shape": displacements.map(|(name, x)| (name.clone(), complex_json(x))).collect::<serde_json::Map<_, _>>(),
                })
            };
            print_json(&json!({
                "title": title,
                "rate": found.rate,
                "parts": found.count,
                "periodicity": found.periodicity,
                "eigenvalues": found.A.nrows(),
                "modes": shown.iter().map(one).collect::<Vec<_>>(),
            }))?;
            return Ok(ExitStatus::Success);
        }
        let heads = ["", "f [Hz]", "|λ| [rad/s]", "damping", "", "kinetic energy"];
        let mut rows = vec![heads.map(String::from).to_vec()];
        for (i, m) in shown.iter().enumerate() {
            let damping =
                if m.mode.damping().abs() > DAMPING_ROUND_OFF { number(m.mode.damping()) } else { String::new() };
            let moves = format!("{} {:.0} %", m.label, 100.0 * m.share);
            let (f, omega) = (number(m.mode.frequency()), number(m.mode.omega()));
            rows.push(vec![(i + 1).to_string(), f, omega, damping, motion_label(&m.mode).to_string(), moves]);
        }
        use Align::{Left, Right};
        let mut text = table(&[Right, Right, Right, Right, Left, Left], &rows, "");
        let _ = writeln!(
            text,
            "{} eigenvalues in total, {} like parts; coefficients vary by {:.1e} over one revolution",
            found.A.nrows(),
            found.count,
            found.periodicity
        );
        print_stdout(&text)?;
        Ok(ExitStatus::Success)
    }
}

/// The kind of a mode in one word: oscillating, growing, decaying or free.
pub fn motion_label(mode: &Eigenmode) -> &'static str {
    match mode.kind {
        ModeKind::Vibration if mode.lambda.re > 1e-9 * mode.omega() => "oscillates, growing",
        ModeKind::Vibration => "oscillates",
        ModeKind::Aperiodic if mode.lambda.re > 0.0 => "grows",
        ModeKind::Aperiodic => "decays",
        ModeKind::Free => "free",
    }
}

fn as_text(lin: &Linearised, found: &ModeSet) -> String {
    let heads = ["", "f [Hz]", "|λ| [rad/s]", "damping", "", "m_x [kg]", "m_y", "m_z", "kinetic energy"];
    let mut rows = vec![heads.map(String::from).to_vec()];
    for (i, m) in found.modes.iter().enumerate() {
        let mass = lin.effective_mass(m).map(|x| if x > 1e-9 { number(x) } else { "0".to_string() });
        let carriers: Vec<String> = lin.kinetic_shares(m).iter().take(3).map(percent).collect();
        let [x, y, z] = mass;
        let mut row = vec![(i + 1).to_string(), number(m.frequency()), number(m.omega())];
        let damping = if m.kind == ModeKind::Vibration && m.damping().abs() > DAMPING_ROUND_OFF {
            number(m.damping())
        } else {
            String::new()
        };
        row.extend([damping, motion_label(m).to_string(), x, y, z, carriers.join(", ")]);
        rows.push(row);
    }
    use Align::{Left, Right};
    let mut text = table(&[Right, Right, Right, Right, Left, Right, Right, Right, Left], &rows, "");
    if let (Some(zeros), Some(all)) = (found.zeros, found.dimension) {
        let _ = writeln!(text, "{all} eigenvalues in total, {zeros} of them zero");
    }
    text
}

fn percent(share: &EnergyShare) -> String {
    format!("{} {:.0} %", share.name, 100.0 * share.share)
}

fn complex_json(x: &Complex<f64>) -> Value {
    json!([x.re, x.im])
}

/// Everything about the modes, for a viewer.
fn as_json(lin: &Linearised, found: &ModeSet, title: &str) -> Value {
    let of_list = |shares: Vec<EnergyShare>| -> Value {
        shares.into_iter().map(|s| (s.name, json!(s.share))).collect::<serde_json::Map<_, _>>().into()
    };
    let one = |m: &Eigenmode| {
        let shapes = lin.shapes(m).into_iter().map(|s| {
            let values = json!({
                "translation": s.translation.iter().map(complex_json).collect::<Vec<_>>(),
                "rotation": s.rotation.iter().map(complex_json).collect::<Vec<_>>(),
            });
            (s.marker, values)
        });
        json!({
            "eigenvalue": complex_json(&m.lambda),
            "frequency_hz": m.frequency(),
            "omega": m.omega(),
            "damping_ratio": m.damping(),
            "kind": m.kind,
            "effective_mass": lin.effective_mass(m),
            "kinetic": of_list(lin.kinetic_shares(m)),
            "potential": of_list(lin.potential_shares(m)),
            "shapes": shapes.collect::<serde_json::Map<_, _>>(),
        })
    };
    json!({
        "title": title,
        "t": lin.state.t,
        "unsteady": lin.unsteadiness,
        "turning": lin.turning,
        "eigenvalues": found.dimension,
        "zeros": found.zeros,
        "modes": found.modes.iter().map(one).collect::<Vec<_>>(),
    })
}
