//! Stills: what is drawn stands where it was, and the gallery is whole.

mod gallery;
mod places;
