package repocheck

import (
	"fmt"
	"go/ast"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"unicode"
)

// mostWords is the length of a sentence that a native reader reads once.
const mostWords = 25

// proseCeilings are the largest counts in pages and in comments of ordinary files. They only fall: whoever mends
// sentences lowers them. The first is the number of sentences over mostWords, the others count phrases that point back
// where the noun can be repeated.
var proseCeilings = []struct {
	what            string
	pages, comments int
}{
	{longSentences, 0, 0},
	{"of which", 0, 0},
	{"those of", 0, 5},
	{"so many", 0, 0},
	{"beside", 0, 3},
	{"behind", 0, 2},
	{"hangs on", 0, 0},
	{"whole number", 0, 0},
	{"whole numbers", 0, 0},
}

const longSentences = "long sentences"

var (
	// A span of code, the target of a link and an address count as one word; a citation counts as none.
	proseSpan     = regexp.MustCompile("`[^`]*`|https?://[^\\s),;]*[^\\s),;.]")
	proseTarget   = regexp.MustCompile(`\]\([^)]*\)`)
	proseCitation = regexp.MustCompile(`\([^()]*\b(?:19|20)[0-9]{2}\b[^()]*\)`)
	proseEnd      = regexp.MustCompile(`(?:[.!?][)"”*]*|:)\s+`)
	proseItem     = regexp.MustCompile(`^\s*(?:[-*]|[0-9]+\.)\s+`)
)

// sentence is one sentence, and where its paragraph begins.
type sentence struct {
	at, text string
}

// words counts what has a letter or a digit.
func (s sentence) words() int {
	n := 0
	for word := range strings.FieldsSeq(s.text) {
		if strings.ContainsFunc(word, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
			n++
		}
	}
	return n
}

// sentencesOf splits paragraphs, which items of a list begin anew. Lines of code, tables and headings are left out.
func sentencesOf(at func(line int) string, text string) []sentence {
	var found []sentence
	var paragraph []string
	begins, code := 0, false
	end := func() {
		for _, s := range splitSentences(strings.Join(paragraph, " ")) {
			found = append(found, sentence{at(begins), s})
		}
		paragraph = nil
	}
	for i, line := range strings.Split(text, "\n") {
		fence := strings.HasPrefix(line, "```")
		code = code != fence
		item := proseItem.FindString(line)
		outside := strings.TrimSpace(line) == "" || strings.HasPrefix(line, "|") || strings.HasPrefix(line, "#") || strings.HasPrefix(line, "\t")
		indented := len(paragraph) == 0 && item == "" && strings.HasPrefix(line, "    ")
		if fence || code || outside || indented {
			end()
			continue
		}
		if item != "" {
			end()
		}
		if len(paragraph) == 0 {
			begins = i + 1
		}
		paragraph = append(paragraph, strings.TrimSpace(line[len(item):]))
	}
	end()
	return found
}

// splitSentences splits at the end of a sentence, which may begin with a name in small letters, and at a colon.
func splitSentences(paragraph string) []string {
	p := proseSpan.ReplaceAllString(paragraph, "Code")
	p = proseTarget.ReplaceAllString(p, "]")
	p = proseCitation.ReplaceAllString(p, "")
	var parts []string
	from := 0
	for _, end := range proseEnd.FindAllStringIndex(p, -1) {
		parts, from = append(parts, p[from:end[0]+1]), end[1]
	}
	if p = p[from:]; p != "" {
		parts = append(parts, p)
	}
	return parts
}

// commentSentences are those of the comments of ordinary files that nobody generated.
func commentSentences(t *tree) []sentence {
	var found []sentence
	for _, s := range t.sources {
		if s.test || ast.IsGenerated(s.file) {
			continue
		}
		for _, group := range s.file.Comments {
			at := t.at(group.Pos())
			found = append(found, sentencesOf(func(int) string { return at }, group.Text())...)
		}
	}
	return found
}

// eachPage visits the pages in the root and in docs, by name.
func eachPage(root fs.FS, visit func(name, text string)) error {
	own, err := fs.Glob(root, "*.md")
	if err != nil {
		return err
	}
	names, err := fs.Glob(root, "docs/*.md")
	if err != nil {
		return err
	}
	for _, name := range slices.Concat(own, names) {
		text, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		visit(name, string(text))
	}
	return nil
}

// pageSentences are those of the pages in the root and in docs.
func pageSentences(root fs.FS) (found []sentence, err error) {
	err = eachPage(root, func(name, text string) {
		found = append(found, sentencesOf(func(line int) string { return fmt.Sprintf("%s:%d", name, line) }, text)...)
	})
	return found, err
}

