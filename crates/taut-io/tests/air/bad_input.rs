//! Bad input is named with its place.

use super::{path, text};
use taut_io::model::parse;

/// The message about a model that is wrong, with line and column.
fn message(text: &str) -> String {
    match parse(text, &path("model.toml"), &[]) {
        Err(all) => all[0].to_string(),
        Ok(file) => file.build().map(|_| String::new()).unwrap_err().to_string(),
    }
}

fn assert_named(text: &str, parts: &[&str]) {
    let said = message(text);
    assert!(parts.iter().all(|part| said.contains(part)), "{said}");
    let line = said.split("model.toml:").nth(1).and_then(|rest| rest.split(':').next());
    assert!(line.and_then(|n| n.parse::<usize>().ok()).is_some(), "no place: {said}");
}

fn with(from: &str, to: &str) -> String {
    let text = text("flap.toml");
    assert!(text.contains(from));
    text.replace(from, to)
}

#[test]
fn wings_and_discs_are_checked() {
    assert_named(&with("chord = \"c\"", "chord = -0.4"), &["wing `wing`", "chord", "greater than zero"]);
    assert_named(&with("chord = \"c\"", "chord = { x = [0, 3, 2, 6], y = [1, 1, 1, 1] }"), &["`x` must increase"]);
    assert_named(&with("chord = \"c\"", "chord = { x = [0, 3], y = [1, 1] }"), &["the wing reaches from 0 to 6 m"]);
    assert_named(
        &with("polar = \"section\"", "polar = \"sextion\""),
        &["no polar `sextion`", "did you mean `section`"],
    );
    assert_named(&with("disc = \"main\"", "disc = \"mian\""), &["no wing belongs"]);
    assert_named(&with("on = \"blade.root\"", "on = \"blade.rot\""), &["blade.rot", "did you mean `blade.root`"]);
    assert_named(&with("stations = 16", "stations = 0"), &["`stations` is 0"]);
    assert_named(&with("radius = \"R\"", "radius = 0"), &["disc `main`", "radius"]);
    assert_named(&with("to = [\"L\", 0, 0]", "to = [0, 0, 0]"), &["no length"]);
    assert_named(&with("type = \"prescribed\"", "type = \"perscribed\""), &["perscribed", "prescribed"]);
    assert_named(&with("density = \"rho\"", "density = -1"), &["density", "greater than zero"]);
    assert_named(&with("wind = [\"mu*speed*R\", 0, 0]", "wind = [\"blade.x\", 0, 0]"), &["wind"]);
    assert_named(&with("wind = [\"mu*speed*R\", 0, 0]", "wind = [\"3 kg\", 0, 0]"), &["velocity"]);
    assert_named(&with("- delta3*flap.angle", "- delta3*flop.angle"), &["flop.angle"]);
    let no_air = text("flap.toml").replace("[air]\ndensity = \"rho\"\nwind = [\"mu*speed*R\", 0, 0]\n", "");
    assert_named(&no_air, &["there is no air"]);
}

#[test]
fn polars_are_checked() {
    let table = |alpha: &str, values: &str| {
        let polar = format!("type = \"table\"\ncl = {{ alpha = {alpha}, values = {values} }}");
        with("type = \"linear\"\nslope = \"a\"", &polar)
    };
    assert_named(&table("[-3.2, 0.2, 0.1, 3.2]", "[0, 1, 1, 0]"), &["polar `section`", "`alpha` must increase", "0.2"]);
    assert_named(&table("[-3.2, 0, 3.2]", "[0, 1]"), &["3 angles have 2 rows"]);
    assert_named(&table("[-3.2, 0, 3.2]", "[0, nan, 1]"), &["`nan` is not allowed"]);
    assert_named(&with("slope = \"a\"", "slope = nan"), &["`nan` is not allowed"]);
    assert_named(&with("type = \"linear\"\nslope = \"a\"", "type = \"formula\"\ncl = \"6*aplha\""), &["aplha"]);
    assert_named(
        &with("type = \"linear\"\nslope = \"a\"", "type = \"c81\"\nfile = \"none.c81\""),
        &["cannot read", "none.c81"],
    );
}

/// Angles beyond a table are reported once, with the end of the table.
#[test]
fn angles_beyond_the_table_are_reported() {
    let polar = "type = \"table\"\ncl = { alpha = [\"-5 deg\", \"5 deg\"], values = [-0.5, 0.5] }";
    let text = with("type = \"linear\"\nslope = \"a\"", polar).replace("8*2*pi/speed", "0.1*2*pi/speed");
    let file = parse(&text, &path("model.toml"), &[]).unwrap();
    let model = file.build().unwrap();
    let found = taut::analyses::simulate(&model, &model.initial_state(), &file.transient).unwrap();
    let said: Vec<&str> = found.warnings.iter().map(|w| w.message.as_str()).collect();
    assert_eq!(
        said.iter().filter(|m| m.contains("`main`") && m.contains("beyond the end of its table")).count(),
        1,
        "{said:?}"
    );
}

/// A file that `write` produced gives the same model.
#[test]
fn models_are_written_and_read_again() {
    for name in ["hover.toml", "flap.toml", "whirl.toml", "section.toml", "beam.toml", "wagner.toml", "trim.toml"] {
        let file = parse(&text(name), &path(name), &[]).unwrap();
        let again = parse(&file.write().unwrap(), &path(name), &[]).unwrap_or_else(|all| panic!("{name}: {}", all[0]));
        let json =
            |spec: &taut::Spec| serde_json::to_string(&(&spec.air, &spec.polars, &spec.wings, &spec.discs)).unwrap();
        assert_eq!(json(&file.spec), json(&again.spec), "{name}");
    }
}

/// At an advance ratio of 0.5 the air meets the inner half of the retreating blade from behind, where a linear polar jumps.
#[test]
fn a_linear_polar_met_from_behind_is_doubtful() {
    let text = text("flap.toml").replace("8*2*pi/speed", "2*pi/speed");
    let file = super::model(&text, &[("mu", "0.5")]);
    let model = file.build().unwrap();
    let found = taut::analyses::simulate(&model, &model.initial_state(), &file.transient).unwrap();
    let said = found.warnings.iter().any(|w| w.message.contains("from behind") && w.message.contains("plate"));
    assert!(said && found.verdict == Some(taut::Verdict::Doubtful), "{:?}", found.warnings);
}
