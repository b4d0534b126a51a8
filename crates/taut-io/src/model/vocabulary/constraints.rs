//! Joints, drivers, constraints.

use super::unilateral::{INITIALLY, LIMITS, UNILATERAL_CONSTRAINTS};
use super::{
    ACCELERATION, ACCELERATION_OF_COORDINATE, ANGLE, ANGULAR_ACCELERATION, ANGULAR_VELOCITY, ANY_QUANTITY,
    DEFINITIONS_OF_T, DISPLACEMENT, ElementKind, ExpectedQuantity, Field, FieldType, LENGTH, RATE, RATIO, STIFFNESS,
    TIME_DEFINITIONS, VELOCITY, optional, required,
};

const A: Field = required("a", FieldType::Marker, "The marker that carries the axes.");
const B: Field = required("b", FieldType::Marker, "The marker that moves.");
const ROTATION: Field = optional("rotation", FieldType::Motion, "Prescribed rotation about z.");
const TRANSLATION: Field = optional("translation", FieldType::Motion, "Prescribed translation.");
/// Of joints between two frames.
const SHARE_STIFFNESS: Field = optional(
    "share_stiffness",
    FieldType::Coefficients(STIFFNESS),
    "Stiffness that only decides how redundant joints share load; the motion is rigid. Six numbers along and about x, y, z of \
     A, or a 6×6 matrix; inf is rigid.",
);
const MISFIT: Field = optional(
    "misfit",
    FieldType::Vector(&[6], DISPLACEMENT),
    "With `share_stiffness`: where B would be without load, along and about x, y, z of A; default: 0.",
);
/// Of constraints with one row.
const ROW_SHARE_STIFFNESS: Field = optional(
    "share_stiffness",
    FieldType::Number(STIFFNESS),
    "Stiffness that only decides how redundant constraints share load; the motion is rigid.",
);
const ROW_MISFIT: Field = optional(
    "misfit",
    FieldType::Number(DISPLACEMENT),
    "With `share_stiffness`: the value of the constraint without load; default: 0.",
);

const LIMITS_FIELD: Field = optional("limits", FieldType::Table(LIMITS), "Stops: { lower, upper, restitution }.");
const FRICTION: Field = optional(
    "friction",
    FieldType::JointFriction,
    "Dry friction: one coefficient, or { static, kinetic, radius, bearing_distance, preload }.",
);

macro_rules! joint {
    ($name:literal, $doc:literal, [$($more:expr),*]) => {
        ElementKind { name: $name, doc: $doc, fields: &[A, B, INITIALLY, SHARE_STIFFNESS, MISFIT, $($more),*] }
    };
    ($name:literal, $doc:literal, row, [$($more:expr),*]) => {
        ElementKind { name: $name, doc: $doc, fields: &[A, B, INITIALLY, ROW_SHARE_STIFFNESS, ROW_MISFIT, $($more),*] }
    };
}

