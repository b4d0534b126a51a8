//! Packs a run into a limited number of bytes for the page.
//!
//! The film is thinned evenly, keeping the rows at events; columns are thinned to their extremes, until everything fits the
//! budget. The tables of extremes and problems use every row.

mod columns;
mod container;
mod extremes;
mod health;
mod modes;
mod summary;
mod thinning;

pub use columns::{ColumnClassifier, ColumnInfo};
pub use container::{ArrayInfo, Arrays, Coding, decode, encode};
pub use extremes::{Extreme, ExtremeCollector};
pub use health::{FirstProblem, Health, health};
pub use modes::{AnimatedMode, MODES_FILE, NodeShape, modes};
pub use summary::{Summary, WarningInfo, summary};
pub use thinning::{Buckets, Thinning, evenly_spaced_rows};

use crate::error::ViewError;
use crate::film::Film;
use crate::scene::Scene;
use crate::scene_graph::{FilmRows, RunScene};
use serde::Serialize;
use std::collections::BTreeSet;
use taut::{Column, EventRecord};
use taut_io::results::ResultsError;

/// Size limit of one packed run. With a page of 1 MB and a third more for base64, a report stays below 10 MB.
pub const BUDGET: usize = 6_000_000;
/// Largest number of instants in a film: one minute at 60 frames per second.
const MAX_FRAMES: usize = 3600;
/// Fraction of the budget available to the film.
const FILM_SHARE: f64 = 0.4;
/// Fraction of the budget above which it counts as used up.
const FULL_SHARE: f64 = 0.8;
/// Largest number of attempts at thinning; then the best one is used.
const MAX_ATTEMPTS: usize = 6;
/// Largest number of values read from the run at a time (128 MB).
const MAX_VALUES_IN_MEMORY: usize = 16 << 20;
/// First estimate of the compressed bytes per value.
const INITIAL_BYTES_PER_VALUE: f64 = 2.0;

#[derive(Clone, Copy, Debug, Serialize)]
#[serde(untagged)]
enum Component {
    Array(usize),
    Constant { constant: f64 },
}

#[derive(Clone, Debug, Serialize)]
struct TrackInfo {
    p: [Component; 3],
    q: [Component; 4],
}

#[derive(Clone, Debug, Serialize)]
struct FilmInfo {
    t: usize,
    tracks: Vec<TrackInfo>,
}

#[derive(Clone, Debug, Serialize)]
struct TableInfo {
    t: usize,
    rows: usize,
    of: usize,
    thinned: Thinning,
    columns: Vec<ColumnInfo>,
}

#[derive(Clone, Debug, Serialize)]
struct EventInfo {
    t: f64,
    name: String,
    what: String,
    impulse: Option<f64>,
    lost: Option<f64>,
}

#[derive(Clone, Debug, Serialize)]
struct Header<'a> {
    version: u32,
    scene: &'a Scene,
    arrays: &'a [ArrayInfo],
    film: &'a FilmInfo,
    table: &'a TableInfo,
    events: &'a [EventInfo],
    health: &'a Health,
    summary: &'a Summary,
    extremes: &'a [Extreme],
    modes: &'a [AnimatedMode],
}

/// Packs a run within a budget of compressed bytes.
///
/// # Errors
/// The run cannot be read.
pub fn pack(stage: &RunScene, budget: usize) -> Result<Vec<u8>, ViewError> {
    let events: Vec<EventRecord> = stage.run.events()?;
    let kept = event_rows(&stage.t, &events);
    let happened: Vec<EventInfo> = events.iter().map(event_info).collect();
    let (health, summary, modes) = (health(stage)?, summary(stage)?, modes(stage));
    let figures = stage.scene.figures.len();
    let width = stage.run.columns().len() + stage.scene.arrows.len();
    // Values per frame: seven per figure, and the columns of the arrows.
    let drawn: BTreeSet<&str> = stage.scene.arrows.iter().flat_map(|a| a.columns()).collect();
    let with_arrows = 1.0 + drawn.len() as f64 / (7.0 * figures as f64);
    let mut per_picture = 7.0 * figures as f64 * with_arrows * INITIAL_BYTES_PER_VALUE;
    let mut per_row = width as f64 * INITIAL_BYTES_PER_VALUE;
    let (mut room, mut best) = (budget as f64, None);
    for _ in 0..MAX_ATTEMPTS {
        let pictures = (FILM_SHARE * room / per_picture).clamp(2.0, MAX_FRAMES as f64) as usize;
        let pictures = evenly_spaced_rows(stage.rows(), pictures, &kept);
        let for_table = (room - per_picture * pictures.len() as f64).max(0.5 * room);
        let buckets = Buckets::new(stage.rows(), (for_table / per_row).max(2.0) as usize);
        let mut arrays = Arrays::default();
        let film = film(&stage.film(FilmRows::Chosen(&pictures)), &mut arrays);
        let of_film = arrays.clone();
        let (table, extremes) = table(stage, &buckets, &pictures, &drawn, &mut arrays)?;
        let header = Header {
            version: 1,
            scene: &stage.scene,
            arrays: &arrays.infos,
            film: &film,
            table: &table,
            events: &happened,
            health: &health,
            summary: &summary,
            extremes: &extremes,
            modes: &modes,
        };
        let bytes = encode(&header, &arrays)?;
        let whole = bytes.len() as f64;
        let all_there = buckets.thinning() == Thinning::None;
        // Done if everything fits without thinning, if the budget is used up, or if nothing can be made smaller.
        let thinnest = pictures.len() <= kept.len() + 2 && buckets.values() <= 2;
        if thinnest || (bytes.len() <= budget && (all_there || whole > FULL_SHARE * budget as f64)) {
            return Ok(bytes);
        }
        // Update the estimates from the real sizes; the size of the header does not depend on thinning.
        let head = encode(&header, &Arrays::default())?.len() as f64;
        let film_alone = with_arrows * encode(&EmptyHeader {}, &of_film)?.len() as f64;
        per_picture = film_alone / pictures.len() as f64;
        per_row = ((whole - film_alone - head) / buckets.values() as f64).max(1.0);
        let over = if bytes.len() > budget { 0.9 * room / (budget as f64) } else { 0.95 };
        room = (over * budget as f64 - head).max(per_picture + per_row);
        // Keep the largest result that fits; if none fits, the smallest.
        let better = |b: &Vec<u8>| match (b.len() <= budget, bytes.len() <= budget) {
            (true, true) => bytes.len() > b.len(),
            (false, false) => bytes.len() < b.len(),
            (old, _) => !old,
        };
        if best.as_ref().is_none_or(better) {
            best = Some(bytes);
        }
    }
    Ok(best.unwrap_or_default())
}

