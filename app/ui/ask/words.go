package ask

import (
	"errors"
	"strings"

	"fyne.io/fyne/v2/lang"
)

// Errors of splitWords. Both are shown as they are.
var (
	errOpenQuote = errors.New("there is an opening quotation mark without its closing one: add it, or remove the first")
	errEndEscape = errors.New("the last character is a backslash, which stands before another character: remove it, or write it twice")
)

// splitWords takes a typed command line apart into the program and its
// arguments as a shell does it, without any expansion: variables, wildcards,
// "~" and operators stay the characters they are. Single quotes keep
// everything; in double quotes a backslash stands before ", \, $ and `;
// outside it keeps the next character. On Windows a backslash is part of a path
// and only stands before a double quote.
func splitWords(line string, windows bool) ([]string, error) {
	var words []string
	var word strings.Builder
	inWord := false
	runes := []rune(line)
	for i := 0; i < len(runes); i++ {
		r := runes[i]
		switch {
		case r == ' ' || r == '\t' || r == '\n' || r == '\r':
			if inWord {
				words = append(words, word.String())
				word.Reset()
				inWord = false
			}
		case r == '\'' && !windows:
			end := i + 1
			for end < len(runes) && runes[end] != '\'' {
				end++
			}
			if end == len(runes) {
				return nil, errOpenQuote
			}
			word.WriteString(string(runes[i+1 : end]))
			inWord, i = true, end
		case r == '"':
			end, err := doubleQuoted(runes, i+1, windows, &word)
			if err != nil {
				return nil, err
			}
			inWord, i = true, end
		case r == '\\' && escapes(runes, i, windows):
			if i+1 == len(runes) {
				return nil, errEndEscape
			}
			i++
			word.WriteRune(runes[i])
			inWord = true
		default:
			word.WriteRune(r)
			inWord = true
		}
	}
	if inWord {
		words = append(words, word.String())
	}
	return words, nil
}

// escapes tells whether the backslash at i stands before another character.
func escapes(runes []rune, i int, windows bool) bool {
	return !windows || i+1 < len(runes) && runes[i+1] == '"'
}

// doubleQuoted writes the text from start to the closing quotation mark and
// returns where that is.
func doubleQuoted(runes []rune, start int, windows bool, word *strings.Builder) (end int, err error) {
	for i := start; i < len(runes); i++ {
		switch r := runes[i]; {
		case r == '"':
			return i, nil
		case r == '\\' && i+1 < len(runes) && strings.ContainsRune(special(windows), runes[i+1]):
			i++
			word.WriteRune(runes[i])
		default:
			word.WriteRune(r)
		}
	}
	return 0, errOpenQuote
}

func special(windows bool) string {
	if windows {
		return `"`
	}
	return "\"\\$`"
}

// joinWords is the command line that splitWords takes apart into words.
func joinWords(words []string, windows bool) string {
	out := make([]string, len(words))
	for i, w := range words {
		switch {
		case w != "" && !strings.ContainsAny(w, " \t\r\n\"'\\") || windows && w != "" && !strings.ContainsAny(w, " \t\r\n\""):
			out[i] = w
		case windows:
			out[i] = `"` + strings.ReplaceAll(w, `"`, `\"`) + `"`
		case !strings.Contains(w, "'"):
			out[i] = "'" + w + "'"
		default:
			out[i] = `"` + strings.NewReplacer(`"`, `\"`, `\`, `\\`, `$`, `\$`, "`", "\\`").Replace(w) + `"`
		}
	}
	return strings.Join(out, " ")
}

// surprise says in a sentence where a command line means less than a person
// used to shells may think, or "".
func surprise(words []string) string {
	for _, w := range words {
		switch {
		case w == "|" || w == "||" || w == "&&" || w == "&" || w == ";" || w == ">" || w == ">>" || w == "<" || strings.HasSuffix(w, ";"):
			return lang.L("“{{.Word}}” is handed on as it is: no shell reads this command.", map[string]any{"Word": visible(w)})
		case strings.HasPrefix(w, "~/") || w == "~":
			return lang.L("“~” is handed on as it is: write the whole path.")
		case strings.Contains(w, "$") || strings.HasPrefix(w, "%") && strings.HasSuffix(w, "%") && len(w) > 2:
			return lang.L("“{{.Word}}” is handed on as it is: variables are not filled in.", map[string]any{"Word": visible(w)})
		}
	}
	return ""
}
