" Vim syntax file for models in the spi calculus (*.spi).

if exists("b:current_syntax")
  finish
endif

syntax case match
" Names may hold apostrophes.
syntax iskeyword @,48-57,_,'

syntax keyword spiDeclaration use agent spy channel public private keypair key group function destructor knows partial protocol
syntax keyword spiDeclaration def system nextgroup=spiDefined skipwhite
syntax keyword spiClaim secrecy agreement injective weak aliveness reachable unsendable strong forward equivalence after given unless
syntax keyword spiClaim expect nextgroup=spiVerdict skipwhite
syntax keyword spiStep new ν let in case of is else phase if then
syntax keyword spiStep event nextgroup=spiEvent skipwhite
syntax keyword spiFunction suc H hash
syntax keyword spiType Agent Nonce Name Sym Pub Priv Share Data Int Msg
syntax keyword spiTodo TODO FIXME contained

syntax match spiDefined /[A-Za-z_][A-Za-z0-9_']*/ contained
syntax match spiEvent /[A-Za-z_][A-Za-z0-9_']*/ contained
syntax match spiVerdict /\<\(holds\|proof\|attack\)\>/ contained
" Words of narrations, which are names elsewhere.
syntax match spiClaim /^\s*\zsgoals\>/
syntax match spiClaim /\<between\ze\s\+\k/
syntax match spiClaim /\<\(weakly\s\+\)\?authenticates\>/
syntax match spiClaim /\(\<authenticates\s\+\k\+\s\+\)\@<=on\>/
syntax match spiDeclaration /^\s*\k\+\s\+\zs\(creates\|knows\)\>/
syntax match spiDeclaration /\<with\s\+neutral\>/

syntax match spiPath /"[^"]*"/
syntax match spiNumber /\<\d\+\>/
syntax match spiOperator /=>\|<=\|[|!~=+^<>⟨⟩≈≤-]/

syntax match spiComment /\/\/.*$/ contains=spiTodo,@Spell
syntax region spiComment start=/\/\*/ end=/\*\// contains=spiTodo,@Spell

highlight default link spiDeclaration Keyword
highlight default link spiClaim PreProc
highlight default link spiStep Statement
highlight default link spiFunction Function
highlight default link spiType Type
highlight default link spiTodo Todo
highlight default link spiDefined Function
highlight default link spiEvent Tag
highlight default link spiVerdict Constant
highlight default link spiPath String
highlight default link spiNumber Number
highlight default link spiOperator Operator
highlight default link spiComment Comment

let b:current_syntax = "spi"