#[derive(Serialize)]
struct EmptyHeader {}

fn event_info(o: &EventRecord) -> EventInfo {
    let some = |x: f64| (x.is_finite() && x != 0.0).then_some(x);
    EventInfo {
        t: o.t,
        name: o.name.clone(),
        what: o.what.label().to_string(),
        impulse: some(o.impulse),
        lost: some(o.lost),
    }
}

/// The rows before and after each event.
fn event_rows(t: &[f64], events: &[EventRecord]) -> Vec<usize> {
    let around = |e: &EventRecord| {
        let after = t.partition_point(|t| *t < e.t);
        [after.saturating_sub(1), after, t.partition_point(|t| *t <= e.t)]
    };
    let mut rows: Vec<usize> = events.iter().flat_map(around).filter(|k| *k < t.len()).collect();
    rows.sort_unstable();
    rows.dedup();
    rows
}

fn film(film: &Film, arrays: &mut Arrays) -> FilmInfo {
    let t = arrays.push(&film.t, Coding::F64);
    let mut component = |values: Vec<f64>| match values.first() {
        Some(first) if first.is_finite() && values.iter().all(|x| x.to_bits() == first.to_bits()) => {
            Component::Constant { constant: *first }
        }
        _ => Component::Array(arrays.push(&values, Coding::Delta32)),
    };
    let mut tracks = Vec::with_capacity(film.tracks.len());
    for track in &film.tracks {
        let p = [0, 1, 2].map(|i| component(track.p.iter().map(|p| p[i]).collect()));
        let q = [0, 1, 2, 3].map(|i| component(track.q.iter().map(|q| q[i]).collect()));
        tracks.push(TrackInfo { p, q });
    }
    FilmInfo { t, tracks }
}

/// All columns, read in chunks. Thinned extremes of the components do not form vectors, so the columns of arrows are also
/// stored unthinned at the instants of the film.
fn table(
    stage: &RunScene,
    buckets: &Buckets,
    pictures: &[usize],
    drawn: &BTreeSet<&str>,
    arrays: &mut Arrays,
) -> Result<(TableInfo, Vec<Extreme>), ResultsError> {
    let thinned = buckets.thinning() != Thinning::None;
    let register = ColumnClassifier::new(&stage.model);
    let mut gathering = ExtremeCollector::new(&stage.scene);
    let t = arrays.push(&buckets.instants(&stage.t), Coding::F64);
    let mut columns = Vec::new();
    let mut take = |part: &[Column], gathering: &mut ExtremeCollector| {
        gathering.add_columns(&stage.t, part);
        for c in part {
            let array = arrays.push(&buckets.column_values(&c.data[..stage.rows()]), Coding::Delta32);
            let film = (thinned && drawn.contains(c.name.as_str())).then(|| {
                let values: Vec<f64> = pictures.iter().map(|k| c.data[*k]).collect();
                arrays.push(&values, Coding::Delta32)
            });
            columns.push(ColumnInfo {
                name: c.name.clone(),
                unit: c.unit.clone(),
                meaning: c.meaning.clone(),
                element: register.element(&c.name),
                family: register.family(&c.name, &c.meaning),
                array,
                film,
            });
        }
    };
    for names in column_chunks(stage) {
        take(stage.run.table(&names)?.columns(), &mut gathering);
    }
    take(&stage.contact_points()?, &mut gathering);
    let (rows, of) = (buckets.values(), stage.rows());
    let info = TableInfo { t, rows, of, thinned: buckets.thinning(), columns };
    Ok((info, gathering.finish()))
}

/// Names of all columns except the time, in chunks that keep the columns of one element together.
fn column_chunks(stage: &RunScene) -> Vec<Vec<&str>> {
    let at_once = (MAX_VALUES_IN_MEMORY / stage.rows().max(1)).max(1);
    let stem = |name: &str| name.rsplit_once('.').map_or(name.len(), |(stem, _)| stem.len());
    let mut pieces: Vec<Vec<&str>> = vec![Vec::new()];
    for column in stage.run.columns().iter().filter(|c| c.name != "t") {
        let name = column.name.as_str();
        let Some(piece) = pieces.last_mut() else { continue };
        let same = piece.last().is_some_and(|last| last[..stem(last)] == name[..stem(name)]);
        if piece.len() >= at_once && !same {
            pieces.push(vec![name]);
        } else {
            piece.push(name);
        }
    }
    pieces.retain(|piece| !piece.is_empty());
    pieces
}
