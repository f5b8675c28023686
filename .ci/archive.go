// Command archive packs a folder for release, the same bytes on every machine: files in the order of
// their names, one time, no owner, and one of two modes. The archive is a ZIP file where its name ends
// in .zip, and else a TAR file under gzip.
//
// Usage: go run .ci/archive.go ARCHIVE FOLDER SECONDS
//
// SECONDS is the time of all files, since 1970. It prints the SHA-256 of the archive, as sha256sum does.
package main

import (
	"archive/tar"
	"archive/zip"
	"compress/flate"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

func main() {
	if len(os.Args) != 4 {
		fail(fmt.Errorf("archive: got %d arguments, want ARCHIVE FOLDER SECONDS", len(os.Args)-1))
	}
	seconds, err := strconv.ParseInt(os.Args[3], 10, 64)
	if err != nil {
		fail(err)
	}
	if err = pack(os.Args[1], os.Args[2], time.Unix(seconds, 0).UTC()); err != nil {
		fail(err)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// pack writes the archive and prints its hash.
func pack(archive, folder string, at time.Time) error {
	out, err := os.Create(archive)
	if err != nil {
		return err
	}
	defer out.Close()
	hash := sha256.New()
	write := writeTar
	if strings.HasSuffix(archive, ".zip") {
		write = writeZip
	}
	if err = write(io.MultiWriter(out, hash), folder, at); err != nil {
		return err
	}
	fmt.Printf("%x  %s\n", hash.Sum(nil), filepath.Base(archive))
	return out.Close()
}

// each calls add with every plain file below a folder, in the order of names, which begin with the folder's own.
func each(folder string, add func(name string, text []byte, mode fs.FileMode) error) error {
	root := os.DirFS(folder)
	return fs.WalkDir(root, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		text, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		mode := fs.FileMode(0o644)
		if info.Mode()&0o100 != 0 {
			mode = 0o755
		}
		return add(filepath.Base(folder)+"/"+name, text, mode)
	})
}

func writeTar(w io.Writer, folder string, at time.Time) error {
	pressed, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	archive := tar.NewWriter(pressed)
	err = each(folder, func(name string, text []byte, mode fs.FileMode) error {
		header := &tar.Header{Name: name, Mode: int64(mode), Size: int64(len(text)), ModTime: at, Format: tar.FormatUSTAR}
		if failed := archive.WriteHeader(header); failed != nil {
			return failed
		}
		_, failed := archive.Write(text)
		return failed
	})
	if err != nil {
		return err
	}
	if err = archive.Close(); err != nil {
		return err
	}
	return pressed.Close()
}

func writeZip(w io.Writer, folder string, at time.Time) error {
	archive := zip.NewWriter(w)
	archive.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, flate.BestCompression) })
	err := each(folder, func(name string, text []byte, mode fs.FileMode) error {
		header := &zip.FileHeader{Name: name, Method: zip.Deflate, Modified: at}
		header.SetMode(mode)
		file, failed := archive.CreateHeader(header)
		if failed != nil {
			return failed
		}
		_, failed = file.Write(text)
		return failed
	})
	if err != nil {
		return err
	}
	return archive.Close()
}
