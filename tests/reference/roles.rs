//! Random systems of role instances, and every way to give them agents.
//!
//! Who takes part decides whether there is an attack (`casting`). [`Stage::assigned`] writes down the systems of `--sessions N` [Sem 4.9] one by one: all
//! agents, all multisets, nothing left out.

use super::casting::{Writer, arguments, role};
use super::random::Random;

const HONEST: [&str; 7] = ["A", "B", "D", "E", "F", "G", "I"];
const SPIES: [&str; 2] = ["C", "X"];

/// Names that nobody else was handed: private ones, and restrictions of the system.
const SECRETS: [&str; 4] = ["j", "sk", "pa", "r"];

/// A role instance as written: the role, its arguments, and what stands before it.
#[derive(Clone, Debug)]
struct Call {
    role: usize,
    args: Vec<String>,
    copies: &'static str,
}

/// A random file with one system.
#[derive(Clone, Debug)]
pub struct Stage {
    agents: Vec<&'static str>,
    spies: Vec<&'static str>,
    /// Of each role, whether its parameters are of type `Agent`.
    roles: Vec<Vec<bool>>,
    definitions: String,
    calls: Vec<Call>,
    /// What the system has beside role instances.
    common: Vec<String>,
    /// The argument of the system, if it has a parameter.
    argument: Option<String>,
    /// What the attacker has from the start.
    knows: Option<String>,
    claims: Vec<String>,
    /// The role instance that the last claim is about, if it is about one.
    picked: Option<String>,
    /// The sorts of each agent, spies last: none if it may play everything.
    sorts: Vec<Vec<usize>>,
    /// The sort that each parameter of each role asks for.
    asked: Vec<Vec<Option<usize>>>,
}

impl Stage {
    pub fn new(seed: u64) -> Self {
        let mut random = Random::new(seed);
        let many = random.one_in(6);
        let count = match random.below(8) {
            0 if !many => 1,
            _ if many => 6 + random.below(2),
            _ => 2 + random.below(3),
        };
        let agents = HONEST[..count].to_vec();
        let spies = SPIES[..[0, 1, 1, 1, 2][random.below(5)]].to_vec();
        let count = 1 + random.below(3);
        let most = if many { 1 } else { 3 };
        let mut writer = Writer {
            names: random.one_in(2),
            random: &mut random,
            agents: &agents,
            spies: &spies,
            scope: Vec::new(),
            fresh: 0,
        };
        let mut roles: Vec<Vec<bool>> = Vec::new();
        let mut definitions = String::new();
        for _ in 0..count {
            definitions += &role(&mut writer, &mut roles, most);
        }
        let (constant, tag) = (writer.agent(), writer.tag());
        let sub = match writer.random.below(if writer.names { 3 } else { 2 }) {
            0 => "def Sub(p, q, n) = [p is q] net<n>\n".to_owned(),
            1 => "def Sub(p: Agent, q: Agent, n) = [p is q] 0 else net<n>\n".to_owned(),
            _ => format!(
                "def Sub(p: Agent, q, n) = [p is {constant}] net<n> else net<{{{tag}, q, p}}j>\n"
            ),
        };
        definitions += &sub;
        let argument = writer.random.one_in(6).then(|| writer.agent());
        let mut calls = Vec::new();
        for _ in 0..=writer.random.below(3) {
            let role = writer.random.below(roles.len());
            calls.push(Call {
                role,
                args: arguments(&mut writer, &roles[role], argument.is_some()),
                copies: ["", "", "", "!", "!2 "][writer.random.below(5)],
            });
        }
        let mut common = Vec::new();
        if writer.random.one_in(3) {
            writer.scope = argument.iter().map(|_| "q".to_owned()).collect();
            let count = 1 + writer.random.below(2);
            common.push(format!("{}net<s>", writer.steps(count)));
        }
        if writer.random.one_in(5) {
            writer.scope = argument.iter().map(|_| "q".to_owned()).collect();
            common.push(format!("!2 new v. {}0", writer.steps(1)));
        }
        let knows = (writer.random.one_in(8)).then(|| {
            let (a, b, tag) = (writer.agent(), writer.agent(), writer.tag());
            format!("{{{tag}, {a}, {b}}}j")
        });
        let mut stage = Self {
            roles,
            definitions,
            calls,
            common,
            argument,
            knows,
            claims: Vec::new(),
            picked: None,
            agents: agents.clone(),
            spies: spies.clone(),
            sorts: Vec::new(),
            asked: Vec::new(),
        };
        (stage.claims, stage.picked) = stage.some_claims(&mut random);
        stage
    }

