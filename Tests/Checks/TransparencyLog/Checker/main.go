// Checks this project's audit log with Go's own transparency log: roots, proofs and signed notes.
//
//	checker states LINES FIRSTKEY < output of log-generator prove
//	checker root LINES    prints the root of all lines
//	checker texts LINES FIRSTKEY VERIFIER CHECKPOINT FILE…   with what mdefaults audit prove and consistency print
//
// LINES is the log, all its files one after the other; FIRSTKEY the line of the first key, or - for none.
package main

import (
	"bufio"
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

// fail ends the program with a sentence.
func fail(format string, values ...interface{}) {
	fmt.Fprintf(os.Stderr, "checker: "+format+"\n", values...)
	os.Exit(1)
}

// must ends the program if there is an error.
func must(err error, what string) {
	if err != nil {
		fail("%s: %v", what, err)
	}
}

// memory holds the hashes of a log in the order that Go stores them in.
type memory []tlog.Hash

// ReadHashes returns stored hashes.
func (m memory) ReadHashes(indexes []int64) ([]tlog.Hash, error) {
	hashes := make([]tlog.Hash, len(indexes))
	for i, index := range indexes {
		hashes[i] = m[index]
	}
	return hashes, nil
}

// read hashes the lines of a log.
func read(path string) (memory, [][]byte) {
	data, err := os.ReadFile(path)
	must(err, "the log")
	lines := bytes.Split(bytes.TrimSuffix(data, []byte("\n")), []byte("\n"))
	var hashes memory
	for i, line := range lines {
		stored, err := tlog.StoredHashes(int64(i), line, hashes)
		must(err, "a line")
		hashes = append(hashes, stored...)
	}
	return hashes, lines
}

// evolving checks the signature whose key is replaced after each checkpoint.
type evolving struct {
	name string
	hash uint32
	key  []byte
}

func (e evolving) Name() string    { return e.name }
func (e evolving) KeyHash() uint32 { return e.hash }

// Verify computes the key of the signature from the first one.
func (e evolving) Verify(message, signature []byte) bool {
	if len(signature) != 40 {
		return false
	}
	key := e.key
	for n := binary.BigEndian.Uint64(signature); n > 0; n-- {
		next := sha256.Sum256(append([]byte("managed-defaults/next-checkpoint-key\n"), key...))
		key = next[:]
	}
	code := hmac.New(sha256.New, key)
	code.Write(message)
	return hmac.Equal(code.Sum(nil), signature[8:])
}

// firstKey parses the line of a first key.
func firstKey(line string) note.Verifier {
	words := strings.Fields(line)
	if len(words) != 3 {
		fail("the first key has %d words", len(words))
	}
	hash, err := strconv.ParseUint(words[1], 16, 32)
	must(err, "the id of the first key")
	key, err := base64.StdEncoding.DecodeString(words[2])
	must(err, "the first key")
	public := sha256.Sum256(key)
	text := words[0] + "\n\xffmanaged-defaults/evolving-hmac-sha256" + string(public[:])
	sum := sha256.Sum256([]byte(text))
	if binary.BigEndian.Uint32(sum[:]) != uint32(hash) {
		fail("the id of the first key is not that of its name and kind")
	}
	return evolving{words[0], uint32(hash), key}
}

// tree parses the text of a checkpoint.
func tree(text string) (int64, tlog.Hash) {
	lines := strings.Split(text, "\n")
	if len(lines) < 4 || lines[0] == "" {
		fail("a checkpoint has %d lines", len(lines))
	}
	size, err := strconv.ParseInt(lines[1], 10, 64)
	must(err, "the size of a checkpoint")
	root, err := tlog.ParseHash(lines[2])
	must(err, "the root of a checkpoint")
	return size, root
}

// checkpoint compares a checkpoint with the log, and its signatures with the keys.
func checkpoint(text []byte, hashes memory, signatures int, keys ...note.Verifier) (int64, tlog.Hash) {
	body := string(text)
	if len(keys) > 0 {
		opened, err := note.Open(text, note.VerifierList(keys...))
		must(err, "a signed note")
		if len(opened.Sigs) != signatures {
			fail("a note has %d known signatures and not %d", len(opened.Sigs), signatures)
		}
		body = opened.Text
		// One letter changed, and no key accepts it.
		if _, err := note.Open(bytes.Replace(text, []byte("\n"), []byte("0\n"), 1), note.VerifierList(keys...)); err == nil {
			fail("a changed note is accepted")
		}
	}
	size, root := tree(body)
	expected, err := tlog.TreeHash(size, hashes)
	must(err, "the tree")
	if root != expected {
		fail("the root of %d records is %v and not %v", size, root, expected)
	}
	return size, root
}

// parse parses hashes.
func parse(words []string) []tlog.Hash {
	var hashes []tlog.Hash
	for _, word := range words {
		if word == "" {
			continue
		}
		hash, err := tlog.ParseHash(word)
		must(err, "a hash")
		hashes = append(hashes, hash)
	}
	return hashes
}

// equal compares two proofs.
func equal(one, other []tlog.Hash) bool {
	if len(one) != len(other) {
		return false
	}
	for i := range one {
		if one[i] != other[i] {
			return false
		}
	}
	return true
}

// inclusion checks a proof of a record.
func inclusion(hashes memory, size int64, root tlog.Hash, index int64, lines [][]byte, proof []tlog.Hash) {
	err := tlog.CheckRecord(proof, size, root, index, tlog.RecordHash(lines[index]))
	must(err, fmt.Sprintf("record %d of %d", index, size))
	own, err := tlog.ProveRecord(size, index, hashes)
	must(err, "Go's proof")
	if !equal(own, proof) {
		fail("the proof of record %d of %d is not Go's", index, size)
	}
}

// consistency checks a proof that a tree continues another.
func consistency(hashes memory, size int64, root tlog.Hash, old int64, proof []tlog.Hash) {
	before, err := tlog.TreeHash(old, hashes)
	must(err, "the smaller tree")
	must(tlog.CheckTree(proof, size, root, old, before), fmt.Sprintf("%d to %d", old, size))
	own, err := tlog.ProveTree(size, old, hashes)
	must(err, "Go's proof")
	if !equal(own, proof) {
		fail("the proof from %d to %d is not Go's", old, size)
	}
}

// states checks all states that the generator printed.
func states(hashes memory, lines [][]byte, keys []note.Verifier) {
	var size int64
	var root tlog.Hash
	var counts [3]int
	input := bufio.NewScanner(os.Stdin)
	input.Buffer(nil, 1<<20)
	for input.Scan() {
		words := strings.Split(input.Text(), " ")
		number, err := strconv.ParseInt(words[1], 10, 64)
		must(err, "a number")
		if words[0] == "checkpoint" {
			text, err := base64.StdEncoding.DecodeString(words[2])
			must(err, "a checkpoint")
			size, root = checkpoint(text, hashes, 1, keys...)
			counts[0]++
		} else {
			place, err := strconv.ParseInt(words[2], 10, 64)
			must(err, "a place")
			proof := parse(strings.Split(words[3], ","))
			if words[0] == "inclusion" {
				inclusion(hashes, size, root, place, lines, proof)
				counts[1]++
			} else {
				consistency(hashes, size, root, place, proof)
				counts[2]++
			}
		}
		if number != size {
			fail("a checkpoint of %d records is printed for %d", size, number)
		}
	}
	must(input.Err(), "the input")
	fmt.Printf("Go accepts %d roots, %d proofs of records, %d proofs of states\n", counts[0], counts[1], counts[2])
}

// texts checks what the commands print.
func texts(hashes memory, lines [][]byte, keys []note.Verifier, paths []string) {
	text, err := os.ReadFile(paths[0])
	must(err, "the checkpoint")
	size, root := checkpoint(text, hashes, len(keys), keys...)
	for _, path := range paths[1:] {
		text, err := os.ReadFile(path)
		must(err, path)
		head, rest, _ := strings.Cut(string(text), "\n\n")
		words := strings.Split(head, "\n")
		if words[0] == "c2sp.org/tlog-proof@v1" {
			index, err := strconv.ParseInt(strings.TrimPrefix(words[1], "index "), 10, 64)
			must(err, "an index")
			inclusion(hashes, size, root, index, lines, parse(words[2:]))
			checkpoint([]byte(rest), hashes, 1, keys...)
		} else {
			old, err := strconv.ParseInt(strings.TrimPrefix(words[0], "old "), 10, 64)
			must(err, "an old size")
			later, end := tree(rest)
			consistency(hashes, later, end, old, parse(words[1:]))
		}
	}
	fmt.Printf("Go accepts a note with %d signatures of %d records, and %d texts\n", len(keys), size, len(paths)-1)
}

func main() {
	if len(os.Args) == 3 && os.Args[1] == "root" {
		hashes, lines := read(os.Args[2])
		root, err := tlog.TreeHash(int64(len(lines)), hashes)
		must(err, "the root")
		fmt.Println(base64.StdEncoding.EncodeToString(root[:]))
		return
	}
	if len(os.Args) < 4 {
		fail("usage: checker root LINES, or checker states|texts LINES FIRSTKEY …")
	}
	hashes, lines := read(os.Args[2])
	var keys []note.Verifier
	if os.Args[3] != "-" {
		keys = append(keys, firstKey(os.Args[3]))
	}
	if os.Args[1] == "states" {
		states(hashes, lines, keys)
		return
	}
	verifier, err := note.NewVerifier(os.Args[4])
	must(err, "the public key")
	texts(hashes, lines, append(keys, verifier), os.Args[5:])
}
