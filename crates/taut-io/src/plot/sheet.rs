//! Several figures on one sheet, row by row, as a page of a paper shows them.

use super::drawing::{Drawing, Fill, Frame, Shape, WHITE};
use super::figure::Figure;
use super::{layout, svg};

/// Figures in a grid.
#[derive(Clone, Debug, PartialEq)]
pub struct Sheet {
    /// From left to right, then downwards.
    pub figures: Vec<Figure>,
    /// How many stand side by side.
    pub columns: usize,
}

impl Sheet {
    /// Figures with so many side by side.
    pub fn new(columns: usize, figures: Vec<Figure>) -> Sheet {
        Sheet { figures, columns: columns.max(1) }
    }

    /// As the text of an SVG file.
    pub fn to_svg(&self) -> String {
        svg::write(&self.draw())
    }

    fn draw(&self) -> Drawing {
        in_rows(self.figures.iter().map(layout::draw).collect(), self.columns)
    }
}

/// Drawings in a grid, so many side by side. Each row is as high as its highest drawing, and begins at the left.
pub fn in_rows(drawings: Vec<Drawing>, columns: usize) -> Drawing {
    let paper = drawings.first().map_or(WHITE, |d| d.paper);
    let mut sheet = Drawing { width: 0.0, height: 0.0, title: String::new(), paper, shapes: Vec::new() };
    let (mut left, mut top) = (0.0, 0.0);
    for (i, drawn) in drawings.into_iter().enumerate() {
        if i % columns.max(1) == 0 {
            (left, top) = (0.0, sheet.height);
        }
        sheet.shapes.extend(drawn.shapes.into_iter().map(|shape| moved(shape, left, top)));
        left += drawn.width;
        sheet.width = f64::max(sheet.width, left);
        sheet.height = f64::max(sheet.height, top + drawn.height);
    }
    sheet
}

impl From<Figure> for Sheet {
    fn from(figure: Figure) -> Sheet {
        Sheet::new(1, vec![figure])
    }
}

/// A shape at another place.
fn moved(shape: Shape, right: f64, down: f64) -> Shape {
    let place = |(x, y): (f64, f64)| (x + right, y + down);
    let all = |points: Vec<(f64, f64)>| points.into_iter().map(place).collect::<Vec<_>>();
    let filled = |fill: Fill| match fill {
        Fill::Across { from, to, colours } => Fill::Across { from: place(from), to: place(to), colours },
        other => other,
    };
    match shape {
        Shape::Line { points, pen, within } => {
            let within = within.map(|frame| Frame { x: frame.x + right, y: frame.y + down, ..frame });
            Shape::Line { points: all(points), pen, within }
        }
        Shape::Text { at, text, size, anchor, direction, colour } => {
            Shape::Text { at: place(at), text, size, anchor, direction, colour }
        }
        Shape::Area { points, fill, edge } => Shape::Area { points: all(points), fill: filled(fill), edge },
        Shape::Circle { at, radius, fill, edge } => Shape::Circle { at: place(at), radius, fill: filled(fill), edge },
        Shape::Group { shapes, opacity } => {
            Shape::Group { shapes: shapes.into_iter().map(|s| moved(s, right, down)).collect(), opacity }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Panel, Series};
    use super::*;

    #[test]
    fn figures_stand_side_by_side_and_below() {
        let series = vec![Series { label: "y".to_string(), x: vec![0.0, 1.0], y: vec![0.0, 2.0] }];
        let panel = Panel { label: "y".to_string(), unit: "m".to_string(), series };
        let figure = Figure::new("time", "s", vec![panel]).sized(300.0, 100.0);
        let one = layout::draw(&figure);
        let sheet = Sheet::new(2, vec![figure; 3]).draw();
        assert_eq!((sheet.width, sheet.height), (2.0 * one.width, 2.0 * one.height));
        let edges =
            |shapes: &[Shape]| shapes.iter().filter(|s| matches!(s, Shape::Line { within: Some(_), .. })).count();
        assert_eq!(edges(&sheet.shapes), 3 * edges(&one.shapes));
    }
}
