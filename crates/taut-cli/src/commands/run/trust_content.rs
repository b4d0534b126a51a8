//! What a trust sheet says: headings, tables and lists, for the page and for the picture.

use serde_json::Value;
use taut_papers::text::{number, size};

/// A part of the sheet.
pub enum Block {
    /// Title and verdict, with its cause.
    Head { title: String, verdict: String, cause: String },
    /// A heading.
    Heading(String),
    /// A table.
    Table(SheetTable),
    /// A paragraph.
    Text(String),
    /// A list.
    List(Vec<String>),
    /// Blocks side by side, where there is room.
    Columns([Vec<Block>; 2]),
}

/// A table; its first row may be a header.
#[derive(Default)]
pub struct SheetTable {
    pub header: Vec<Cell>,
    pub rows: Vec<Vec<Cell>>,
}

/// A cell of a table.
pub struct Cell {
    pub text: String,
    /// How many columns it takes.
    pub columns: usize,
    pub alignment: Alignment,
    pub tone: Tone,
}

/// Where the text of a cell stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alignment {
    Left,
    Right,
}

/// What a cell draws attention to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    Plain,
    /// The name of a row.
    Label,
    /// Something that cannot be trusted.
    Bad,
}

impl Cell {
    fn new(text: impl Into<String>, alignment: Alignment) -> Cell {
        Cell { text: text.into(), columns: 1, alignment, tone: Tone::Plain }
    }

    fn left(text: impl Into<String>) -> Cell {
        Cell::new(text, Alignment::Left)
    }

    /// A number.
    fn right(text: impl Into<String>) -> Cell {
        Cell::new(text, Alignment::Right)
    }

    fn toned(mut self, tone: Tone) -> Cell {
        self.tone = tone;
        self
    }

    fn bad_if(self, bad: bool) -> Cell {
        self.toned(if bad { Tone::Bad } else { Tone::Plain })
    }

    fn spanning(mut self, columns: usize) -> Cell {
        self.columns = columns;
        self
    }
}

/// The blocks of a sheet.
pub fn blocks(sheet: &Value) -> Vec<Block> {
    let mut all = head(sheet);
    all.extend(checks(sheet));
    all.extend(extremes(sheet));
    let left = [energy(sheet), accounts(sheet)];
    let right = [residuals(sheet), determinacy(sheet), condition(sheet)];
    all.push(Block::Columns([left.into_iter().flatten().collect(), right.into_iter().flatten().collect()]));
    all.extend(not_checked(sheet));
    all
}

fn heading(words: &str) -> Block {
    Block::Heading(words.to_string())
}

fn table(header: Vec<Cell>, rows: Vec<Vec<Cell>>) -> Block {
    Block::Table(SheetTable { header, rows })
}

fn head(sheet: &Value) -> Vec<Block> {
    let settings = &sheet["settings"];
    let stepping = match sheet["time_step"].as_f64() {
        Some(h) => format!("time stepping, step {} s", number(h)),
        None => format!(
            "{}, rtol {}, atol {}",
            text(&settings["integrator"]),
            size(real(&settings["rtol"])),
            size(real(&settings["atol"]))
        ),
    };
    let [from, to] = [0, 1].map(|k| number(real(&sheet["t"][k])));
    let rows = [
        ("model", format!("{} (SHA-256 {})", text(&sheet["model"]), text(&sheet["model_sha256"]))),
        ("taut", text(&sheet["taut"]).to_string()),
        ("settings", stepping),
        ("outcome", format!("{}, t = {from} … {to} s", text(&sheet["outcome"]))),
    ];
    let row = |(name, value): (&str, String)| vec![Cell::left(name).toned(Tone::Label), Cell::left(value)];
    let head = Block::Head {
        title: text(&sheet["title"]).to_string(),
        verdict: text(&sheet["verdict"]).to_string(),
        cause: text(&sheet["cause"]["message"]).to_string(),
    };
    vec![head, table(Vec::new(), rows.into_iter().map(row).collect())]
}

