package main

import (
	"sort"
	"sync"
)

// The sort of workloads/applications/quicksort/partition.h, step by step, where its comments say why.

const block = 64

func sortByInsertion(values []int64) {
	for i := 1; i < len(values); i++ {
		value, j := values[i], i
		for ; j > 0 && value < values[j-1]; j-- {
			values[j] = values[j-1]
		}
		values[j] = value
	}
}

func medianOfThree(a, b, c int64) int64 {
	low, high := a, b
	if b < a {
		low, high = b, a
	}
	if c < low {
		return low
	}
	if high < c {
		return high
	}
	return c
}

func pivotOf(values []int64) int64 {
	middle, last, step := len(values)/2, len(values)-1, len(values)/8
	if len(values) < 128 {
		return medianOfThree(values[0], values[middle], values[last])
	}
	return medianOfThree(medianOfThree(values[0], values[step], values[2*step]),
		medianOfThree(values[middle-step], values[middle], values[middle+step]),
		medianOfThree(values[last-2*step], values[last-step], values[last]))
}

// Places within a block whose values belong to the other side, not exchanged yet.
type misplaced struct {
	size, next, waiting int
	places              [block]uint8
}

// The compiler makes an addition without a branch of it.
func oneIf(condition bool) int {
	if condition {
		return 1
	}
	return 0
}

// The first size values that are not below the pivot.
func (b *misplaced) findLeft(left []int64, pivot int64) {
	b.next, b.waiting = 0, 0
	for i, value := range left[:b.size] {
		b.places[b.waiting&(block-1)] = uint8(i)
		b.waiting += oneIf(value >= pivot)
	}
}

// The last size values that are not above the pivot; place 0 is the last of all.
func (b *misplaced) findRight(right []int64, pivot int64) {
	b.next, b.waiting = 0, 0
	right = right[len(right)-b.size:]
	for i := range right {
		b.places[b.waiting&(block-1)] = uint8(i)
		b.waiting += oneIf(right[len(right)-1-i] <= pivot)
	}
}

func separateEqual(values []int64, pivot int64, smallest bool) int {
	lower := 0
	for i, value := range values {
		if smallest && value <= pivot || !smallest && value < pivot {
			values[i], values[lower] = values[lower], value
			lower++
		}
	}
	return lower
}

func partition(values []int64) int {
	pivot := pivotOf(values)
	left, right := 0, len(values)
	lower, upper := misplaced{size: block}, misplaced{size: block}
	for last := false; !last; {
		rest := right - left
		last = rest <= 2*block
		if last {
			switch {
			case lower.waiting > 0:
				lower.size = block
			case upper.waiting > 0:
				lower.size = rest - block
			default:
				lower.size = rest / 2
			}
			upper.size = rest - lower.size
		}
		if lower.waiting == 0 {
			lower.findLeft(values[left:right], pivot)
		}
		if upper.waiting == 0 {
			upper.findRight(values[left:right], pivot)
		}
		pairs := lower.waiting
		if upper.waiting < pairs {
			pairs = upper.waiting
		}
		for i := 0; i < pairs; i++ {
			a, b := left+int(lower.places[lower.next+i]), right-1-int(upper.places[upper.next+i])
			values[a], values[b] = values[b], values[a]
		}
		lower.next, lower.waiting = lower.next+pairs, lower.waiting-pairs
		upper.next, upper.waiting = upper.next+pairs, upper.waiting-pairs
		if !last && lower.waiting == 0 {
			left += block
		}
		if !last && upper.waiting == 0 {
			right -= block
		}
	}
	middle := left + lower.size
	for lower.waiting > 0 {
		lower.waiting--
		middle--
		a := left + int(lower.places[lower.next+lower.waiting])
		values[a], values[middle] = values[middle], values[a]
	}
	for upper.waiting > 0 {
		upper.waiting--
		a := right - 1 - int(upper.places[upper.next+upper.waiting])
		values[a], values[middle] = values[middle], values[a]
		middle++
	}
	if middle > 0 && middle < len(values) {
		return middle
	}
	return separateEqual(values, pivot, middle == 0)
}

// 0: the piece is sorted; else both sides have to be.
func sortStep(values []int64, cutoff int, levels uint) int {
	switch {
	case len(values) <= cutoff:
		sortByInsertion(values)
	case levels == 0: // by Go's own sort, whose worst case is n log n as well
		sort.Slice(values, func(i, j int) bool { return values[i] < values[j] })
	default:
		return partition(values)
	}
	return 0
}

// Nothing is joined but the whole. A goroutine for one side, the other goes on here.
func quicksort(values []int64, cutoff int, levels uint) {
	var all sync.WaitGroup
	var sort func(values []int64, levels uint)
	sort = func(values []int64, levels uint) {
		for {
			lower := sortStep(values, cutoff, levels)
			if lower == 0 {
				break
			}
			above := values[lower:]
			values, levels = values[:lower], levels-1
			rest := levels
			all.Add(1)
			go func() {
				sort(above, rest)
				all.Done()
			}()
		}
	}
	sort(values, levels)
	all.Wait()
}
