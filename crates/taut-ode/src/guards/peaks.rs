//! Times at which the right-hand side may have a narrow peak.
//!
//! A guard of kind [`Peak`](crate::GuardKind::Peak) crosses zero or comes nearest to it in the middle of a peak. An
//! antisymmetric peak is zero at its centre, so its flanks are checked as well.

use super::turning::bracket_minimum;
use crate::root_finding::{LocalMinimum, MinimumSearch};

/// If a function varies by less than this share among three points, a minimum there is round-off.
const MIN_VARIATION: f64 = 1e-6;

/// The flank of a peak is where the function has grown by this much, relative to one plus its least value.
const FLANK_GROWTH: f64 = 1.0;

/// The search for a flank reduces its distance from the peak by this factor, at most this often.
const FLANK_SHRINK: f64 = 0.6;
const MAX_FLANK_SAMPLES: usize = 40;

/// Where a function that turns back between three points of equal sign comes nearest to zero.
pub(super) fn nearest_approach<E>(
    points: LocalMinimum,
    value: &mut impl FnMut(f64) -> Result<f64, E>,
) -> Result<Option<f64>, E> {
    // A parabola is a poor model of, say, the tenth power of a distance; the three points alone may still show a minimum.
    let least = points.g.iter().fold(f64::INFINITY, |least, g| least.min(g.abs()));
    let most = points.g.iter().fold(0.0_f64, |most, g| most.max(g.abs()));
    if most - least <= MIN_VARIATION * most {
        return Ok(None);
    }
    let found = bracket_minimum(points, value)?.or(Some(points).filter(LocalMinimum::is_minimum));
    let Some(dip) = found else { return Ok(None) };
    if dip.g[1] * points.g[1] <= 0.0 {
        return Ok(Some(dip.t[1]));
    }
    Ok(match dip.search(f64::INFINITY, value)? {
        MinimumSearch::Crosses(t, _) | MinimumSearch::Touches(t) => Some(t),
        MinimumSearch::StaysAway => None,
    })
}

/// Where a function whose magnitude is least at `peak` has grown by about one, on either side.
pub(super) fn flanks<E>(
    peak: f64,
    from: f64,
    to: f64,
    value: &mut impl FnMut(f64) -> Result<f64, E>,
) -> Result<[f64; 2], E> {
    let least = value(peak)?.abs();
    let mut flanks = [from, to];
    for end in &mut flanks {
        // Begins with the whole distance and shortens it until the function has grown by less.
        let mut distance = *end - peak;
        for _ in 0..MAX_FLANK_SAMPLES {
            let grown = (value(peak + distance)?.abs() - least) / (1.0 + least);
            if !(grown > FLANK_GROWTH) {
                break;
            }
            distance *= FLANK_SHRINK;
        }
        *end = peak + distance;
    }
    Ok(flanks)
}
