package store

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"strconv"
	"strings"
)

// SealState says whether decisions are kept, and if not, why.
type SealState struct {
	Sealed   bool   // decisions are written to the sealed ledger; otherwise they last until the process ends
	Tampered bool   // the ledger had been altered: everything in it counts as undecided. See Store.AcknowledgeTampering
	Reason   string // a few words: why not Sealed, or how Tampered was noticed
	Help     string // a sentence: how to mend it on this desktop
	KeptAt   string // Tampered: the table of the profile file that holds the old ledger
}

// The items of the keyring.
const (
	itemKey    = "key"    // the master key, base64
	itemHead   = "head"   // the newest row of the ledger: a mark
	itemIntent = "intent" // the row about to be written: two marks
	itemAudit  = "audit"  // a recent row of the audit log: a mark
)

type sealTag [sha256.Size]byte

// mark names a row of the ledger and, by its tag, everything before it. seq 0
// is the beginning of an epoch.
type mark struct {
	epoch string // random; a ledger that begins anew begins with another one
	seq   int64
	tag   sealTag
}

func (m mark) String() string {
	return m.epoch + " " + strconv.FormatInt(m.seq, 10) + " " + hex.EncodeToString(m.tag[:])
}

func parseMarks(text string, n int) ([]mark, error) {
	fields := strings.Fields(text)
	if len(fields) != 3*n {
		return nil, errors.New("an item of the keyring cannot be read")
	}
	var marks []mark
	for ; len(fields) > 0; fields = fields[3:] {
		m := mark{epoch: fields[0]}
		var err error
		if m.seq, err = strconv.ParseInt(fields[1], 10, 64); err != nil {
			return nil, fmt.Errorf("an item of the keyring cannot be read: %w", err)
		}
		tag, err := hex.DecodeString(fields[2])
		if err != nil || len(tag) != len(m.tag) {
			return nil, errors.New("an item of the keyring cannot be read")
		}
		m.tag = sealTag(tag)
		marks = append(marks, m)
	}
	return marks, nil
}

// nothing is the head of a keyring that holds none.
var nothing = mark{epoch: "-"}

// sealKeys are derived from the master key, one for each purpose.
type sealKeys struct {
	ledger, audit, digest []byte
}

func newSealKeys(master []byte) *sealKeys {
	derive := func(purpose string) []byte {
		h := hmac.New(sha256.New, master)
		h.Write([]byte("roots-manager 1 " + purpose))
		return h.Sum(nil)
	}
	return &sealKeys{ledger: derive("ledger"), audit: derive("audit"), digest: derive("digest")}
}

func encodeKey(master []byte) string { return base64.StdEncoding.EncodeToString(master) }

func decodeKey(text string) ([]byte, error) {
	key, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(key) != 32 {
		return nil, errors.New("the key in the keyring cannot be read")
	}
	return key, nil
}

// chain makes the tags of rows, each bound to all before it.
type chain struct {
	mac hash.Hash
	buf []byte // what the next tag is made of; reused
}

func newChain(key []byte) *chain { return &chain{mac: hmac.New(sha256.New, key)} }

// begin is the tag in front of the first row of an epoch.
func (c *chain) begin(epoch string) (tag sealTag) {
	c.mac.Reset()
	c.mac.Write([]byte("epoch " + epoch))
	c.mac.Sum(tag[:0])
	return tag
}

// next is the tag of the row seq that follows a row with the tag before.
func (c *chain) next(before sealTag, seq int64, body string) (tag sealTag) {
	c.buf = append(c.buf[:0], before[:]...)
	c.buf = binary.BigEndian.AppendUint64(c.buf, uint64(seq))
	c.buf = append(c.buf, body...)
	c.mac.Reset()
	c.mac.Write(c.buf)
	c.mac.Sum(tag[:0])
	return tag
}

// sealedRow is a row of the ledger as it stands in the file.
type sealedRow struct {
	seq  int64
	body string
	tag  sealTag // zero: none, or not one of ours
}

// alteration says how it was noticed that a ledger is not what was sealed.
type alteration struct{ why string }

func (a *alteration) Error() string { return a.why }

// follow checks rows that come after from and returns the last one's mark.
func (c *chain) follow(from mark, rows []sealedRow) (mark, error) {
	at := from
	for _, r := range rows {
		switch {
		case r.seq != at.seq+1:
			return at, &alteration{fmt.Sprintf("row %d of the ledger is missing", at.seq+1)}
		case r.tag == sealTag{}:
			return at, &alteration{fmt.Sprintf("row %d of the ledger was never sealed", r.seq)}
		}
		tag := c.next(at.tag, r.seq, r.body)
		if !hmac.Equal(tag[:], r.tag[:]) {
			return at, &alteration{fmt.Sprintf("row %d of the ledger is not the one that was sealed", r.seq)}
		}
		at = mark{at.epoch, r.seq, tag}
	}
	return at, nil
}

// judge tells where a ledger stands, given what the keyring remembers. The file
// must end exactly at the head or, if a process ended between the two writes,
// at the row that was announced next. Everything else is an *alteration.
func (c *chain) judge(rows []sealedRow, head mark, intent []mark) (mark, error) {
	allowed := []mark{head}
	if len(intent) == 2 && intent[0] == head {
		allowed = append(allowed, intent[1])
	}
	var first error
	for _, want := range allowed {
		if want == nothing {
			if first == nil {
				first = &alteration{"the keyring of this computer does not know this ledger"}
			}
			continue
		}
		at, err := c.follow(mark{epoch: want.epoch, tag: c.begin(want.epoch)}, rows)
		switch {
		case err != nil:
		case at == want:
			return at, nil
		case at.seq < want.seq:
			err = &alteration{fmt.Sprintf("the newest %d rows of the ledger are missing, as if an older file had been put in place", want.seq-at.seq)}
		default:
			err = &alteration{"the ledger holds rows that the keyring does not know"}
		}
		if first == nil {
			first = err
		}
	}
	return mark{}, first
}
