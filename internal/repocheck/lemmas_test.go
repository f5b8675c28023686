package repocheck

import (
	"fmt"
	"go/ast"
	"io/fs"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
)

// lemmaPages have the proofs why a release is private. Lemmas are numbered through both pages.
var lemmaPages = []string{"docs/release.md", "docs/release-parts.md"}

// lemmaTests are the tests that hold each lemma, from the first on.
var lemmaTests = []string{
	"TestRowIsOfOneReading TestReaderComputesOfACopy TestRowsOfAFileAreThoseThatEntered TestRowsOfMomentsAreThoseThatEntered TestRowsAreMeasuredOnce TestPlantedFaultsDoNotCompile TestFaultsOfMeasuresAreFound",
	"TestContributionsNeverExceedTheBound TestCoefficientsBeyondTheBoundAreFound TestRowsAreThoseOfTheirRecords TestCallsInAnyOrderKeepSums",
	"TestSumHasTheSameBits TestSumAtItsLargest TestGridKeepsItsPromises TestAddIntAtTheEndsOfLimbs",
	"TestPlantedFaultsStopTheRun TestFaultySumsAreNotReleased TestSealedSumsStayAsTheyWereChecked",
	"TestNeighborsMoveTheSumByAtMostTheBound",
	"TestPoissonIsItsDefinition TestPoissonExecutesAtMostWhatItCharges",
	"TestASampleIsReleasedOnce TestJoinIsOneEvent",
	"TestGridKeepsItsPromises",
	"TestLayersCoverTheCurve TestDensityTable TestUnderAgreesWithTheExactComparison TestGaussianIsThePlainOne TestBattery TestOraclesAgree TestReachabilityAttack TestPrecisionAttack",
	"TestEveryWordIsGivenOnce TestNumbersShareNoWord TestNoiseIsNotReused TestStreamsNeverRepeatABlock TestStreamsLiveInOneCall",
	"TestDistanceIsWidenedBothWays TestPriceIncludesTheSlack",
	"TestOnlyListedFunctionsMake TestMakersAreNamed TestReleasePaysBeforeAndPriceIsTheNoise",
	"TestEpsilonInverse TestRDPIsNeverBelowTheTruth",
	"TestFixedSizeTakesEverySubsetAlike TestPartitionPaysOnceARound TestTruncatedPoissonHoldsForFewerRecords TestSamplersOfTwoRecords",
	"TestOneRecordMovesAGroupByTheBound TestGroupsOfRecordsAreIndependent TestPersonsLookAtThemselves TestNeighborsMoveEveryStatisticByAtMostItsCharge",
	"TestFramedSumIsTheDenseSum TestFramedRowsAreTheDefinition",
	"TestWhitenedNormsAreNotBelow TestRowsBeyondTheReachOfAWhitening TestPlantedFaultsStopTheRun",
	"TestChangedFileKeepsTheBound TestDamagedFilesAreRefused TestChangesWhileRowsAreSeen TestWritersWait TestRowsOfAFileAreForSumsAlone TestRecursionRefusals",
	"TestVectorsNeverExceedTheBound TestRowsLimit TestNeighborsMoveProductsByAtMostTheBound TestFaultsOfProductSumsAreFound TestContributionsOfOtherPositionsAreFound TestRowsAreClearedForTheirOwnNorm TestChangedRowsHaveNoScores TestNewtonStepsAreOfTheCheckedSum TestSealedProductSumsStayAsTheyWereChecked",
	"TestScoresMoveByAtMostOne",
	"TestChoicesAreAsPrivateAsPriced TestNamesOfOneRecordPassSeldom TestMinimizeSensitivity TestGradientDescentSensitivity TestRecordReachesTheCharge TestNeighborsMoveARunByAtMostWhatIsCharged TestSeriesNoiseHasThePricedLaw",
	"TestDiscreteLaplaceLaw TestDiscreteGaussianLaw TestLInfinityLaw TestRoundedL2IsItsFormula TestL2SlackAddsUp",
	"TestAloneIsTheRecord TestAloneIsMeasuredAgain TestLongBlocksArePickedAsOthers TestIntegersOfNeighborsStopTheRun TestProposalsInLongBlocksAreRecomputed TestRecordsStandAlone TestProposalsOfNeighborsStopTheRun TestGradientsOfNeighborsStopTheStep",
	"TestRanksAddUpToOneProcess TestRanksDrawNoiseOnce TestFaultsOfLinksStopTheRun TestRanksThatDisagreeAreRefused TestRecordsOfAllRanksAreCounted TestSharedReleasesAreRefused",
}

