package data

import "strings"

// englishWords are the function words of English: articles, pronouns, prepositions, conjunctions,
// auxiliary verbs and the pieces that an apostrophe leaves of them. They come from the word classes
// that grammars of English call closed; no corpus was counted. Words of negation and of degree
// (not, no, never, very, too) are not among them, since they carry opinions.
const englishWords = `
a an the this that these those such
i me my mine myself we us our ours ourselves you your yours yourself yourselves
he him his himself she her hers herself it its itself they them their theirs themselves one ones oneself
who whom whose which what whoever whatever whichever
someone somebody something anyone anybody anything everyone everybody everything each other others another
of in on at by for from to into onto with within about above across after against along among around as
before behind below beneath beside besides between beyond during inside near off out outside over per
since through throughout toward towards under underneath until till up upon via
and or but so yet if then than because while whereas although though unless whether when whenever where wherever how
am is are was were be been being
have has had having do does did doing done
will would shall should can could may might must ought
here there now also again just both either same own some any
d ll m re s t ve
`

// englishStops is the stop list as a set.
var englishStops = stopSet()

func stopSet() map[string]struct{} {
	set := map[string]struct{}{}
	for _, word := range strings.Fields(englishWords) {
		set[word] = struct{}{}
	}
	return set
}

// englishStopWords returns the words that stopEnglish leaves out: function words of English, in
// lower case, without negations. The list is public and does not depend on any records.
func englishStopWords() []string { return strings.Fields(englishWords) }
