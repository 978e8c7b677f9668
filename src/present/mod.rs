//! What people and programs get to see: words and data, and pictures.

pub mod draw;
pub mod report;
