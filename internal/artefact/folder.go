package artefact

import (
	"crypto/ed25519"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/ditherml/dither/internal/display"
	"github.com/ditherml/dither/internal/durable"
)

// Folder is a name that a run reserves for its results before it reads a record. The results are
// written to a hidden folder next to it. They get the name in one step once they are safe on disk.
type Folder struct {
	path string
	// old is the folder that --replace replaces, nil for a new name. It is open, so that no other
	// folder becomes the same file.
	old     os.FileInfo
	oldOpen *os.File
	// home is the folder that this run has made: path, or a new name next to an old folder. It
	// holds the trace of the cost until the results are complete.
	home string
	// root is home, which it follows when the folder is renamed. It is nil where an open folder has
	// no other name.
	root *os.Root
	held *os.File    // home, open and locked
	own  os.FileInfo // of home
	// spent is what the run has reserved, nil before its first draw.
	spent *spending
	key   ed25519.PrivateKey // that signs the certificate, nil for none
}

const (
	defaultFolder = "dither-model"
	// unfinishedEnd ends the name of the folder that a run holds next to the one that it replaces.
	unfinishedEnd = "-unfinished"
)

// Claim reserves a name for one run, and makes sure that files can be written there. The name ""
// means the first free name of dither-model, dither-model-2, …. With replace, an existing folder of
// results stays as it is until Write. Claim writes to tell a note about each folder next to it that
// a dead run left.
func Claim(path string, replace bool, tell io.Writer) (*Folder, error) {
	durable.RemoveLeftovers(filepath.Dir(filepath.Clean(path)), func(path string) {
		fmt.Fprintf(tell, "note: %s was left by a run that was killed, or replaced by one; its budget is spent; move it to a name of its own, or remove it\n", display.Printable(path))
	})
	path, old, err := admit(path, replace)
	switch {
	case err != nil:
		return nil, err
	case path == "":
		return claimNext(defaultFolder, "")
	case old == nil:
		return claimed(path, path)
	}
	f, err := claimNext(path+unfinishedEnd, path)
	if err != nil {
		return nil, err
	}
	f.old = old
	if runtime.GOOS == "windows" { // which does not rename a folder that is open
		return f, nil
	}
	if f.oldOpen, err = os.Open(path); err != nil {
		f.Close()
		return nil, fmt.Errorf("%s cannot be read: %w; give another --out", path, display.Pathless(err))
	}
	return f, nil
}

// CheckClaim returns the error that Claim would return. It leaves nothing on disk.
func CheckClaim(path string, replace bool) error {
	path, _, err := admit(path, replace)
	if err != nil {
		return err
	}
	parent := filepath.Dir(path)
	probe, err := os.MkdirTemp(parent, durable.Prefix)
	if err != nil {
		return fmt.Errorf("%s cannot be written in: %w; give another --out", parent, display.Pathless(err))
	}
	return os.Remove(probe)
}

// admit returns the path that Claim reserves, and the folder there that is to be replaced or nil. The
// path is "" for the first free name.
func admit(path string, replace bool) (string, os.FileInfo, error) {
	if path == "" {
		if !replace || !display.Exists(defaultFolder) {
			return "", nil, nil
		}
		path = defaultFolder
	}
	path = filepath.Clean(path)
	old, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return path, nil, nil
	case err != nil:
		return "", nil, fmt.Errorf("%s cannot be looked at: %w; give another --out", path, display.Pathless(err))
	case IsUnfinished(path):
		return "", nil, fmt.Errorf("%s exists and belongs to a run that goes on or did not finish, want a new folder; give another --out, or remove it once what %s says is counted", path, durable.TraceName)
	case isEmpty(path):
		return "", nil, fmt.Errorf("%s exists and is no model folder but an empty one, want a new folder; give another --out, or remove it unless a run that goes on has made it", path)
	case !replace:
		return "", nil, taken(path)
	case !isModelFolder(path):
		return "", nil, fmt.Errorf("%s exists and is no model folder, want one that dither train wrote; give another --out", path)
	}
	return path, old, nil
}

// isEmpty reports whether a path names a folder without files.
func isEmpty(path string) bool {
	entries, err := os.ReadDir(path)
	return err == nil && len(entries) == 0
}

// claimNext reserves home, or the first free one of home-2, home-3, …. path is the place of the
// results, "" for the reserved name itself.
func claimNext(home, path string) (*Folder, error) {
	name := home
	for n := 2; ; n++ {
		at := path
		if at == "" {
			at = name
		}
		f, err := claimed(name, at)
		if !errors.Is(err, fs.ErrExist) {
			return f, err
		}
		name = fmt.Sprintf("%s-%d", home, n)
	}
}

// claimed makes the folder home for results that go to path. Two runs never both succeed.
func claimed(home, path string) (*Folder, error) {
	if err := os.Mkdir(home, 0o755); err != nil {
		if errors.Is(err, fs.ErrExist) {
			return nil, taken(home)
		}
		return nil, fmt.Errorf("%s cannot be written: %w; give another --out", home, display.Pathless(err))
	}
	f := &Folder{path: path, home: home}
	err := f.try()
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("%s cannot be written in: %w; give another --out", home, display.Pathless(err))
	}
	return f, nil
}

// taken returns the error about a name that is not free.
func taken(path string) error {
	return takenError{path}
}

// takenError is fs.ErrExist with what to do about it.
type takenError struct{ path string }

func (e takenError) Error() string {
	text := e.path + " exists, want a new folder; give another --out"
	if isModelFolder(e.path) {
		text += ", or --replace"
	}
	return text
}

