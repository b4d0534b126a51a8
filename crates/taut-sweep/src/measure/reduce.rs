//! The value of a measure for one member.

use super::{Instant, Measure, Reduction, Term};
use taut::expressions::Expression;
use taut::{Column, EventRecord, Table};

/// What a member leaves behind.
#[derive(Clone, Debug, Default)]
pub(crate) struct Evidence {
    /// Rows in time.
    pub rows: Table,
    /// Rows at peaks of reactions between them, for extremes only.
    pub peaks: Table,
    pub events: Vec<EventRecord>,
}

/// Where columns were found last time; members of a sweep usually have the same columns.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lookup(Vec<usize>);

impl Lookup {
    /// The place of a column; `k` counts the names that are looked up for one member.
    fn place(&mut self, table: &Table, name: &str, k: usize) -> Option<usize> {
        let columns = table.columns();
        if let Some(&at) = self.0.get(k)
            && columns.get(at).is_some_and(|c| c.name == name)
        {
            return Some(at);
        }
        let at = columns.iter().position(|c| c.name == name)?;
        if self.0.len() <= k {
            self.0.resize(k + 1, 0);
        }
        self.0[k] = at;
        Some(at)
    }
}

/// The values of all measures; NaN where a column or an event is missing.
pub(crate) fn values(measures: &[Measure], from: &Evidence, lookup: &mut Lookup) -> Vec<f64> {
    let mut k = 0;
    let mut terms = Vec::new();
    let mut found = Vec::with_capacity(measures.len());
    for measure in measures {
        terms.clear();
        for term in &measure.terms {
            terms.push(term_value(term, from, lookup, &mut k));
        }
        found.push(measure.outer.evaluate(&terms));
    }
    found
}

fn term_value(term: &Term, from: &Evidence, lookup: &mut Lookup, k: &mut usize) -> f64 {
    match term {
        Term::EventTime(name) => from.events.iter().find(|e| e.name == *name).map_or(f64::NAN, |e| e.t),
        Term::EventCount(name) => from.events.iter().filter(|e| e.name == *name).count() as f64,
        Term::Reduced(how, x) => match places(x, from, lookup, k) {
            Some(places) => reduce(*how, x, &places, from),
            None => f64::NAN,
        },
        Term::At(x, when) => {
            let t = match when {
                Instant::Time(t) => Some(*t),
                Instant::Event(name) => from.events.iter().find(|e| e.name == *name).map(|e| e.t),
            };
            match (places(x, from, lookup, k), t) {
                (Some(places), Some(t)) => value_at(x, &places, &from.rows, t),
                _ => f64::NAN,
            }
        }
    }
}

fn places(x: &Expression, from: &Evidence, lookup: &mut Lookup, k: &mut usize) -> Option<Vec<usize>> {
    let mut found = Vec::with_capacity(x.variables().len());
    for name in x.variables() {
        found.push(lookup.place(&from.rows, name, *k));
        *k += 1;
    }
    found.into_iter().collect()
}

/// The values of a formula over the rows of a table, with their times.
fn over<'a>(x: &'a Expression, places: &'a [usize], table: &'a Table) -> impl Iterator<Item = (f64, f64)> + 'a {
    let columns: Vec<&Column> = places.iter().filter_map(|p| table.columns().get(*p)).collect();
    let t = table.columns().first();
    // A single column needs no formula.
    let plain = matches!(x.variables(), [name] if name == x.text().trim());
    let mut values = vec![0.0; columns.len()];
    (0..table.len()).map(move |i| {
        let value = match (plain, columns.first()) {
            (true, Some(column)) => column.data[i],
            _ => {
                values.iter_mut().zip(&columns).for_each(|(v, c)| *v = c.data[i]);
                x.evaluate(&values)
            }
        };
        (t.map_or(f64::NAN, |t| t.data[i]), value)
    })
}

fn reduce(how: Reduction, x: &Expression, places: &[usize], from: &Evidence) -> f64 {
    let rows = || over(x, places, &from.rows);
    // Peak rows have the columns of the others, or none.
    let all = || {
        let peaks = from.peaks.columns().len() == from.rows.columns().len();
        rows().chain(peaks.then(|| over(x, places, &from.peaks)).into_iter().flatten())
    };
    let largest =
        |sign: f64| all().reduce(|best, now| if sign * now.1 > sign * best.1 || now.1.is_nan() { now } else { best });
    match how {
        Reduction::Max => largest(1.0).map_or(f64::NAN, |p| p.1),
        Reduction::Min => largest(-1.0).map_or(f64::NAN, |p| p.1),
        Reduction::TimeOfMax => largest(1.0).map_or(f64::NAN, |p| p.0),
        Reduction::TimeOfMin => largest(-1.0).map_or(f64::NAN, |p| p.0),
        Reduction::Range => largest(1.0).map_or(f64::NAN, |p| p.1) - largest(-1.0).map_or(f64::NAN, |p| p.1),
        Reduction::First => rows().next().map_or(f64::NAN, |p| p.1),
        Reduction::Final => rows().last().map_or(f64::NAN, |p| p.1),
        Reduction::Integral => integral(rows()).0,
        Reduction::Mean => mean(rows()),
        Reduction::Rms => mean(rows().map(|(t, x)| (t, x * x))).sqrt(),
    }
}

