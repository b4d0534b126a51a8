//! Runs the examples of the course. Each compares its result with a closed form.

type Outcome = Result<(), Box<dyn std::error::Error>>;

#[path = "../examples/10_beam.rs"]
mod beam;
#[path = "../examples/08_contact.rs"]
mod contact;
#[path = "../examples/07_events.rs"]
mod events;
#[path = "../examples/12_formulations.rs"]
mod formulations;
#[path = "../examples/02_four_bar.rs"]
mod four_bar;
#[path = "../examples/09_friction.rs"]
mod friction;
#[path = "../examples/06_modes.rs"]
mod modes;
#[path = "../examples/11_own_elements.rs"]
mod own_elements;
#[path = "../examples/01_pendulum.rs"]
mod pendulum;
#[path = "../examples/03_reactions.rs"]
mod reactions;
#[path = "../examples/04_redundant_joints.rs"]
mod redundant_joints;
#[path = "../examples/05_statics.rs"]
mod statics;

#[test]
fn runs_pendulum() -> Outcome {
    pendulum::main()
}

#[test]
fn runs_four_bar() -> Outcome {
    four_bar::main()
}

#[test]
fn runs_reactions() -> Outcome {
    reactions::main()
}

#[test]
fn runs_redundant_joints() -> Outcome {
    redundant_joints::main()
}

#[test]
fn runs_statics() -> Outcome {
    statics::main()
}

#[test]
fn runs_modes() -> Outcome {
    modes::main()
}

#[test]
fn runs_events() -> Outcome {
    events::main()
}

#[test]
fn runs_contact() -> Outcome {
    contact::main()
}

#[test]
fn runs_friction() -> Outcome {
    friction::main()
}

#[test]
fn runs_beam() -> Outcome {
    beam::main()
}

#[test]
fn runs_own_elements() -> Outcome {
    own_elements::main()
}

#[test]
fn runs_formulations() -> Outcome {
    formulations::main()
}
