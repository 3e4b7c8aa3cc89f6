package store

import (
	"strconv"
	"testing"

	"rootsmanager/app/root"
)

// A change by one person, on a small and on a large profile.
func BenchmarkTickOneCell(b *testing.B) {
	for _, size := range []struct{ servers, roots int }{{5, 12}, {100, 1_000}} {
		b.Run(strconv.Itoa(size.servers)+"x"+strconv.Itoa(size.roots), func(b *testing.B) {
			s := openAt(b, b.TempDir())
			st := fill(b, s, size.servers, size.roots)
			v, r := st.Servers[0].ID, st.Members[st.Active][0]
			on := false
			for b.Loop() {
				update(b, s, func(tx *Tx) error {
					if on = !on; on {
						return tx.Unassign(st.Active, v, r)
					}
					return tx.Assign(st.Active, v, r, root.ReadOnly)
				})
			}
		})
	}
}

func BenchmarkAddRoots10000To5Servers(b *testing.B) {
	for b.Loop() {
		b.StopTimer()
		s := openAt(b, b.TempDir())
		b.StartTimer()
		fill(b, s, 5, 10_000)
	}
}

func BenchmarkOpen(b *testing.B) {
	for _, size := range []struct{ servers, roots int }{{5, 12}, {5, 10_000}} {
		b.Run(strconv.Itoa(size.servers)+"x"+strconv.Itoa(size.roots), func(b *testing.B) {
			dir := b.TempDir()
			fill(b, openAt(b, dir), size.servers, size.roots)
			for b.Loop() {
				s, err := openSettled(b.Context(), dir, testOptions(dir))
				if err != nil {
					b.Fatal(err)
				}
				if err := s.Close(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
