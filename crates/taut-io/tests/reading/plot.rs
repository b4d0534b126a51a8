//! Pictures: what is shown, in both formats.

use crate::common;

use common::{model, settings};
use taut::analyses::{Transient, simulate};
use taut_io::plot::{Figure, Marks, Panel, PlotError, Scale, Series, by_unit};

#[test]
fn panels_of_one_run() {
    let m = model();
    let s = simulate(&m, &m.initial_state(), &settings()).unwrap();
    let names = ["upper.theta", "lower.theta", "reach", "shoulder.fx", "shoulder.fy", "energy.balance"];
    let panels = by_unit(&s.table, &names).unwrap();
    assert_eq!(panels.iter().map(Vec::len).collect::<Vec<_>>(), [2, 1, 2, 1]);
    let figure = Figure::of(&s.table, "t", &panels).unwrap().titled("Double pendulum & <friends>");
    let svg = figure.to_svg();
    for text in ["&amp; &lt;friends&gt;", "time [s]", ">reach [m]<", ">[N]<", ">shoulder.fx<", "clip-path", "×10⁻"] {
        assert!(svg.contains(text), "{text}");
    }
    assert!(svg.len() < 400_000, "{}", svg.len());
    let png = figure.to_png(2.0).unwrap();
    assert!(png.starts_with(b"\x89PNG"));
    let portrait = Figure::of(&s.table, "lower.theta", &[vec!["lower.omega"]]).unwrap().titled("Phase portrait");
    assert!(portrait.to_svg().contains("lower.theta [rad]"));
    // To be looked at, where requested.
    if let Ok(folder) = std::env::var("TAUT_PICTURES") {
        let folder = std::path::Path::new(&folder);
        std::fs::write(folder.join("panels.svg"), svg).unwrap();
        std::fs::write(folder.join("panels.png"), png).unwrap();
        std::fs::write(folder.join("portrait.png"), portrait.to_png(2.0).unwrap()).unwrap();
        let long = simulate(&m, &m.initial_state(), &Transient::to(300.0).every(1e-2)).unwrap();
        let many =
            ["upper.x", "upper.y", "lower.x", "lower.y", "upper.tip.x", "upper.tip.y", "lower.tip.x", "lower.tip.y"];
        let figure = Figure::of(&long.table, "t", &[many.to_vec(), vec!["residual.position"]]).unwrap();
        std::fs::write(folder.join("long.png"), figure.to_png(2.0).unwrap()).unwrap();
        let letters = "The quick brown fox JUMPS OVER THE LAZY DOG 0123456789 {}[]()<>#%&@$°×·−… äöüÄÖÜ αθλμπφω m/s²";
        let sheet = Figure::of(&s.table, "t", &[vec!["reach"]]).unwrap().titled(letters);
        std::fs::write(folder.join("letters.png"), sheet.to_png(2.0).unwrap()).unwrap();
    }
}

#[test]
fn what_cannot_be_shown_is_answered() {
    let m = model();
    let s = simulate(&m, &m.initial_state(), &settings()).unwrap();
    let of = |x: &str, panels: &[Vec<&str>]| Figure::of(&s.table, x, panels);
    assert!(matches!(of("t", &[]), Err(PlotError::Nothing)));
    assert!(matches!(of("t", &[vec![]]), Err(PlotError::Nothing)));
    assert!(matches!(of("t", &[vec!["reach", "upper.theta"]]), Err(PlotError::Units { .. })));
    let error = of("t", &[vec!["reahc"]]).unwrap_err();
    assert!(error.to_string().contains("did you mean `reach`"), "{error}");
    let figure = of("t", &[vec!["reach"]]).unwrap();
    assert!(matches!(figure.to_png(1e6), Err(PlotError::Size { .. })));
    assert!(matches!(figure.to_png(f64::NAN), Err(PlotError::Size { .. })));
    // Odd sizes and data are drawn somehow, without a fall.
    for (width, height) in [(1.0, 1.0), (0.0, -5.0), (5000.0, 10.0)] {
        assert!(figure.clone().sized(width, height).to_svg().ends_with("</svg>\n"));
    }
    let mut odd = figure;
    odd.panels[0].series[0].y.iter_mut().for_each(|y| *y = f64::NAN);
    assert!(odd.to_png(1.0).is_ok());
}

#[test]
fn logarithmic_axes_and_marks() {
    let curve = |label: &str, x: &[f64], y: &[f64]| Series { label: label.to_string(), x: x.to_vec(), y: y.to_vec() };
    let series = vec![curve("a", &[1e-3, 1e-2, 1e-1], &[1e-3, 1e-6, 1e-9]), curve("b", &[2e-3, 5e-2], &[0.0, 1e-5])];
    let panel = Panel { label: "error".to_string(), unit: "m".to_string(), series };
    let plain = Figure::new("time", "s", vec![panel]);
    let svg = plain.clone().scaled(Scale::Logarithmic, Scale::Logarithmic).marked(Marks::Points).to_svg();
    for text in [">10⁻⁹<", ">0.01<", "error [m]"] {
        assert!(svg.contains(text), "{text}: {svg}");
    }
    // Three and one signs (zero cannot be shown), and two in the legend, beside lines of the plain figure.
    let lines = |svg: &str| svg.matches("<polyline").count();
    let scaled = plain.clone().scaled(Scale::Logarithmic, Scale::Logarithmic).to_svg();
    assert_eq!(lines(&svg), lines(&scaled) + 6);
}
