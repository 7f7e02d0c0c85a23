package lock

import "github.com/contractpin/verify/internal/contract"

// Contracts is the contracts file: the readable companion of a lock. It is no input to any verdict.
// A nil *Contracts holds nothing.
type Contracts struct {
	// unexported: server → tool → canonical contract bytes
}

// ContractsPath is the lock's name with .contracts.json for .lock.
func ContractsPath(lockPath string) string { panic("being written") }

// LoadContracts reads the contracts file beside the lock. Each entry is digested; one whose digest is not the lock's is
// ignored. Whatever is wrong with the file is said in warnings and changes nothing but the detail shown.
func LoadContracts(path string, l *Lock) (*Contracts, []string) { panic("being written") }

// ParseContracts does the same from bytes.
func ParseContracts(name string, data []byte, l *Lock) (*Contracts, []string) { panic("being written") }

// Tool returns the locked contract of a tool, or nil where none is known.
func (c *Contracts) Tool(server, tool string) *contract.Tool { panic("being written") }

// Set replaces everything held of one server; nil tools removes it.
func (c *Contracts) Set(server string, tools []contract.Tool) { panic("being written") }

// Encode renders the file like the lock.
func (c *Contracts) Encode() []byte { panic("being written") }
