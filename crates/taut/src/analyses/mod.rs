//! What one asks of the equations.