func (e takenError) Unwrap() error { return fs.ErrExist }

// Path returns the place of the results.
func (f *Folder) Path() string { return f.path }

// probeBytes is the size of the test file that a folder must accept.
const probeBytes = 1 << 16

// try holds the folder and writes a file in it.
func (f *Folder) try() (err error) {
	if f.root, err = os.OpenRoot(f.home); err != nil {
		return err
	}
	if f.held, err = f.root.Open("."); err != nil {
		return err
	}
	if f.own, err = f.held.Stat(); err != nil {
		return err
	}
	if err = durable.Lock(f.held); errors.Is(err, durable.ErrLocked) {
		return err
	}
	if err != nil { // some systems do not rename a folder that is open
		f.held.Close()
		f.root.Close()
		f.root = nil
	}
	probe := filepath.Join(f.home, "probe")
	if err = durable.Create(probe, make([]byte, probeBytes), 0o600); err != nil {
		return err
	}
	return os.Remove(probe)
}

// Close gives the name back. It removes the folder if it is empty. A folder with the trace of a run
// stays.
func (f *Folder) Close() {
	if f == nil || f.home == "" {
		return
	}
	if named, err := os.Lstat(f.home); err == nil && f.own != nil && os.SameFile(named, f.own) {
		_ = os.Remove(f.home) // which fails where a trace is in it, or the results
	}
	f.held.Close()
	f.oldOpen.Close()
	if f.root != nil {
		f.root.Close()
	}
	f.home = ""
}

// modelFiles are the files that a folder of results may have.
var modelFiles = []string{"model.json", "certificate.json", "report.html", "evaluation.json", IteratesName, SignatureName}

// isModelFolder reports whether a folder holds files of a model and nothing else. An empty one may
// belong to another run that goes on.
func isModelFolder(path string) bool {
	entries, err := os.ReadDir(path)
	if err != nil || len(entries) == 0 {
		return false
	}
	for _, e := range entries {
		if !slices.Contains(modelFiles, e.Name()) && !strings.HasSuffix(e.Name(), ".safetensors") { // the latter of a public encoder
			return false
		}
	}
	return true
}

// Write writes the results to their place. If that fails, they are in another folder, which the
// error names, and an old folder stays as it was.
func (f *Folder) Write(files map[string][]byte) error {
	defer f.Close()
	files, err := Signed(files, f.key)
	if err != nil {
		return err
	}
	work, path, err := finish(filepath.Dir(f.path), durable.Prefix, files)
	if err != nil {
		return f.refuge(files, err)
	}
	defer work.Close()
	if err = f.place(path); err == nil {
		return nil
	}
	if next, failed := aside(f.path, path); failed == nil {
		path = next
	}
	return f.stranded(path, err)
}

// place gives a finished folder the name. The folder there must still be the one that was there
// when the name was reserved. Anything else keeps the name, and place returns an error.
func (f *Folder) place(work string) error {
	if err := still(f.path, f.expected()); err != nil {
		return err
	}
	err := durable.Exchange(work, f.path)
	if errors.Is(err, durable.ErrNoExchange) {
		return f.placeInSteps(work)
	}
	if err != nil {
		return display.Pathless(err)
	}
	durable.SyncFolder(filepath.Dir(f.path))
	if still(work, f.expected()) != nil {
		if err = durable.Exchange(work, f.path); err != nil {
			return display.Pathless(err)
		}
		return changed(f.path)
	}
	f.clear(work)
	return nil
}

// expected is the folder that has the name of the results until they are complete.
func (f *Folder) expected() os.FileInfo {
	if f.old != nil {
		return f.old
	}
	return f.own
}

// still returns an error unless the path names this folder.
func still(path string, folder os.FileInfo) error {
	if named, err := os.Lstat(path); err != nil || !os.SameFile(named, folder) {
		return changed(path)
	}
	return nil
}

// changed returns the error about a folder that was renamed, replaced or removed.
func changed(path string) error {
	return fmt.Errorf("%s is not what it was when this run began", path)
}

// placeInSteps does what place does where names cannot be exchanged. An old folder has a hidden
// name for a moment. It gets its own name again when the new folder cannot have it.
func (f *Folder) placeInSteps(work string) error {
	away := work + "-old"
	if err := os.Rename(f.path, away); err != nil {
		return display.Pathless(err)
	}
	if err := os.Rename(work, f.path); err != nil {
		return errors.Join(display.Pathless(err), display.Pathless(os.Rename(away, f.path)))
	}
	durable.SyncFolder(filepath.Dir(f.path))
	f.clear(away)
	return nil
}

// clear removes the trace and the replaced folder after the results are complete. A replaced folder
// that holds somebody's other files is kept under a visible name.
func (f *Folder) clear(away string) {
	if f.old == nil {
		_ = f.removeTrace(away)
		_ = os.Remove(away)
		return
	}
	_ = f.removeTrace(f.home)
	if f.old.Mode()&fs.ModeSymlink != 0 {
		_ = os.Remove(away)
		return
	}
	if !isModelFolder(away) {
		_, _ = aside(f.path, away) // later runs report it under its hidden name
		return
	}
	_ = os.RemoveAll(away)
}

// aside gives a folder the first name of path-2, path-3, … that is free.
func aside(path, work string) (string, error) {
	for n := 2; ; n++ {
		name := fmt.Sprintf("%s-%d", path, n)
		err := durable.RenameNew(work, name)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err == nil {
			durable.SyncFolder(filepath.Dir(name))
		}
		return name, err
	}
}