    /// A random file whose agents have sorts. What is written respects them.
    pub fn with_sorts(seed: u64) -> Self {
        let mut stage = Self::new(seed);
        let mut random = Random::new(seed + 1_000_000);
        let everybody: Vec<&str> = stage.everybody();
        stage.sorts = (everybody.iter())
            .map(|_| [vec![], vec![0], vec![1], vec![1], vec![0, 1]][random.below(5)].clone())
            .collect();
        let asked = |(i, params): (usize, &Vec<bool>)| -> Vec<Option<usize>> {
            // Roles that others continue with are handed whomever these know.
            let inside = stage.definitions.contains(&format!("(P{i}("));
            let mut sort = |k: usize| {
                let wanted = random.below(3);
                let written = stage.calls.iter().filter(|c| c.role == i);
                let mut agents = written.filter_map(|c| {
                    let agent = c.args[k].as_str();
                    everybody.iter().position(|a| *a == agent)
                });
                let fits = agents.all(|a| {
                    let sorts = &stage.sorts[a];
                    sorts.is_empty() || sorts.contains(&wanted)
                });
                let exists = stage.sorts.iter().any(|s| s.contains(&wanted));
                (params[k] && !inside && exists && fits).then_some(wanted)
            };
            (0..params.len()).map(&mut sort).collect()
        };
        stage.asked = stage.roles.iter().enumerate().map(asked).collect();
        stage
    }

