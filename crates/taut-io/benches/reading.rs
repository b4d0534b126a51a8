//! How long a model file of many bodies takes to be read and built.
//!
//! ```text
//! cargo bench -p taut-io --bench reading
//! ```

use std::fmt::Write;
use std::path::Path;
use std::time::{Duration, Instant};
use taut_io::model::parse;

/// A chain written out link by link, and the same as a repetition.
fn written_out(n: usize) -> String {
    let mut text = String::from("taut = 2\ngravity = [0, -9.81, 0]\n\n[params]\nl = \"300 mm\"\nm = \"2 kg\"\n");
    for i in 0..n {
        let before = if i == 0 { "ground".to_string() } else { format!("link{}.end", i - 1) };
        let _ = write!(
            text,
            "\n[bodies.link{i}]\ntype = \"rigid\"\nmass = \"m\"\nshape = {{ type = \"cylinder\", radius = \"2 cm\", length = \"l\" }}\n\
             position = [\"({i} + 1/2)*l\", 0, 0]\nmarkers = {{ start = [\"-l/2\", 0, 0], end = [\"l/2\", 0, 0] }}\n\
             \n[joints.hinge{i}]\ntype = \"revolute\"\na = \"{before}\"\nb = \"link{i}.start\"\n"
        );
    }
    text
}

fn repeated(n: usize) -> String {
    format!(
        "taut = 2\n[params]\nl = \"300 mm\"\n[bodies.link0]\ntype = \"point_mass\"\nmass = 1\nmarkers = {{ end = [0, 0, 0] }}\n\
         [[repeat]]\nfor = \"i\"\nfrom = 1\nto = {n}\n[repeat.bodies.\"link{{i}}\"]\ntype = \"rigid\"\nmass = 2\n\
         shape = {{ type = \"rod\", length = \"l\", radius = \"1 cm\" }}\nposition = [\"(i + 1/2)*l\", 0, 0]\n\
         markers = {{ start = [\"-l/2\", 0, 0], end = [\"l/2\", 0, 0] }}\n[repeat.joints.\"ball{{i}}\"]\n\
         type = \"spherical\"\na = \"link{{i-1}}.end\"\nb = \"link{{i}}.start\"\n"
    )
}

fn main() {
    for n in [100, 1_000, 10_000] {
        for (how, text) in [("written out", written_out(n)), ("repeated", repeated(n))] {
            let mut best = [Duration::MAX; 2];
            for _ in 0..3 {
                let clock = Instant::now();
                let file = parse(&text, Path::new("chain.toml"), &[]).unwrap_or_else(|found| panic!("{}", found[0]));
                best[0] = best[0].min(clock.elapsed());
                let clock = Instant::now();
                let model = file.build().unwrap_or_else(|found| panic!("{found}"));
                best[1] = best[1].min(clock.elapsed());
                assert!(model.bodies.len() >= n);
            }
            let [read, build] = best.map(|t| t.as_secs_f64() * 1e3);
            let size = text.len() as f64 / 1e6;
            println!("{n:6} bodies {how:12} {size:6.2} MB: read {read:8.1} ms, built {build:8.1} ms");
        }
    }
}