// countProse returns the sentences that a ceiling counts, the longest first. A sentence stands there once for each of its
// phrases.
func countProse(of []sentence, what string) []sentence {
	phrase := regexp.MustCompile(`(?i)\b` + what + `\b`)
	var found []sentence
	for _, s := range of {
		if what == longSentences && s.words() > mostWords {
			found = append(found, s)
		} else if what != longSentences {
			for range phrase.FindAllString(s.text, -1) {
				found = append(found, s)
			}
		}
	}
	slices.SortStableFunc(found, func(a, b sentence) int { return b.words() - a.words() })
	return found
}

// TestProse holds pages and comments to proseCeilings. With -v it lists every sentence that counts.
func TestProse(t *testing.T) {
	pages, err := pageSentences(rootFS())
	if err != nil {
		t.Fatal(err)
	}
	comments := commentSentences(parseRepository(t))
	for _, c := range proseCeilings {
		holdProse(t, c.what+" in pages", countProse(pages, c.what), c.pages)
		holdProse(t, c.what+" in comments", countProse(comments, c.what), c.comments)
	}
}

func holdProse(t *testing.T, what string, found []sentence, most int) {
	t.Helper()
	for _, s := range found {
		t.Logf("%s: %s (%d words): %s", s.at, what, s.words(), s.text)
	}
	if len(found) > most {
		t.Errorf("style: %d %s, want at most %d; say one claim a sentence in %d words, and repeat the noun", len(found), what, most, mostWords)
	} else if len(found) < most {
		t.Logf("style: %d %s of at most %d; lower the ceiling", len(found), what, most)
	}
}

// TestProseFindsFaults plants sentences, and what is none.
func TestProseFindsFaults(t *testing.T) {
	long := strings.Repeat("word ", mostWords) + "end."
	short := strings.Repeat("word ", mostWords-1) + "end."
	cases := []struct {
		name, text, what string
		want             int
	}{
		{"as long as may be", short, longSentences, 0},
		{"one word more", long, longSentences, 1},
		{"over two lines", strings.Repeat("word ", 13) + "\n" + strings.Repeat("word ", 13), longSentences, 1},
		{"two sentences", short + " The " + short, longSentences, 1},
		{"a name in small letters begins one", short + " word " + short, longSentences, 1},
		{"bold words are a sentence", "**" + short + "** The " + strings.Repeat("word ", 10) + "end.", longSentences, 0},
		{"a colon ends one", strings.Repeat("word ", 13) + "word: " + short, longSentences, 0},
		{"items of a list", "- " + short + "\n- " + short, longSentences, 0},
		{"a span of code is one word", "`" + long + "` word.", longSentences, 0},
		{"an address is one word", "[page](a b c), https://example.org/a/b, " + strings.Repeat("word ", mostWords-2), longSentences, 0},
		{"a citation counts as none", short[:len(short)-1] + " (Dwork & Roth, 2014, theorem 3.16 and appendix B).", longSentences, 0},
		{"tables, headings and code", "| " + long + "\n# " + long + "\n```\n" + long + "\n```\n\n    " + long + "\n\t" + long, longSentences, 0},
		{"text after code", "```\ncode\n```\n" + long, longSentences, 1},
		{"phrases", "Of which some, of which none. Whichever of whichever.", "of which", 2},
		{"over lines", "Some of\nwhich are.", "of which", 1},
		{"part of a word", "Besides, he stood beside it.", "beside", 1},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			root := fstest.MapFS{"README.md": {Data: []byte("No page.")}, "docs/a.md": {Data: []byte(c.text)}}
			of, err := pageSentences(root)
			if err != nil {
				t.Fatal(err)
			}
			if got := len(countProse(of, c.what)); got != c.want {
				t.Errorf("page: got %d %s, want %d", got, c.what, c.want)
			}
		})
	}
	comment := "// Package p is. " + long + "\npackage p\n\n// X is a number, of which there is one.\nvar X = 1 // " + long + "\n"
	files := map[string]string{"a/a.go": comment, "a/a_test.go": comment, "b/b.go": "// Code generated by x. DO NOT EDIT.\n\n" + comment}
	of := commentSentences(planted(t, files))
	if got := len(countProse(of, longSentences)); got != 2 {
		t.Errorf("comments: got %d long sentences, want 2", got)
	}
	if got := len(countProse(of, "of which")); got != 1 {
		t.Errorf("comments: got %d of which, want 1", got)
	}
}
