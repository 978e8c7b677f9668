//! What people and programs get to see: words and data, and pictures.

pub(crate) mod draw;
pub mod report;
