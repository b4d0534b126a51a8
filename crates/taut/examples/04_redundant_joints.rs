//! A door on two hinges: redundant joints, and the doctor that names them.
//!
//! One hinge has five rows. The second adds five more that hold nothing new: rank 5, one freedom, five redundant rows.
//! The equations determine the sum of the vertical reactions, the weight. The solver shares it equally.

use taut::prelude::*;

pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (mass, g) = (20.0, 9.81);
    let mut spec = Spec::new();
    spec.gravity([0.0, 0.0, -g]).body("door", RigidBody::new(mass, [7.0, 8.4, 1.4]).at([0.45, 0.0, 1.0]));
    for (name, height) in [("lower", 0.3), ("upper", 1.7)] {
        let (frame, leaf) = (format!("ground.{name}"), format!("door.{name}"));
        spec.marker(&frame, Frame::at([0.0, 0.0, height]))
            .marker(&leaf, Frame::at([-0.45, 0.0, height - 1.0]))
            .constraint(name, Joint::revolute(&frame, &leaf));
    }
    let model = spec.build()?;

    let report = doctor(&model, &model.initial_state())?;
    println!("{report}");
    let count = report.here.ok_or("the model is too large")?;
    assert_eq!((count.rank, count.freedoms, count.redundant), (5, 1, 5));
    assert_eq!(report.dependent[0].constraints, ["lower", "upper"]);

    let run = simulate(&model, &model.initial_state(), &Transient::to(0.1))?;
    let (lower, upper) = (run.column("lower.fz")?[0], run.column("upper.fz")?[0]);
    println!("vertical reactions: {lower:.6} N and {upper:.6} N");
    assert!((lower + upper - mass * g).abs() < 1e-9);
    assert!((lower - upper).abs() < 1e-6);
    Ok(())
}