pub(crate) const JOINTS: &[ElementKind] = &[
    joint!("fixed", "No relative motion.", [ROTATION]),
    joint!("revolute", "Rotation about z.", [ROTATION, LIMITS_FIELD, FRICTION]),
    joint!("prismatic", "Translation along z.", [TRANSLATION, LIMITS_FIELD, FRICTION]),
    joint!("cylindrical", "Rotation about z and translation along z.", [ROTATION, TRANSLATION, LIMITS_FIELD, FRICTION]),
    joint!("spherical", "Rotation about a point.", [FRICTION]),
    joint!("universal", "Rotation about x of A and y of B, which stay perpendicular.", []),
    joint!("constant_velocity", "Rotation about a point without spin about z.", []),
    joint!("planar", "Translation in the xy plane and rotation about z.", [ROTATION, FRICTION]),
    joint!("point_on_line", "The origin of B stays on the line z of A.", [TRANSLATION]),
    joint!("point_on_plane", "The origin of B stays in the plane xy of A.", []),
    joint!("parallel_axes", "z of A and of B stay parallel.", [ROTATION]),
    joint!("perpendicular_axes", "x of A and y of B stay perpendicular.", []),
    joint!("parallel_frames", "Translation only; the axes stay parallel.", [ROTATION]),
    joint!("pin", "In the plane: rotation about a point.", [ROTATION, LIMITS_FIELD, FRICTION]),
    joint!("slider", "In the plane: translation along x of A.", [TRANSLATION, LIMITS_FIELD, FRICTION]),
    joint!("weld", "In the plane: no relative motion.", [ROTATION]),
    joint!(
        "slot",
        "In the plane: the origin of B moves along x of A; B can rotate.",
        [TRANSLATION, ROTATION, LIMITS_FIELD, FRICTION]
    ),
    joint!(
        "screw",
        "Rotation about z coupled to translation along z.",
        [required("pitch", FieldType::Number(LENGTH), "Advance per revolution.")]
    ),
    joint!(
        "rod",
        "The distance between the two origins is given.",
        row,
        [required("length", FieldType::Signal(LENGTH), "The distance.")]
    ),
    joint!(
        "joint",
        "A joint given by the motions that it permits, fixes or prescribes.",
        [
            optional(
                "translation",
                FieldType::TranslationMask,
                "Along x, y, z of A: \"free\", \"fixed\" or a prescribed motion."
            ),
            optional(
                "rotation",
                FieldType::RotationMask,
                "\"free\", \"perpendicular\", \"constant_velocity\", \"parallel\", { about = … } or { locked = … }."
            )
        ]
    ),
];

/// Words for one direction of `translation`, besides a prescribed motion.
pub(crate) const TRANSLATIONS: &[&str] = &["free", "fixed"];

/// Words for `rotation`, besides the tables `{ about = … }` and `{ locked = … }`.
pub(crate) const ROTATIONS: &[&str] = &["free", "perpendicular", "constant_velocity", "parallel"];

/// A term of a linear relation.
pub(crate) const TERM: &[Field] = &[
    required("factor", FieldType::Number(RATIO), "Its factor."),
    required("coordinate", FieldType::Coordinate, "The coordinate."),
];

const fn driver(position: ExpectedQuantity, velocity: ExpectedQuantity, acceleration: ExpectedQuantity) -> [Field; 8] {
    [
        required("coordinate", FieldType::Coordinate, "The driven coordinate."),
        optional("position", FieldType::Signal(position), "Prescribed position."),
        optional("velocity", FieldType::Signal(velocity), "Prescribed rate."),
        optional("acceleration", FieldType::Signal(acceleration), "Prescribed acceleration."),
        TIME_DEFINITIONS,
        INITIALLY,
        ROW_SHARE_STIFFNESS,
        ROW_MISFIT,
    ]
}

/// A driver of any coordinate, of a length, of an angle.
pub(crate) const DRIVER: &[Field] = &driver(DISPLACEMENT, RATE, ACCELERATION_OF_COORDINATE);
pub(crate) const LENGTH_DRIVER: &[Field] = &driver(LENGTH, VELOCITY, ACCELERATION);
pub(crate) const ANGLE_DRIVER: &[Field] = &driver(ANGLE, ANGULAR_VELOCITY, ANGULAR_ACCELERATION);

/// All constraints other than joints and drivers.
pub(crate) const CONSTRAINTS: &[ElementKind] = &all::<{ BILATERAL_CONSTRAINTS.len() + UNILATERAL_CONSTRAINTS.len() }>();

const fn all<const N: usize>() -> [ElementKind; N] {
    let mut kinds = [BILATERAL_CONSTRAINTS[0]; N];
    let mut i = 0;
    while i < N {
        kinds[i] = if i < BILATERAL_CONSTRAINTS.len() {
            BILATERAL_CONSTRAINTS[i]
        } else {
            UNILATERAL_CONSTRAINTS[i - BILATERAL_CONSTRAINTS.len()]
        };
        i += 1;
    }
    kinds
}