fn checks(sheet: &Value) -> Vec<Block> {
    let within = size(real(&sheet["agree_within"]));
    let header = vec![
        Cell::left("run with"),
        Cell::left("verdict"),
        Cell::left("outcome"),
        Cell::left(format!("first disagreement (more than {within} of the largest value with the unit)")),
    ];
    let row = |c: &Value| {
        let d = &c["first_disagreement"];
        let apart = match c["rows_compared"].as_bool() {
            _ if d.is_object() => format!(
                "at t = {} s in {}: {} and {} {}",
                number(real(&d["t"])),
                text(&d["column"]),
                number(real(&d["values"][0])),
                number(real(&d["values"][1])),
                text(&d["unit"])
            ),
            Some(true) => "none".to_string(),
            _ => "rows not compared".to_string(),
        };
        vec![
            Cell::left(text(&c["what"])),
            Cell::left(text(&c["verdict"])),
            Cell::left(text(&c["outcome"])),
            Cell::left(apart).bad_if(d.is_object()),
        ]
    };
    vec![heading("Checked against other runs"), table(header, list(&sheet["checks"]).iter().map(row).collect())]
}

fn extremes(sheet: &Value) -> Vec<Block> {
    let header = vec![
        Cell::left("of"),
        Cell::left(""),
        Cell::right("value"),
        Cell::left("unit"),
        Cell::right("estimated error"),
        Cell::right("at [s]"),
        Cell::left("determinacy"),
    ];
    let row = |e: &Value| {
        let error = e["error"].as_f64().map_or_else(|| "not checked".to_string(), size);
        let label = text(&e["determinacy"]);
        vec![
            Cell::left(text(&e["name"])),
            Cell::left(text(&e["quantity"])),
            Cell::right(text(&e["text"])).bad_if(e["digits"] == 0),
            Cell::left(text(&e["unit"])),
            Cell::right(error),
            Cell::right(number(real(&e["t"]))),
            Cell::left(label).bad_if(label != "unique"),
        ]
    };
    let rows = list(&sheet["extremes"]).iter().map(row).collect();
    vec![heading("Extremes, with the digits that hold"), table(header, rows)]
}

fn energy(sheet: &Value) -> Vec<Block> {
    let e = &sheet["energy"];
    let names = [
        ("kinetic", "kinetic"),
        ("potential", "potential"),
        ("work", "work"),
        ("friction", "lost to friction"),
        ("impacts", "lost in impacts"),
    ];
    let recorded = names.into_iter().filter(|(key, _)| e[*key].is_array());
    let mut rows: Vec<Vec<Cell>> = recorded.map(|(key, words)| with_pair(Cell::left(words), &e[key])).collect();
    let balance = e["largest_balance"].as_f64().map_or_else(|| "not recorded".to_string(), size);
    rows.push(vec![Cell::left("largest imbalance"), Cell::right(balance).spanning(2)]);
    vec![heading("Energy [J]"), table(vec![Cell::left(""), Cell::right("start"), Cell::right("end")], rows)]
}

fn accounts(sheet: &Value) -> Vec<Block> {
    let header = vec![
        Cell::left(""),
        Cell::right("kinetic [J]").spanning(2),
        Cell::right("potential [J]").spanning(2),
        Cell::right("work [J]"),
        Cell::right("momentum at the end [kg m/s]"),
    ];
    let row = |a: &Value| {
        let work = a["work_of_rows"].as_f64().map_or_else(String::new, number);
        let momentum = match text(&a["family"]) {
            "force" => String::new(),
            _ => list(&a["momentum"][1]).iter().map(|x| number(real(x))).collect::<Vec<_>>().join(", "),
        };
        let mut cells = with_pair(Cell::left(text(&a["name"])), &a["kinetic"]);
        cells.extend(pair(&a["potential"]));
        cells.extend([Cell::right(work), Cell::right(momentum)]);
        cells
    };
    vec![
        heading("Accounts of the elements"),
        table(header, list(&sheet["accounts"]).iter().map(row).collect()),
        Block::Text("Start and end. Work of forces is integrated over the rows.".to_string()),
    ]
}

fn residuals(sheet: &Value) -> Vec<Block> {
    let header = vec![Cell::left("level"), Cell::right("residual"), Cell::left("row"), Cell::right("at [s]")];
    let row = |r: &Value| {
        vec![
            Cell::left(text(&r["level"])),
            Cell::right(size(real(&r["worst"]))),
            Cell::left(text(&r["row"])),
            Cell::right(number(real(&r["t"]))),
        ]
    };
    vec![heading("Largest residuals"), table(header, list(&sheet["residuals"]).iter().map(row).collect())]
}

