//! A drawing as PNG.

use super::drawing::{Anchor, Direction, Drawing, Frame, Pen, Shape};
use super::figure::PlotError;
use super::letters;
use tiny_skia::{
    Color, FillRule, LineCap, LineJoin, Mask, Paint, PathBuilder, Pixmap, Rect, Stroke, StrokeDash, Transform,
};

/// More pixels than this in either direction are a mistake.
const LARGEST: f64 = 20_000.0;

/// The bytes of the file.
pub(crate) fn write(drawing: &Drawing, scale: f64) -> Result<Vec<u8>, PlotError> {
    let (width, height) = ((drawing.width * scale).ceil(), (drawing.height * scale).ceil());
    let size = || PlotError::Size { width, height };
    if !(1.0..=LARGEST).contains(&width) || !(1.0..=LARGEST).contains(&height) {
        return Err(size());
    }
    let mut pixels = Pixmap::new(width as u32, height as u32).ok_or_else(size)?;
    pixels.fill(Color::WHITE);
    let whole = Transform::from_scale(scale as f32, scale as f32);
    let mut mask: Option<(Frame, Mask)> = None;
    for shape in &drawing.shapes {
        match shape {
            Shape::Line { points, pen, within } => {
                if let Some(frame) = within
                    && mask.as_ref().is_none_or(|(of, _)| of != frame)
                {
                    mask = confine(frame, width as u32, height as u32, whole).map(|m| (*frame, m));
                }
                let confined = within.and(mask.as_ref()).map(|(_, m)| m);
                line(&mut pixels, points, pen, whole, confined);
            }
            Shape::Text { at, text, size, anchor, direction, colour } => {
                let width = letters::width(text) * size;
                let back = match anchor {
                    Anchor::Start => 0.0,
                    Anchor::Middle => 0.5 * width,
                    Anchor::End => width,
                };
                let turn = match direction {
                    Direction::Across => 0.0,
                    Direction::Up => -90.0,
                };
                let there = whole.pre_translate(at.0 as f32, at.1 as f32).pre_rotate(turn);
                write_text(&mut pixels, text, *size, there.pre_translate(-back as f32, 0.0), *colour);
            }
        }
    }
    pixels.encode_png().map_err(|e| PlotError::Encoding(e.to_string()))
}

fn confine(frame: &Frame, width: u32, height: u32, whole: Transform) -> Option<Mask> {
    let mut mask = Mask::new(width, height)?;
    let rect = Rect::from_xywh(frame.x as f32, frame.y as f32, frame.width as f32, frame.height as f32)?;
    mask.fill_path(&PathBuilder::from_rect(rect), FillRule::Winding, true, whole);
    Some(mask)
}

fn paint([r, g, b]: [u8; 3]) -> Paint<'static> {
    let mut paint = Paint { anti_alias: true, ..Paint::default() };
    paint.set_color_rgba8(r, g, b, 255);
    paint
}

fn line(pixels: &mut Pixmap, points: &[(f64, f64)], pen: &Pen, whole: Transform, confined: Option<&Mask>) {
    let mut path = PathBuilder::new();
    for (i, (x, y)) in points.iter().enumerate() {
        let (x, y) = (*x as f32, *y as f32);
        if i == 0 { path.move_to(x, y) } else { path.line_to(x, y) }
    }
    // A line of one point has no path, and nothing is to be drawn.
    let Some(path) = path.finish() else { return };
    let stroke = Stroke {
        width: pen.width as f32,
        line_cap: if confined.is_some() { LineCap::Round } else { LineCap::Butt },
        line_join: LineJoin::Round,
        dash: pen.dash.and_then(|[dash, gap]| StrokeDash::new(vec![dash as f32, gap as f32], 0.0)),
        ..Stroke::default()
    };
    pixels.stroke_path(&path, &paint(pen.colour), &stroke, whole, confined);
}

fn write_text(pixels: &mut Pixmap, text: &str, size: f64, there: Transform, colour: [u8; 3]) {
    let mut path = PathBuilder::new();
    let put = |(x, y): (f64, f64)| ((x * size) as f32, (-y * size) as f32);
    for stroke in letters::strokes(text) {
        let (x, y) = put(stroke.start);
        path.move_to(x, y);
        for (bend, end) in stroke.pieces {
            let (x, y) = put(end);
            match bend.map(put) {
                Some((bx, by)) => path.quad_to(bx, by, x, y),
                None => path.line_to(x, y),
            }
        }
    }
    let Some(path) = path.finish() else { return };
    let width = (letters::PEN / letters::GRID * size) as f32;
    let stroke = Stroke { width, line_cap: LineCap::Round, line_join: LineJoin::Round, ..Stroke::default() };
    pixels.stroke_path(&path, &paint(colour), &stroke, there, None);
}
