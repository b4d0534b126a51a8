//! A drawing as SVG.

use super::drawing::{Anchor, Direction, Drawing, Fill, Frame, Pen, Shape};
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
    writeln!(out, r#"<rect width="100%" height="100%" fill="{}"/>"#, hex(drawing.paper))?;
    let mut defined = Defined::default();
    define(&drawing.shapes, &mut defined, out)?;
    draw(&drawing.shapes, &defined, out)?;
    writeln!(out, "</svg>")
}

/// What is written once and referred to by its number.
#[derive(Default)]
struct Defined {
    frames: Vec<Frame>,
    fills: Vec<Fill>,
}

fn define(shapes: &[Shape], defined: &mut Defined, out: &mut String) -> std::fmt::Result {
    for shape in shapes {
        match shape {
            Shape::Line { within: Some(frame), .. } if !defined.frames.contains(frame) => {
                let Frame { x, y, width, height } = frame;
                let rect = format!(r#"<rect x="{x:.1}" y="{y:.1}" width="{width:.1}" height="{height:.1}"/>"#);
                writeln!(out, r#"<clipPath id="panel{}">{rect}</clipPath>"#, defined.frames.len())?;
                defined.frames.push(*frame);
            }
            Shape::Area { fill: Fill::Flat(_), .. } | Shape::Circle { fill: Fill::Flat(_), .. } => {}
            Shape::Area { fill, .. } | Shape::Circle { fill, .. } if !defined.fills.contains(fill) => {
                gradient(fill, defined.fills.len(), out)?;
                defined.fills.push(*fill);
            }
            Shape::Group { shapes, .. } => define(shapes, defined, out)?,
            _ => {}
        }
    }
    Ok(())
}

fn gradient(fill: &Fill, i: usize, out: &mut String) -> std::fmt::Result {
    match fill {
        Fill::Flat(_) => Ok(()),
        Fill::Ball { light, dark } => {
            write!(out, r#"<radialGradient id="fill{i}" cx="0.5" cy="0.5" r="0.5" fx="0.34" fy="0.3">"#)?;
            write!(out, r#"<stop stop-color="{}"/>"#, hex(*light))?;
            writeln!(out, r#"<stop offset="1" stop-color="{}"/></radialGradient>"#, hex(*dark))
        }
        Fill::Across { from, to, colours: [first, middle, last] } => {
            let (x1, y1, x2, y2) = (from.0, from.1, to.0, to.1);
            write!(out, r#"<linearGradient id="fill{i}" gradientUnits="userSpaceOnUse" "#)?;
            write!(out, r#"x1="{x1:.1}" y1="{y1:.1}" x2="{x2:.1}" y2="{y2:.1}">"#)?;
            write!(out, r#"<stop stop-color="{}"/><stop offset="0.5" "#, hex(*first))?;
            writeln!(
                out,
                r#"stop-color="{}"/><stop offset="1" stop-color="{}"/></linearGradient>"#,
                hex(*middle),
                hex(*last)
            )
        }
    }
}

fn draw(shapes: &[Shape], defined: &Defined, out: &mut String) -> std::fmt::Result {
    for shape in shapes {
        match shape {
            Shape::Line { points, pen, within } => {
                let clip = within.and_then(|f| defined.frames.iter().position(|g| *g == f));
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
            Shape::Area { points: corners, fill, edge } => {
                write!(out, "<polygon{}", paint(fill, edge.as_ref(), defined))?;
                points(corners, 1, out)?;
                writeln!(out, "/>")?;
            }
            Shape::Circle { at: (x, y), radius, fill, edge } => {
                let paint = paint(fill, edge.as_ref(), defined);
                writeln!(out, r#"<circle{paint} cx="{x:.2}" cy="{y:.2}" r="{radius:.2}"/>"#)?;
            }
            Shape::Group { shapes, opacity } => {
                writeln!(out, r#"<g opacity="{opacity:.2}">"#)?;
                draw(shapes, defined, out)?;
                writeln!(out, "</g>")?;
            }
        }
    }
    Ok(())
}

fn paint(fill: &Fill, edge: Option<&Pen>, defined: &Defined) -> String {
    let mut paint = match (fill, defined.fills.iter().position(|f| f == fill)) {
        (Fill::Flat(colour), _) => format!(r#" fill="{}""#, hex(*colour)),
        (_, i) => format!(r#" fill="url(#fill{})""#, i.unwrap_or_default()),
    };
    if let Some(pen) = edge {
        // Writing to a string cannot fail.
        let _ = write!(paint, r#" stroke="{}" stroke-width="{}" stroke-linejoin="round""#, hex(pen.colour), pen.width);
    }
    paint
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
    self::points(points, 2, out)?;
    writeln!(out, "/>")
}

fn points(points: &[(f64, f64)], digits: usize, out: &mut String) -> std::fmt::Result {
    out.push_str(r#" points=""#);
    for (i, (x, y)) in points.iter().enumerate() {
        write!(out, "{}{x:.digits$},{y:.digits$}", if i > 0 { " " } else { "" })?;
    }
    out.push('"');
    Ok(())
}

fn hex([r, g, b]: [u8; 3]) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}

fn escaped(text: &str) -> String {
    let plain: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    plain.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
