package feature

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/encoder"
)

// filed is a transform that stands on a public file next to the model.
type filed interface {
	// spec is the complete specification, in which the file is named without its folder.
	spec() (Spec, error)
	// attached returns the name of the file, without a folder, and what it holds.
	attached() (name string, content []byte)
}

// maxFile bounds a file of a transform.
const maxFile = 1 << 29

// ReadFile reads a file of the operating system for NewPipeline: at most 512 MiB.
func ReadFile(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("the file %s cannot be opened, want public weights: %w", path, plain(err))
	}
	if !info.Mode().IsRegular() { // a pipe would be waited for without end
		return nil, fmt.Errorf("the file %s is no plain file, want one", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("the file %s cannot be opened, want public weights: %w", path, plain(err))
	}
	defer f.Close()
	content, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, fmt.Errorf("the file %s cannot be read: %w", path, plain(err))
	}
	if len(content) > maxFile {
		return nil, fmt.Errorf("the file %s has more than %d bytes, want a smaller encoder", path, maxFile)
	}
	return content, nil
}

// plain drops the path that an *os.PathError repeats.
func plain(err error) error {
	if p, ok := err.(*os.PathError); ok {
		return p.Err
	}
	return err
}

// FilesIn returns a reader for NewPipeline of the files in one folder: a name with a folder in it is
// refused.
func FilesIn(dir string) func(name string) ([]byte, error) {
	return func(name string) ([]byte, error) {
		if name != filepath.Base(name) || name == "." || name == ".." {
			return nil, fmt.Errorf("the file is named %q, want a file in the folder of the model", name)
		}
		return ReadFile(filepath.Join(dir, name))
	}
}

// NewPipeline returns the pipeline of a validated schema and transforms, in order. A transform may need a file,
// such as the weights of a public encoder. open reads it by the name in the parameters; where open is
// nil such a transform is refused. What the pipeline stands on is public, and part of the model: Specs
// names each file without its folder and with its hash, and Files returns it.
func NewPipeline(open func(name string) ([]byte, error), s *data.Schema, specs ...Spec) (*Pipeline, error) {
	e, err := encoder.New(s)
	if err != nil {
		return nil, err
	}
	if e.Tokens() > 0 && len(specs) > 0 {
		return nil, fmt.Errorf("feature: transform is %s behind columns of tokens, want none; leave it out", specs[0].Name)
	}
	c := &Pipeline{encoder: e, specs: slices.Clone(specs)}
	if c.transforms, err = newTransforms(specs, surroundings{e.Dim(), e.Names(), open}); err != nil {
		return nil, err
	}
	for i, t := range c.transforms {
		f, ok := t.(filed)
		if !ok {
			continue
		}
		if c.specs[i], err = f.spec(); err != nil {
			return nil, err
		}
		name, content := f.attached()
		if old, twice := c.files[name]; twice && string(old) != string(content) {
			return nil, fmt.Errorf("feature: two different files are named %s, want different names; rename one", name)
		}
		if c.files == nil {
			c.files = map[string][]byte{}
		}
		c.files[name] = content
	}
	return c, nil
}

// Files returns the files that the transforms stand on, by name; a model folder holds them next to
// the model. The caller must not modify them.
func (c *Pipeline) Files() map[string][]byte { return c.files }
