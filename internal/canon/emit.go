package canon

// job is what remains to be written of an object whose members are being put in order.
type job struct {
	next, last uint32 // members still to write
	from, to   uint32 // what follows the object in its own span
	object     uint32 // the first of objects in there
}

// emit appends source[from:to], with every recorded object in it in order. i is the first of objects at or after from.
func (s *scanner) emit(dst, source []byte, from, to, i uint32) []byte {
	jobs := s.jobs[:0]
	for {
		if int(i) < len(s.objects) && s.objects[i].start < to {
			o := &s.objects[i]
			if o.first == o.last { // in order itself, but not all that is inside it
				i++
				continue
			}
			dst = append(dst, source[from:o.start+1]...)
			jobs = append(jobs, job{o.first + 1, o.last, o.end, to, o.next})
			m := &s.sorted[o.first]
			from, to, i = m.start, m.end, m.first
			continue
		}
		dst = append(dst, source[from:to]...)
		if len(jobs) == 0 {
			s.jobs = jobs
			return dst
		}
		j := &jobs[len(jobs)-1]
		if j.next < j.last {
			m := &s.sorted[j.next]
			j.next++
			dst = append(dst, ',')
			from, to, i = m.start, m.end, m.first
			continue
		}
		from, to, i = j.from, j.to, j.object
		jobs = jobs[:len(jobs)-1]
	}
}
