//! A drawing as PNG.

use super::drawing::{Anchor, Colour, Direction, Drawing, Fill, Frame, Pen, Shape, bounds};
use super::figure::PlotError;
use super::font;
use tiny_skia::{
    Color, FillRule, GradientStop, LineCap, LineJoin, LinearGradient, Mask, Paint, Path, PathBuilder, Pixmap,
    PixmapPaint, Point, RadialGradient, Rect, SpreadMode, Stroke, StrokeDash, Transform,
};

/// More pixels than this in either direction are a mistake.
const MAX_PIXELS: f64 = 20_000.0;

/// The bytes of the file.
pub(crate) fn write(drawing: &Drawing, scale: f64) -> Result<Vec<u8>, PlotError> {
    pixmap(drawing, scale)?.encode_png().map_err(|e| PlotError::Encoding(e.to_string()))
}

/// Width, height, and red, green and blue of all pixels.
pub(crate) fn pixels(drawing: &Drawing, scale: f64) -> Result<(u32, u32, Vec<[u8; 3]>), PlotError> {
    let found = pixmap(drawing, scale)?;
    // The paper is opaque, so no colour has to be divided by its opacity.
    let rgb = found.pixels().iter().map(|p| [p.red(), p.green(), p.blue()]).collect();
    Ok((found.width(), found.height(), rgb))
}

fn pixmap(drawing: &Drawing, scale: f64) -> Result<Pixmap, PlotError> {
    let (width, height) = ((drawing.width * scale).ceil(), (drawing.height * scale).ceil());
    let size = || PlotError::Size { width, height };
    if !(1.0..=MAX_PIXELS).contains(&width) || !(1.0..=MAX_PIXELS).contains(&height) {
        return Err(size());
    }
    let mut pixels = Pixmap::new(width as u32, height as u32).ok_or_else(size)?;
    let [r, g, b] = drawing.paper;
    pixels.fill(Color::from_rgba8(r, g, b, 255));
    draw(&mut pixels, &drawing.shapes, Transform::from_scale(scale as f32, scale as f32));
    Ok(pixels)
}

fn draw(pixels: &mut Pixmap, shapes: &[Shape], whole: Transform) {
    let (width, height) = (pixels.width(), pixels.height());
    let mut mask: Option<(Frame, Mask)> = None;
    for shape in shapes {
        match shape {
            Shape::Line { points, pen, within } => {
                if let Some(frame) = within
                    && mask.as_ref().is_none_or(|(of, _)| of != frame)
                {
                    mask = confine(frame, width, height, whole).map(|m| (*frame, m));
                }
                let confined = within.and(mask.as_ref()).map(|(_, m)| m);
                line(pixels, points, pen, whole, confined);
            }
            Shape::Text { at, text, size, anchor, direction, colour } => {
                let width = font::width(text) * size;
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
                write_text(pixels, text, *size, there.pre_translate(-back as f32, 0.0), *colour);
            }
            Shape::Area { points, fill, edge } => {
                let Some(path) = polygon(points) else { continue };
                area(pixels, &path, fill, edge.as_ref(), bounds(points), whole);
            }
            Shape::Circle { at: (x, y), radius: r, fill, edge } => {
                let Some(path) = PathBuilder::from_circle(*x as f32, *y as f32, *r as f32) else { continue };
                area(pixels, &path, fill, edge.as_ref(), (x - r, y - r, x + r, y + r), whole);
            }
            Shape::Group { shapes, opacity } => {
                // Drawn on a sheet of its own, which is then laid on the picture.
                let Some(mut sheet) = Pixmap::new(width, height) else { continue };
                draw(&mut sheet, shapes, whole);
                let faded = PixmapPaint { opacity: *opacity as f32, ..PixmapPaint::default() };
                pixels.draw_pixmap(0, 0, sheet.as_ref(), &faded, Transform::identity(), None);
            }
        }
    }
}

fn polygon(points: &[(f64, f64)]) -> Option<Path> {
    let mut path = PathBuilder::new();
    for (i, (x, y)) in points.iter().enumerate() {
        let (x, y) = (*x as f32, *y as f32);
        if i == 0 { path.move_to(x, y) } else { path.line_to(x, y) }
    }
    path.close();
    path.finish()
}

fn area(
    pixels: &mut Pixmap,
    path: &Path,
    fill: &Fill,
    edge: Option<&Pen>,
    about: (f64, f64, f64, f64),
    whole: Transform,
) {
    pixels.fill_path(path, &filled(fill, about), FillRule::Winding, whole, None);
    if let Some(pen) = edge {
        let stroke = Stroke { width: pen.width as f32, line_join: LineJoin::Round, ..Stroke::default() };
        pixels.stroke_path(path, &paint(pen.colour), &stroke, whole, None);
    }
}

/// The paint of a fill; `about` is the rectangle about the area.
fn filled(fill: &Fill, (left, top, right, bottom): (f64, f64, f64, f64)) -> Paint<'static> {
    let stop = |at: f32, [r, g, b]: Colour| GradientStop::new(at, Color::from_rgba8(r, g, b, 255));
    let point = |(x, y): (f64, f64)| Point::from_xy(x as f32, y as f32);
    let (shader, plain) = match *fill {
        Fill::Flat(colour) => (None, colour),
        Fill::Ball { light, dark } => {
            let (width, height) = ((right - left) as f32, (bottom - top) as f32);
            let unit = Transform::from_row(width, 0.0, 0.0, height, left as f32, top as f32);
            let stops = vec![stop(0.0, light), stop(1.0, dark)];
            let (focus, centre) = (Point::from_xy(0.34, 0.3), Point::from_xy(0.5, 0.5));
            (RadialGradient::new(focus, 0.0, centre, 0.5, stops, SpreadMode::Pad, unit), dark)
        }
        Fill::Across { from, to, colours: [first, middle, last] } => {
            let stops = vec![stop(0.0, first), stop(0.5, middle), stop(1.0, last)];
            (LinearGradient::new(point(from), point(to), stops, SpreadMode::Pad, Transform::identity()), middle)
        }
    };
    match shader {
        Some(shader) => Paint { shader, anti_alias: true, ..Paint::default() },
        // An area of no width has no gradient.
        None => paint(plain),
    }
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
    for stroke in font::strokes(text) {
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
    let width = (font::PEN / font::GRID * size) as f32;
    let stroke = Stroke { width, line_cap: LineCap::Round, line_join: LineJoin::Round, ..Stroke::default() };
    pixels.stroke_path(&path, &paint(colour), &stroke, there, None);
}
