//! The contract of the body traits, checked on every kind; and every formulation with every drift control on the same models.
//!
//! [`kinds`] lists the kinds of bodies: a new body is added there.

mod bodies;
mod formulations;
mod kinds;
