//! A four-bar linkage of rigid bodies in space with four revolute joints: one degree of freedom, three redundant rows.
//!
//! ```text
//! cargo run --release -p taut --example four_bar
//! cargo run --release -p taut --example four_bar -- --svg four_bar.svg
//! ```

use std::fmt::Write;
use std::process::ExitCode;
use taut::analyses::{AssemblySettings, RankReport, Transient, assemble, rank, simulate};
use taut::{Frame, Joint, Model, Orientation, RigidBody, Solution, Spec};

/// Hinges at the start, m: ground, crank and coupler, coupler and rocker, ground.
const HINGES: [[f64; 2]; 4] = [[0.0, 0.0], [0.0, 0.4], [0.95, 0.7], [1.0, 0.0]];
/// Bars and the hinges they run between.
const BARS: [(&str, usize, usize); 3] = [("crank", 0, 1), ("coupler", 1, 2), ("rocker", 2, 3)];
/// A point of the coupler that draws a curve.
const PEN: [f64; 2] = [0.3, 1.05];
const END: f64 = 3.0;

type Failure = Box<dyn std::error::Error>;

/// Steel bars, 4 cm by 1 cm in section; all points are in world coordinates of the start pose.
fn linkage() -> Result<Model, Failure> {
    let mut spec = Spec::new();
    spec.gravity([0.0, -9.81, 0.0]);
    for (name, from, to) in BARS {
        let ([x0, y0], [x1, y1]) = (HINGES[from], HINGES[to]);
        let (length, angle) = ((x1 - x0).hypot(y1 - y0), (y1 - y0).atan2(x1 - x0));
        let mass = 7850.0 * 0.04 * 0.01 * length;
        let (along, wide, thick) = (length * length, 0.04 * 0.04, 0.01 * 0.01);
        let moments = [wide + thick, along + thick, along + wide].map(|m| m * mass / 12.0);
        let body = RigidBody::new(mass, moments)
            .at([0.5 * (x0 + x1), 0.5 * (y0 + y1), 0.0])
            .oriented(Orientation::RotationVector([0.0, 0.0, angle]));
        spec.body(name, body)
            .marker(&format!("{name}.from"), Frame::world([x0, y0, 0.0]))
            .marker(&format!("{name}.to"), Frame::world([x1, y1, 0.0]));
    }
    spec.marker("coupler.pen", Frame::world([PEN[0], PEN[1], 0.0]))
        .marker("ground.right", Frame::at([HINGES[3][0], HINGES[3][1], 0.0]))
        .constraint("left", Joint::revolute("ground", "crank.from"))
        .constraint("elbow", Joint::revolute("crank.to", "coupler.from"))
        .constraint("wrist", Joint::revolute("coupler.to", "rocker.from"))
        .constraint("right", Joint::revolute("ground.right", "rocker.to"));
    Ok(spec.build()?)
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let svg = match &arguments[..] {
        [] => None,
        [flag, file] if flag == "--svg" => Some(file.as_str()),
        _ => {
            eprintln!("usage: four_bar [--svg FILE]");
            return ExitCode::from(2);
        }
    };
    match run(svg) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("four_bar: {failure}");
            ExitCode::FAILURE
        }
    }
}

fn run(svg: Option<&str>) -> Result<(), Failure> {
    let model = linkage()?;
    // The crank turns at 6 rad/s; the other velocities follow from the joints.
    let mut start = model.initial_state();
    let turn = model.state_names().1.iter().position(|v| v.name == "crank.wz").ok_or("the crank cannot turn")?;
    let lift = model.state_names().1.iter().position(|v| v.name == "crank.vx").ok_or("the crank cannot move")?;
    (start.v[turn], start.v[lift]) = (-6.0, 6.0 * 0.2);
    let start = assemble(&model, &start, &AssemblySettings::default().hold("crank"))?.state;

    let found = rank(&model, &start)?;
    let solution = simulate(&model, &start, &Transient::to(END).every(0.005).tolerance(1e-10, 1e-10))?;
    println!("{}", summary(&model, &found, &solution)?);
    if let Some(file) = svg {
        std::fs::write(file, picture(&solution)?)?;
        println!("picture in {file}");
    }
    if solution.outcome.is_success() { Ok(()) } else { Err(solution.outcome.to_string().into()) }
}

