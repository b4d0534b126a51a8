//! `include/taut.h` is generated from the sources by this test. `TAUT_WRITE=1 cargo test -p taut-c --test header` writes it.
//!
//! The generator knows the few forms that the sources use: constants, function types, opaque and plain structures, and
//! functions. Anything else fails the test. (cbindgen would do the same; its licence is not among those of this project.)

use std::fmt::Write;
use std::path::Path;

const SOURCES: [&str; 7] =
    ["status.rs", "memory.rs", "system.rs", "formulation.rs", "ode.rs", "ode_setup.rs", "residual.rs"];

const HEAD: &str = "\
/* Taut: kinematic constraints for your own ODE code. Generated from the sources of taut-c; do not edit.
 *
 * Every function returns a status, 0 for success; taut_system_message and taut_ode_message give the sentence.
 * A handle belongs to one thread at a time. There is no global state. Indices count from 0.
 * Matrices are stored row by row; in Fortran, declare the transpose: A(n, m).
 */
#ifndef TAUT_H
#define TAUT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern \"C\" {
#endif
";

const TAIL: &str = "
#ifdef __cplusplus
}
#endif

#endif /* TAUT_H */
";

/// The C form of a Rust type, without a name.
fn c_type(rust: &str) -> String {
    let rust = rust.trim();
    if let Some(inner) = rust.strip_prefix("Option<").and_then(|r| r.strip_suffix('>')) {
        return c_type(inner);
    }
    if let Some(inner) = rust.strip_prefix("*const ") {
        return format!("const {} *", c_type(inner)).replace("* *", "**");
    }
    if let Some(inner) = rust.strip_prefix("*mut ") {
        return format!("{} *", c_type(inner)).replace("* *", "**");
    }
    match rust {
        "f64" => "double".to_string(),
        "i32" => "int32_t".to_string(),
        "usize" => "size_t".to_string(),
        "c_void" => "void".to_string(),
        "c_char" => "char".to_string(),
        name if name.starts_with("Taut") => name.to_string(),
        other => panic!("the type `{other}` has no C form here"),
    }
}

/// The C form of a list of parameters.
fn parameters(list: &str) -> String {
    let one = |parameter: &str| {
        let (name, kind) = parameter.split_once(':').unwrap_or_else(|| panic!("a parameter: `{parameter}`"));
        let kind = c_type(kind);
        let gap = if kind.ends_with('*') { "" } else { " " };
        format!("{kind}{gap}{}", name.trim())
    };
    let all: Vec<String> = list.split(',').map(str::trim).filter(|p| !p.is_empty()).map(one).collect();
    if all.is_empty() { "void".to_string() } else { all.join(", ") }
}

/// The comment of an item, without its section on safety.
fn comment(doc: &[&str], out: &mut String) {
    let lines: Vec<&str> = doc.iter().take_while(|l| **l != "# Safety").copied().collect();
    let text = lines.join("\n   ").trim_end().to_string();
    writeln!(out, "\n/* {text} */").unwrap();
}

fn generate(folder: &Path) -> String {
    let mut out = HEAD.to_string();
    for file in SOURCES {
        let source = std::fs::read_to_string(folder.join(file)).unwrap();
        let mut doc: Vec<&str> = Vec::new();
        let mut plain = false;
        let mut lines = source.lines().peekable();
        while let Some(line) = lines.next() {
            if let Some(text) = line.strip_prefix("///") {
                doc.push(text.trim());
                continue;
            }
            let mut whole = line.to_string();
            let begins = |word: &str| line.starts_with(word);
            if begins("pub unsafe extern \"C\" fn") || begins("pub extern \"C\" fn") || begins("pub type") {
                let end = if begins("pub type") { ';' } else { '{' };
                while !whole.contains(end) {
                    whole.push_str(lines.next().unwrap().trim());
                }
                let (head, rest) = whole.split_once('(').unwrap();
                let (list, after) = rest.split_once(')').unwrap();
                let result = after
                    .split_once("->")
                    .map_or("void".to_string(), |(_, r)| c_type(r.trim_end_matches(['{', ';', ' '])));
                comment(&doc, &mut out);
                let gap = if result.ends_with('*') { "" } else { " " };
                if begins("pub type") {
                    let name = head.trim_start_matches("pub type").split('=').next().unwrap().trim();
                    writeln!(out, "typedef {result}{gap}(*{name})({});", parameters(list)).unwrap();
                } else {
                    let name = head.rsplit(' ').next().unwrap();
                    writeln!(out, "{result}{gap}{name}({});", parameters(list)).unwrap();
                }
            } else if let Some(rest) = line.strip_prefix("pub const ") {
                let (name, value) = rest.split_once(": i32 = ").unwrap();
                comment(&doc, &mut out);
                writeln!(out, "#define {name} {}", value.trim_end_matches(';')).unwrap();
            } else if let Some(rest) = line.strip_prefix("pub struct ") {
                let name = rest.trim_end_matches(" {");
                comment(&doc, &mut out);
                if plain {
                    writeln!(out, "typedef struct {name} {{").unwrap();
                    for field in lines.by_ref().take_while(|l| *l != "}") {
                        match field.trim().strip_prefix("pub ") {
                            Some(field) => {
                                let (field, kind) = field.trim_end_matches(',').split_once(": ").unwrap();
                                writeln!(out, "    {} {field};", c_type(kind)).unwrap();
                            }
                            None => writeln!(out, "    /* {} */", field.trim().trim_start_matches("/// ")).unwrap(),
                        }
                    }
                    writeln!(out, "}} {name};").unwrap();
                } else {
                    writeln!(out, "typedef struct {name} {name};").unwrap();
                }
            }
            plain = line == "#[repr(C)]";
            if !line.starts_with("#[") {
                doc.clear();
            }
        }
    }
    out + TAIL
}

#[test]
fn the_header_is_up_to_date() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (header, made) = (root.join("include/taut.h"), generate(&root.join("src")));
    if std::env::var_os("TAUT_WRITE").is_some() {
        std::fs::write(&header, &made).unwrap();
    }
    let found = std::fs::read_to_string(&header).unwrap_or_default();
    assert!(found == made, "include/taut.h is out of date: run TAUT_WRITE=1 cargo test -p taut-c --test header");
    assert!(made.contains("int32_t taut_ode_rates(TautOde *ode, double t, const double *y, double *ydot, TautRates f, void *user, TautQuality *quality);"));
}
