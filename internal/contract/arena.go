package contract

// arena hands out memory for contracts in chunks, so that a listing of many tools costs few allocations.
type arena struct {
	chunk []byte
	rest  int // bytes of the whole input: few listings need a larger chunk
}

const chunkSize = 256 << 10

// take returns an empty slice with room for size bytes.
func (a *arena) take(size int) []byte {
	if cap(a.chunk)-len(a.chunk) < size {
		a.chunk = make([]byte, 0, max(size, min(chunkSize, a.rest)))
	}
	return a.chunk[len(a.chunk):]
}

// keep says that b, made by appending to what take returned, stays in use.
func (a *arena) keep(b []byte) []byte {
	a.chunk = a.chunk[:len(a.chunk)+len(b)]
	return b[:len(b):len(b)]
}
