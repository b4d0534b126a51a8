//! Thins lines to what a picture can show: first, lowest, highest and last point of every column of pixels.

/// A stretch of a line without gaps.
pub(crate) type Segment = Vec<(f64, f64)>;

/// Points in places of the drawing, cut at gaps; `pixel` is the width of a column.
pub(crate) fn thin(points: impl Iterator<Item = (f64, f64)>, pixel: f64) -> Vec<Segment> {
    let (mut stretches, mut stretch) = (Vec::new(), Vec::new());
    let mut column: Option<PixelColumn> = None;
    for (x, y) in points {
        if !x.is_finite() || !y.is_finite() {
            end(&mut column, &mut stretch);
            stretches.extend((!stretch.is_empty()).then(|| std::mem::take(&mut stretch)));
            continue;
        }
        let number = (x / pixel).floor();
        match &mut column {
            Some(c) if c.number == number => c.add((x, y)),
            _ => {
                end(&mut column, &mut stretch);
                column = Some(PixelColumn { number, points: [(x, y); 4], order: [0; 4], count: 1 });
            }
        }
    }
    end(&mut column, &mut stretch);
    stretches.extend((!stretch.is_empty()).then_some(stretch));
    stretches
}

/// Points of a line while it stays in one column: first, lowest, highest, last, each with its turn.
struct PixelColumn {
    number: f64,
    points: [(f64, f64); 4],
    order: [usize; 4],
    count: usize,
}

impl PixelColumn {
    fn add(&mut self, p: (f64, f64)) {
        let lower = p.1 < self.points[1].1;
        let higher = p.1 > self.points[2].1;
        for (i, replaced) in [(1, lower), (2, higher), (3, true)] {
            if replaced {
                (self.points[i], self.order[i]) = (p, self.count);
            }
        }
        self.count += 1;
    }
}

/// Ends a column: its points go to the line in the order they came.
fn end(column: &mut Option<PixelColumn>, stretch: &mut Segment) {
    let Some(c) = column.take() else { return };
    let mut turns = [0, 1, 2, 3];
    turns.sort_by_key(|&i| c.order[i]);
    let mut last = None;
    for i in turns {
        if last != Some(c.order[i]) {
            stretch.push(c.points[i]);
            last = Some(c.order[i]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::thin;

    #[test]
    fn peaks_survive_and_points_do_not() {
        let n = 1_000_000;
        let spike = |i: usize| if i == 345_678 { 50.0 } else { (i as f64 * 1e-3).sin() };
        let kept = thin((0..n).map(|i| (i as f64 * 7e-4, spike(i))), 0.5);
        assert_eq!(kept.len(), 1);
        assert!(kept[0].len() <= 4 * 1401, "{}", kept[0].len());
        assert!(kept[0].iter().any(|p| p.1 == 50.0));
        assert!(kept[0].windows(2).all(|w| w[0].0 <= w[1].0));
        assert_eq!(kept[0].last().unwrap().0, (n - 1) as f64 * 7e-4);
    }

    #[test]
    fn gaps_part_a_line() {
        let y = [1.0, f64::NAN, 2.0, 3.0, f64::INFINITY, f64::NAN];
        let kept = thin(y.iter().enumerate().map(|(i, y)| (i as f64, *y)), 0.5);
        assert_eq!(kept, [vec![(0.0, 1.0)], vec![(2.0, 2.0), (3.0, 3.0)]]);
    }

    #[test]
    fn a_loop_keeps_its_shape() {
        let angle = |i: usize| i as f64 * 1e-4;
        let kept = thin((0..62_832).map(|i| (100.0 * angle(i).cos(), 100.0 * angle(i).sin())), 0.5);
        assert!(kept[0].len() < 4000);
        assert!(kept[0].iter().all(|p| (p.0.hypot(p.1) - 100.0).abs() < 1e-9));
    }
}
