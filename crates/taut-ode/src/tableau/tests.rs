//! The coefficients against the conditions that define them.

use super::{BOGACKI_SHAMPINE, DOP853, DORMAND_PRINCE, ErrorEstimate, RK4, Tableau};

const ALL: [&Tableau; 4] = [&RK4, &BOGACKI_SHAMPINE, &DORMAND_PRINCE, &DOP853];

/// Rooted trees, each by the list of trees hanging from its root.
#[derive(Debug, Clone)]
struct Tree(Vec<Tree>);

impl Tree {
    fn nodes(&self) -> u32 {
        1 + self.0.iter().map(Tree::nodes).sum::<u32>()
    }

    /// The density `gamma`.
    // [HairerNorsettWanner1993] II.2 def. 2.10
    fn density(&self) -> f64 {
        f64::from(self.nodes()) * self.0.iter().map(Tree::density).product::<f64>()
    }

    /// `Phi_i` for each stage `i`, products of sums over the rows of `a`.
    // [HairerNorsettWanner1993] II.2 def. 2.9
    fn weights(&self, rows: &[&[f64]]) -> Vec<f64> {
        let mut product = vec![1.0; rows.len()];
        for branch in &self.0 {
            let inner = branch.weights(rows);
            for (p, row) in product.iter_mut().zip(rows) {
                *p *= dot(row, &inner);
            }
        }
        product
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// All rooted trees of up to `most` nodes: 1, 1, 2, 4, 9, 20, 48, 115 of 1 to 8 nodes.
fn trees(most: u32) -> Vec<Tree> {
    fn forests(nodes: u32, below: usize, known: &[Tree]) -> Vec<Vec<Tree>> {
        if nodes == 0 {
            return vec![Vec::new()];
        }
        let mut found = Vec::new();
        for (i, tree) in known.iter().enumerate().take(below) {
            if tree.nodes() <= nodes {
                for mut rest in forests(nodes - tree.nodes(), i + 1, known) {
                    rest.push(tree.clone());
                    found.push(rest);
                }
            }
        }
        found
    }
    let mut known: Vec<Tree> = Vec::new();
    for nodes in 1..=most {
        let made = forests(nodes - 1, known.len(), &known);
        known.extend(made.into_iter().map(Tree));
    }
    known
}

/// The rows of `a` for all stages, with `b` for the stage at the end.
fn rows(tableau: &Tableau) -> Vec<&'static [f64]> {
    let mut rows = tableau.a.to_vec();
    rows[tableau.end()] = tableau.b;
    rows
}

/// Largest violation of the order conditions up to `order`, with `theta^nodes` on the right.
fn violation(weights: &[f64], rows: &[&[f64]], order: u32, theta: f64) -> f64 {
    let violations = trees(order).into_iter().map(|tree| {
        let right = theta.powi(tree.nodes() as i32) / tree.density();
        (dot(weights, &tree.weights(rows)) - right).abs()
    });
    violations.fold(0.0, f64::max)
}

/// Weights of the dense output at `theta`, by the formula in [`Tableau`].
fn dense_weights(tableau: &Tableau, theta: f64) -> Vec<f64> {
    let stages = tableau.c.len();
    let unit = |i: usize, j: usize| if i == j { 1.0 } else { 0.0 };
    (0..stages)
        .map(|j| {
            let difference = tableau.b.get(j).copied().unwrap_or(0.0);
            let bow = unit(j, 0) - difference;
            let mut r = vec![difference, bow, difference - unit(j, tableau.end()) - bow];
            r.extend(tableau.dense.iter().map(|row| row.get(j).copied().unwrap_or(0.0)));
            let mut sum = 0.0;
            for (i, r) in r.iter().enumerate().rev() {
                sum = (sum + r) * if i % 2 == 0 { theta } else { 1.0 - theta };
            }
            sum
        })
        .collect()
}

#[test]
fn trees_are_counted_as_by_cayley() {
    let all = trees(8);
    let count = |nodes| all.iter().filter(|tree| tree.nodes() == nodes).count();
    let counts: Vec<usize> = (1..=8).map(count).collect();
    assert_eq!(counts, [1, 1, 2, 4, 9, 20, 48, 115]);
}

#[test]
fn shapes_fit_together() {
    for tableau in ALL {
        assert_eq!(tableau.a.len(), tableau.c.len());
        for (i, row) in tableau.a.iter().enumerate() {
            let expected = if i == 0 || i == tableau.end() { 0 } else { i };
            assert_eq!(row.len(), expected);
        }
        for row in tableau.dense {
            assert_eq!(row.len(), tableau.c.len());
        }
    }
}

#[test]
fn rows_sum_to_their_nodes() {
    for tableau in ALL {
        for (row, c) in rows(tableau).iter().zip(tableau.c) {
            assert!((row.iter().sum::<f64>() - c).abs() < 1e-14);
        }
    }
}

#[test]
fn solutions_have_their_order_and_no_more() {
    for tableau in ALL {
        let rows = rows(tableau);
        let met = violation(tableau.b, &rows, tableau.order, 1.0);
        let beyond = violation(tableau.b, &rows, tableau.order + 1, 1.0);
        assert!(met < 2e-14, "order {}: {met:e}", tableau.order);
        assert!(beyond > 1e-7, "order {}: {beyond:e}", tableau.order);
    }
}

/// The embedded solution `b - e` has the order the estimate claims, and no more.
fn assert_embedded(tableau: &Tableau, e: &[f64], order: u32) {
    let rows = rows(tableau);
    let weights: Vec<f64> = (0..tableau.c.len())
        .map(|j| {
            let at = |list: &[f64]| list.get(j).copied().unwrap_or(0.0);
            at(tableau.b) - at(e)
        })
        .collect();
    let met = violation(&weights, &rows, order, 1.0);
    let beyond = violation(&weights, &rows, order + 1, 1.0);
    assert!(met < 2e-14 && beyond > 1e-4, "{order}: {met:e} {beyond:e}");
}

#[test]
fn error_estimates_have_their_order() {
    for tableau in ALL {
        match tableau.error {
            ErrorEstimate::None => {}
            ErrorEstimate::Embedded(e) => {
                assert_embedded(tableau, e, tableau.error_exponent - 1);
            }
            ErrorEstimate::Combined { fifth, third } => {
                assert_embedded(tableau, fifth, 5);
                assert_embedded(tableau, third, 3);
            }
        }
    }
}

#[test]
fn dense_outputs_have_their_order_everywhere() {
    for tableau in ALL {
        let rows = rows(tableau);
        let order = tableau.interpolation_order;
        let mut beyond = 0.0_f64;
        for theta in [0.1, 0.3, 0.5, 0.77, 0.9] {
            let weights = dense_weights(tableau, theta);
            let met = violation(&weights, &rows, order, theta);
            assert!(met < 1e-13, "order {order} at {theta}: {met:e}");
            beyond = beyond.max(violation(&weights, &rows, order + 1, theta));
        }
        assert!(beyond > 1e-6, "order {order}: {beyond:e}");
    }
}
