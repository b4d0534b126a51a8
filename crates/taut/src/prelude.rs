//! Everything that most models need: `use taut::prelude::*;`.
//!
//! ```
//! use taut::prelude::*;
//!
//! let mut spec = Spec::new();
//! spec.gravity([0.0, -9.81, 0.0])
//!     .body("rod", PlanarBody::rod(2.0, 1.0).at([0.5, 0.0], 0.0))
//!     .marker("rod.end", Frame::at([-0.5, 0.0, 0.0]))
//!     .constraint("hinge", Joint::pin("ground", "rod.end"));
//! let model = spec.build()?;
//! let swing = simulate(&model, &model.initial_state(), &Transient::to(1.0))?;
//! assert_eq!(swing.outcome, Outcome::Finished);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub use crate::analyses::linear::{ModeRequest, linearise, modes};
pub use crate::analyses::{
    AnalysisError, AssemblySettings, Integrator, Run, RunStatus, Simulation, Statics, Transient, assemble, doctor,
    inverse, kinematic, rank, simulate, start_run, statics,
};
pub use crate::beams::{Beam, Material, Section, SectionShape};
pub use crate::bodies::{PlanarBody, PointMass, RigidBody, Variable};
pub use crate::constraints::{
    Coupling, Formula, Joint, JointFriction, KnifeEdge, MarkerReference, MinimumDistance, PointPlaneContact,
    Prescription, Ratchet, Relation, Rolling, Rope, SlipAxes, Stop, UserConstraint,
};
pub use crate::contacts::{ContactRule, HuntCrossley, RigidContact, Surface};
pub use crate::drift::DriftControl;
pub use crate::dynamics::SolverSettings;
pub use crate::forces::{Applied, Bushing, Cable, Controller, FormulaForce, Motor, Spring, UserForce};
pub use crate::formulations::Method;
pub use crate::laws::{Friction, Impact};
pub use crate::marker::Frame;
pub use crate::measures::{Axis, Measure};
pub use crate::motion::Orientation;
pub use crate::shapes::Shape;
pub use crate::signals::{ForceLaw, Signal};
pub use crate::{Action, BuildError, EventKind, Model, Outcome, Solution, Spec, State, Trigger};
