//! Pictures: message sequence charts as SVG and `TikZ`, and an offline page that steps through them.
//!
//! A [`Chart`] is data: lanes, rows of arrows and notes, all of it text. `plot` makes one from a story, `contrast` from a
//! refuted equivalence; `layout` gives everything a place, `svg` and `tikz` write it, `page` puts it into an HTML file together
//! with the source and what the attacker knows at each step. Everything that comes from a file or a file name goes
//! through `escape` on its way out, so nothing of it is ever read as markup.
//!
//! Left to others: what happened and what it is called (`report`), where files go (`cli`).

mod abbreviate;
mod annotate;
mod chart;
mod contrast;
mod escape;
mod layout;
mod page;
mod plot;
mod sheet;
mod svg;
mod tikz;
mod wrap;

pub use chart::{Arrow, Chart, Form, Lane, LaneKind, Note, NoteKind, Row, Tone};
pub use contrast::{contrast, contrast_page};
pub use escape::escape_by;
pub use page::page;
pub use plot::{attack_chart, attack_page, honest_chart, honest_page};
pub use sheet::{Detail, Knowledge, Sheet, Step};
pub use svg::svg;
pub use tikz::tikz;
