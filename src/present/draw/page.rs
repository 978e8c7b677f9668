//! The offline page: one HTML file with everything in it.
//!
//! The page is complete without its script: chart, steps, knowledge and source are in the markup.
//! The script only shows one step at a time. The page loads nothing, and its content policy forbids
//! it.

use super::chart::Tone;
use super::escape::escape;
use super::page_content::{Detail, PageContent, PageLink, Step};
use super::svg;
use crate::present::report::plain;
use std::fmt::Write;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// The page. It is the one of this number among those that lead to each other.
pub(crate) fn page(content: &PageContent, pages: &[PageLink], number: usize) -> String {
    let mut out = String::new();
    let tone = match content.tone {
        Tone::Good => "good",
        Tone::Bad => "bad",
        Tone::Plain => "plain",
    };
    let _ = write!(
        out,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>{0}: {1}</title>\n<style>{STYLE}{2}</style>\n</head>\n<body>\n",
        escape(&content.title),
        escape(&content.verdict),
        svg::style(),
    );
    let _ = write!(
        out,
        "<header>\n<p class=\"file\">{}</p>\n<h1><code>{}</code> <span class=\"verdict {tone}\">{}</span></h1>\n",
        escape(&content.file),
        escape(&content.title),
        escape(&content.verdict)
    );
    for fact in &content.facts {
        let _ = writeln!(out, "<p class=\"fact\">{}</p>", escape(&plain(fact)));
    }
    out.push_str("</header>\n");
    links(&mut out, pages, number);
    controls(&mut out, content.steps.len());
    out.push_str(
        "<main>\n<figure id=\"chart\" tabindex=\"0\" aria-label=\"message sequence chart\">\n",
    );
    out.push_str(&svg::element(&content.chart));
    out.push_str("</figure>\n<div class=\"side\">\n");
    steps(&mut out, &content.steps);
    knowledge(&mut out, content);
    for text in &content.texts {
        let _ = writeln!(
            out,
            "<section class=\"text\"><h2>{}</h2><pre>{}</pre></section>",
            escape(&text.heading),
            escape(&text.lines.join("\n"))
        );
    }
    out.push_str("</div>\n");
    listings(&mut out, content);
    let _ = write!(
        out,
        "</main>\n<footer>Written by spi. Keys: \u{2190} \u{2192} step, Home, End.</footer>\n<script>{SCRIPT}</script>\n</body>\n</html>\n"
    );
    out
}

/// The pages about the other claims, if there are any.
fn links(out: &mut String, pages: &[PageLink], number: usize) {
    if pages.len() < 2 {
        return;
    }
    out.push_str("<nav class=\"pages\" aria-label=\"what else was found\">\n<ol>\n");
    for (i, page) in pages.iter().enumerate() {
        let words = format!(
            "<code>{}</code> {}",
            escape(&page.title),
            escape(&page.verdict)
        );
        let _ = if i == number {
            writeln!(out, "<li aria-current=\"page\">{words}</li>")
        } else {
            writeln!(
                out,
                "<li><a href=\"{}\">{words}</a></li>",
                address(&page.file)
            )
        };
    }
    out.push_str("</ol>\n</nav>\n");
}

/// The address of a file in the same folder.
fn address(file: &str) -> String {
    let mut address = String::from("./");
    for byte in file.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            address.push(char::from(byte));
        } else {
            let _ = write!(address, "%{byte:02X}");
        }
    }
    address
}

fn controls(out: &mut String, steps: usize) {
    let _ = write!(
        out,
        "<nav class=\"controls\" aria-label=\"steps\">\n\
         <button type=\"button\" id=\"first\" aria-label=\"to the start\">|\u{25c0}\u{fe0e}</button>\n\
         <button type=\"button\" id=\"back\" aria-label=\"one step back\">\u{25c0}\u{fe0e}</button>\n\
         <label for=\"slider\">Step</label>\n\
         <input type=\"range\" id=\"slider\" min=\"0\" max=\"{steps}\" value=\"{steps}\" step=\"1\">\n\
         <output id=\"where\" for=\"slider\" aria-live=\"polite\">{steps} of {steps}</output>\n\
         <button type=\"button\" id=\"forth\" aria-label=\"one step on\">\u{25b6}\u{fe0e}</button>\n\
         <button type=\"button\" id=\"last\" aria-label=\"to the end\">\u{25b6}\u{fe0e}|</button>\n\
         <button type=\"button\" id=\"copy\" class=\"copy\" aria-label=\"copy as narration\">Copy as narration</button>\n</nav>\n"
    );
}

fn steps(out: &mut String, steps: &[Step]) {
    out.push_str("<section class=\"steps\" aria-live=\"polite\"><h2><span class=\"one\">This step</span><span class=\"all\">All steps</span></h2>\n<p class=\"start\">Nothing has happened yet.</p>\n<ol>\n");
    for step in steps {
        let _ = writeln!(
            out,
            "<li class=\"step\" data-step=\"{}\"><h3>{}</h3><p class=\"term\">{}</p>",
            step.number,
            escape(&step.title),
            escape(&step.message)
        );
        for Detail { heading, lines } in &step.details {
            let _ = writeln!(out, "<h4>{}</h4><ul>", escape(heading));
            for line in lines {
                let _ = writeln!(out, "<li>{}</li>", escape(line));
            }
            out.push_str("</ul>\n");
        }
        out.push_str("</li>\n");
    }
    out.push_str("</ol></section>\n");
}

fn knowledge(out: &mut String, content: &PageContent) {
    if content.knower.is_empty() {
        return;
    }
    let _ = write!(
        out,
        "<section class=\"knowledge\"><h2>What {} knows</h2>\n<p>Public names, names of its own, and:</p>\n\
         <table><thead><tr><th scope=\"col\">term</th><th scope=\"col\">how</th></tr></thead><tbody>\n",
        escape(&content.knower)
    );
    for k in &content.knowledge {
        let _ = writeln!(
            out,
            "<tr class=\"known\" data-step=\"{}\"><td class=\"term\">{}</td><td>{}</td></tr>",
            k.since,
            escape(&k.term),
            escape(&k.how)
        );
    }
    out.push_str("</tbody></table></section>\n");
}

fn listings(out: &mut String, content: &PageContent) {
    for listing in &content.listings {
        let _ = writeln!(
            out,
            "<section class=\"source\"><h2>{}</h2>\n<pre tabindex=\"0\" aria-label=\"source\">",
            escape(&listing.name)
        );
        for (i, (line, active)) in listing.lines.iter().enumerate() {
            let steps: Vec<String> = active.iter().map(ToString::to_string).collect();
            // The spans are blocks: a line end between them would be shown.
            let _ = write!(
                out,
                "<span class=\"line\" data-steps=\"{}\"><span class=\"number\">{}</span>{}</span>",
                steps.join(" "),
                i + 1,
                escape(line)
            );
        }
        out.push_str("</pre></section>\n");
    }
}
