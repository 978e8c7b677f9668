//! What a course needs: the same file with something changed, the hunt for repairs, and the grading of submissions.

pub(crate) mod grade;
pub(crate) mod repair;
pub mod variants;
