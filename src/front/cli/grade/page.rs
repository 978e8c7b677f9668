//! The page of a class: one HTML file without scripts and outside resources, to look at, to print, to keep.

use std::fmt::Write;

use super::graded::{Graded, Verdict, number};
use crate::base::source::visible::visible_lines;
use crate::present::draw::escaped;
use crate::present::report::summary;

const STYLE: &str = include_str!("page.css");

/// At most so many names stand beside what they failed.
const NAMED: usize = 12;

/// The page about these submissions.
pub(super) fn page(title: &str, all: &[Graded]) -> String {
    let mut out = String::new();
    let _ = write!(
        out,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>{0}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n\
         <header>\n<h1>{0}</h1>\n<p>{1}</p>\n</header>\n<main>\n",
        escaped(title),
        summary::count(all.len() as u64, "submission", "submissions"),
    );
    tally(&mut out, all);
    failures(&mut out, all);
    submissions(&mut out, all);
    out.push_str("</main>\n<footer>Written by spi.</footer>\n</body>\n</html>\n");
    out
}

fn class(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Passed => "good",
        Verdict::NotPassed | Verdict::Unreadable => "bad",
        Verdict::Inconclusive | Verdict::InternalError => "open",
    }
}

/// How many came to what, as a bar and in words.
fn tally(out: &mut String, all: &[Graded]) {
    let counts: Vec<(Verdict, usize)> = Verdict::ALL
        .into_iter()
        .map(|v| (v, all.iter().filter(|g| g.verdict == v).count()))
        .filter(|(_, count)| *count > 0)
        .collect();
    out.push_str("<section>\n<div class=\"bar\" aria-hidden=\"true\">");
    for (verdict, count) in &counts {
        let _ = write!(
            out,
            "<span class=\"{}\" style=\"flex-grow: {count}\"></span>",
            class(*verdict)
        );
    }
    out.push_str("</div>\n<ul class=\"tally\">\n");
    for (verdict, count) in &counts {
        let _ = writeln!(
            out,
            "<li><b class=\"{}\">{count}</b> {}</li>",
            class(*verdict),
            verdict.word()
        );
    }
    out.push_str("</ul>\n</section>\n");
}

/// What was failed, the most frequent first: what to talk about in the next lesson.
fn failures(out: &mut String, all: &[Graded]) {
    let mut kinds: Vec<(String, Vec<&str>)> = Vec::new();
    for graded in all.iter().filter(|g| g.verdict != Verdict::Passed) {
        let Some(what) = graded.failed_at() else {
            continue;
        };
        match kinds.iter_mut().find(|(kind, _)| *kind == what) {
            Some((_, names)) => names.push(&graded.name),
            None => kinds.push((what, vec![&graded.name])),
        }
    }
    if kinds.is_empty() {
        return;
    }
    kinds.sort_by_key(|(_, names)| std::cmp::Reverse(names.len()));
    out.push_str(
        "<section>\n<h2>Where they failed first</h2>\n<table>\n<thead><tr><th scope=\"col\">number</th>\
         <th scope=\"col\">check</th><th scope=\"col\">submissions</th></tr></thead>\n<tbody>\n",
    );
    for (kind, names) in kinds {
        let mut shown: Vec<String> = names.iter().take(NAMED).map(|n| text(n)).collect();
        if names.len() > NAMED {
            shown.push(format!("and {} more", names.len() - NAMED));
        }
        let _ = writeln!(
            out,
            "<tr><td class=\"number\">{}</td><td>{}</td><td>{}</td></tr>",
            names.len(),
            text(&kind),
            shown.join(", ")
        );
    }
    out.push_str("</tbody>\n</table>\n</section>\n");
}

fn submissions(out: &mut String, all: &[Graded]) {
    out.push_str(
        "<section>\n<h2>Submissions</h2>\n<table>\n<thead><tr><th scope=\"col\">submission</th>\
         <th scope=\"col\">verdict</th><th scope=\"col\">points</th><th scope=\"col\">why</th></tr></thead>\n<tbody>\n",
    );
    for graded in all {
        let points = match number(graded.points) {
            none if none.is_empty() => "?".to_owned(),
            points => points,
        };
        let _ = write!(
            out,
            "<tr><th scope=\"row\">{}</th><td class=\"{}\">{}</td><td class=\"number\">{points}/{}</td><td>",
            text(&graded.name),
            class(graded.verdict),
            graded.verdict.word(),
            graded.out_of,
        );
        if let Some(fault) = graded.fault() {
            let _ = write!(out, "{}", text(&fault));
        }
        if !graded.hints.is_empty() {
            out.push_str("<ol>");
            for hint in &graded.hints {
                let _ = write!(out, "<li>{}</li>", text(hint));
            }
            out.push_str("</ol>");
        }
        out.push_str("</td></tr>\n");
    }
    out.push_str("</tbody>\n</table>\n</section>\n");
}

/// What students wrote, with marks for what is not shown.
fn text(text: &str) -> String {
    let mut shown = String::new();
    // Between back-ticks stands what is written in a model.
    for (i, piece) in escaped(&visible_lines(text)).split('`').enumerate() {
        if i > 0 {
            shown.push_str(if i % 2 == 1 { "<code>" } else { "</code>" });
        }
        shown.push_str(piece);
    }
    if text.matches('`').count() % 2 == 1 {
        shown.push_str("</code>");
    }
    shown
}