fn summary(model: &Model, rank: &RankReport, s: &Solution) -> Result<String, Failure> {
    let worst = |name: &str| -> Result<f64, Failure> { Ok(s.column(name)?.iter().fold(0.0, |a, x| a.max(x.abs()))) };
    let mut text = String::new();
    writeln!(text, "four-bar of {} rigid bodies and {} revolutes", model.bodies.len(), model.constraints.len())?;
    writeln!(text, "  velocities {}, rows {}, rank {}", rank.velocities, rank.rows, rank.rank)?;
    writeln!(text, "  degrees of freedom {}, redundant rows {} ({:?})", rank.freedoms, rank.redundant, rank.verdict)?;
    writeln!(text, "  dependent: {}", rank.dependent.join(", "))?;
    writeln!(text, "run to {END} s: {} in {:.1} ms", s.outcome, 1e3 * s.elapsed.as_secs_f64())?;
    let work = &s.statistics;
    writeln!(text, "  steps {} ({} rejected), rhs evaluations {}", work.steps, work.rejected, work.evaluations)?;
    let energy = s.column("energy.kinetic")?[0];
    writeln!(text, "  energy drift {:.1e} J (kinetic at the start {energy:.1} J)", worst("energy.balance")?)?;
    writeln!(
        text,
        "  worst residuals: position {:.1e}, velocity {:.1e}, acceleration {:.1e}",
        worst("residual.position")?,
        worst("residual.velocity")?,
        worst("residual.acceleration")?
    )?;
    for w in &s.warnings {
        writeln!(text, "  warning at {} s: {}", w.t, w.message)?;
    }
    writeln!(text, "reactions, world axes         fx [N]              fy [N]       largest |f| [N]  at [s]")?;
    for c in &model.constraints {
        let (fx, fy) = (s.column(&format!("{}.fx", c.name))?, s.column(&format!("{}.fy", c.name))?);
        let range = |f: &[f64]| f.iter().fold((f64::INFINITY, -f64::INFINITY), |r, x| (r.0.min(*x), r.1.max(*x)));
        let ((x0, x1), (y0, y1)) = (range(fx), range(fy));
        let size = |i: &usize| fx[*i].hypot(fy[*i]);
        let peak = (0..s.len()).max_by(|a, b| size(a).total_cmp(&size(b))).ok_or("nothing was recorded")?;
        let (most, when) = (size(&peak), s.t()[peak]);
        writeln!(text, "  {:<14} {x0:9.2} … {x1:7.2}  {y0:9.2} … {y1:7.2}  {most:15.2}  {when:6.3}", c.name)?;
    }
    Ok(text.trim_end().to_string())
}

/// Stroboscopic picture of the first turn of the crank: bars fade with age, the pen draws.
fn picture(s: &Solution) -> Result<String, Failure> {
    const SCALE: f64 = 420.0;
    const FLASHES: usize = 14;
    let at = |name: &str, i: usize| -> Result<(f64, f64), Failure> {
        let (x, y) = (s.column(&format!("{name}.x"))?[i], s.column(&format!("{name}.y"))?[i]);
        Ok(((x + 0.55) * SCALE, (1.2 - y) * SCALE))
    };
    let angle = s.column("left.angle")?;
    let turn = angle.iter().position(|a| (a - angle[0]).abs() >= std::f64::consts::TAU).unwrap_or(s.len() - 1);

    let mut out = String::new();
    let (width, height) = (1.85 * SCALE, 1.75 * SCALE);
    writeln!(out, r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0} {height:.0}">"#)?;
    writeln!(out, "<title>Four-bar linkage, one turn of the crank in {:.2} s</title>", s.t()[turn])?;
    writeln!(out, r##"<rect width="100%" height="100%" fill="#ffffff"/>"##)?;
    let mut curve = String::new();
    for i in 0..=turn {
        let (x, y) = at("coupler.pen", i)?;
        write!(curve, "{x:.1},{y:.1} ")?;
    }
    for k in 0..FLASHES {
        let i = turn * k / (FLASHES - 1);
        let opacity = 0.12 + 0.88 * (k as f64 / (FLASHES - 1) as f64).powi(3);
        writeln!(out, r#"<g opacity="{opacity:.2}" stroke-linecap="round" stroke-linejoin="round">"#)?;
        let (a, b, pen) = (at("coupler.from", i)?, at("coupler.to", i)?, at("coupler.pen", i)?);
        writeln!(
            out,
            r##"<path d="M{:.1} {:.1}L{:.1} {:.1}L{:.1} {:.1}Z" fill="#e8b04a" fill-opacity="0.25" stroke="#b97a12" stroke-width="3"/>"##,
            a.0, a.1, b.0, b.1, pen.0, pen.1
        )?;
        for (bar, colour) in [("crank", "#c0392b"), ("rocker", "#1f5f99")] {
            let (from, to) = (at(&format!("{bar}.from"), i)?, at(&format!("{bar}.to"), i)?);
            writeln!(
                out,
                r#"<path d="M{:.1} {:.1}L{:.1} {:.1}" stroke="{colour}" stroke-width="7"/>"#,
                from.0, from.1, to.0, to.1
            )?;
        }
        for (x, y) in [a, b] {
            writeln!(
                out,
                r##"<circle cx="{x:.1}" cy="{y:.1}" r="5" fill="#ffffff" stroke="#333333" stroke-width="2"/>"##
            )?;
        }
        writeln!(out, "</g>")?;
    }
    let dashes = r##"fill="none" stroke="#2e7d32" stroke-width="2.5" stroke-dasharray="7 5""##;
    writeln!(out, r#"<polyline points="{}" {dashes}/>"#, curve.trim_end())?;
    let (x, y) = at("coupler.pen", turn)?;
    writeln!(out, r##"<circle cx="{x:.1}" cy="{y:.1}" r="6" fill="#2e7d32"/>"##)?;
    for name in ["crank.from", "rocker.to"] {
        let (x, y) = at(name, 0)?;
        let (l, r, low) = (x - 20.0, x + 20.0, y + 30.0);
        writeln!(
            out,
            r##"<path d="M{x:.1} {y:.1}L{l:.1} {low:.1}L{r:.1} {low:.1}Z" fill="#cccccc" stroke="#333333"/>"##
        )?;
        writeln!(out, r##"<circle cx="{x:.1}" cy="{y:.1}" r="6" fill="#333333"/>"##)?;
    }
    writeln!(out, "</svg>")?;
    Ok(out)
}
