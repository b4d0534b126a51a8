//! Triangle meshes: back faces are culled, and large meshes are decimated.

use super::camera::{Quat, Sheet, Vec3};
use super::forms::DepthShape;
use super::palette::Tint;
use std::collections::BTreeMap;
use taut_io::plot::drawing::{Fill, Pen, Shape};

/// Largest number of triangles of one body at one instant, hidden ones included.
const MAX_TRIANGLES: usize = 260;

pub(super) fn draw(
    vertices: &[f32],
    triangles: &[u32],
    centre: &Vec3,
    axes: &Quat,
    sheet: &Sheet,
    tint: &Tint,
    out: &mut Vec<DepthShape>,
) {
    let vertices: Vec<Vec3> =
        vertices.chunks_exact(3).map(|v| Vec3::new(v[0].into(), v[1].into(), v[2].into())).collect();
    let index = |k: u32| Some(k as usize).filter(|k| *k < vertices.len());
    let triangles: Vec<[usize; 3]> =
        triangles.chunks_exact(3).filter_map(|t| Some([index(t[0])?, index(t[1])?, index(t[2])?])).collect();
    let (vertices, triangles) = decimate(vertices, triangles);
    for [a, b, c] in triangles.into_iter().map(|t| t.map(|k| centre + axes * vertices[k])) {
        let Some(normal) = (b - a).cross(&(c - a)).try_normalize(0.0) else { continue };
        if normal.dot(&sheet.camera.away) > 0.0 {
            continue;
        }
        let colour = tint.shade(sheet.light(&normal));
        // An edge of the same colour closes the seams.
        let edge = Some(Pen { colour, width: 0.6, dash: None });
        let points = [a, b, c].iter().map(|p| sheet.project(p)).collect();
        let depth = sheet.depth(&((a + b + c) / 3.0));
        out.push(DepthShape { depth, shape: Shape::Area { points, fill: Fill::Flat(colour), edge } });
    }
}

/// Vertex clustering: all vertices in a grid cell become one; the grid is coarsened until few enough triangles remain.
fn decimate(vertices: Vec<Vec3>, triangles: Vec<[usize; 3]>) -> (Vec<Vec3>, Vec<[usize; 3]>) {
    if triangles.len() <= MAX_TRIANGLES {
        return (vertices, triangles);
    }
    let (low, high) = vertices.iter().fold((vertices[0], vertices[0]), |(l, h), v| (l.inf(v), h.sup(v)));
    let size = (high - low).max().max(1e-12);
    let mut cells = 24.0;
    loop {
        let mut of: BTreeMap<[i64; 3], usize> = BTreeMap::new();
        let (mut sums, mut counts): (Vec<Vec3>, Vec<f64>) = (Vec::new(), Vec::new());
        let mut new = Vec::with_capacity(vertices.len());
        for v in &vertices {
            let cell = std::array::from_fn(|i| ((v[i] - low[i]) / size * cells).floor() as i64);
            let k = *of.entry(cell).or_insert(sums.len());
            if k == sums.len() {
                sums.push(Vec3::zeros());
                counts.push(0.0);
            }
            sums[k] += v;
            counts[k] += 1.0;
            new.push(k);
        }
        let left: Vec<[usize; 3]> =
            triangles.iter().map(|t| t.map(|k| new[k])).filter(|[a, b, c]| a != b && b != c && c != a).collect();
        if left.len() <= MAX_TRIANGLES || cells < 2.0 {
            let means = sums.iter().zip(&counts).map(|(s, n)| s / *n).collect();
            return (means, left);
        }
        cells *= 0.8;
    }
}
