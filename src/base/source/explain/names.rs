//! `E02..`, `W02..`: names.

use super::{Explanation, model};
use crate::base::source::Code;

pub(super) fn explain(code: Code) -> Explanation {
    match code {
        Code::DuplicateDefinition => model(
            "Every global name is declared once. Agents, channels, names, keys, definitions and systems \
             share one name space, because `c(x)` is an input or an instantiation depending on what `c` is. \
             The message shows both places.",
            "channel c\nagent c\nsystem S = c<c>\n",
            "channel c\nagent A\nsystem S = c<A>\n",
        ),
        Code::DuplicateBinder => model(
            "One list of parameters, one `new` or one pattern cannot bind the same name twice: a later use \
             could mean either. To demand that two parts of a message are equal, bind the first and compare \
             the second: `(x, =x)`.",
            "channel c\nsystem S = c(x, x). c<x>\n",
            "channel c\nsystem S = c(x, =x). c<x>\n",
        ),
        Code::WrongArity => model(
            "A definition, a key family or a parameterised system takes as many arguments as it declares. \
             The message shows the declaration.",
            "channel c\ndef P(x, y) = c<x, y>\nsystem S = P(c)\n",
            "channel c\ndef P(x, y) = c<x, y>\nsystem S = P(c, c)\n",
        ),
        Code::ProcessAsChannel => model(
            "The name belongs to a process definition, so it can only be instantiated: it is no channel to \
             send on and no message to be sent.",
            "channel c\ndef P(x) = c<x>\nsystem S = P<c>\n",
            "channel c\ndef P(x) = c<x>\nsystem S = P(c)\n",
        ),
        Code::NotAProcess => model(
            "Where a process is expected, a bare name must be that of a definition. A channel needs a \
             message or a pattern after it: `c<M>` sends, `c(x)` receives.",
            "channel c, d\nsystem S = c(x). d\n",
            "channel c, d\nsystem S = c(x). d<x>\n",
        ),
        Code::FamilyWithoutArguments => model(
            "A key family is a function from agents to keys: one of its keys is `K(A)`. The family itself is \
             no term. Give its arguments.",
            "agent A\nchannel c\nkeypair K(Agent)\nsystem S = c<{A}K+>\n",
            "agent A\nchannel c\nkeypair K(Agent)\nsystem S = c<{A}K(A)+>\n",
        ),
        Code::FunctionWithoutArguments => model(
            "A function makes a message of its arguments, so it has at least one. A constant that everybody knows is \
             declared with `public`, one that the attacker does not know with `private`.",
            "channel c\nfunction f\nsystem S = c<f(c)>\n",
            "channel c\nfunction f(Msg)\nsystem S = c<f(c)>\n",
        ),
        Code::FunctionResult => model(
            "What a function makes is equal to nothing but itself: it is no agent, no integer and no part of a key pair. \
             It may serve as a key (`Sym`), as `Data`, `Nonce` or `Name`; without a type it is a message.",
            "channel c\nfunction f(Msg): Agent\nsystem S = c<f(c)>\n",
            "channel c\nfunction f(Msg): Data\nsystem S = c<f(c)>\n",
        ),
        Code::RuleSide => model(
            "The rules of a destructor are about all messages of a form: `destructor open(seal(x, k), k) = x`. Both sides are made of \
             functions, the built-in operators, variables and public names. A private name would be a secret that everybody uses, a key \
             of a family is one key where a variable stands for all, and a destructor inside a rule would have to be applied first.",
            "channel c\nprivate s\nfunction seal(Msg, Msg)\ndestructor open(seal(x, s)) = x\nsystem S = c(y). c<open(y), s>\n",
            "channel c\nprivate s\nfunction seal(Msg, Msg)\ndestructor open(seal(x, k), k) = x\nsystem S = c(y). c<open(y, s)>\n",
        ),
        Code::RuleVariable => model(
            "A destructor gives something that its arguments have, or a public constant. Names of a rule that are not declared are its \
             variables, and a variable of the right side occurs on the left.",
            "channel c\nfunction sig(Msg, Sym)\ndestructor check(sig(x, k), k) = ok\nsystem S = c(y, k). c<check(y, k)>\n",
            "channel c\npublic ok\nfunction sig(Msg, Sym)\ndestructor check(sig(x, k), k) = ok\nsystem S = c(y, k). c<check(y, k)>\n",
        ),
        Code::RulesDisagree => model(
            "A destructor may have several rules, and the first that fits counts. Where two fit the same arguments they must give the same, \
             or the order in which they are written would decide. The message shows arguments that both fit.",
            "channel c\nfunction pair(Msg, Msg)\ndestructor get(pair(x, y)) = x\ndestructor get(pair(x, y)) = y\nsystem S = c(z). c<get(z)>\n",
            "channel c\nfunction pair(Msg, Msg)\ndestructor first(pair(x, y)) = x\ndestructor second(pair(x, y)) = y\nsystem S = c(z). c<first(z), second(z)>\n",
        ),
        Code::RuleTakesTuple => model(
            "Tuples and numbers are taken apart by patterns, `let (x, y) = M in P` and `case M of 0: P suc(x): Q`, by everybody. A destructor \
             opens what a function or a cipher makes.",
            "channel c\ndestructor first((x, y)) = x\nsystem S = c(z). c<first(z)>\n",
            "channel c\nsystem S = c(x, y). c<x>\n",
        ),
        Code::RuleTuple => model(
            "A tuple of three parts is nested pairs, and a tuple of its own with `--typed`. A rule is the same in both, so it has pairs only. \
             Functions have as many arguments as they need.",
            "channel c\nfunction seal(Msg, Msg)\ndestructor open(seal((x, y, z), k), k) = x\nsystem S = c(w, k). c<open(w, k)>\n",
            "channel c\nfunction seal(Msg, Msg)\ndestructor open(seal((x, (y, z)), k), k) = x\nsystem S = c(w, k). c<open(w, k)>\n",
        ),
        Code::UnopenableRule => model(
            "The attacker may apply functions and then a destructor to what it made itself. What it gains in this way is worked out once for \
             each file: each rule must come down to opening something that was heard, which is larger than what comes out. A rule for which \
             this fails is refused, because no answer about it could be trusted. Often a rule is missing: who unblinds a signature with r can \
             unblind the message too.",
            "channel c\nfunction blind(Msg, Msg), sig(Msg, Sym)\ndestructor unblind(sig(blind(x, r), k), r) = sig(x, k)\nsystem S = c(y, r). c<unblind(y, r)>\n",
            "channel c\nfunction blind(Msg, Msg), sig(Msg, Sym)\ndestructor unblind(sig(blind(x, r), k), r) = sig(x, k)\ndestructor reveal(blind(x, r), r) = x\nsystem S = c(y, r). c<unblind(y, r)>\n",
        ),
        Code::DestructorPlace => model(
            "A destructor is applied by a process, when the process gets there, and may fail. A claim, its arguments and `knows` are about \
             messages, which are made of functions and names.",
            "channel c\nprivate k\nfunction seal(Msg, Msg)\ndestructor open(seal(x, k'), k') = x\nknows open(c, c)\nsystem S = c(y). c<open(y, k)>\n",
            "channel c\nprivate k\nfunction seal(Msg, Msg)\ndestructor open(seal(x, k'), k') = x\nknows seal(c, c)\nsystem S = c(y). c<open(y, k)>\n",
        ),
        Code::NoGroup => model(
            "`g^x` and `g^x^y` are the shares and keys of Diffie-Hellman exchanges in a declared group. `group g` declares the base `g`, which \
             everybody knows; `group g with neutral one` gives the neutral element a name too, so that it can be sent in the place of a share.",
            "channel c\nsystem S = new x. c<g^x>\n",
            "channel c\ngroup g\nsystem S = new x. c<g^x>\n",
        ),
        Code::NotAShare => model(
            "`M^N` gives something if M is the base of a group, or a share `g^x`; of anything else there is no power. A value that is received may be a \
             share: whether it is shows when the process computes with it.",
            "channel c\ngroup g\nsystem S = new x. new y. c<x^y>\n",
            "channel c\ngroup g\nsystem S = new x. new y. c<g^x^y>\n",
        ),
        Code::ThreeExponents => model(
            "Shares `g^x` and keys `g^x^y` of two exponents can be said, in any order of the exponents. Powers with three exponents, products and inverses \
             can't. A key is the end of an exchange: others are derived from it.",
            "channel c\ngroup g\nsystem S = new x. new y. c<g^x^y^x>\n",
            "channel c\ngroup g\nsystem S = new x. new y. c<H(g^x^y, x)>\n",
        ),
        Code::RuleName => model(
            "In a rule a declared name stands for itself and every other name is a variable. This one may be meant otherwise: it is a public \
             name of one letter, or a variable that occurs once and is nearly a declared name.",
            "channel c\npublic m\nfunction seal(Msg, Sym)\ndestructor open(seal(m, k), k) = m\nsystem S = c(y, k). c<open(y, k), m>\n",
            "channel c\npublic m\nfunction seal(Msg, Sym)\ndestructor open(seal(x, k), k) = x\nsystem S = c(y, k). c<open(y, k), m>\n",
        ),
        Code::EventArity => model(
            "An event has the same number of arguments wherever it occurs; otherwise a claim about it would \
             be about some of its occurrences only. The message shows the first occurrence.",
            "channel c\nsystem S = event E(c). event E(c, c). c<c>\n",
            "channel c\nsystem S = event E(c, c). event E(c, c). c<c>\n",
        ),
        Code::NotAFamily => model(
            "Only key families and functions take arguments in a message. Declare the function, `function f(Msg)`. To put \
             things together write a tuple, to hash them write `H(M, N)`.",
            "channel c\npublic f\nsystem S = c<f(c)>\n",
            "channel c\nfunction f(Msg)\nsystem S = c<f(c)>\n",
        ),
        Code::SystemAsProcess => model(
            "A system is a whole to be analysed; it is not part of another. Put what they share into a \
             definition and use it in both.",
            "channel c\nsystem S = c<c>\nsystem T = S | c(x)\n",
            "channel c\ndef P = c<c>\nsystem S = P\nsystem T = P | c(x)\n",
        ),
        Code::ReservedName => model(
            "The types keep their meaning: nothing else can be declared under their name.",
            "channel Nonce\nsystem S = Nonce<0>\n",
            "channel net\nsystem S = net<0>\n",
        ),
        Code::UnknownType => model(
            "The types are Agent, Nonce, Name, Sym, Pub, Priv, Data, Int and Msg. Msg is everything and the \
             default: leave the type out if none of the others fits. Sorts of agents are types too: `agent A, B: User` \
             declares the agents together with their sort `User`.",
            "channel c\nsystem S = new n: nonce. c<n>\n",
            "channel c\nsystem S = new n: Nonce. c<n>\n",
        ),
        Code::ContinuationAfterCall => model(
            "An instantiation hands over to the definition and does not come back, so nothing can follow it. \
             To run both, compose them with `|`; to go on afterwards, put the rest into the definition.",
            "channel c\ndef P = c<c>\nsystem S = P. c(x)\n",
            "channel c\ndef P = c<c>\nsystem S = P | c(x)\n",
        ),
        Code::UnusedName => model(
            "A fresh name, a key, a channel, a parameter or a definition is declared and never used. Often a \
             use is misspelt or forgotten. If it is meant, start the name with `_`. Received values may go \
             unused; but a nonce that nobody compares proves nothing.",
            "channel c\nsystem S = new n, k. c<{c}k>\n",
            "channel c\nsystem S = new n, k. c<{c, n}k>\n",
        ),
        Code::Shadowing => model(
            "A new name hides another of the same spelling: from here on the outer one is out of reach. To \
             compare with the outer one write `=x`; otherwise choose another name.",
            "channel c\nsystem S = new n. c(n). c<n>\n",
            "channel c\nsystem S = new n. c(=n). c<n>\n",
        ),
        _ => model(
            "The name is neither declared nor bound at this place. A variable is known from the step that \
             binds it to the end of that process; it is not known in the other branch of a `|`. If a name \
             of similar spelling is known, the help names it.",
            "channel net\nsystem S = ned<net>\n",
            "channel net\nsystem S = net<net>\n",
        ),
    }
}
