//! Whole runs under audit.

use crate::analyses::{Transient, simulate};
use crate::forces::Spring;
use crate::{Hold, Measure, PointMass, Relation, Signal, Solution, Spec, Verdict};

/// Two masses with a spring between them, one of them driven along x, to 10 s.
fn driven(along: &str, atol: f64) -> Solution {
    let mut spec = Spec::new();
    spec.body("a", PointMass::new(1.0, [0.0; 3]))
        .body("b", PointMass::new(1.0, [3.0, 0.0, 0.0]))
        .constraint(
            "r",
            Relation::driver(Measure::coordinate("a.x"), Hold::Position(Signal::expression(along).unwrap())),
        )
        .force("s", Spring::linear("a", "b", 10.0, 0.0, 3.0));
    let model = spec.build().unwrap();
    let settings = Transient::to(10.0).tolerance(1e-6, atol).every(0.25);
    simulate(&model, &model.initial_state(), &settings).unwrap()
}

#[test]
fn what_hardly_moves_yet_is_not_wrong() {
    // For three seconds the driver moves by less than 1e-100 m, and the energies are those of nothing.
    for atol in [1e-6, 1e-9, 1e-12] {
        let run = driven("0.5 + 0.5*tanh(50*(t - 3.05))", atol);
        assert_eq!(run.verdict, Some(Verdict::Sound), "{atol}: {:?}", run.warnings);
        // It does move.
        let x = run.column("b.x").unwrap();
        assert!(x.iter().any(|x| *x > 4.5), "{x:?}");
    }
}
