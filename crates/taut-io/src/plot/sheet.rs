//! Several figures on one sheet, row by row, as a page of a paper shows them.

use super::drawing::{Drawing, Shape, WHITE};
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

    /// Each row is as high as its highest figure, and begins at the left.
    fn draw(&self) -> Drawing {
        let mut sheet = Drawing { width: 0.0, height: 0.0, title: String::new(), paper: WHITE, shapes: Vec::new() };
        for row in self.figures.chunks(self.columns) {
            let (mut left, mut lowest) = (0.0, sheet.height);
            for figure in row {
                let drawn = layout::draw(figure);
                let top = sheet.height;
                sheet.shapes.extend(drawn.shapes.into_iter().map(|shape| moved(shape, left, top)));
                left += drawn.width;
                lowest = f64::max(lowest, top + drawn.height);
            }
            sheet.width = f64::max(sheet.width, left);
            sheet.height = lowest;
        }
        sheet
    }
}

impl From<Figure> for Sheet {
    fn from(figure: Figure) -> Sheet {
        Sheet::new(1, vec![figure])
    }
}

/// A shape of a figure at another place. Figures are made of lines and texts.
fn moved(shape: Shape, right: f64, down: f64) -> Shape {
    match shape {
        Shape::Line { mut points, pen, mut within } => {
            points.iter_mut().for_each(|(x, y)| (*x, *y) = (*x + right, *y + down));
            if let Some(frame) = &mut within {
                (frame.x, frame.y) = (frame.x + right, frame.y + down);
            }
            Shape::Line { points, pen, within }
        }
        Shape::Text { at: (x, y), text, size, anchor, direction, colour } => {
            Shape::Text { at: (x + right, y + down), text, size, anchor, direction, colour }
        }
        other => other,
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
