; From the general to the special: the last pattern that fits decides.
(name) @variable
(comment) @comment
(path) @string
(number) @number
(nil) @number
(type) @type
(wildcard) @variable.builtin

[
  "use" "agent" "spy" "channel" "public" "private" "keypair" "key" "group" "function" "destructor" "knows" "def" "system" "partial" "protocol"
] @keyword
[
  "secrecy" "agreement" "injective" "weak" "aliveness" "reachable" "unsendable" "strong" "forward" "equivalence" "after" "given" "unless" "expect"
  "goals" "between" "weakly" "authenticates" "on"
] @keyword.directive
["new" "ν" "let" "in" "case" "of" "is" "else" "event" "phase"] @keyword.control
["with" "neutral" "creates"] @keyword
["holds" "proof" "attack"] @constant.builtin
["suc" "H" "hash"] @function.builtin
["=>" "->" "<=" "≤" "~" "≈" "|" "!" "=" "+" "-" "^" "<" ">" "⟨" "⟩"] @operator
["(" ")" "{" "}" "[" "]"] @punctuation.bracket
["," "." ":"] @punctuation.delimiter

(definition name: (name) @function)
(protocol name: (name) @function)
(function name: (name) @function)
(rule name: (name) @function)
(system name: (name) @function)
(system_use name: (name) @function)
(call name: (name) @function)
(family name: (name) @constructor)
(application name: (name) @constructor)
(event_use name: (name) @label)
(agents (name) @constant)
(channel_declaration (name) @constant)
(output channel: (name) @constant)
(input channel: (name) @constant)
(parameters (binder (name) @variable.parameter))
(restriction (binder (name) @variable.member))
