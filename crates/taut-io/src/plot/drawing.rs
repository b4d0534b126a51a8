//! A picture as lines and letters, in units of an SVG pixel, y downwards.

/// Where a text stands relative to its point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

/// How a text runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    Across,
    /// From bottom to top.
    Up,
}

/// How a line is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Pen {
    pub colour: [u8; 3],
    pub width: f64,
    /// Lengths of dash and gap; none for a solid line.
    pub dash: Option<[f64; 2]>,
}

/// Something drawn.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Shape {
    Line { points: Vec<(f64, f64)>, pen: Pen, within: Option<Frame> },
    Text { at: (f64, f64), text: String, size: f64, anchor: Anchor, direction: Direction, colour: [u8; 3] },
}

/// A rectangle: left, top, width, height. Lines may be confined to one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Frame {
    pub x: f64,
    pub y: f64,
    pub width: f64,
    pub height: f64,
}

/// A picture on white.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Drawing {
    pub width: f64,
    pub height: f64,
    /// For readers who cannot see it.
    pub title: String,
    pub shapes: Vec<Shape>,
}