/// Integral over time by the trapezoidal rule, and the time.
fn integral(rows: impl Iterator<Item = (f64, f64)>) -> (f64, f64) {
    let (mut sum, mut time, mut last) = (0.0, 0.0, None);
    for (t, x) in rows {
        if let Some((t0, x0)) = last {
            sum += 0.5 * (x + x0) * (t - t0);
            time += t - t0;
        }
        last = Some((t, x));
    }
    (sum, time)
}

/// Mean over time; of a single row, its value.
fn mean(rows: impl Iterator<Item = (f64, f64)>) -> f64 {
    let mut first = None;
    let (sum, time) = integral(rows.inspect(|(_, x)| {
        first.get_or_insert(*x);
    }));
    if time > 0.0 { sum / time } else { first.unwrap_or(f64::NAN) }
}

/// The value at a time; between two rows, by linear interpolation.
fn value_at(x: &Expression, places: &[usize], table: &Table, wanted: f64) -> f64 {
    let rows: Vec<(f64, f64)> = over(x, places, table).collect();
    let near = 1e-9 * wanted.abs().max(1e-3);
    if let Some((_, value)) = rows.iter().rfind(|(t, _)| (t - wanted).abs() <= near) {
        return *value;
    }
    let after = rows.partition_point(|(t, _)| *t < wanted);
    match (after.checked_sub(1).map(|i| rows[i]), rows.get(after)) {
        (Some((t0, x0)), Some((t1, x1))) => x0 + (x1 - x0) * (wanted - t0) / (t1 - t0),
        _ => f64::NAN,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(columns: &[(&str, &[f64])]) -> Table {
        let column = |(name, data): &(&str, &[f64])| Column {
            name: name.to_string(),
            unit: String::new(),
            meaning: String::new(),
            data: data.to_vec(),
        };
        columns.iter().map(column).collect()
    }

    fn value(text: &str, from: &Evidence) -> f64 {
        values(&[Measure::parse(text).unwrap()], from, &mut Lookup::default())[0]
    }

    #[test]
    fn reductions() {
        let rows = table(&[("t", &[0.0, 1.0, 3.0]), ("a.x", &[1.0, -3.0, 2.0]), ("a.y", &[0.0, 4.0, 0.0])]);
        let peaks = table(&[("t", &[2.0]), ("a.x", &[5.0]), ("a.y", &[0.0])]);
        let events = vec![EventRecord { name: "touch".to_string(), t: 1.0, ..EventRecord::default() }];
        let from = Evidence { rows, peaks, events };
        for (text, expected) in [
            ("max(a.x)", 5.0),
            ("time_of_max(a.x)", 2.0),
            ("min(a.x)", -3.0),
            ("range(a.x)", 8.0),
            ("first(a.x)", 1.0),
            ("a.x", 2.0),
            ("final(a.x)", 2.0),
            ("integral(a.x)", -2.0),
            ("mean(a.x)", -2.0 / 3.0),
            ("rms(a.y)", (24.0_f64 / 3.0).sqrt()),
            ("max(sqrt(a.x^2 + a.y^2)) - 1", 4.0),
            ("at(a.x, 2)", -0.5),
            ("at(a.x, 1000 ms)", -3.0),
            ("at(a.y, touch)", 4.0),
            ("time(touch) + count(touch) + count(other)", 2.0),
        ] {
            assert!((value(text, &from) - expected).abs() < 1e-14, "{text}: {}", value(text, &from));
        }
        assert!(value("max(b.x)", &from).is_nan() && value("at(a.x, 4)", &from).is_nan());
        assert!(value("time(other)", &from).is_nan());
    }

    #[test]
    fn a_lookup_survives_other_columns() {
        let measures = [Measure::parse("max(a.x)").unwrap(), Measure::parse("max(a.y)").unwrap()];
        let mut lookup = Lookup::default();
        let one = Evidence { rows: table(&[("t", &[0.0]), ("a.x", &[1.0]), ("a.y", &[2.0])]), ..Evidence::default() };
        let two = Evidence { rows: table(&[("t", &[0.0]), ("a.y", &[2.0]), ("a.x", &[1.0])]), ..Evidence::default() };
        for from in [&one, &two, &one] {
            assert_eq!(values(&measures, from, &mut lookup), [1.0, 2.0]);
        }
    }
}
