package ui

import "iter"

// pool keeps a drawn slot for everything in view. A slot that left the view is
// used for what comes into it, so scrolling by a row draws one row.
type pool[K, S comparable] struct {
	used map[K]S
	free []S
	all  []S // in the order they were built, which never changes
	live map[S]bool
}

// keep frees the slots of what is no longer in view and tells whether any was.
func (p *pool[K, S]) keep(inView func(K) bool) bool {
	freed := false
	for k, s := range p.used {
		if !inView(k) {
			delete(p.used, k)
			delete(p.live, s)
			p.free = append(p.free, s)
			freed = true
		}
	}
	return freed
}

// at returns the slot of k, and whether it was there already.
func (p *pool[K, S]) at(k K, build func() S) (s S, was bool) {
	if s, was = p.used[k]; was {
		return s, true
	}
	if p.used == nil {
		p.used, p.live = map[K]S{}, map[S]bool{}
	}
	if n := len(p.free); n > 0 {
		s = p.free[n-1]
		p.free = p.free[:n-1]
	} else {
		s = build()
		p.all = append(p.all, s)
	}
	p.used[k], p.live[s] = s, true
	return s, false
}

// shown iterates over the slots in view, always in the same order: Fyne
// compares the objects of one frame with those of the last.
func (p *pool[K, S]) shown() iter.Seq[S] {
	return func(yield func(S) bool) {
		for _, s := range p.all {
			if p.live[s] && !yield(s) {
				return
			}
		}
	}
}

// forget drops the slots that are not in view: they were not in the window
// when its colours changed.
func (p *pool[K, S]) forget() {
	p.free = nil
	kept := p.all[:0]
	for _, s := range p.all {
		if p.live[s] {
			kept = append(kept, s)
		}
	}
	p.all = kept
}
