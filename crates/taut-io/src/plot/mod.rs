//! Pictures of results: panels over one axis, as SVG or as PNG.
//!
//! A [`Figure`] is made of columns, laid out once into a [`Drawing`](drawing::Drawing) of lines, areas and letters, and written
//! in either format; other pictures are drawn with it as well. Columns of the same unit share a panel; a long run is thinned so that no peak is lost.

mod axis;
mod colour_scale;
mod decimation;
mod disc_map;
pub mod drawing;
mod event_marks;
mod figure;
#[cfg_attr(not(feature = "png"), allow(dead_code))] // letters as strokes, for pixels only
mod font;
pub mod gif;
mod layout;
#[cfg_attr(not(feature = "png"), path = "no_png.rs")]
mod png;
mod sheet;
mod svg;

pub use axis::{Axis, Scale, range};
pub use colour_scale::{scale_colour, short_number};
pub use disc_map::{DiscMap, DiscSample};
pub use figure::{Figure, Guide, Marks, Panel, PlotError, Series, by_unit};
pub use sheet::{Sheet, in_rows};
