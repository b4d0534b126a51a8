//! Stroboscopic pictures: positions are correct, and the gallery is complete.

mod gallery;
mod places;
