//! What a course needs: the same file with something changed, and the grading of submissions.

pub mod grade;
pub mod variants;
