//! The trust sheet as a picture of one page.

use super::trust_content::{Alignment, Block, Cell, SheetTable, Tone};
use taut_io::plot::drawing::{Anchor, Colour, Direction, Drawing, Pen, Shape, WHITE, text_width};

/// Width of the page, and of its margin.
const WIDTH: f64 = 1060.0;
const MARGIN: f64 = 14.0;
/// Size of letters, and height of a line.
const LETTERS: f64 = 11.0;
const LINE: f64 = 16.0;
/// Least distance of two columns of a table.
const GAP: f64 = 12.0;
/// Distance of blocks side by side.
const BETWEEN: f64 = 22.0;

const INK: Colour = [0x22; 3];
const QUIET: Colour = [0x55; 3];
const RULE: Colour = [0xbb; 3];
const BAD: Colour = [0xc0, 0x1c, 0x28];

/// The picture of a sheet.
pub fn drawing(blocks: &[Block]) -> Drawing {
    let mut page = Page { shapes: Vec::new(), title: String::new() };
    let height = page.blocks(blocks, MARGIN, MARGIN, WIDTH - 2.0 * MARGIN) + MARGIN;
    Drawing { width: WIDTH, height, title: page.title, paper: WHITE, shapes: page.shapes }
}

struct Page {
    shapes: Vec<Shape>,
    title: String,
}

impl Page {
    /// Draws blocks from a height on; the height where they end.
    fn blocks(&mut self, blocks: &[Block], x: f64, y: f64, width: f64) -> f64 {
        blocks.iter().fold(y, |y, b| self.block(b, x, y, width))
    }

    fn block(&mut self, of: &Block, x: f64, y: f64, width: f64) -> f64 {
        match of {
            Block::Head { title, verdict, cause } => {
                self.title = format!("Trust sheet: {title}");
                self.text(x, y + 16.0, &self.title.clone(), 18.0, INK, Anchor::Start);
                let colour = match verdict.as_str() {
                    "sound" => [0x26, 0xa2, 0x69],
                    "doubtful" => [0xe5, 0xa5, 0x0a],
                    _ => BAD,
                };
                self.text(x, y + 40.0, verdict, 14.0, colour, Anchor::Start);
                self.lines(cause, x, y + 46.0, width, INK)
            }
            Block::Heading(words) => {
                self.text(x, y + 20.0, words, 12.0, INK, Anchor::Start);
                self.rule(x, y + 24.0, width);
                y + 28.0
            }
            Block::Table(of) => self.table(of, x, y, width),
            Block::Text(words) => self.lines(words, x, y, width, QUIET),
            Block::List(items) => items.iter().fold(y, |y, item| {
                self.text(x + 4.0, y + 12.0, "•", LETTERS, INK, Anchor::Start);
                self.lines(item, x + 14.0, y, width - 14.0, INK)
            }),
            Block::Columns([left, right]) => {
                let half = 0.5 * (width - BETWEEN);
                let ends = [self.blocks(left, x, y, half), self.blocks(right, x + half + BETWEEN, y, half)];
                ends[0].max(ends[1])
            }
        }
    }

    /// Text in lines of at most this width.
    fn lines(&mut self, text: &str, x: f64, y: f64, width: f64, colour: Colour) -> f64 {
        wrapped(text, width).iter().fold(y, |y, line| {
            self.text(x, y + 12.0, line, LETTERS, colour, Anchor::Start);
            y + LINE
        })
    }

    fn table(&mut self, of: &SheetTable, x: f64, y: f64, width: f64) -> f64 {
        let widths = column_widths(of, width);
        let mut y = y;
        for (cells, header) in std::iter::once((&of.header, true)).chain(of.rows.iter().map(|r| (r, false))) {
            if cells.is_empty() {
                continue;
            }
            let (mut left, mut column, mut most) = (x, 0, 1);
            for cell in cells {
                let own: f64 = widths[column..(column + cell.columns).min(widths.len())].iter().sum();
                let quiet = header || cell.tone == Tone::Label;
                let colour = match cell.tone {
                    Tone::Bad => BAD,
                    _ if quiet => QUIET,
                    _ => INK,
                };
                let lines = wrapped(&cell.text, own - GAP);
                for (k, line) in lines.iter().enumerate() {
                    let at = y + 12.0 + LINE * k as f64;
                    match cell.alignment {
                        Alignment::Left => self.text(left, at, line, LETTERS, colour, Anchor::Start),
                        Alignment::Right => self.text(left + own - GAP, at, line, LETTERS, colour, Anchor::End),
                    }
                }
                most = most.max(lines.len());
                left += own;
                column += cell.columns;
            }
            y += LINE * most as f64;
        }
        y + 4.0
    }

    fn rule(&mut self, x: f64, y: f64, width: f64) {
        let pen = Pen { colour: RULE, width: 1.0, dash: None };
        self.shapes.push(Shape::Line { points: vec![(x, y), (x + width, y)], pen, within: None });
    }

    fn text(&mut self, x: f64, y: f64, text: &str, size: f64, colour: Colour, anchor: Anchor) {
        let text = text.to_string();
        self.shapes.push(Shape::Text { at: (x, y), text, size, anchor, direction: Direction::Across, colour });
    }
}

/// Widths of the columns of a table: those of their longest texts, in proportion if these do not fit.
fn column_widths(of: &SheetTable, width: f64) -> Vec<f64> {
    let rows = || std::iter::once(&of.header).chain(&of.rows);
    let count = rows().map(|r| r.iter().map(|c| c.columns).sum::<usize>()).max().unwrap_or(0);
    let mut widths = vec![0.0_f64; count];
    for cells in rows() {
        let mut column = 0;
        for cell in cells {
            let share = (needed(cell) + GAP) / cell.columns as f64;
            widths[column..column + cell.columns].iter_mut().for_each(|w| *w = w.max(share));
            column += cell.columns;
        }
    }
    let all: f64 = widths.iter().sum();
    if all > width {
        // Narrow columns keep their width; wide ones share what remains.
        let fair = width / count as f64;
        let narrow: f64 = widths.iter().filter(|w| **w <= fair).sum();
        let factor = (width - narrow) / (all - narrow);
        widths.iter_mut().filter(|w| **w > fair).for_each(|w| *w *= factor);
    }
    widths
}

/// The reader's font may be wider by a fifth, and signs such as ∞ are.
fn needed(cell: &Cell) -> f64 {
    let signs = cell.text.chars().filter(|c| !c.is_ascii()).count();
    1.15 * text_width(&cell.text, LETTERS) + 0.5 * LETTERS * signs as f64
}

/// A text in lines of at most this width, broken between words; longer words are broken too.
fn wrapped(text: &str, width: f64) -> Vec<String> {
    let fits = |line: &str| 1.15 * text_width(line, LETTERS) <= width.max(4.0 * LETTERS) + 1e-6;
    let mut lines: Vec<String> = Vec::new();
    let mut line = String::new();
    for word in text.split_whitespace() {
        let joined = if line.is_empty() { word.to_string() } else { format!("{line} {word}") };
        if fits(&joined) {
            line = joined;
            continue;
        }
        if !line.is_empty() {
            lines.push(std::mem::take(&mut line));
        }
        for letter in word.chars() {
            line.push(letter);
            if !fits(&line) {
                line.pop();
                lines.push(std::mem::take(&mut line));
                line.push(letter);
            }
        }
    }
    lines.extend((!line.is_empty()).then_some(line));
    lines
}
