// SPDX-License-Identifier: Apache-2.0

package quadrille

import (
	"errors"
	"fmt"
	"strings"
)

var (
	// ErrRoomClosed: the room is closed, or this session has left it.
	ErrRoomClosed = errors.New("the room is closed")
	// ErrSessionEnded: the session was closed, or the server refuses its token or version.
	ErrSessionEnded = errors.New("the session has ended")

	// errRestarted: the server's session is new, so an answer of the earlier one never comes.
	errRestarted = errors.New("the server's session is new")
)

// RefusedEntry is an entry of a batch that the server refused. The others were applied.
type RefusedEntry struct {
	Index int       // in the columns of the call
	ID    uint32    // of the entity or observer
	Code  ErrorCode // why
	Field int       // the number of the field at fault in quadrille.proto; 0: the entry
}

// Reason is the name of the code, such as "UNKNOWN_ID".
func (e RefusedEntry) Reason() string {
	return codeName(e.Code)
}

// Refusal is why the server refused a request, or entries of it.
type Refusal struct {
	Room    string    // the room's name; empty: the session itself
	Command string    // the request, such as "move"
	Code    ErrorCode // that of the first entry, if entries were refused
	Text    string    // for people: the value, the rule and the fix
	Entries []RefusedEntry
}

// Reason is the name of the code.
func (r *Refusal) Reason() string {
	return codeName(r.Code)
}

// RefusedError is returned by a call that waits for a request that the server refuses.
type RefusedError struct {
	Refusal
}

func (e *RefusedError) Error() string {
	return fmt.Sprintf("%s: %s: %s", e.Command, e.Reason(), e.Text)
}

// codeName is the name of a code, or its number if this version does not know it.
func codeName(code ErrorCode) string {
	return strings.TrimPrefix(code.String(), "ERROR_CODE_")
}