    fn everybody(&self) -> Vec<&'static str> {
        self.agents.iter().chain(&self.spies).copied().collect()
    }

    /// Whether a parameter of a role takes an agent.
    fn takes(&self, role: usize, place: usize, agent: &str) -> bool {
        let Some(Some(sort)) = self.asked.get(role).map(|params| params[place]) else {
            return true;
        };
        let number = self.everybody().iter().position(|a| *a == agent);
        let sorts = &self.sorts[number.expect("a declared agent")];
        sorts.is_empty() || sorts.contains(&sort)
    }

    /// Agents with their sorts, as they are declared.
    fn declared(&self, agents: &[&str], first: usize) -> String {
        let one = |(i, agent): (usize, &&str)| {
            let sorts = self.sorts.get(first + i).map_or(&[][..], Vec::as_slice);
            let sorts: Vec<String> = sorts.iter().map(|s| format!("T{s}")).collect();
            match sorts.as_slice() {
                [] => format!("{agent}: Agent"),
                sorts => format!("{agent}: {}", sorts.join(" | ")),
            }
        };
        let all: Vec<String> = agents.iter().enumerate().map(one).collect();
        all.join(", ")
    }

    /// The file with its sorts, as somebody would write it.
    pub fn written_with_sorts(&self) -> String {
        let mut text = self.written();
        for (i, params) in self.asked.iter().enumerate() {
            let head = format!("def P{i}(");
            let start = text.find(&head).expect("the role is there");
            let end = start + text[start..].find(')').expect("it has parameters");
            let mut declared = text[start..end].to_owned();
            for (k, sort) in params.iter().enumerate() {
                if let Some(sort) = sort {
                    declared = declared.replace(&format!("p{k}: Agent"), &format!("p{k}: T{sort}"));
                }
            }
            text.replace_range(start..end, &declared);
        }
        let plain = format!("agent {}\n", self.agents.join(", "));
        let sorted = format!("agent {}\n", self.declared(&self.agents, 0));
        text = text.replacen(&plain, &sorted, 1);
        let plain = format!("spy {}\n", self.spies.join(", "));
        let sorted = format!("spy {}\n", self.declared(&self.spies, self.agents.len()));
        text.replacen(&plain, &sorted, 1)
    }

    fn some_claims(&self, random: &mut Random) -> (Vec<String>, Option<String>) {
        let whole = format!("{}{}", self.definitions, self.common.join(" "));
        let one = *random.pick(&self.agents);
        let roles = 0..self.roles.len();
        let mut claims: Vec<String> = roles.map(|i| format!("secrecy n{i}")).collect();
        if !self.common.is_empty() {
            claims.push("secrecy s".to_owned());
        }
        if whole.contains("event E(") {
            let pattern = ["x, y", "x, y", "y, x", "x, _"][random.below(4)];
            let strength = ["", "injective "][random.below(2)];
            claims.push(format!("{strength}agreement E(x, y) => F({pattern})"));
            if random.one_in(3) {
                claims.push(format!("agreement E(x, {one}) => F(x, {one})"));
            }
            if random.one_in(3) {
                claims.push("secrecy y after E(x, y)".to_owned());
            }
            let event = if random.one_in(2) { "x, y" } else { "x, x" };
            claims.push(format!("reachable E({event})"));
            if random.one_in(3) {
                claims.push(format!("reachable E({one}, x)"));
            }
        }
        let call = random.pick(&self.calls);
        let local = |arg: &String| words(arg).any(|w| ["r", "q"].contains(&w));
        let picked = (random.one_in(4) && !call.args.iter().any(local))
            .then(|| format!("P{}({})", call.role, call.args.join(", ")));
        claims.extend((picked.iter()).map(|p| format!("secrecy {p}.n{}", call.role)));
        (claims, picked)
    }

    pub fn claims(&self) -> usize {
        self.claims.len()
    }

    fn head(&self) -> String {
        let spies = match self.spies.as_slice() {
            [] => String::new(),
            spies => format!("spy {}\n", spies.join(", ")),
        };
        let knows = self.knows.iter().map(|k| format!("knows {k}\n"));
        let knows = knows.collect::<String>();
        format!(
            "agent {}\n{spies}{knows}channel net\npublic m, t, u\nprivate j: Sym, sk: Name, pa: Agent, never\n\
             key L(Msg, Msg)\nkeypair K(Msg), M(Msg)\n{}",
            self.agents.join(", "),
            self.definitions
        )
    }

    fn system(&self, name: &str, instances: &[String]) -> String {
        let parameter = self
            .argument
            .iter()
            .map(|_| "(q: Agent)")
            .collect::<String>();
        let common = self.common.iter().map(|p| format!("({p})"));
        // A claim is about names and events that are in the system.
        let never = "(never(e). new n0, n1, n2. event E(t, t). event F(t, t))".to_owned();
        let parts: Vec<String> = (common.chain([never]))
            .chain(instances.iter().cloned())
            .collect();
        format!(
            "partial system {name}{parameter} = new r, s. ({})\n",
            parts.join(" | ")
        )
    }

    fn claim(&self, claim: &str, name: &str) -> String {
        let argument = self.argument.as_ref().map(|a| format!("({a})"));
        let argument = argument.unwrap_or_default();
        format!("{claim} in {name}{argument}\n")
    }

    /// The file as somebody would write it.
    pub fn written(&self) -> String {
        let calls: Vec<String> = (self.calls.iter())
            .map(|c| format!("{}P{}({})", c.copies, c.role, c.args.join(", ")))
            .collect();
        let claims: String = self.claims.iter().map(|c| self.claim(c, "S")).collect();
        format!("{}{}{claims}", self.head(), self.system("S", &calls))
    }

    /// A file for each system of so many role instances, with the claims in their order; the last is left out if it is
    /// about an instance that is not there. `None` if they are too many, or if no role takes agents.
    pub fn assigned(&self, n: usize, most: usize) -> Option<Vec<String>> {
        let mut instances: Vec<String> = Vec::new();
        let mut kept: Vec<String> = Vec::new();
        for call in &self.calls {
            let choices = self.choices(call);
            if choices.is_empty() {
                kept.push(format!(
                    "{}P{}({})",
                    call.copies,
                    call.role,
                    call.args.join(", ")
                ));
            }
            for args in choices {
                let instance = format!("P{}({})", call.role, args.join(", "));
                if !instances.contains(&instance) {
                    instances.push(instance);
                }
            }
        }
        let chosen = multisets(instances.len(), n, most).filter(|all| !all.is_empty())?;
        let system = |chosen: &Vec<usize>| {
            let chosen = chosen.iter().map(|i| instances[*i].clone());
            let parts: Vec<String> = kept.iter().cloned().chain(chosen).collect();
            let is_there = |picked: &String| parts.iter().any(|p| p.ends_with(picked.as_str()));
            let absent = self.picked.as_ref().is_some_and(|p| !is_there(p));
            let claims = &self.claims[..self.claims.len() - usize::from(absent)];
            let claims: String = claims.iter().map(|c| self.claim(c, "S")).collect();
            format!("{}{}{claims}", self.head(), self.system("S", &parts))
        };
        Some(chosen.iter().map(system).collect())
    }

    /// All arguments that a role instance may have; none if no agent is among them.
    fn choices(&self, call: &Call) -> Vec<Vec<String>> {
        let all: Vec<&str> = self.agents.iter().chain(&self.spies).copied().collect();
        let typed = &self.roles[call.role];
        // Who stands at a place, whatever it is called there.
        let at = |i: &usize| match call.args[*i].as_str() {
            "q" => self.argument.as_deref().unwrap_or("q"),
            other => other,
        };
        let open: Vec<usize> = (0..call.args.len())
            .filter(|i| typed[*i] || all.contains(&at(i)))
            .collect();
        if open.is_empty() {
            return Vec::new();
        }
        let secret = |w: &str| SECRETS.contains(&w);
        let handed =
            (0..call.args.len()).any(|i| !open.contains(&i) && words(&call.args[i]).any(secret));
        let mut found = vec![call.args.clone()];
        if handed {
            return found;
        }
        for number in 0..all.len().pow(open.len() as u32) {
            let mut rest = number;
            let chosen: Vec<&str> = (open.iter())
                .map(|_| {
                    let agent = all[rest % all.len()];
                    rest /= all.len();
                    agent
                })
                .collect();
            let to_itself = (0..open.len())
                .any(|i| (0..i).any(|k| chosen[i] == chosen[k] && at(&open[i]) != at(&open[k])));
            let takes = |(i, agent): (&usize, &&str)| self.takes(call.role, *i, agent);
            if to_itself || !open.iter().zip(&chosen).all(takes) {
                continue;
            }
            let args = (0..call.args.len()).map(|i| match open.iter().position(|o| *o == i) {
                Some(k) => chosen[k].to_owned(),
                None => replace(&call.args[i], &|w| {
                    let k = open.iter().position(|o| call.args[*o] == w)?;
                    Some(chosen[k])
                }),
            });
            found.push(args.collect());
        }
        found
    }
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|w| !w.is_empty())
}

/// The text with words replaced.
fn replace<'a>(text: &'a str, by: &dyn Fn(&str) -> Option<&'a str>) -> String {
    let mut out = String::new();
    let mut rest = text;
    while !rest.is_empty() {
        let inside = rest.starts_with(char::is_alphanumeric);
        let end = rest
            .find(|c: char| c.is_alphanumeric() != inside)
            .unwrap_or(rest.len());
        let (word, more) = rest.split_at(end);
        out.push_str(by(word).unwrap_or(word));
        rest = more;
    }
    out
}

/// All sorted lists of so many numbers below `n`; `None` if there are more than `most`.
fn multisets(n: usize, size: usize, most: usize) -> Option<Vec<Vec<usize>>> {
    let mut lists: Vec<Vec<usize>> = vec![Vec::new()];
    for _ in 0..size {
        lists = (lists.iter())
            .flat_map(|list| {
                let least = list.last().copied().unwrap_or(0);
                (least..n).map(|i| [list.clone(), vec![i]].concat())
            })
            .collect();
        if lists.len() > most {
            return None;
        }
    }
    Some(lists)
}