var (
	lemmaHead = regexp.MustCompile(`\*\*Lemma ([0-9]+)[ .]`)
	// lemmaCited matches a lemma with the page that has it, in either order.
	lemmaCited = regexp.MustCompile(`(release(?:-parts)?\.md)[\])]*(?:\([^)]*\)\)?)?,\s+lemma\s+([0-9]+)|[Ll]emma ([0-9]+) of\s+(?://\s+)?\[?(?:docs/)?(release(?:-parts)?\.md)`)
)

// lemmasOf returns the numbers of the lemmas of each page, and a problem where they do not follow one another.
func lemmasOf(root fs.FS) (map[string][]int, []string) {
	found, last := map[string][]int{}, 0
	var problems []string
	for _, name := range lemmaPages {
		text, err := fs.ReadFile(root, name)
		if err != nil {
			problems = append(problems, err.Error())
		}
		for _, m := range lemmaHead.FindAllStringSubmatch(string(text), -1) {
			n, _ := strconv.Atoi(m[1])
			if n != last+1 {
				problems = append(problems, fmt.Sprintf("%s: lemma %d follows lemma %d, want lemma %d", name, n, last, last+1))
			}
			found[name], last = append(found[name], n), n
		}
	}
	return found, problems
}

// wrongCitations returns a problem for each citation of a lemma that its page does not have.
func wrongCitations(name, text string, lemmas map[string][]int) (problems []string, cited int) {
	for _, m := range lemmaCited.FindAllStringSubmatch(text, -1) {
		page, number := "docs/"+m[1]+m[4], m[2]+m[3]
		if n, err := strconv.Atoi(number); err != nil || !slices.Contains(lemmas[page], n) {
			problems = append(problems, fmt.Sprintf("%s cites lemma %s of %s, want one that the page has", name, number, page))
		}
		cited++
	}
	return problems, cited
}

// TestLemmasHaveTests wants lemmas in order, each with tests that there are, and citations of lemmas on their pages.
func TestLemmasHaveTests(t *testing.T) {
	root, sources := rootFS(), parseRepository(t).sources
	lemmas, problems := lemmasOf(root)
	if n := len(slices.Concat(lemmas[lemmaPages[0]], lemmas[lemmaPages[1]])); n != len(lemmaTests) {
		t.Errorf("there are %d lemmas, and tests of %d, want tests of each", n, len(lemmaTests))
	}
	page := "`" + strings.ReplaceAll(strings.Join(lemmaTests, " "), " ", "` `") + "`"
	missing, err := missingTests(fstest.MapFS{"the list of lemmas.md": {Data: []byte(page)}}, sources)
	if err != nil {
		t.Fatal(err)
	}
	cited := 0
	err = fs.WalkDir(root, ".", func(name string, d fs.DirEntry, failed error) error {
		if failed != nil || d.IsDir() || name == "internal/repocheck/lemmas_test.go" || !strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, ".md") {
			return failed
		}
		text, failed := fs.ReadFile(root, name)
		wrong, n := wrongCitations(name, string(text), lemmas)
		problems, cited = append(problems, wrong...), cited+n
		return failed
	})
	if err != nil || cited < 10 {
		t.Errorf("%d lemmas are cited with their page, want those of code and pages (%v)", cited, err)
	}
	for _, p := range slices.Concat(problems, missing) {
		t.Error(p)
	}
}

