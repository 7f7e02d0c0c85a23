package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/contractpin/verify/internal/github"
	"github.com/contractpin/verify/internal/report"
	"github.com/contractpin/verify/internal/verify"
)

// writeFiles writes the report files and returns the path of the JSON report as the user named it, "" when there is none.
func (j *job) writeFiles(r *verify.Report) string {
	written := ""
	if j.in.reportFile != "" && j.write(j.in.reportFile, "report-file", func(w io.Writer) error { return report.JSON(w, r) }) {
		written = j.in.reportFile
	}
	if j.in.sarifFile != "" {
		j.write(j.in.sarifFile, "sarif-file", func(w io.Writer) error { return report.SARIF(w, r) })
	}
	return written
}

func (j *job) write(name, input string, render func(io.Writer) error) bool {
	var b bytes.Buffer
	err := render(&b)
	if err == nil {
		err = j.save(j.abs(name), b.Bytes())
	}
	if err != nil {
		j.warnf("%s could not be written: %v", input, err)
	}
	return err == nil
}

// save writes a file. One in the workspace gets the workspace's owner, since files of root's would break the next checkout
// on a self-hosted runner; and no link that a pull request put there leads out of the workspace.
func (j *job) save(path string, data []byte) error {
	rel := github.RelativeTo(j.ws, path)
	if rel == "" {
		return os.WriteFile(path, data, 0o644)
	}
	root, err := os.OpenRoot(j.ws)
	if err != nil {
		return err
	}
	defer root.Close()
	owner := ownerOf(j.ws)
	if err := makeFolders(root, filepath.Dir(filepath.FromSlash(rel)), owner); err != nil {
		return err
	}
	// A new file in place of what stands there: never through a link, never half written.
	temp := rel + ".contractpin-tmp"
	root.Remove(temp)
	f, err := root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = owner.give(root, temp)
	}
	if err == nil {
		err = root.Rename(temp, rel)
	}
	if err != nil {
		root.Remove(temp)
		return fmt.Errorf("%s: %w", rel, err)
	}
	return nil
}

func makeFolders(root *os.Root, dir string, owner owner) error {
	if dir == "." {
		return nil
	}
	if err := makeFolders(root, filepath.Dir(dir), owner); err != nil {
		return err
	}
	err := root.Mkdir(dir, 0o755)
	if os.IsExist(err) {
		return nil
	}
	if err != nil {
		return err
	}
	return owner.give(root, dir)
}
