//! The closed set of codes.
//!
//! The hundreds tell the phase: `00` characters, `01` syntax, `02` names, `03` types, `04` claims,
//! `05` processes, `06` files, `07` attacks, `08` several processes, `09` the command line. `E` is an error, `W` a warning. A code
//! is never reused for another mistake; `spi explain CODE` prints its long form, kept in [`super::explain`].

use std::fmt;

/// Error or warning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The file has no meaning as it stands.
    Error,
    /// The file has a meaning, probably not the intended one.
    Warning,
}

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $text:literal, $title:literal;)*) => {
        /// What can be wrong with a model.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Code { $(#[doc = $title] $(#[$doc])* $name,)* }

        impl Code {
            /// Every code, in the order of their numbers.
            pub const ALL: &'static [Code] = &[$(Code::$name,)*];

            /// The printed code, such as `E0201`.
            pub fn as_str(self) -> &'static str {
                match self { $(Code::$name => $text,)* }
            }

            /// A few words that name the mistake.
            pub fn title(self) -> &'static str {
                match self { $(Code::$name => $title,)* }
            }
        }
    };
}

codes! {
    // Characters.
    UnknownCharacter = "E0001", "a character that the language does not use";
    TypographicCharacter = "E0002", "a typographic character pasted from a document";
    UnterminatedComment = "E0003", "a block comment that is never closed";
    IntegerTooLarge = "E0004", "an integer that is too large";
    MalformedNumber = "E0005", "a number that runs into a name";
    ControlCharacter = "E0006", "a control character: this is not a text file";
    BidiControl = "W0001", "a comment that may look other than it reads";
    ControlInComment = "W0002", "a control character in a comment";
    LoneReturn = "W0003", "a carriage return without a line feed";

    // Syntax.
    UnexpectedToken = "E0101", "something else was expected here";
    UnclosedDelimiter = "E0102", "a bracket that is never closed";
    UnmatchedDelimiter = "E0103", "a closing bracket that does not fit";
    TooDeep = "E0104", "nesting that is too deep";
    ExpectedDeclaration = "E0105", "text that is not part of a declaration";
    EmptyBrackets = "E0106", "brackets that need something between them";
    KeywordAsName = "E0107", "a keyword where a name is needed";
    MissingProcess = "E0108", "a process is missing";
    PatternInTerm = "E0109", "a pattern where a term is needed";
    TermInPattern = "E0110", "a term that cannot be a pattern";
    IntegerCase = "E0111", "an integer case without its two branches";
    MissingKey = "E0112", "an encryption without a key";
    MissingSystem = "E0113", "a claim that does not say about which system";
    ForeignSyntax = "E0114", "syntax of another tool";
    MissingDot = "E0115", "a missing `.` between two steps";

    // Names.
    UnknownName = "E0201", "a name that is not declared";
    DuplicateDefinition = "E0202", "two declarations of one name";
    DuplicateBinder = "E0203", "one name bound twice in one list";
    WrongArity = "E0204", "a wrong number of arguments";
    ProcessAsChannel = "E0205", "a process used as a channel or a message";
    NotAProcess = "E0206", "a name used as a process";
    FamilyWithoutArguments = "E0207", "a key family or function without its arguments";
    EventArity = "E0208", "an event with differing numbers of arguments";
    NotAFamily = "E0209", "arguments given to a name that is no key family and no function";
    SystemAsProcess = "E0210", "a system used inside a process";
    ReservedName = "E0211", "a declaration of a built-in name";
    UnknownType = "E0212", "an unknown type";
    ContinuationAfterCall = "E0213", "steps after a process instantiation";
    FunctionWithoutArguments = "E0214", "a function without arguments";
    FunctionResult = "E0215", "a function that makes what has a form of its own";
    RuleSide = "E0216", "a rule with something that is no function, variable or public name";
    RuleVariable = "E0217", "a rule that gives what its left side does not have";
    RulesDisagree = "E0218", "two rules of one destructor that disagree";
    RuleTakesTuple = "E0219", "a destructor that takes a tuple or a number apart";
    RuleTuple = "E0220", "a tuple of three or more parts in a rule";
    UnopenableRule = "E0221", "a rule that does more than open";
    DestructorPlace = "E0222", "a destructor where no process runs";
    NoGroup = "E0223", "`^` without a group";
    NotAShare = "E0224", "`^` after something that is no share";
    ThreeExponents = "E0225", "a power with three exponents";
    UnusedName = "W0201", "a name that is never used";
    Shadowing = "W0202", "a name that hides another one";
    RuleName = "W0203", "a name in a rule that may be meant otherwise";

    // Types.
    TypeContradiction = "E0301", "a term that cannot have its declared type";
    TypeMismatch = "W0301", "a term of another type than declared";
    ImpossibleDecryption = "W0302", "a decryption that can never succeed";
    ImpossibleMatch = "W0303", "a test that can never succeed";

    // Claims.
    UnknownSystem = "E0401", "a claim about a system that does not exist";
    UnknownInstance = "E0402", "a claim about a role instance that the system does not run";
    UnknownSecret = "E0403", "a secrecy claim about something no role makes";
    UnknownEvent = "E0404", "a claim about an event that never happens";
    SecretNotInEvent = "E0405", "a secret that is no argument of its event";
    StrongSecrecyParameter = "E0406", "a strong secrecy claim about no parameter of the system";
    NothingToCheck = "E0407", "nothing to check";
    UnboundInClaim = "E0408", "a variable that the claim never binds";
    DifferentWorlds = "E0409", "two files that disagree about a name or about what the attacker knows";
    NothingExpected = "E0410", "no claim that says what it expects";
    NoSystem = "E0411", "a file without a system to analyse";
    SeveralSystems = "E0412", "several systems where one is needed";
    UnrelatedRoles = "E0413", "two roles that nothing relates";
    RuleNotCompared = "E0414", "a comparison under a rule of which not all can be seen";
    PhasesNotCovered = "E0415", "a question that is not answered for systems with phases";
    NothingLost = "E0416", "a loss of keys of which there are none";
    UnlessNotCovered = "E0417", "`unless` in a claim in which nothing is excused";
    DuplicateClaim = "W0401", "the same claim twice";
    ContradictoryExpectations = "W0402", "one claim with two expectations";

    // Processes.
    ReplicationCount = "E0501", "a number of copies that makes no sense";
    TooLarge = "E0502", "a system that unfolds into too many steps";
    PhaseNumber = "E0503", "a phase with a number that makes no sense";
    PhaseFalls = "E0504", "a phase before one that is over";
    EmptySystem = "W0501", "a system that does nothing";
    CannotMake = "E0506", "a message of a narration that its sender cannot make";
    NoParticipant = "E0507", "somebody or something in a narration that does not fit";
    GoalOfNobody = "E0508", "a goal about what a role does not have";
    UnguardedRecursion = "W0502", "a definition that calls itself before doing anything";

    // Files.
    CannotRead = "E0601", "a file that cannot be read";
    IsADirectory = "E0602", "a directory where a file is needed";
    InvalidUtf8 = "E0603", "a file that is not UTF-8 text";
    EmptyFile = "E0604", "a file without declarations";
    FileTooLarge = "E0605", "a file that is too large";
    CannotWrite = "E0606", "a file that cannot be written";
    OutputIsInput = "E0607", "an output that is an input or another output";
    NotOurs = "E0608", "a file in the place of an output that was not written by spi";
    CannotUse = "E0609", "a library or file that cannot be used";
    BadExercise = "E0610", "an exercise that cannot be read";
    ExerciseWithoutClaim = "E0611", "an exercise whose model lacks the claim that it is about";
    BadCertificate = "E0612", "a certificate that cannot be read";
    OtherModel = "E0613", "a certificate for something else";
    Refused = "E0614", "a certificate that does not show what it says";
    ManyMistakes = "W0601", "so many mistakes that not all are listed";

    // Attacks.
    NoAttack = "E0701", "a file that is no attack on this model";
    AttackStops = "W0702", "an attack that gets stuck";
    AttackLacks = "E0703", "an attack that uses what the attacker does not have";

    // Several processes.
    BadHosts = "E0801", "a list of hosts that cannot be used";
    CannotJoin = "E0802", "a process that cannot work with others";
    NoKey = "E0803", "a file without a secret";
    WeakKey = "W0801", "a secret that others can have";

    // The command line.
    UnknownCode = "E0901", "a code or word that is not explained";
    UnknownCommand = "E0902", "a command that does not exist";
    Panicked = "E0903", "a mistake in spi itself";
}

impl Code {
    /// Error or warning, from the first letter.
    pub fn severity(self) -> Severity {
        if self.as_str().starts_with('W') {
            Severity::Warning
        } else {
            Severity::Error
        }
    }

    /// The code with this printed form; small letters are accepted.
    pub fn parse(text: &str) -> Option<Code> {
        Code::ALL
            .iter()
            .copied()
            .find(|c| c.as_str().eq_ignore_ascii_case(text))
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_unique_and_well_formed() {
        let mut seen = std::collections::BTreeSet::new();
        for code in Code::ALL {
            let text = code.as_str();
            assert!(seen.insert(text), "{text} is used twice");
            assert_eq!(text.len(), 5);
            assert!(text.starts_with(['E', 'W']) && text[1..].bytes().all(|b| b.is_ascii_digit()));
            assert_eq!(Code::parse(&text.to_lowercase()), Some(*code));
        }
        assert_eq!(Code::parse("E9999"), None);
    }
}
