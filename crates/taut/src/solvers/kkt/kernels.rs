//! Dense kernels on small blocks, stored column by column. Sizes up to six are compiled with constant size.
//!
//! `blocks` contains views and copies, `factor` the LDLᵀ of a block, `update` the elimination of the blocks below it,
//! `substitute` the substitution with the factor. Functions that end in `_any` take blocks of any size.

mod blocks;
mod factor;
mod substitute;
mod update;

pub(super) use self::blocks::{block, block_mut, by_size, clear, copy, head, head_mut, transpose};
pub(super) use self::factor::{largest_inverse_pivot, ldl_any, ldl_columns};
pub(super) use self::substitute::{
    backward_any, backward_columns, forward_any, forward_columns, subtract_product, subtract_product_any,
    subtract_transposed_product, subtract_transposed_product_any,
};
pub(super) use self::update::{below_any, below_columns, update, update_any, update_columns};
