package main

import (
	"math/bits"
	"sync"
)

func fibAlone(n uint32) uint64 {
	if n < 2 {
		return uint64(n)
	}
	return fibAlone(n-1) + fibAlone(n-2)
}

func fib(n, cutoff uint32) uint64 {
	if n <= cutoff {
		return fibAlone(n)
	}
	var x uint64
	var other sync.WaitGroup
	other.Add(1)
	go func() {
		x = fib(n-1, cutoff)
		other.Done()
	}()
	y := fib(n-2, cutoff)
	other.Wait()
	return x + y
}

// What the queens so far attack in the next row, as bits.
type board struct{ columns, left, right, row uint32 }

type queens struct{ all, aloneFrom uint32 }

func newQueens(side, cutoff uint32) queens {
	from := uint32(0)
	if cutoff < side {
		from = side - cutoff
	}
	return queens{all: 1<<side - 1, aloneFrom: from}
}

func (q queens) free(b board) uint32 { return q.all &^ (b.columns | b.left | b.right) }

// With a queen on the lowest of the free columns.
func (b board) next(free uint32) board {
	queen := free & -free
	return board{b.columns | queen, (b.left | queen) << 1, (b.right | queen) >> 1, b.row + 1}
}

func (q queens) alone(b board) uint64 {
	ways := uint64(0)
	if b.columns == q.all {
		ways = 1
	}
	for free := q.free(b); free != 0; free &= free - 1 {
		ways += q.alone(b.next(free))
	}
	return ways
}

// A goroutine a placement but the last of a row.
func (q queens) place(b board) uint64 {
	if b.row >= q.aloneFrom {
		return q.alone(b)
	}
	free := q.free(b)
	count := bits.OnesCount32(free)
	if count == 0 {
		return 0
	}
	ways := make([]uint64, count)
	var row sync.WaitGroup
	row.Add(count - 1)
	for i := 0; i < count-1; i, free = i+1, free&(free-1) {
		way, next := &ways[i], b.next(free)
		go func() {
			*way = q.place(next)
			row.Done()
		}()
	}
	sum := q.place(b.next(free))
	row.Wait()
	for _, way := range ways {
		sum += way
	}
	return sum
}
