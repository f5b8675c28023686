// Package cache keeps encoded tables, which hold records, in a folder of the user's own.
package cache

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"github.com/ditherml/dither/internal/display"
	"github.com/ditherml/dither/internal/durable"
)

// Variable names the environment variable with the cache folder.
const Variable = "DITHER_CACHE"

// ending is how the names of encoded tables end.
const ending = ".rows"

// SweepEnding is the ending of the names of private files of results: measures on records that are
// not public, kept until a sweep ends.
const SweepEnding = ".sweep"

// Folder returns the folder of encoded tables: the folder that the variable names, or dither in the
// person's own cache folder. Tables hold records, so folder and files are for that person alone.
func Folder() (string, error) {
	if folder := os.Getenv(Variable); folder != "" {
		return folder, nil
	}
	folder, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("there is no cache folder: %w; set %s to a folder for encoded tables", err, Variable)
	}
	return filepath.Join(folder, "dither"), nil
}

// MakeFolder returns Folder, and makes it if necessary.
func MakeFolder() (string, error) {
	folder, err := Folder()
	if err != nil {
		return "", err
	}
	if err = os.MkdirAll(folder, 0o700); err != nil {
		return "", fmt.Errorf("the cache folder %s cannot be made: %w; set %s to another one", folder, display.Pathless(err), Variable)
	}
	return folder, checkFolder(folder)
}

// checkFolder refuses a folder in which somebody else could replace the user's rows. Systems
// without such permissions have none to check.
func checkFolder(folder string) error {
	info, err := os.Stat(folder)
	switch {
	case err != nil:
		return fmt.Errorf("the cache folder %s cannot be looked at: %w; set %s to another one", folder, display.Pathless(err), Variable)
	case !durable.Own(info):
		return fmt.Errorf("the cache folder %s belongs to another user, want one of your own; set %s to it", folder, Variable)
	case runtime.GOOS != "windows" && info.Mode().Perm()&0o002 != 0:
		return fmt.Errorf("the cache folder %s can be written by everybody, want it for you alone; run chmod 700 on it, or set %s to another one", folder, Variable)
	}
	return nil
}
