//! What a course needs: the same file with something changed, the hunt for repairs, the grading of submissions, and an exercise
//! of one's own for everybody.

pub(crate) mod grade;
pub(crate) mod repair;
pub mod variants;
pub(crate) mod vary;
