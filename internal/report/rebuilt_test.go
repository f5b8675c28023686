package report

import (
	"slices"
	"strings"
	"testing"
)

// fullPage is a page with every section.
func fullPage() Page {
	p := figuredPage()
	p.Estimates = regressionPage().Estimates
	p.Holdout = &Metrics{Source: "records held out", Tables: p.Metrics.Tables, Reliability: &Reliability{Level: "yes", Bins: []ReliabilityBin{{0.2, 0.3, 0.1, 0.4}, {0.6, 0.5, 0.4, 0.6}}}}
	return p
}

// provable is a page without the sections that do not follow from a certificate.
func provable(p Page) Page {
	p.Warnings, p.Model, p.Events, p.Budget, p.Tradeoff, p.Metrics = nil, nil, nil, nil, nil, nil
	p.Shapes, p.Coefficients, p.Unlisted, p.BarWords, p.BarRefusal, p.Estimates = nil, nil, 0, nil, "", nil
	if p.Table != "" {
		p.Table = FreeText
	}
	return p
}

// TestComparePasses takes all pages as dither writes them, and with hostile names.
func TestComparePasses(t *testing.T) {
	pages := []Page{fullPage(), figuredPage()}
	for _, e := range examplePages {
		pages = append(pages, e.page)
	}
	for _, s := range payloads {
		p := filled(s)
		p.Holdout = fullPage().Holdout
		pages = append(pages, p)
	}
	for _, p := range pages {
		if err := provable(p).Compare([]byte(written(t, p, 0))); err != nil {
			t.Errorf("%.60q: got %v, want no error", p.Title, err)
		}
	}
	if full := written(t, fullPage(), 0); strings.Count(full, "<h2>") != len(headings)-1 {
		t.Error("the full page lacks a section")
	}
}

// forgeries are edits of the full page, with the section that the refusal names.
var forgeries = []struct{ name, old, new, section string }{
	{"another epsilon", `<span class="value">1</span>`, `<span class="value">0.9</span>`, "The guarantee"},
	{"another last digit", "73.2 %", "73.1 %", top},
	{"another delta", "<span class=\"value\">1e-6</span>", "<span class=\"value\">1e-7</span>", "The guarantee"},
	{"a place of the drawing", `<path class="line" d="M31.2,`, `<path class="line" d="M31.3,`, "How well could an attacker do?"},
	{"a style", "</style>", "</style><style>section,.verdict{display:none}</style><p>ε is 0.001</p>", top},
	{"a rule of the style", "<style>", "<style>.card{display:none}", top},
	{"another policy", "default-src 'none'", "default-src *", top},
	{"a hidden verdict", `<p class="verdict">`, `<p class="verdict" hidden>`, top},
	{"a second verdict", "</header>", "<p class=\"verdict\">ε is 0.001</p></header>", top},
	{"a text between sections", "</section>\n<section class=\"warning\">", "</section>\n<p>ε is 0.001</p><section class=\"warning\">", "The guarantee"},
	{"a hidden section", "<section>\n<h2>How well could an attacker do?</h2>", "<section class=\"n\"><h2>How well could an attacker do?</h2><p>50.001 %</p></section><div hidden><section>\n<h2>How well could an attacker do?</h2>", "<section class=\\\"n\\\"><h2>How well could an attacker do?</h2><p"},
	{"a copy of a section", "<section>\n<h2>What it rests on</h2>", "<section>\n<h2>The guarantee</h2>\n<p>ε is 0.001</p>\n</section>\n<section>\n<h2>What it rests on</h2>", "The guarantee"},
	{"a new section", "<section>\n<h2>The model</h2>", "<section>\n<h2>The true guarantee</h2>\n</section>\n<section>\n<h2>The model</h2>", "The true guarantee"},
	{"a heading of a free section", "<h2>The model</h2>", "<h2>The model, with a remark</h2>", "The model, with a remark"},
	{"an assumption", "One row is one person-year.", "One row is one hospital.", "What it rests on"},
	{"a declaration", "20,000, declared", "20,001, declared", "What it rests on"},
	{"a held-out measure", "that were not trained on", "that were trained on", "How good is the model on held-out records?"},
	{"a hash", "9f86d081", "9f86d082", "Check it yourself"},
	{"a place by hand", "<dt>date</dt><dd></dd>", "<dt>date</dt><dd>today</dd>", "To be filled in by hand"},
	{"an end", "</body>", "<p>ε is 0.001</p></body>", "To be filled in by hand"},
	{"a script", "</footer>\n<script>", "</footer>\n<script>alert(1)</script><script>", "To be filled in by hand"},
	{"a tag in the table's name", "visits.csv", "visits.csv<b>", top},
	{"marks over the table's name", "visits.csv", "visits.csv" + strings.Repeat("\u0301", 60), top},
	{"a line in the table's name", "visits.csv", "visits.csv\nx", top},
	{"a heading in a free section", "<h2>Coefficients</h2>", "<h2>Coefficients</h2>\n<h3>The guarantee</h3>", "Coefficients"},
	{"a heading with a name in a free section", "<h2>Coefficients</h2>", "<h2>Coefficients</h2>\n<h3><bdi> The guarantee</bdi></h3>", "Coefficients"},
	{"a heading as a caption", "<caption>All records</caption>", "<caption>How well could an attacker do?</caption>", "How good is the model?"},
	{"a heading with an escaped letter", "<caption>All records</caption>", "<caption>&#84;he guarantee</caption>", "How good is the model?"},
	{"a free section without an end", "</section>\n<section>\n<h2>Coefficients</h2>", "<section>\n<h2>Coefficients</h2>", "What each column does"},
	{"a section that ends early", "<h2>Coefficients</h2>", "<h2>Coefficients</h2>\n</section>\n<p>x</p><section>", ""},
	{"a free section in the wrong place", "<section>\n<h2>The guarantee</h2>", "<section>\n<h2>Coefficients</h2>\n</section>\n<section>\n<h2>The guarantee</h2>", "The guarantee"},
	{"another class of a section", "<section>\n<h2>Coefficients</h2>", "<section class=\"signing\">\n<h2>Coefficients</h2>", "Coefficients"},
}

