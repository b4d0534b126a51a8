//! A drawing as SVG.

use super::drawing::{Anchor, Direction, Drawing, Frame, Pen, Shape};
use std::fmt::Write;

/// The text of the file.
pub(crate) fn write(drawing: &Drawing) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = body(drawing, &mut out);
    out
}

fn body(drawing: &Drawing, out: &mut String) -> std::fmt::Result {
    let Drawing { width, height, .. } = drawing;
    writeln!(
        out,
        r#"<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0}" height="{height:.0}" viewBox="0 0 {width:.0} {height:.0}" font-family="Helvetica, Arial, 'Liberation Sans', sans-serif">"#
    )?;
    if !drawing.title.is_empty() {
        writeln!(out, "<title>{}</title>", escaped(&drawing.title))?;
    }
    writeln!(out, r##"<rect width="100%" height="100%" fill="#ffffff"/>"##)?;
    let mut frames: Vec<Frame> = Vec::new();
    for shape in &drawing.shapes {
        if let Shape::Line { within: Some(frame), .. } = shape
            && !frames.contains(frame)
        {
            let Frame { x, y, width, height } = frame;
            let rect = format!(r#"<rect x="{x:.1}" y="{y:.1}" width="{width:.1}" height="{height:.1}"/>"#);
            writeln!(out, r#"<clipPath id="panel{}">{rect}</clipPath>"#, frames.len())?;
            frames.push(*frame);
        }
    }
    for shape in &drawing.shapes {
        match shape {
            Shape::Line { points, pen, within } => {
                let clip = within.and_then(|f| frames.iter().position(|g| *g == f));
                line(points, pen, clip, out)?;
            }
            Shape::Text { at: (x, y), text, size, anchor, direction, colour } => {
                let anchor = match anchor {
                    Anchor::Start => "",
                    Anchor::Middle => r#" text-anchor="middle""#,
                    Anchor::End => r#" text-anchor="end""#,
                };
                let turn = match direction {
                    Direction::Across => String::new(),
                    Direction::Up => format!(r#" transform="rotate(-90 {x:.1} {y:.1})""#),
                };
                let (text, fill) = (escaped(text), hex(*colour));
                let place = format!(r#"x="{x:.1}" y="{y:.1}" font-size="{size:.1}""#);
                writeln!(out, r#"<text {place}{anchor}{turn} fill="{fill}">{text}</text>"#)?;
            }
        }
    }
    writeln!(out, "</svg>")
}

fn line(points: &[(f64, f64)], pen: &Pen, clip: Option<usize>, out: &mut String) -> std::fmt::Result {
    write!(out, r#"<polyline fill="none" stroke="{}" stroke-width="{}""#, hex(pen.colour), pen.width)?;
    write!(out, r#" stroke-linejoin="round" stroke-linecap="{}""#, if clip.is_some() { "round" } else { "butt" })?;
    if let Some([dash, gap]) = pen.dash {
        write!(out, r#" stroke-dasharray="{dash} {gap}""#)?;
    }
    if let Some(i) = clip {
        write!(out, r#" clip-path="url(#panel{i})""#)?;
    }
    out.push_str(r#" points=""#);
    for (i, (x, y)) in points.iter().enumerate() {
        write!(out, "{}{x:.2},{y:.2}", if i > 0 { " " } else { "" })?;
    }
    writeln!(out, r#""/>"#)
}

fn hex([r, g, b]: [u8; 3]) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}

fn escaped(text: &str) -> String {
    let plain: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    plain.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
