//! The trust sheet as one self-contained page.

use serde_json::Value;
use std::fmt::Write;
use taut_papers::text::{number, size};

const STYLE: &str = include_str!("trust_page.css");

/// The page of a sheet.
pub fn html(sheet: &Value) -> String {
    let mut page = String::new();
    let title = escape(text(&sheet["title"]));
    let _ = write!(
        page,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>Trust sheet: {title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n"
    );
    head(&mut page, sheet, &title);
    checks(&mut page, sheet);
    extremes(&mut page, sheet);
    page.push_str("<div class=\"columns\"><div>\n");
    energy(&mut page, sheet);
    accounts(&mut page, sheet);
    page.push_str("</div><div>\n");
    residuals(&mut page, sheet);
    determinacy(&mut page, sheet);
    condition(&mut page, sheet);
    page.push_str("</div></div>\n");
    not_checked(&mut page, sheet);
    page.push_str("</body>\n</html>\n");
    page
}

fn head(page: &mut String, sheet: &Value, title: &str) {
    let verdict = text(&sheet["verdict"]);
    let cause = sheet["cause"]["message"].as_str().map_or_else(String::new, |m| format!(" {}", escape(m)));
    let _ = write!(page, "<h1>Trust sheet: {title}</h1>\n<p class=\"verdict {verdict}\"><b>{verdict}</b>{cause}</p>\n");
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
    let rows = [
        ("model", format!("{} (SHA-256 {})", escape(text(&sheet["model"])), text(&sheet["model_sha256"]))),
        ("taut", text(&sheet["taut"]).to_string()),
        ("settings", escape(&stepping)),
        (
            "outcome",
            format!(
                "{}, t = {} … {} s",
                escape(text(&sheet["outcome"])),
                number(real(&sheet["t"][0])),
                number(real(&sheet["t"][1]))
            ),
        ),
    ];
    page.push_str("<table class=\"head\">\n");
    rows.iter().for_each(|(name, value)| _ = writeln!(page, "<tr><th>{name}</th><td>{value}</td></tr>"));
    page.push_str("</table>\n");
}

fn checks(page: &mut String, sheet: &Value) {
    let _ = writeln!(
        page,
        "<h2>Checked against other runs</h2>\n<table>\n<tr><th>run with</th><th>verdict</th><th>outcome</th><th>first disagreement (more than {} of the largest value with the unit)</th></tr>",
        size(real(&sheet["agree_within"]))
    );
    for c in list(&sheet["checks"]) {
        let apart = match (&c["first_disagreement"], c["rows_compared"].as_bool()) {
            (d, _) if d.is_object() => format!(
                "<b class=\"bad\">at t = {} s in <code>{}</code></b>: {} and {} {}",
                number(real(&d["t"])),
                escape(text(&d["column"])),
                number(real(&d["values"][0])),
                number(real(&d["values"][1])),
                escape(text(&d["unit"]))
            ),
            (_, Some(true)) => "none".to_string(),
            _ => "rows not compared".to_string(),
        };
        let _ = writeln!(
            page,
            "<tr><td>{}</td><td>{}</td><td>{}</td><td>{apart}</td></tr>",
            escape(text(&c["what"])),
            text(&c["verdict"]),
            escape(text(&c["outcome"]))
        );
    }
    page.push_str("</table>\n");
}

fn extremes(page: &mut String, sheet: &Value) {
    page.push_str("<h2>Extremes, with the digits that hold</h2>\n<table>\n<tr><th>of</th><th></th><th class=\"n\">value</th><th>unit</th><th class=\"n\">estimated error</th><th class=\"n\">at [s]</th><th>determinacy</th></tr>\n");
    for e in list(&sheet["extremes"]) {
        let error = e["error"].as_f64().map_or_else(|| "not checked".to_string(), size);
        let label = text(&e["determinacy"]);
        let class = if label == "unique" { "" } else { " class=\"bad\"" };
        let none = if e["digits"] == 0 { " bad" } else { "" };
        let _ = writeln!(
            page,
            "<tr><td>{}</td><td>{}</td><td class=\"n{none}\">{}</td><td>{}</td><td class=\"n\">{error}</td><td class=\"n\">{}</td><td{class}>{label}</td></tr>",
            escape(text(&e["name"])),
            text(&e["quantity"]),
            escape(text(&e["text"])),
            escape(text(&e["unit"])),
            number(real(&e["t"]))
        );
    }
    page.push_str("</table>\n");
}

fn energy(page: &mut String, sheet: &Value) {
    let e = &sheet["energy"];
    page.push_str(
        "<h2>Energy [J]</h2>\n<table>\n<tr><th></th><th class=\"n\">start</th><th class=\"n\">end</th></tr>\n",
    );
    let rows = [
        ("kinetic", "kinetic"),
        ("potential", "potential"),
        ("work", "work"),
        ("friction", "lost to friction"),
        ("impacts", "lost in impacts"),
    ];
    for (key, words) in rows {
        if e[key].is_array() {
            let _ = writeln!(page, "<tr><td>{words}</td>{}</tr>", pair(&e[key]));
        }
    }
    let balance = e["largest_balance"].as_f64().map_or_else(|| "not recorded".to_string(), size);
    let _ = writeln!(page, "<tr><td>largest imbalance</td><td class=\"n\" colspan=\"2\">{balance}</td></tr>\n</table>");
}

fn accounts(page: &mut String, sheet: &Value) {
    page.push_str("<h2>Accounts of the elements</h2>\n<table>\n<tr><th></th><th class=\"n\" colspan=\"2\">kinetic [J]</th><th class=\"n\" colspan=\"2\">potential [J]</th><th class=\"n\">work [J]</th><th class=\"n\">momentum at the end [kg m/s]</th></tr>\n");
    for a in list(&sheet["accounts"]) {
        let work = a["work_of_rows"].as_f64().map_or_else(String::new, number);
        let momentum = match text(&a["family"]) {
            "force" => String::new(),
            _ => list(&a["momentum"][1]).iter().map(|x| number(real(x))).collect::<Vec<_>>().join(", "),
        };
        let _ = writeln!(
            page,
            "<tr><td>{}</td>{}{}<td class=\"n\">{work}</td><td class=\"n\">{momentum}</td></tr>",
            escape(text(&a["name"])),
            pair(&a["kinetic"]),
            pair(&a["potential"])
        );
    }
    page.push_str("</table>\n<p>Start and end. Work of forces is integrated over the rows.</p>\n");
}

fn residuals(page: &mut String, sheet: &Value) {
    page.push_str("<h2>Largest residuals</h2>\n<table>\n<tr><th>level</th><th class=\"n\">residual</th><th>row</th><th class=\"n\">at [s]</th></tr>\n");
    for r in list(&sheet["residuals"]) {
        let _ = writeln!(
            page,
            "<tr><td>{}</td><td class=\"n\">{}</td><td>{}</td><td class=\"n\">{}</td></tr>",
            text(&r["level"]),
            size(real(&r["worst"])),
            escape(text(&r["row"])),
            number(real(&r["t"]))
        );
    }
    page.push_str("</table>\n");
}

fn determinacy(page: &mut String, sheet: &Value) {
    let d = &sheet["determinacy"];
    page.push_str("<h2>Determinacy of reactions at the start</h2>\n");
    let open: Vec<&Value> = list(&d["components"]).iter().filter(|c| !c["set"].is_null()).collect();
    if d["examined"] != true {
        page.push_str("<p>not examined</p>\n");
    } else if open.is_empty() {
        page.push_str("<p>All reactions are unique.</p>\n");
    } else {
        page.push_str("<table>\n<tr><th>component</th><th>trades load in set</th><th class=\"n\">value</th><th class=\"n\">least norm</th><th class=\"n\">by stiffness</th><th class=\"n\">range</th></tr>\n");
        for c in open {
            let bound = |x: &Value, none: &str| x.as_f64().map_or_else(|| none.to_string(), number);
            let _ = writeln!(
                page,
                "<tr><td class=\"bad\">{}</td><td>{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{} … {}</td></tr>",
                escape(text(&c["name"])),
                c["set"].as_u64().unwrap_or(0) + 1,
                number(real(&c["value"])),
                number(real(&c["minimum_norm"])),
                bound(&c["stiffness"], ""),
                bound(&c["least"], "−∞"),
                bound(&c["most"], "∞")
            );
        }
        page.push_str("</table>\n");
    }
}

fn condition(page: &mut String, sheet: &Value) {
    page.push_str("<h2>Condition</h2>\n<table>\n");
    for (name, label) in [("start", "constraint Jacobian, start"), ("end", "constraint Jacobian, end")] {
        let c = sheet["condition"][name]["condition"].as_f64().map_or_else(|| "not computed".to_string(), number);
        let _ = writeln!(page, "<tr><td>{label}</td><td class=\"n\">{c}</td></tr>");
    }
    let m = &sheet["condition"]["start"]["masses"];
    if m.is_array() {
        let (a, b) = (&m[0], &m[1]);
        let ratio = real(&a[1]) / real(&b[1]);
        let _ = writeln!(
            page,
            "<tr><td>mass ratio, <code>{}</code> to <code>{}</code></td><td class=\"n\">{}</td></tr>",
            escape(text(&a[0])),
            escape(text(&b[0])),
            number(ratio)
        );
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
    let _ = writeln!(page, "<tr><td>singular poses</td><td class=\"n\">{met}</td></tr>\n</table>");
}

fn not_checked(page: &mut String, sheet: &Value) {
    page.push_str("<h2>Not checked</h2>\n<ul>\n");
    list(&sheet["not_checked"]).iter().for_each(|n| _ = writeln!(page, "<li>{}</li>", escape(text(n))));
    page.push_str("</ul>\n");
    let warnings: Vec<&Value> = list(&sheet["warnings"]).iter().collect();
    if !warnings.is_empty() {
        page.push_str("<h2>Warnings</h2>\n<ul>\n");
        for w in warnings {
            let _ = writeln!(page, "<li>t = {} s: {}</li>", number(real(&w["t"])), escape(text(&w["message"])));
        }
        page.push_str("</ul>\n");
    }
}

fn pair(of: &Value) -> String {
    format!("<td class=\"n\">{}</td><td class=\"n\">{}</td>", number(real(&of[0])), number(real(&of[1])))
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

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