fn determinacy(sheet: &Value) -> Vec<Block> {
    let d = &sheet["determinacy"];
    let open: Vec<&Value> = list(&d["components"]).iter().filter(|c| !c["set"].is_null()).collect();
    let found = match (&d["examined"], open.is_empty()) {
        (Value::Bool(true), true) => Block::Text("All reactions are unique.".to_string()),
        (Value::Bool(true), false) => {
            let header = vec![
                Cell::left("component"),
                Cell::left("trades load in set"),
                Cell::right("value"),
                Cell::right("least norm"),
                Cell::right("by stiffness"),
                Cell::right("range"),
            ];
            table(header, open.into_iter().map(component).collect())
        }
        _ => Block::Text("not examined".to_string()),
    };
    vec![heading("Determinacy of reactions at the start"), found]
}

fn component(c: &Value) -> Vec<Cell> {
    let bound = |x: &Value, none: &str| x.as_f64().map_or_else(|| none.to_string(), number);
    let range = match c["range_computed"] == true {
        true => format!("{} … {}", bound(&c["least"], "−∞"), bound(&c["most"], "∞")),
        false => "not computed".to_string(),
    };
    vec![
        Cell::left(text(&c["name"])).toned(Tone::Bad),
        Cell::left((c["set"].as_u64().unwrap_or(0) + 1).to_string()),
        Cell::right(number(real(&c["value"]))),
        Cell::right(number(real(&c["minimum_norm"]))),
        Cell::right(bound(&c["stiffness"], "")),
        Cell::right(range),
    ]
}

fn condition(sheet: &Value) -> Vec<Block> {
    let mut rows = Vec::new();
    for (name, label) in [("start", "constraint Jacobian, start"), ("end", "constraint Jacobian, end")] {
        let c = sheet["condition"][name]["condition"].as_f64().map_or_else(|| "not computed".to_string(), number);
        rows.push(vec![Cell::left(label), Cell::right(c)]);
    }
    let m = &sheet["condition"]["start"]["masses"];
    if m.is_array() {
        let label = format!("mass ratio, {} to {}", text(&m[0][0]), text(&m[1][0]));
        rows.push(vec![Cell::left(label), Cell::right(number(real(&m[0][1]) / real(&m[1][1])))]);
    }
    let rank = &sheet["rank"];
    let met = match (rank["least"].as_f64(), rank["most"].as_f64()) {
        (Some(a), Some(b)) if a < b => {
            let at: Vec<String> = list(&rank["lower_at"]).iter().map(|t| number(real(t))).collect();
            format!("rank {} instead of {} at t = {} s", number(a), number(b), at.join(", "))
        }
        (Some(a), Some(_)) => format!("none at the rows; rank {}", number(a)),
        _ => "not recorded".to_string(),
    };
    rows.push(vec![Cell::left("singular poses"), Cell::right(met)]);
    vec![heading("Condition"), table(Vec::new(), rows)]
}

fn not_checked(sheet: &Value) -> Vec<Block> {
    let items = list(&sheet["not_checked"]).iter().map(|n| text(n).to_string()).collect();
    let mut blocks = vec![heading("Not checked"), Block::List(items)];
    let line = |w: &Value| format!("t = {} s: {}", number(real(&w["t"])), text(&w["message"]));
    let warnings: Vec<String> = list(&sheet["warnings"]).iter().map(line).collect();
    if !warnings.is_empty() {
        blocks.extend([heading("Warnings"), Block::List(warnings)]);
    }
    blocks
}

fn pair(of: &Value) -> [Cell; 2] {
    [0, 1].map(|k| Cell::right(number(real(&of[k]))))
}

fn with_pair(first: Cell, of: &Value) -> Vec<Cell> {
    std::iter::once(first).chain(pair(of)).collect()
}

fn list(of: &Value) -> &[Value] {
    of.as_array().map_or(&[], Vec::as_slice)
}

fn text(of: &Value) -> &str {
    of.as_str().unwrap_or("")
}

fn real(of: &Value) -> f64 {
    of.as_f64().unwrap_or(f64::NAN)
}