// lemmaName matches a name of code in a span: of a package, function or type, or of a method with its type.
var lemmaName = regexp.MustCompile("`(?:\\w+\\.)?((?:\\w+\\.)?\\w+)(?:\\([^`]*\\))?`")

// unknownNames returns the spans of code of a page that name nothing in the sources.
func unknownNames(text string, sources []source) (unknown []string, named int) {
	declared := map[string]bool{"Reader": true} // of crypto/rand
	for _, s := range sources {
		declared[s.file.Name.Name] = true
		for _, decl := range s.file.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				declared[d.Name.Name] = true
				if d.Recv != nil {
					declared[receiver(d)+"."+d.Name.Name] = true
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					if t, is := spec.(*ast.TypeSpec); is {
						declared[t.Name.Name] = true
					} else if v, is := spec.(*ast.ValueSpec); is {
						for _, name := range v.Names {
							declared[name.Name] = true
						}
					}
				}
			}
		}
	}
	for _, m := range lemmaName.FindAllStringSubmatch(text, -1) {
		if named++; !declared[m[1]] && !declared[strings.Trim(m[0], "`")] {
			unknown = append(unknown, m[0])
		}
	}
	return unknown, named
}

// TestLemmasNameCode wants each name of code in the lemmas to be one of this repository.
func TestLemmasNameCode(t *testing.T) {
	sources := parseRepository(t).sources
	for _, name := range append(slices.Clone(lemmaPages), "docs/planted-faults.md") {
		text, err := readRoot(name)
		if err != nil {
			t.Fatal(err)
		}
		unknown, named := unknownNames(string(text), sources)
		if len(unknown) > 0 || named < 30 {
			t.Errorf("%s has %d names of code, and %v of nothing; want names that there are", name, named, unknown)
		}
	}
	page := "`Rows.Scan`, `release.Rows.Scan(4)`, `crypto/rand`, `Rows.Skan`, `Skan(k)`, `release.Scan.Rows`"
	if unknown, named := unknownNames(page, sources); len(unknown) != 3 || named != 5 {
		t.Errorf("got %v of %d names, want three of five", unknown, named)
	}
}

// TestLemmasFindsFaults plants a lemma out of order, and citations of lemmas that no page has.
func TestLemmasFindsFaults(t *testing.T) {
	root := fstest.MapFS{lemmaPages[0]: {Data: []byte("**Lemma 1 (a).** b\n\n**Lemma 3 (c).**")}, lemmaPages[1]: {Data: []byte("**Lemma 4.** d")}}
	lemmas, problems := lemmasOf(root)
	wrong, cited := wrongCitations("a.go", "docs/release.md, lemma 4; docs/release-parts.md,\nlemma 4; lemma 1 of docs/release-parts.md; lemma 3 of docs/release.md; ([release.md](release.md), lemma 9)", lemmas)
	if len(problems) != 1 || len(wrong) != 3 || cited != 5 {
		t.Errorf("got %q, and %q of %d citations, want 1 and 3 of 5", problems, wrong, cited)
	}
}

// TestMakersAreNamed wants the lemma on payments to name each function that makes released numbers, or sums whose bound is
// proved.
func TestMakersAreNamed(t *testing.T) {
	text, err := readRoot(lemmaPages[0])
	if err != nil {
		t.Fatal(err)
	}
	_, lemma, _ := strings.Cut(string(text), "(paid before drawn).**")
	lemma, _, _ = strings.Cut(lemma, "∎")
	for _, name := range makerFunctions {
		if short := strings.TrimPrefix(name, "internal/release."); !strings.Contains(lemma, "`"+short+"`") {
			t.Errorf("%s does not say what pays for what %s makes, want it in the lemma", lemmaPages[0], short)
		}
	}
}
