//! Small systems whose small motions are known in full.
