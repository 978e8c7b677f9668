//! Pictures: message sequence charts as SVG and `TikZ`, and an offline page that steps through
//! them.
//!
//! A [`Chart`] is data: lanes, rows of arrows and notes, all of it text. `run_chart` makes one from
//! a story, `comparison_chart` from a refuted equivalence. `layout` places everything; `svg` and
//! `tikz` write it. `page` puts the chart into an HTML file together with the source and the
//! attacker's knowledge at each step (`page_content`, `annotate`). All text from a file or a file
//! name is escaped when it is written (`escape`), so it is never read as markup.
//!
//! Left to others: what happened and what it is called (`report`), where files go (`cli`).

mod abbreviate;
mod annotate;
mod chart;
mod comparison_chart;
mod escape;
mod layout;
mod page;
mod page_content;
mod run_chart;
mod svg;
mod tikz;
mod wrap;

pub(crate) use chart::Chart;
pub(crate) use comparison_chart::{comparison_chart, comparison_page};
pub(crate) use escape::{escape as escaped, escape_by};
pub(crate) use page::page;
pub(crate) use page_content::{PageContent, PageLink};
pub(crate) use run_chart::{attack_chart, attack_page, honest_chart, honest_page};
pub(crate) use svg::svg;
pub(crate) use tikz::tikz;
