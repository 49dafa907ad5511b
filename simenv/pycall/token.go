package pycall

// token is the kind of a token.
type token uint8

const (
	tEOF token = iota
	tNewline
	tIndent
	tIllegal // a character that belongs to no token
	tOther   // an operator of statements, such as += or ;
	tName
	tNumber
	tString

	tLParen
	tRParen
	tLBracket
	tRBracket
	tLBrace
	tRBrace
	tComma
	tColon
	tDot
	tEllipsis
	tAssign
	tWalrus

	tPlus
	tMinus
	tStar
	tSlash
	tDoubleSlash
	tPercent
	tAt
	tPower
	tShiftLeft
	tShiftRight
	tAnd
	tOr
	tXor
	tTilde
	tLess
	tGreater
	tLessEqual
	tGreaterEqual
	tEqual
	tNotEqual

	tKeyword // a keyword that expressions have no use for
	kwAnd
	kwAsync
	kwAwait
	kwElse
	kwFalse
	kwFor
	kwFrom
	kwIf
	kwIn
	kwIs
	kwLambda
	kwNone
	kwNot
	kwOr
	kwTrue
	kwYield
)

// keyword returns the kind of a word.
func keyword(s string) token {
	switch s {
	case "and":
		return kwAnd
	case "async":
		return kwAsync
	case "await":
		return kwAwait
	case "else":
		return kwElse
	case "False":
		return kwFalse
	case "for":
		return kwFor
	case "from":
		return kwFrom
	case "if":
		return kwIf
	case "in":
		return kwIn
	case "is":
		return kwIs
	case "lambda":
		return kwLambda
	case "None":
		return kwNone
	case "not":
		return kwNot
	case "or":
		return kwOr
	case "True":
		return kwTrue
	case "yield":
		return kwYield
	case "as", "assert", "break", "class", "continue", "def", "del", "elif", "except", "finally", "global", "import", "nonlocal",
		"pass", "raise", "return", "try", "while", "with":
		return tKeyword
	}
	return tName
}

// operator is a binary operator: its text and how tightly it binds.
type operator struct {
	text string
	prec precedence
}

// operators are the binary operators of arithmetic and bits, except **.
var operators = [tKeyword]operator{
	tOr:          {"|", precBitOr},
	tXor:         {"^", precBitXor},
	tAnd:         {"&", precBitAnd},
	tShiftLeft:   {"<<", precShift},
	tShiftRight:  {">>", precShift},
	tPlus:        {"+", precArith},
	tMinus:       {"-", precArith},
	tStar:        {"*", precTerm},
	tSlash:       {"/", precTerm},
	tDoubleSlash: {"//", precTerm},
	tPercent:     {"%", precTerm},
	tAt:          {"@", precTerm},
}

// precedence says how tightly an expression holds together, from loose to tight.
type precedence uint8

const (
	precNamed precedence = iota + 1 // :=
	precTuple
	precYield
	precTest // if else, lambda
	precOr
	precAnd
	precNot
	precCompare
	precBitOr
	precBitXor
	precBitAnd
	precShift
	precArith
	precTerm
	precFactor
	precPower
	precAwait
	precAtom
)

// next returns the next tighter precedence.
func (p precedence) next() precedence { return min(p+1, precAtom) }
