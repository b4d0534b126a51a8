//! Equilibria on floors, stops and ropes: what holds gives what the weight asks for, and nothing sinks through.

use super::Judgement;
use super::random::Random;
use taut::analyses::{Statics, statics};
use taut::constraints::{PointOnPlane, Rope, Separator, Stop};
use taut::forces::Spring;
use taut::{Frame, Joint, Measure, PointMass, Spec};

const G: f64 = 9.81;

pub fn case(r: &mut Random) -> Judgement {
    let n = 1 + r.below(4);
    let size = r.ratio(1e-3, 10.0);
    let m: Vec<f64> = (0..n).map(|_| r.ratio(1e-3, 1e3)).collect();
    let kind = r.below(4);
    let mut spec = Spec::new();
    spec.gravity([0.0, 0.0, -G]);
    spec.marker("ground.mast", Frame::at([0.0; 3]));
    let mut above = 0.0;
    let mut expected: Vec<(String, f64, f64)> = Vec::new();
    match kind {
        // A stack on a mast: each keeps its distance from the one below.
        0 => {
            for i in 0..n {
                let (name, below) =
                    (format!("m{i}"), if i == 0 { "ground".to_string() } else { format!("m{}", i - 1) });
                let z = size * (i + 1) as f64;
                spec.body(&name, PointMass::new(m[i], [0.0, 0.0, z * r.between(1.0, 1.02)]))
                    .constraint(&format!("mast{i}"), Joint::point_on_line("ground.mast", &name))
                    .constraint(&format!("gap{i}"), Separator::new(&below, &name, size));
                expected.push((format!("gap{i}"), z, 0.0));
            }
            for i in (0..n).rev() {
                above += m[i] * G;
                expected[i].2 = above;
            }
        }
        // A mass on a soft spring above a floor: it floats, or rests with what the spring leaves.
        1 => {
            let k = r.ratio(0.1, 10.0) * m[0] * G / size;
            spec.body("m0", PointMass::new(m[0], [0.0, 0.0, size]))
                .constraint("mast0", Joint::point_on_line("ground.mast", "m0"))
                .force("spring", Spring::new(Measure::coordinate("m0.z"), taut::signals::Law::linear(k, 0.0, size)))
                .constraint("floor", PointOnPlane::new("ground", "m0"));
            let z = (size - m[0] * G / k).max(0.0);
            expected.push(("floor".to_string(), z, (m[0] * G - k * size).max(0.0)));
        }
        // Held by a stop.
        2 => {
            let z = size * r.between(-1.0, 1.0);
            spec.body("m0", PointMass::new(m[0], [0.0, 0.0, z + 0.1 * size]))
                .constraint("mast0", Joint::point_on_line("ground.mast", "m0"))
                .constraint("stop", Stop::lower(Measure::coordinate("m0.z"), z));
            expected.push(("stop".to_string(), z, m[0] * G));
        }
        // Hung on a rope.
        _ => {
            spec.body("m0", PointMass::new(m[0], [0.0, 0.0, -0.7 * size]))
                .constraint("mast0", Joint::point_on_line("ground.mast", "m0"))
                .constraint("rope", Rope::new(&["ground", "m0"], size));
            expected.push(("rope".to_string(), -size, m[0] * G));
        }
    }
    let model = spec.build().expect("something at rest");
    let told = format!("kind {kind}, size {size}, masses {m:?}");
    let found = match statics(&model, &model.initial_state(), &Statics::default()) {
        Err(e) => return Judgement::Told(e.to_string()),
        Ok(found) => found,
    };
    for (i, (name, z, force)) in expected.iter().enumerate() {
        let at = model.get(&found.state, &format!("m{i}.z")).expect("a coordinate");
        let c = model.constraints.iter().find(|c| c.name == *name).expect("a constraint");
        let given = found.lambda[c.rows.start].abs();
        let whole = m.iter().sum::<f64>() * G;
        if (at - z).abs() > 1e-8 * size || (given - force).abs() > 1e-8 * whole {
            return Judgement::Silent(format!("m{i} at {at}, not {z}; `{name}` gives {given} N, not {force} [{told}]"));
        }
    }
    Judgement::Met
}
