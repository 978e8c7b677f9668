//! What the binary answered: verdict and figures, read from its JSON or, for state spaces, from its figures.

use serde_json::Value;
use std::collections::BTreeMap;

/// The verdict of a run that met its limit.
pub const UNFINISHED: &str = "not finished";

/// The verdict of a file whose claims all are as they expect.
pub const AS_EXPECTED: &str = "as expected";

/// An answer.
#[derive(Clone, Debug, Default)]
pub struct Answer {
    /// The verdict; of several claims each once, in their order.
    pub verdict: String,
    /// Whether each claim has the verdict that its file expects.
    pub expected: bool,
    /// How many claims have which verdict.
    pub tally: BTreeMap<String, usize>,
    /// How many claims were proved for any number of runs.
    pub proved: usize,
    /// States, or nodes, of all claims.
    pub count: u64,
    /// Clauses of all proofs.
    pub clauses: u64,
    /// Further figures of a state space, by their names.
    pub figures: BTreeMap<String, String>,
}

impl Answer {
    /// Whether no limit was met.
    pub fn is_finished(&self) -> bool {
        self.verdict != UNFINISHED
    }

    /// Reads what `check --format json` writes.
    pub fn of_claims(text: &str) -> Option<Self> {
        let json: Value = serde_json::from_str(text).ok()?;
        let claims = json["files"][0]["claims"].as_array()?;
        let mut answer = Self {
            expected: true,
            ..Self::default()
        };
        let mut verdicts = Vec::new();
        for claim in claims {
            // What is covered is another question: `proved` counts the claims for any number of runs.
            let verdict = match claim["verdict"].as_str()? {
                "proved"
                | "proved for these agents only"
                | "holds for these runs only"
                | "reachable" => "holds",
                other if other.starts_with("equivalent") => "equivalent",
                other => other,
            };
            *answer.tally.entry(verdict.to_owned()).or_default() += 1;
            answer.count += claim["stats"]["states"].as_u64().unwrap_or(0);
            answer.clauses += claim["stats"]["clauses"].as_u64().unwrap_or(0);
            answer.proved += usize::from(claim["scope"]["proved"].is_string());
            let found = match verdict {
                "equivalent" => "holds",
                "not equivalent" => "attack",
                other => other,
            };
            answer.expected &= claim["expect"]
                .as_str()
                .is_none_or(|e| e == found || e == "proof" && found == "holds");
            if !verdicts.contains(&verdict) {
                verdicts.push(verdict);
            }
        }
        answer.verdict = if verdicts.contains(&"inconclusive") {
            UNFINISHED.to_owned()
        } else {
            verdicts.join(", ")
        };
        Some(answer)
    }

    /// Reads what `lts --format stats` writes; the graph itself is not asked for, which would cost more than to explore it.
    pub fn of_space(text: &str) -> Option<Self> {
        let verdict = text.lines().next()?.split([':', ',']).nth(1)?.trim();
        let mut figures = BTreeMap::new();
        for line in text.lines() {
            if let Some((name, value)) = line.trim().rsplit_once("  ") {
                figures.insert(name.trim().to_owned(), value.trim().to_owned());
            }
        }
        let count = figures
            .get("states stored")?
            .replace(',', "")
            .parse()
            .ok()?;
        Some(Self {
            verdict: if verdict == "complete" {
                verdict.to_owned()
            } else {
                UNFINISHED.to_owned()
            },
            expected: true,
            tally: BTreeMap::new(),
            proved: 0,
            count,
            clauses: 0,
            figures,
        })
    }

    /// The verdicts of several claims, counted: `3 hold (2 proved), 1 attack`.
    pub fn tallied(&self) -> String {
        let proved = match self.proved {
            0 => String::new(),
            n => format!(" ({n} proved)"),
        };
        let one = |(verdict, n): (&String, &usize)| match verdict.as_str() {
            "holds" if *n > 1 => format!("{n} hold{proved}"),
            "holds" => format!("{n} holds{proved}"),
            "attack" if *n > 1 => format!("{n} attacks"),
            verdict => format!("{n} {verdict}"),
        };
        let all: Vec<String> = self.tally.iter().map(one).collect();
        all.join(", ")
    }
}
