//! The list of all tables of the model file. The schema and the reference page are both made from it.

use super::{
    ACTION_WORDS, ACTIONS, AIR, ARC, BEAM, BODIES, CHARACTERISTIC, COMPLIANT, CONSTRAINTS, CONTACT, CONTROLLER_STATE,
    COORDINATE_UNITS, DISCS, DRIVER, EVENT, EXPECT, ElementKind, FORCES, FORMULA_MEASURE, FRAME, FRICTION, Field,
    GENERALISED_COORDINATE, GENERALISED_STATE, GROUND, JOINT_FRICTION, JOINTS, LAWS, LIMITS, NODE, OUTPUTS, PART,
    POLAR_GRID, POLARS, PULLEY, REPEAT, SECTIONS, SETTINGS, SHAPES, SIGNALS, START_TARGET, SURFACES, TERM, TOP, TRIM,
    TRIM_TARGET, TRIM_VARY, VISUALS, WHEELS, WING,
};

/// A table that the file can contain.
pub(crate) struct Definition {
    /// Its name in the schema.
    pub name: &'static str,
    /// Its heading on the reference page.
    pub title: &'static str,
    pub content: TableContent,
    /// What may be written instead of the table.
    pub or: Alternative,
}

/// What a table contains.
pub(crate) enum TableContent {
    /// These fields.
    Fields(&'static [Field]),
    /// The fields of the kind that the entry `key` names.
    Kinds { key: &'static str, kinds: &'static [ElementKind] },
    /// The fields of the kind that one of the keys names, as in `{ lock = "brake" }`.
    ByKey(&'static [ElementKind]),
    /// One entry, whose key names the kind and whose value is a table, as in `{ disc = { radius = 1 } }`.
    Nested(&'static [ElementKind]),
}

/// What may be written instead of a table.
pub(crate) enum Alternative {
    Nothing,
    /// A number, also as a text with a unit.
    Number,
    /// A text.
    Text,
    /// A number or a text.
    NumberOrText,
    /// A list of two or three numbers.
    Vector,
    /// One of these words.
    Words(&'static [&'static str]),
}

const fn fields(name: &'static str, title: &'static str, fields: &'static [Field]) -> Definition {
    Definition { name, title, content: TableContent::Fields(fields), or: Alternative::Nothing }
}

const fn kinds(
    name: &'static str,
    title: &'static str,
    key: &'static str,
    kinds: &'static [ElementKind],
) -> Definition {
    Definition { name, title, content: TableContent::Kinds { key, kinds }, or: Alternative::Nothing }
}

impl Definition {
    const fn or(mut self, or: Alternative) -> Definition {
        self.or = or;
        self
    }
}

/// The name of the table at the top of the file.
pub(crate) const FILE: &str = "file";

pub(crate) const DEFINITIONS: &[Definition] = &[
    fields(FILE, "Top of the file", TOP),
    fields("settings", "settings", SETTINGS),
    fields("outputs", "outputs", OUTPUTS),
    fields("expectation", "expect", EXPECT),
    fields("ground", "ground", GROUND),
    fields("trim", "trim", TRIM),
    fields("trim_parameter", "trim.vary", TRIM_VARY),
    fields("trim_target", "trim.target", TRIM_TARGET),
    fields("part", "parts", PART),
    fields("repeat", "repeat", REPEAT),
    kinds("body", "bodies", "type", BODIES),
    fields("frame", "markers", FRAME).or(Alternative::Vector),
    kinds("joint", "joints", "type", JOINTS),
    fields("driver", "drivers", DRIVER),
    kinds("constraint", "constraints", "type", CONSTRAINTS),
    kinds("force", "forces", "type", FORCES),
    fields("beam", "beams", BEAM),
    fields("air", "air", AIR),
    kinds("polar", "polars", "type", POLARS),
    fields("wing", "wings", WING),
    kinds("disc", "discs", "type", DISCS),
    kinds("surface", "surfaces", "shape", SURFACES),
    fields("contact", "contacts", CONTACT),
    fields("event", "events", EVENT),
    fields("start_target", "start", START_TARGET).or(Alternative::Number),
    fields("formula_measure", "Measures by formula", FORMULA_MEASURE),
    kinds("signal", "signals", "type", SIGNALS).or(Alternative::NumberOrText),
    kinds("shape", "Shapes of bodies", "type", SHAPES),
    kinds("visual", "Visuals of bodies", "type", VISUALS),
    kinds("section", "Sections of beams", "shape", SECTIONS),
    fields("arc", "Arcs of beams", ARC),
    fields("polar_grid", "Tables of polars", POLAR_GRID),
    fields("node", "Nodes of modal bodies", NODE),
    fields("limits", "Limits of joints", LIMITS),
    fields("joint_friction", "Friction of joints", JOINT_FRICTION).or(Alternative::Number),
    fields("friction", "Friction of contacts", FRICTION).or(Alternative::Number),
    fields("compliant", "Compliant contacts", COMPLIANT),
    fields("term", "Terms of relations", TERM),
    fields("pulley", "Pulleys of ropes", PULLEY),
    Definition {
        name: "wheel",
        title: "Wheels of rolling constraints",
        content: TableContent::Nested(WHEELS),
        or: Alternative::Nothing,
    },
    kinds("law", "Laws of forces", "type", LAWS).or(Alternative::Text),
    fields("characteristic", "Curves of force laws", CHARACTERISTIC),
    fields("state", "States of controllers", CONTROLLER_STATE),
    fields("generalised_coordinate", "Coordinates of generalised bodies", GENERALISED_COORDINATE)
        .or(Alternative::Words(COORDINATE_UNITS)),
    fields("generalised_state", "States of generalised bodies", GENERALISED_STATE),
    Definition {
        name: "action",
        title: "Actions of events",
        content: TableContent::ByKey(ACTIONS),
        or: Alternative::Words(ACTION_WORDS),
    },
];
