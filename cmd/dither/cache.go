package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sort"
	"strings"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/internal/durable"
	"github.com/ditherml/dither/mechanism"
)

// cacheVariable names the environment variable with the cache folder.
const cacheVariable = "DITHER_CACHE"

// cacheEnding is how the names of encoded tables end.
const cacheEnding = ".rows"

// sweepEnding is how the names of files of results end that are private: measures on records that are not public,
// kept until a sweep ends.
const sweepEnding = ".sweep"

// cacheFolder is where encoded tables are kept: the folder that the variable names, or dither in the
// person's own cache folder. They hold records, so folder and files are for that person alone.
func cacheFolder() (string, error) {
	if folder := os.Getenv(cacheVariable); folder != "" {
		return folder, nil
	}
	folder, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("there is no cache folder: %w; set %s to a folder for encoded tables", err, cacheVariable)
	}
	return filepath.Join(folder, "dither"), nil
}

// makeCacheFolder is cacheFolder, made if need be.
func makeCacheFolder() (string, error) {
	folder, err := cacheFolder()
	if err != nil {
		return "", err
	}
	if err = os.MkdirAll(folder, 0o700); err != nil {
		return "", fmt.Errorf("the cache folder %s cannot be made: %w; set %s to another one", folder, pathless(err), cacheVariable)
	}
	return folder, checkCacheFolder(folder)
}

// checkCacheFolder refuses a folder in which somebody else could put rows in the place of the user's. Systems without
// such permissions have none to check.
func checkCacheFolder(folder string) error {
	info, err := os.Stat(folder)
	switch {
	case err != nil:
		return fmt.Errorf("the cache folder %s cannot be looked at: %w; set %s to another one", folder, pathless(err), cacheVariable)
	case !durable.Own(info):
		return fmt.Errorf("the cache folder %s belongs to another user, want one of your own; set %s to it", folder, cacheVariable)
	case runtime.GOOS != "windows" && info.Mode().Perm()&0o002 != 0:
		return fmt.Errorf("the cache folder %s can be written by everybody, want it for you alone; run chmod 700 on it, or set %s to another one", folder, cacheVariable)
	}
	return nil
}

// cacheKey is what an encoded table was made from; it stands in the file as its note. An encoded table
// serves another run only when all of it is the same.
type cacheKey struct {
	Format string `json:"format"`
	Table  string `json:"table"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
	Labels string `json:"labels,omitempty"`
	// LabelsBytes and LabelsSHA256 are those of the separate file of labels.
	LabelsBytes  int64  `json:"labels-bytes,omitempty"`
	LabelsSHA256 string `json:"labels-sha256,omitempty"`
	Delimiter    rune   `json:"delimiter,omitempty"`
	Schema       string `json:"schema"`
	FeatureBits  int    `json:"feature-bits"`
	// Transforms are those before the rows were written.
	Transforms []feature.Spec `json:"transforms,omitempty"`
	// Made is the hash of what these transforms make of fixed rows, which another version of them may not.
	Made string `json:"made,omitempty"`
}

// newCacheKey reads the files of a table for their hashes: sizes and times do not tell that a table has changed.
func newCacheKey(source data.Source, schema *data.Schema, chain *feature.Pipeline, featureBits int) (cacheKey, error) {
	k := cacheKey{Format: "2", Delimiter: source.Delimiter, FeatureBits: featureBits, Transforms: chain.Specs()}
	if chain.Transforms() {
		made := chain.Fingerprint()
		k.Made = hex.EncodeToString(made[:])
	}
	declared := *schema
	declared.Records, declared.MaxRecords = 0, 1 // which change nothing in a row
	text, err := declared.YAML()
	if err != nil {
		return k, err
	}
	sum := sha256.Sum256(text)
	k.Schema = hex.EncodeToString(sum[:])
	if k.Table, k.Bytes, k.SHA256, err = identity(source.Path); err != nil || source.Labels == "" {
		return k, err
	}
	k.Labels, k.LabelsBytes, k.LabelsSHA256, err = identity(source.Labels)
	return k, err
}

// identity is what tells a file from what it was before.
func identity(path string) (name string, bytes int64, sum string, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", 0, "", fmt.Errorf("%s cannot be looked at: %w; name a table that exists", path, pathless(err))
	}
	if !info.Mode().IsRegular() {
		return "", 0, "", fmt.Errorf("%s is no plain file, want one; --stream and --cache-features remember which file it was", path)
	}
	name, err = filepath.Abs(path)
	if err != nil {
		return "", 0, "", err
	}
	file, err := os.Open(path)
	if err != nil {
		return "", 0, "", fmt.Errorf("%s cannot be read: %w; name a table that can", path, pathless(err))
	}
	defer file.Close()
	hash := sha256.New()
	if bytes, err = io.Copy(hash, file); err != nil {
		return "", 0, "", failed{fmt.Errorf("%s cannot be read: %w", path, pathless(err))}
	}
	return name, bytes, hex.EncodeToString(hash.Sum(nil)), nil
}

// file is the name of the encoded table in the cache folder.
func (k cacheKey) file() (name string, note json.RawMessage, err error) {
	note, err = json.Marshal(k)
	sum := sha256.Sum256(note)
	return "table-" + hex.EncodeToString(sum[:8]) + cacheEnding, note, err
}

// cacheEntry is an encoded table as it is listed.
type cacheEntry struct {
	File  string `json:"file"`
	Bytes int64  `json:"bytes"`
	// Table is the file that it was made from, empty when the entry cannot be read.
	Table string `json:"table,omitempty"`
}

// listCache returns what is in the cache folder, and what writers that were interrupted left.
func listCache(folder string) ([]cacheEntry, error) {
	files, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return []cacheEntry{}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("the cache folder %s cannot be read: %w; set %s to another one", folder, pathless(err), cacheVariable)
	}
	entries := []cacheEntry{}
	for _, f := range files {
		info, err := f.Info()
		if err != nil || !info.Mode().IsRegular() || !strings.HasSuffix(f.Name(), cacheEnding) && !strings.HasSuffix(f.Name(), sweepEnding) && !strings.HasPrefix(f.Name(), durable.Prefix) {
			continue
		}
		entries = append(entries, cacheEntry{f.Name(), info.Size(), tableOf(filepath.Join(folder, f.Name()), info.Size())})
	}
	sort.Slice(entries, func(i, j int) bool { return entries[i].File < entries[j].File })
	return entries, nil
}

// tableOf returns the table that an encoded one was made from, if that can be read.
func tableOf(path string, size int64) string {
	file, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer file.Close()
	var key cacheKey
	note, err := mechanism.FileNote(file, size)
	if err != nil || json.Unmarshal(note, &key) != nil {
		return ""
	}
	return key.Table
}