/// Bilateral constraints.
const BILATERAL_CONSTRAINTS: &[ElementKind] = &[
    ElementKind {
        name: "gear",
        doc: "ratio · first + second = sum.",
        fields: &[
            required("first", FieldType::Coordinate, "Angle of the first gear."),
            required("second", FieldType::Coordinate, "Angle of the second gear."),
            required(
                "ratio",
                FieldType::Number(RATIO),
                "Teeth of the first gear over teeth of the second; negative for an internal gear.",
            ),
            optional("sum", FieldType::Number(DISPLACEMENT), "Value of the sum; default: 0."),
            INITIALLY,
            ROW_SHARE_STIFFNESS,
            ROW_MISFIT,
        ],
    },
    ElementKind {
        name: "rack_and_pinion",
        doc: "rack = radius · pinion.",
        fields: &[
            required("rack", FieldType::Coordinate, "Displacement of the rack."),
            required("pinion", FieldType::Coordinate, "Angle of the pinion."),
            required("radius", FieldType::Number(LENGTH), "Pitch radius."),
            INITIALLY,
            ROW_SHARE_STIFFNESS,
            ROW_MISFIT,
        ],
    },
    ElementKind {
        name: "relation",
        doc: "A linear relation of coordinates.",
        fields: &[
            required("terms", FieldType::Terms, "List of { factor, coordinate }."),
            optional("equals", FieldType::Signal(ANY_QUANTITY), "Value of the sum; default: 0."),
            optional("velocity", FieldType::Signal(ANY_QUANTITY), "Rate of the sum, instead of `equals`."),
            optional("acceleration", FieldType::Signal(ANY_QUANTITY), "Acceleration of the sum, instead of `equals`."),
            INITIALLY,
            ROW_SHARE_STIFFNESS,
            ROW_MISFIT,
        ],
    },
    ElementKind {
        name: "knife_edge",
        doc: "A blade that does not slip sideways (nonholonomic).",
        fields: &[
            required("a", FieldType::Marker, "The surface it touches."),
            required("b", FieldType::Marker, "The blade: x along the edge, y across."),
            INITIALLY,
            ROW_SHARE_STIFFNESS,
            ROW_MISFIT,
        ],
    },
    ElementKind {
        name: "rolling",
        doc: "A wheel that rolls without slip.",
        fields: &[
            required("plane", FieldType::Marker, "Plane xy, normal z (a circle: line x, normal y)."),
            required("wheel", FieldType::Marker, "Centre of the wheel, axis z."),
            required("shape", FieldType::Wheel, "Shape of the wheel."),
            INITIALLY,
            ROW_SHARE_STIFFNESS,
            ROW_MISFIT,
        ],
    },
    ElementKind {
        name: "formula",
        doc: "A formula that stays zero.",
        fields: &[
            optional("phi", FieldType::Formula(&["t"]), "Holonomic: of t, positions, measures and signals."),
            optional("psi", FieldType::Formula(&["t"]), "Nonholonomic: also of velocities."),
            DEFINITIONS_OF_T,
            INITIALLY,
            ROW_SHARE_STIFFNESS,
            ROW_MISFIT,
        ],
    },
];

const RADIUS: Field = required("radius", FieldType::Number(LENGTH), "Radius.");

pub(crate) const WHEELS: &[ElementKind] = &[
    ElementKind { name: "sphere", doc: "A ball.", fields: &[RADIUS] },
    ElementKind { name: "disc", doc: "A thin disc.", fields: &[RADIUS] },
    ElementKind {
        name: "torus",
        doc: "A wheel with a round tread.",
        fields: &[RADIUS, required("tube_radius", FieldType::Number(LENGTH), "Radius of the tread.")],
    },
    ElementKind {
        name: "ellipsoid",
        doc: "An ellipsoid.",
        fields: &[required("radii", FieldType::Vector(&[3], LENGTH), "Semi-axes along x, y, z of the marker.")],
    },
    ElementKind { name: "circle", doc: "In the plane.", fields: &[RADIUS] },
];
