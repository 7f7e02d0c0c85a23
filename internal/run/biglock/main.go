// Command biglock makes a lock of many file servers with many tools, to measure with:
//
//	go run ./internal/run/biglock -servers 2000 -tools 50 DIR
//
// DIR then holds contractpin.lock, its contracts file and one dump for each server; -drift N changes one description in
// each of the first N dumps after they are pinned.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/contractpin/verify/internal/contract"
	"github.com/contractpin/verify/internal/lock"
)

func main() {
	servers := flag.Int("servers", 2000, "servers")
	tools := flag.Int("tools", 50, "tools of each")
	drift := flag.Int("drift", 0, "servers of which one tool drifts")
	texts := flag.Bool("contracts", true, "write the contracts file")
	flag.Parse()
	if flag.NArg() != 1 {
		log.Fatal("usage: biglock [flags] DIR")
	}
	if err := generate(flag.Arg(0), *servers, *tools, *drift, *texts); err != nil {
		log.Fatal(err)
	}
}

func generate(dir string, servers, tools, drift int, texts bool) error {
	if err := os.MkdirAll(filepath.Join(dir, "dumps"), 0o755); err != nil {
		return err
	}
	l := &lock.Lock{GeneratedAt: time.Unix(0, 0), Servers: map[string]*lock.Server{}}
	contracts := &lock.Contracts{}
	for i := range servers {
		s := &lock.Server{Name: fmt.Sprintf("server-%04d", i), Transport: lock.File, Path: fmt.Sprintf("dumps/%04d.json", i)}
		data := dump(i, tools)
		listing, err := contract.ParseDump(data)
		if err != nil {
			return err
		}
		s.Tools, s.Digest = listing.Pins(), listing.Digest
		l.Servers[s.Name] = s
		contracts.Set(s.Name, listing.Tools)
		if i < drift {
			data = bytes.Replace(data, []byte("Reads"), []byte("Reads and sends"), 1)
		}
		if err := os.WriteFile(filepath.Join(dir, filepath.FromSlash(s.Path)), data, 0o644); err != nil {
			return err
		}
	}
	path := filepath.Join(dir, "contractpin.lock")
	if texts {
		if err := lock.Write(lock.ContractsPath(path), contracts.Encode()); err != nil {
			return err
		}
	}
	return lock.Write(path, l.Encode())
}

// dump is a listing of tools of about 1,100 bytes each, as real servers have them on average.
func dump(server, tools int) []byte {
	var b bytes.Buffer
	b.WriteString(`{"tools":[`)
	for i := range tools {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"name":"read_item_%03d","description":"Reads item %d of server %d. %s",`, i, i, server,
			strings.Repeat("It returns the item as text, with its labels and dates. ", 8))
		b.WriteString(`"inputSchema":{"type":"object","properties":{"id":{"type":"string","description":"The identifier of the item, as the list shows it"},` +
			`"limit":{"type":"integer","minimum":1,"maximum":100,"default":20,"description":"How many to return at most"},` +
			`"labels":{"type":"array","items":{"type":"string"},"description":"Only items that have all of these"}},` +
			`"required":["id"],"additionalProperties":false,"$schema":"http://json-schema.org/draft-07/schema#"},` +
			`"annotations":{"readOnlyHint":true,"openWorldHint":false}}`)
	}
	b.WriteString(`]}`)
	return b.Bytes()
}
