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

// specified is a transform whose specification in a model says more than the one it was made from.
type specified interface {
	// spec returns the complete specification. A file is named without its folder.
	spec() (Spec, error)
}

// filed is a transform that needs a public file next to the model.
type filed interface {
	specified
	// attached returns the name of the file, without a folder, and its content.
	attached() (name string, content []byte)
}

// maxFile bounds a file of a transform.
const maxFile = 1 << 29

// ReadFile returns the content of a file. The function ReadFile can be the argument open of
// NewPipeline. A file of more than 512 MiB is an error.
func ReadFile(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("the file %s cannot be opened, want public weights: %w", path, plain(err))
	}
	if !info.Mode().IsRegular() { // reading a pipe might never end
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

// plain returns an error without the path that an *os.PathError repeats.
func plain(err error) error {
	if p, ok := err.(*os.PathError); ok {
		return p.Err
	}
	return err
}

// FilesIn returns a function that reads files in the folder dir, by name. The returned function can
// be the argument open of NewPipeline. A name that contains a folder is an error.
func FilesIn(dir string) func(name string) ([]byte, error) {
	return func(name string) ([]byte, error) {
		if name != filepath.Base(name) || name == "." || name == ".." {
			return nil, fmt.Errorf("the file is named %q, want a file in the folder of the model", name)
		}
		return ReadFile(filepath.Join(dir, name))
	}
}

// NewPipeline returns the pipeline of a validated schema and transforms, in order. A transform may
// need a file, such as the weights of a public encoder. The function open returns the content of a
// file whose name is in the parameters of a transform. If open is nil, a transform that needs a
// file is an error. The files are public and part of the model. The pipeline's Specs contain the
// base name and the hash of each file. The method Files returns the contents.
func NewPipeline(open func(name string) ([]byte, error), s *data.Schema, specs ...Spec) (*Pipeline, error) {
	e, err := encoder.New(s)
	if err != nil {
		return nil, err
	}
	if e.Tokens() > 0 && len(specs) > 0 {
		return nil, fmt.Errorf("feature: transform is %s behind columns of tokens, want none; leave it out", specs[0].Name)
	}
	c := &Pipeline{encoder: e, specs: slices.Clone(specs)}
	if c.transforms, err = newTransforms(specs, surroundings{e.Dim(), e.Names(), s, open}); err != nil {
		return nil, err
	}
	for i, t := range c.transforms {
		if full, ok := t.(specified); ok {
			if c.specs[i], err = full.spec(); err != nil {
				return nil, err
			}
		}
		f, ok := t.(filed)
		if !ok {
			continue
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

// Files returns the contents of the files that the transforms need, by name. A model folder
// contains these files. The caller must not modify the map.
func (c *Pipeline) Files() map[string][]byte { return c.files }
