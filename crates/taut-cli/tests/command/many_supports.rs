//! Load sharing with more self-stresses than full matrices can hold. Values by statics: the displacements of the supports of a rigid
//! beam lie on a line, fᵢ = kᵢ (a + b xᵢ), with the sum and the moment of the load.

use crate::common;

use common::Folder;
use serde_json::Value;

const SUPPORTS: usize = 340;

fn stiffness(i: usize) -> f64 {
    1e6 * (1 + i % 3) as f64
}

/// A beam of 10 m with a weight of 981 N at 4 m, on many supports.
fn beam(settings: &str, of_support: impl Fn(usize) -> String) -> String {
    let mut text = String::from(
        "taut = 2\ngravity = [0, -9.81, 0]\n[bodies.beam]\ntype = \"planar\"\nmass = 100\ninertia = 100\nposition = [4, 0]\n",
    );
    let at = |i: usize| 10.0 * i as f64 / (SUPPORTS - 1) as f64;
    text.push_str("[markers]\n");
    for i in 0..SUPPORTS {
        text.push_str(&format!("\"ground.s{i}\" = [{x}, 0, 0]\n\"beam.s{i}\" = [{}, 0, 0]\n", at(i) - 4.0, x = at(i)));
    }
    text.push_str("[joints]\nend = { type = \"pin\", a = \"ground.s0\", b = \"beam.s0\" }\n");
    for i in 1..SUPPORTS {
        text.push_str(&format!(
            "s{i} = {{ type = \"joint\", a = \"ground.s{i}\", b = \"beam.s{i}\", translation = [\"free\", \"fixed\", \"free\"], rotation = \"free\"{} }}\n",
            of_support(i)
        ));
    }
    text + settings
}

/// Forces of the supports with these stiffnesses.
fn shares(k: impl Fn(usize) -> f64) -> Vec<f64> {
    let x = |i: usize| 10.0 * i as f64 / (SUPPORTS - 1) as f64;
    let sum = |p: i32| (0..SUPPORTS).map(|i| k(i) * x(i).powi(p)).sum::<f64>();
    let (s0, s1, s2) = (sum(0), sum(1), sum(2));
    let (load, moment) = (981.0, 981.0 * 4.0);
    let det = s0 * s2 - s1 * s1;
    let (a, b) = ((load * s2 - moment * s1) / det, (moment * s0 - load * s1) / det);
    (0..SUPPORTS).map(|i| k(i) * (a + b * x(i))).collect()
}

fn compare(report: &Value, field: &str, expected: &[f64]) {
    let all = report["components"].as_array().unwrap();
    let largest = expected.iter().fold(0.0_f64, |a, x| a.max(x.abs()));
    for (i, x) in expected.iter().enumerate() {
        let name = if i == 0 { "end.fy".to_string() } else { format!("s{i}.fy") };
        let own = all.iter().find(|c| c["name"] == name.as_str()).unwrap();
        let found = own[field].as_f64().unwrap_or(f64::NAN);
        assert!((found - x).abs() < 1e-8 * largest, "{name}: {found} instead of {x}");
        assert!(!own["set"].is_null(), "{own}");
    }
}

#[test]
fn a_beam_on_many_supports() {
    let folder = Folder::new("many-supports");
    let model = beam("", |_| String::new());
    folder.write("model.toml", &model);
    let report = folder.done(&["static", "model.toml", "--json"]).json()["determinacy"].clone();
    compare(&report, "minimum_norm", &shares(|_| 1.0));

    let elastic = |k: f64| format!(", share_stiffness = [{k}, {k}, {k}, 1e3, 1e3, 1e3]");
    let of = |i: usize| elastic(stiffness(i));
    let model = beam("[settings]\nduration = 0.1\nreactions = \"stiffness\"\n", of);
    let model = model.replace("b = \"beam.s0\" }", &format!("b = \"beam.s0\"{} }}", elastic(stiffness(0))));
    folder.write("model.toml", &model);
    let answer = folder.done(&["static", "model.toml", "--json"]).json();
    let expected = shares(stiffness);
    compare(&answer["determinacy"], "stiffness", &expected);
    // The rule decides the values too.
    compare(&answer["determinacy"], "value", &expected);
}