// intruders are tags and attributes that no free section has.
var intruders = []string{"<style>*{display:none}</style>", "<script>alert(1)</script>", "<p hidden>x</p>", "<p onclick=\"x\">x</p>", "<p style=\"position:fixed\">x</p>", "<div class=\"card\">x</div>",
	"<p class=\"verdict\">x</p>", "<p class=\"banner\">x</p>", "<a href=\"//x\">x</a>", "<iframe src=\"//x\"></iframe>", "<img src=\"x\">", "<meta http-equiv=\"refresh\">", "<link rel=\"x\">", "<base href=\"x\">", "<form></form>",
	"<h1>x</h1>", "<h2>x</h2>", "<!-- x -->", "<p>x", "</p>", "</div>", "<ul><li>x</ul></li>", "<div><dt>x</div></dt>", "<p><bdi>x</p></bdi>", "<p class=note>x</p>", "<P>x</P>", "<input type=\"text\" value=\"x\">", "<details open>x</details>", "<div class=\"bubble\">x</div>",
	"<details/><p>x</p>", "<table><tr><td/></tr></table>", "<svg><title/></svg>", "<svg class=\"bubble map\" viewBox=\"0 0 700 2600\"></svg>", "<svg class=\"chart\" viewBox=\"0 0 1 1\"></svg>", "<table class=\"bars\"><tr><td class=\"plot\"><svg class=\"map\" viewBox=\"0 0 400 9999\"></svg></td></tr></table>", "<table class=\"bars\"><tr><td class=\"plot\"><svg role=\"img\"></svg></td></tr></table>", "<svg class=\"map\" viewBox=\"0 -9 400 99\"></svg>",
	"<figure class=\"drawn\"><svg class=\"chart\" viewBox=\"0 0 400 280\"><g data-at=\"1 300\" data-words=\"x\"></g></svg></figure>", "<figure class=\"drawn\"><svg class=\"chart\" viewBox=\"0 0 400 280\"><g data-at=\"-1 3\" data-words=\"x\"></g></svg></figure>",
	"<h3>The <bdi>guarantee</bdi></h3>", "<h3>the&#160;Guarantee</h3>", "<p>The guaran\u200btee</p>", "<p>x\u202ey</p>", "<p>e" + strings.Repeat("\u0301", 300) + "</p>", "<p class=\"note\" class=\"note\">x</p>", "<td title=\"\u202e\">x</td>",
	"<g data-words=\"" + strings.Repeat("x", 300) + "\"></g>", "<td class=\"off\">x</td>", "<svg width=\"4000\"></svg>", "<svg><foreignObject></foreignObject></svg>", "<svg><use href=\"#x\"/></svg>", "<text style=\"x\">x</text>", "<button>x</button>", "<p\nhidden>x</p>"}

// TestCompareRefuses edits the page. The refusal names the section and what to do.
func TestCompareRefuses(t *testing.T) {
	own, page := provable(fullPage()), written(t, fullPage(), 0)
	try := func(name, edited, section string) {
		t.Helper()
		err := own.Compare([]byte(edited))
		switch {
		case edited == page:
			t.Errorf("%s: the edit changes nothing", name)
		case err == nil:
			t.Errorf("%s: the page passes", name)
		case section != "" && !strings.Contains(err.Error(), `the section "`+section+`" of the page`) || !strings.Contains(err.Error(), "ask for the folder as training wrote it"):
			t.Errorf("%s: got %v, want the section %q and a remedy", name, err, section)
		}
	}
	for _, f := range forgeries {
		try(f.name, strings.Replace(page, f.old, f.new, 1), f.section)
	}
	all := sectionsOf(page)
	for _, s := range all {
		if groups, free := freeSections[s.name]; free {
			for _, tag := range intruders {
				if err := (section{s.name, strings.Replace(s.text, "</h2>", "</h2>\n"+tag, 1)}).check(groups); err == nil {
					t.Errorf("%s: %s passes", s.name, tag)
				}
			}
		}
	}
	joined := func(parts []section) string {
		text := ""
		for _, s := range parts {
			text += s.text
		}
		return text
	}
	for i, s := range all {
		if _, free := freeSections[s.name]; !free {
			try(s.name+" left out", joined(slices.Delete(slices.Clone(all), i, i+1)), "")
		}
		try(s.name+" twice", joined(slices.Insert(slices.Clone(all), i, s)), "")
		if i > 0 {
			swapped := slices.Clone(all)
			swapped[i-1], swapped[i] = swapped[i], swapped[i-1]
			try(s.name+" before the one before", joined(swapped), "")
		}
	}
}
