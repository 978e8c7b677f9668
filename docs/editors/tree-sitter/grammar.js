/// The grammar of docs/language.md for tree-sitter: highlighting, folding and selections in editors that use it.
///
/// It accepts a little more than the language does; what is wrong is the business of `spi lsp`.

const list = (rule) => seq(rule, repeat(seq(",", rule)));
const maybe = (rule) => optional(list(rule));

module.exports = grammar({
  name: "spi",
  extras: ($) => [/\s/, $.comment],
  word: ($) => $.name,

  conflicts: ($) => [
    [$.binder, $._atom],
    [$.call, $.application],
    [$.call, $._atom],
    [$.call, $.input],
    [$.call, $.input, $.application],
  ],

  rules: {
    file: ($) => repeat($._declaration),

    _declaration: ($) =>
      choice(
        $.use_declaration,
        $.agent_declaration,
        $.channel_declaration,
        $.name_declaration,
        $.key_declaration,
        $.group_declaration,
        $.function_declaration,
        $.destructor_declaration,
        $.knows_declaration,
        $.definition,
        $.system,
        $.protocol,
        $.claim,
      ),
    use_declaration: ($) => seq("use", list(choice($.name, $.path))),
    path: () => /"[^"\n\r]+"/,
    agent_declaration: ($) => seq(choice("agent", "spy"), list($.agents)),
    agents: ($) => prec.right(seq($.name, optional(seq(":", $.type, repeat(seq("|", $.type)))))),
    channel_declaration: ($) => seq("channel", list($.name)),
    name_declaration: ($) => seq(choice("public", "private"), list($.binder)),
    key_declaration: ($) => seq(choice("keypair", "key"), list($.family)),
    family: ($) => seq(field("name", $.name), optional(seq("(", maybe($.type), ")"))),
    group_declaration: ($) => seq("group", list($.group_base)),
    group_base: ($) => prec.right(seq($.name, optional(seq("with", "neutral", $.name)))),
    function_declaration: ($) => seq(optional("private"), "function", list($.function)),
    function: ($) => prec.right(seq(field("name", $.name), "(", list($.type), ")", optional(seq(":", $.type)))),
    destructor_declaration: ($) => seq("destructor", list($.rule)),
    rule: ($) => seq(field("name", $.name), "(", maybe($._term), ")", "=", field("result", $._term)),
    knows_declaration: ($) => seq("knows", list($._term)),
    definition: ($) => seq("def", field("name", $.name), optional($.parameters), "=", field("body", $._process)),
    system: ($) =>
      seq(optional("partial"), "system", field("name", $.name), optional($.parameters), "=", field("body", $._process)),
    protocol: ($) =>
      prec.right(
        seq(
          "protocol",
          field("name", $.name),
          "(",
          maybe($.name),
          ")",
          repeat1($.line),
          optional(seq("goals", repeat1($.goal))),
        ),
      ),
    line: ($) =>
      choice(
        seq(optional(seq($.number, ".")), $.name, "->", $.name, ":", list($._term)),
        seq($.name, "knows", list($._term)),
        seq($.name, "creates", list($.binder)),
      ),
    goal: ($) =>
      prec.right(
        seq(
          choice(
            seq("secrecy", list($._term), optional(seq("between", list($.name)))),
            seq($.name, optional("weakly"), "authenticates", $.name, optional(seq("on", list($._term)))),
          ),
          optional(seq("expect", choice("holds", "proof", "attack"))),
        ),
      ),
    parameters: ($) => seq("(", maybe($.binder), ")"),
    binder: ($) => prec.right(seq($.name, optional(seq(":", $.type)))),
    type: ($) => $.name,

    // Processes.
    _process: ($) => choice($.parallel, $._thread),
    parallel: ($) => prec.left(1, seq($._thread, repeat1(seq("|", $._thread)))),
    _thread: ($) =>
      choice(
        $.nil,
        $.restriction,
        $.output,
        $.input,
        $.event,
        $.phase,
        $.test,
        $.let,
        $.case,
        $.integer_case,
        $.replication,
        $.call,
        $.group,
      ),
    nil: () => "0",
    group: ($) => seq("(", $._process, ")"),
    _rest: ($) => seq(".", $._thread),
    restriction: ($) =>
      prec.right(
        choice(
          seq(choice("new", "ν"), list($.binder), optional($._rest)),
          seq("(", choice("new", "ν"), list($.binder), ")", $._thread),
        ),
      ),
    output: ($) =>
      prec.right(
        seq(
          field("channel", $._channel),
          choice("<", "⟨", "〈"),
          list($._term),
          choice(">", "⟩", "〉"),
          optional($._rest),
        ),
      ),
    input: ($) =>
      prec.right(
        choice(
          seq(field("channel", $.name), "(", maybe($._pattern), ")", $._rest),
          // Also an instantiation, unless something of it can only be a pattern or the channel is not a name.
          seq(field("channel", choice($.part, $.tuple, $.application)), "(", maybe($._pattern), ")", optional($._rest)),
          prec.dynamic(-1, seq(field("channel", $.name), "(", maybe($._pattern), ")")),
        ),
      ),
    _channel: ($) => choice($.name, $.part, $.application, $.tuple),
    event: ($) => prec.right(seq("event", $.event_use, optional($._rest))),
    phase: ($) => prec.right(seq("phase", $.number, optional($._rest))),
    event_use: ($) => prec.right(seq(field("name", $.name), optional(seq("(", maybe(choice($._term, $.wildcard)), ")")))),
    test: ($) => prec.right(seq("[", $._term, "is", $._term, "]", optional($._thread), optional($._else))),
    let: ($) => prec.right(seq("let", $._pattern, "=", $._term, "in", optional($._thread), optional($._else))),
    case: ($) =>
      prec.right(seq("case", $._term, "of", $._ciphertext_pattern, "in", optional($._thread), optional($._else))),
    _else: ($) => seq("else", $._thread),
    integer_case: ($) =>
      prec.right(
        seq("case", $._term, "of", "0", ":", $._thread, "suc", "(", choice($.binder, $.wildcard), ")", ":", $._thread),
      ),
    replication: ($) => prec.right(seq("!", optional($.number), $._thread)),
    call: ($) => prec.right(seq(field("name", $.name), optional(seq("(", maybe($._term), ")")))),

    // Terms.
    _term: ($) => choice($._atom, $.part, $.power),
    power: ($) => prec.left(5, seq($._term, "^", choice($._atom, $.part))),
    part: ($) => prec(10, seq(choice($._atom, $.part), choice("+", "-"))),
    _atom: ($) =>
      choice($.name, $.application, $.number, $.successor, $.hash, $.tuple, $.encryption, $.public_encryption, $.signature),
    application: ($) => seq(field("name", $.name), "(", maybe($._term), ")"),
    successor: ($) => seq("suc", "(", $._term, ")"),
    hash: ($) => seq(choice("H", "hash"), "(", list($._term), ")"),
    tuple: ($) => seq("(", list($._term), ")"),
    encryption: ($) => prec.right(2, seq("{", list($._term), "}", field("key", $._term))),
    public_encryption: ($) => prec.right(2, seq("{", "[", list($._term), "]", "}", field("key", $._term))),
    signature: ($) => prec.right(2, seq("[", "{", list($._term), "}", "]", field("key", $._term))),

    // Patterns.
    _pattern: ($) =>
      choice($.binder, $.wildcard, $.equal_pattern, $.tuple_pattern, $._ciphertext_pattern),
    wildcard: ($) => prec.right(seq("_", optional(seq(":", $.type)))),
    equal_pattern: ($) => seq("=", $._term),
    tuple_pattern: ($) => seq("(", list($._pattern), ")"),
    _ciphertext_pattern: ($) => choice($.encryption_pattern, $.public_encryption_pattern, $.signature_pattern),
    encryption_pattern: ($) => prec.right(2, seq("{", list($._pattern), "}", field("key", $._term))),
    public_encryption_pattern: ($) => prec.right(2, seq("{", "[", list($._pattern), "]", "}", field("key", $._term))),
    signature_pattern: ($) => prec.right(2, seq("[", "{", list($._pattern), "}", "]", field("key", $._term))),

    // Claims.
    claim: ($) =>
      prec.right(
        seq(
          choice($.secrecy, $.agreement, $.reachable, $.unsendable, $.strong_secrecy, $.comparison),
          optional($.expectation),
        ),
      ),
    expectation: () => seq("expect", choice("holds", "proof", "attack")),
    secrecy: ($) => seq(optional("forward"), "secrecy", list($.target), optional(seq("after", $.event_use)), "in", $.system_use),
    target: ($) => choice($.name, seq($.application, ".", $.name), $.tuple),
    agreement: ($) =>
      seq(
        choice("aliveness", seq(optional(choice("injective", "weak")), "agreement")),
        $.event_use,
        "=>",
        $.event_use,
        "in",
        $.system_use,
      ),
    reachable: ($) => seq("reachable", $.event_use, "in", $.system_use),
    unsendable: ($) => seq("unsendable", $._term, choice("<", "⟨"), list($._term), choice(">", "⟩"), "in", $.system_use),
    strong_secrecy: ($) => seq("strong", "secrecy", list($.name), "in", $.system_use),
    comparison: ($) => seq(optional("equivalence"), $.system_use, choice("~", "≈", "<=", "≤"), $.system_use),
    system_use: ($) =>
      prec.right(seq(field("name", $.name), optional(seq("(", maybe($._term), ")")), optional(seq("given", list($._term))), optional(seq("unless", list($.event_pattern))))),

    name: () => /[A-Za-z][A-Za-z0-9_']*|_[A-Za-z0-9_']+/,
    number: () => /[0-9]+/,
    comment: () => token(choice(/\/\/[^\n\r]*/, /\/\*[^*]*\*+([^/*][^*]*\*+)*\//)),
  },
});
