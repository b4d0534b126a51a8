//! A picture as lines, areas and letters, in units of an SVG pixel, y downwards.

use super::figure::PlotError;
use super::{font, png, svg};

/// Where a text stands relative to its point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// It begins there.
    Start,
    /// It is centred there.
    Middle,
    /// It ends there.
    End,
}

/// How a text runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From left to right.
    Across,
    /// From bottom to top.
    Up,
}

/// Red, green and blue.
pub type Colour = [u8; 3];

/// How a line is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pen {
    /// Its colour.
    pub colour: Colour,
    /// Its width.
    pub width: f64,
    /// Lengths of dash and gap; none for a solid line.
    pub dash: Option<[f64; 2]>,
}

/// How an area is filled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fill {
    /// One colour.
    Flat(Colour),
    /// From light at the upper left to dark at the rim, as a ball in light from there.
    Ball {
        /// Where the light falls.
        light: Colour,
        /// At the rim.
        dark: Colour,
    },
    /// Three colours from one point to another, as a tube in light from its side; the second one in the middle.
    Across {
        /// Where the first colour is.
        from: (f64, f64),
        /// Where the last one is.
        to: (f64, f64),
        /// The colours.
        colours: [Colour; 3],
    },
}

/// Something drawn.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// A line through points.
    Line {
        /// The points.
        points: Vec<(f64, f64)>,
        /// How it is drawn.
        pen: Pen,
        /// What it is confined to.
        within: Option<Frame>,
    },
    /// A text of one line.
    Text {
        /// Where its baseline is.
        at: (f64, f64),
        /// The text.
        text: String,
        /// Size of its letters.
        size: f64,
        /// Where it stands relative to its point.
        anchor: Anchor,
        /// How it runs.
        direction: Direction,
        /// Its colour.
        colour: Colour,
    },
    /// A closed polygon.
    Area {
        /// Its corners.
        points: Vec<(f64, f64)>,
        /// How it is filled.
        fill: Fill,
        /// Its edge.
        edge: Option<Pen>,
    },
    /// A filled circle.
    Circle {
        /// Its centre.
        at: (f64, f64),
        /// Its radius.
        radius: f64,
        /// How it is filled.
        fill: Fill,
        /// Its edge.
        edge: Option<Pen>,
    },
    /// Shapes that are faded as one: what one of them hides stays hidden.
    Group {
        /// What is drawn, the hindmost first.
        shapes: Vec<Shape>,
        /// From 0, unseen, to 1.
        opacity: f64,
    },
}

/// A rectangle: left, top, width, height. Lines may be confined to one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame {
    /// Left edge.
    pub x: f64,
    /// Upper edge.
    pub y: f64,
    /// Width.
    pub width: f64,
    /// Height.
    pub height: f64,
}

/// A picture.
#[derive(Clone, Debug, PartialEq)]
pub struct Drawing {
    /// Its width.
    pub width: f64,
    /// Its height.
    pub height: f64,
    /// For readers who cannot see it.
    pub title: String,
    /// What it is drawn on.
    pub paper: Colour,
    /// What is drawn, the hindmost first.
    pub shapes: Vec<Shape>,
}

/// White paper.
pub const WHITE: Colour = [0xff; 3];

impl Drawing {
    /// As the text of an SVG file.
    pub fn to_svg(&self) -> String {
        svg::write(self)
    }

    /// As the bytes of a PNG file, `scale` pixels to a unit of the drawing.
    ///
    /// # Errors
    /// A size that cannot be drawn.
    pub fn to_png(&self, scale: f64) -> Result<Vec<u8>, PlotError> {
        png::write(self, scale)
    }
}

/// About how wide a text of a size is; the reader's font may differ by a fifth.
pub fn text_width(text: &str, size: f64) -> f64 {
    font::width(text) * size
}

/// The smallest rectangle about points: left, top, right, bottom; empty at the origin if there are none.
#[cfg(feature = "png")]
pub(crate) fn bounds(points: &[(f64, f64)]) -> (f64, f64, f64, f64) {
    let first = points.first().copied().unwrap_or_default();
    points
        .iter()
        .fold((first.0, first.1, first.0, first.1), |(l, t, r, b), (x, y)| (l.min(*x), t.min(*y), r.max(*x), b.max(*y)))
}
