//! The trust sheet as one self-contained page.

use super::trust_content::{Alignment, Block, Cell, SheetTable, Tone};
use std::fmt::Write;

const STYLE: &str = include_str!("trust_page.css");

/// The page of a sheet.
pub fn html(blocks: &[Block]) -> String {
    let title = blocks.iter().find_map(|b| match b {
        Block::Head { title, .. } => Some(escape(title)),
        _ => None,
    });
    let title = title.unwrap_or_default();
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>Trust sheet: {title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n"
    );
    blocks.iter().for_each(|b| block(&mut page, b));
    page.push_str("</body>\n</html>\n");
    page
}

fn block(page: &mut String, of: &Block) {
    match of {
        Block::Head { title, verdict, cause } => {
            let (title, cause) = (escape(title), escape(cause));
            let space = if cause.is_empty() { "" } else { " " };
            let _ = writeln!(page, "<h1>Trust sheet: {title}</h1>");
            let _ = writeln!(page, "<p class=\"verdict {verdict}\"><b>{verdict}</b>{space}{cause}</p>");
        }
        Block::Heading(words) => _ = writeln!(page, "<h2>{}</h2>", escape(words)),
        Block::Table(of) => table(page, of),
        Block::Text(words) => _ = writeln!(page, "<p>{}</p>", escape(words)),
        Block::List(items) => {
            page.push_str("<ul>\n");
            items.iter().for_each(|n| _ = writeln!(page, "<li>{}</li>", escape(n)));
            page.push_str("</ul>\n");
        }
        Block::Columns(both) => {
            page.push_str("<div class=\"columns\">\n");
            for column in both {
                page.push_str("<div>\n");
                column.iter().for_each(|b| block(page, b));
                page.push_str("</div>\n");
            }
            page.push_str("</div>\n");
        }
    }
}

fn table(page: &mut String, of: &SheetTable) {
    let class = if of.header.is_empty() { " class=\"head\"" } else { "" };
    let _ = writeln!(page, "<table{class}>");
    if !of.header.is_empty() {
        row(page, &of.header, "th");
    }
    of.rows.iter().for_each(|cells| row(page, cells, "td"));
    page.push_str("</table>\n");
}

fn row(page: &mut String, cells: &[Cell], tag: &str) {
    page.push_str("<tr>");
    for cell in cells {
        let tag = if cell.tone == Tone::Label { "th" } else { tag };
        let classes = [(cell.alignment == Alignment::Right).then_some("n"), (cell.tone == Tone::Bad).then_some("bad")];
        let classes: Vec<&str> = classes.into_iter().flatten().collect();
        let class = if classes.is_empty() { String::new() } else { format!(" class=\"{}\"", classes.join(" ")) };
        let span = if cell.columns > 1 { format!(" colspan=\"{}\"", cell.columns) } else { String::new() };
        let _ = write!(page, "<{tag}{class}{span}>{}</{tag}>", escape(&cell.text));
    }
    page.push_str("</tr>\n");
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
