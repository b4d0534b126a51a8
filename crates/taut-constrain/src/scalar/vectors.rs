//! Vectors in space over any scalar, for constraint functions with exact derivatives.

use super::Scalar;

/// Sum of two vectors.
pub fn add<S: Scalar>(a: [S; 3], b: [S; 3]) -> [S; 3] {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

/// Difference of two vectors.
pub fn sub<S: Scalar>(a: [S; 3], b: [S; 3]) -> [S; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// Vector times scalar.
pub fn scale<S: Scalar>(a: [S; 3], factor: S) -> [S; 3] {
    a.map(|component| component * factor)
}

/// Scalar product.
pub fn dot<S: Scalar>(a: [S; 3], b: [S; 3]) -> S {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// Vector product.
pub fn cross<S: Scalar>(a: [S; 3], b: [S; 3]) -> [S; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// Length.  It has no derivative at the zero vector: the first derivatives are 0 there and a
/// second derivative may be infinite.  A constraint is better written with the squared length.
pub fn norm<S: Scalar>(a: [S; 3]) -> S {
    dot(a, a).sqrt()
}

/// Matrix times vector; `matrix[i]` is row i.
pub fn matrix_vector<S: Scalar>(matrix: [[S; 3]; 3], v: [S; 3]) -> [S; 3] {
    matrix.map(|row| dot(row, v))
}

/// Transposed matrix times vector; `matrix[i]` is row i of the matrix before transposition.
pub fn transposed_matrix_vector<S: Scalar>(matrix: [[S; 3]; 3], v: [S; 3]) -> [S; 3] {
    let [a, b, c] = matrix;
    add(add(scale(a, v[0]), scale(b, v[1])), scale(c, v[2]))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::scalar::{Dual, Jet};

    fn vector() -> impl Strategy<Value = [f64; 3]> {
        prop::array::uniform3(-5.0..5.0_f64)
    }

    proptest! {
        #[test]
        fn vector_product_is_normal_to_its_factors(a in vector(), b in vector()) {
            let n = cross(a, b);
            prop_assert!(dot(n, a).abs() < 1e-12);
            prop_assert!(dot(n, b).abs() < 1e-12);
            // Lagrange's identity
            let square = dot(a, a) * dot(b, b) - dot(a, b) * dot(a, b);
            prop_assert!((dot(n, n) - square).abs() < 1e-10);
        }

        #[test]
        fn transposition_moves_across_the_scalar_product(
            m in prop::array::uniform3(vector()), a in vector(), b in vector(),
        ) {
            let left = dot(matrix_vector(m, a), b);
            let right = dot(a, transposed_matrix_vector(m, b));
            prop_assert!((left - right).abs() < 1e-11);
        }

        #[test]
        fn gradient_of_length_is_the_unit_vector(a in vector()) {
            prop_assume!(norm(a) > 1e-3);
            let length = norm(Dual::variables(a));
            let unit = scale(a, 1.0 / norm(a));
            for i in 0..3 {
                prop_assert!((length.eps[i] - unit[i]).abs() < 1e-14);
            }
        }
    }

    #[test]
    fn sums_and_differences() {
        let (a, b) = ([1.0, 2.0, 3.0], [4.0, 6.0, 8.0]);
        assert_eq!(add(a, b), [5.0, 8.0, 11.0]);
        assert_eq!(sub(b, a), [3.0, 4.0, 5.0]);
        assert_eq!(cross([1.0, 0.0, 0.0], [0.0, 1.0, 0.0]), [0.0, 0.0, 1.0]);
    }

    #[test]
    fn circular_motion_keeps_its_radius() {
        let t = Jet::variable(0.7);
        let square = {
            let r = [t.cos() * 2.0, t.sin() * 2.0, Jet::zero()];
            dot(r, r)
        };
        assert!((square.f - 4.0).abs() < 1e-15);
        assert!(square.df.abs() < 1e-15 && square.ddf.abs() < 1e-15);
    }
}
