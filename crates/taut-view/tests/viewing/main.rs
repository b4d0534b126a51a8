//! From models to scenes, packs and served pages.

mod common;
mod hostile;
mod models;
mod packing;
mod scenes;
mod serving;
