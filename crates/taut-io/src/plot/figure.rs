//! The content of a figure.

use super::axis::Scale;
use super::{layout, png, svg};
use taut::{Table, UnknownColumn};
use thiserror::Error;

/// One line.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// Its name in the legend.
    pub label: String,
    /// Abscissae.
    pub x: Vec<f64>,
    /// Ordinates, as many; what is not finite is a gap.
    pub y: Vec<f64>,
}

/// Lines over one pair of axes.
#[derive(Clone, Debug, PartialEq)]
pub struct Panel {
    /// What the ordinate is.
    pub label: String,
    /// Its unit; `1` for a pure number.
    pub unit: String,
    /// The lines.
    pub series: Vec<Series>,
}

/// Panels one below the other that share their abscissa.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// Above all of it; may be empty.
    pub title: String,
    /// What the abscissa is.
    pub x_label: String,
    /// Its unit.
    pub x_unit: String,
    /// From top to bottom.
    pub panels: Vec<Panel>,
    /// Width, in pixels of an SVG or points in print.
    pub width: f64,
    /// Height of one panel's axes.
    pub panel_height: f64,
    /// Scale of the abscissa and of all ordinates.
    pub scales: (Scale, Scale),
    /// Other scales of the ordinates, panel by panel from the top; those of `scales` for panels beyond.
    pub ordinates: Vec<Scale>,
    /// Faint lines behind the others.
    pub guides: Vec<Guide>,
    /// Whether the points of a line are marked.
    pub marks: Marks,
}

/// A faint reference line, labelled at its end; it does not affect the ranges of the axes.
#[derive(Clone, Debug, PartialEq)]
pub struct Guide {
    /// In which panel, counted from 0.
    pub panel: usize,
    /// The line.
    pub series: Series,
}

/// Whether the points of a line are marked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Marks {
    /// The line alone, thinned to what can be seen.
    #[default]
    None,
    /// A sign at every point, another one for every line.
    Points,
}

/// Why a picture cannot be drawn.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PlotError {
    /// A requested column that does not exist.
    #[error(transparent)]
    UnknownColumn(#[from] UnknownColumn),
    /// No column was given.
    #[error("there is nothing to plot: name at least one column besides the abscissa")]
    Nothing,
    /// Columns that cannot share an axis.
    #[error("`{first}` is in {first_unit}, `{second}` in {second_unit}: give each a panel of its own")]
    Units {
        /// A column of the panel.
        first: String,
        /// Its unit.
        first_unit: String,
        /// The column that does not fit.
        second: String,
        /// Its unit.
        second_unit: String,
    },
    /// The picture is too large to be drawn in pixels, or of no size at all.
    #[error("a picture of {width} by {height} pixels cannot be drawn")]
    Size {
        /// Its width.
        width: f64,
        /// Its height.
        height: f64,
    },
    /// The pixels could not be written.
    #[error("the picture cannot be written: {0}")]
    Encoding(String),
}

impl Figure {
    /// Panels over an abscissa of this name and unit.
    pub fn new(x_label: &str, x_unit: &str, panels: Vec<Panel>) -> Figure {
        Figure {
            title: String::new(),
            x_label: x_label.to_string(),
            x_unit: x_unit.to_string(),
            panel_height: if panels.len() == 1 { 320.0 } else { 190.0 },
            panels,
            width: 760.0,
            scales: (Scale::Linear, Scale::Linear),
            ordinates: Vec::new(),
            guides: Vec::new(),
            marks: Marks::None,
        }
    }

    /// Columns of a table over one of them: the time, or any other for a phase portrait. Each list is one panel.
    ///
    /// # Errors
    /// A column that is not there, an empty panel, columns of different units in one.
    pub fn of(table: &Table, abscissa: &str, panels: &[Vec<&str>]) -> Result<Figure, PlotError> {
        let x = table.get(abscissa)?;
        let mut shown = Vec::with_capacity(panels.len());
        for names in panels {
            let columns = names.iter().map(|name| table.get(name)).collect::<Result<Vec<_>, _>>()?;
            let first = columns.first().ok_or(PlotError::Nothing)?;
            if let Some(other) = columns.iter().find(|c| c.unit != first.unit) {
                return Err(PlotError::Units {
                    first: first.name.clone(),
                    first_unit: first.unit.clone(),
                    second: other.name.clone(),
                    second_unit: other.unit.clone(),
                });
            }
            let line = |c: &&taut::Column| Series { label: c.name.clone(), x: x.data.clone(), y: c.data.clone() };
            let label = if columns.len() == 1 { first.name.clone() } else { String::new() };
            shown.push(Panel { label, unit: first.unit.clone(), series: columns.iter().map(line).collect() });
        }
        if shown.is_empty() {
            return Err(PlotError::Nothing);
        }
        let x_label = if abscissa == "t" { "time".to_string() } else { abscissa.to_string() };
        Ok(Figure::new(&x_label, &x.unit, shown))
    }

    /// The same with a title.
    pub fn titled(mut self, title: &str) -> Figure {
        self.title = title.to_string();
        self
    }

    /// The same in another size: whole width, and height of one panel's axes.
    pub fn sized(mut self, width: f64, panel_height: f64) -> Figure {
        (self.width, self.panel_height) = (width, panel_height);
        self
    }

    /// The same over other scales of abscissa and ordinates.
    pub fn scaled(mut self, x: Scale, y: Scale) -> Figure {
        self.scales = (x, y);
        self
    }

    /// The same with scales of its own for each panel's ordinate, from the top.
    pub fn panels_scaled(mut self, ordinates: Vec<Scale>) -> Figure {
        self.ordinates = ordinates;
        self
    }

    /// The same with faint lines behind the others.
    pub fn guided(mut self, guides: Vec<Guide>) -> Figure {
        self.guides = guides;
        self
    }

    /// The same with the points of the lines marked or not.
    pub fn marked(mut self, marks: Marks) -> Figure {
        self.marks = marks;
        self
    }

    /// As the text of an SVG file.
    pub fn to_svg(&self) -> String {
        svg::write(&layout::draw(self))
    }

    /// As the bytes of a PNG file, `scale` pixels to a unit of the drawing (2 is good for screens and for print).
    ///
    /// # Errors
    /// A size that cannot be drawn.
    pub fn to_png(&self, scale: f64) -> Result<Vec<u8>, PlotError> {
        png::write(&layout::draw(self), scale)
    }
}

/// Panels for these columns: those of the same unit together, in the order in which the units first come.
///
/// # Errors
/// A column that is not there.
pub fn by_unit<'a>(table: &Table, names: &[&'a str]) -> Result<Vec<Vec<&'a str>>, PlotError> {
    let mut panels: Vec<(&str, Vec<&'a str>)> = Vec::new();
    for name in names {
        let unit = table.get(name)?.unit.as_str();
        match panels.iter_mut().find(|(u, _)| *u == unit) {
            Some((_, names)) => names.push(name),
            None => panels.push((unit, vec![name])),
        }
    }
    Ok(panels.into_iter().map(|(_, names)| names).collect())
}
