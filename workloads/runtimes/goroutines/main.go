// The application workloads on Go's scheduler, as workloads/runtimes/goroutines.c calls them. Built as an archive for C (make runtimes),
// offline, from Go's own library alone.
//
// As Go's documentation has it: a goroutine for what may go on by itself, a sync.WaitGroup where its result is needed,
// the last piece done by whoever divided the work.
package main

// #include <stdint.h>
// void foreign_serve(uint64_t request);
import "C"

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"
)

func main() {} // what an archive has to have; C's is the one that runs

// A call from C occupies its thread as long as it lasts, so the work is a goroutine of its own.
func onScheduler(work func()) {
	var done sync.WaitGroup
	done.Add(1)
	go func() {
		defer done.Done()
		work()
	}()
	done.Wait()
}

//export go_start
func go_start(threads C.uint32_t) { runtime.GOMAXPROCS(int(threads)) }

// Every processor of the scheduler runs one of these until all do, or a tenth of a second is over: then all are awake.
//
//export go_gather
func go_gather() {
	threads := int32(runtime.GOMAXPROCS(0))
	until := time.Now().Add(100 * time.Millisecond)
	var arrived int32
	var all sync.WaitGroup
	for i := int32(0); i < threads; i++ {
		all.Add(1)
		go func() {
			defer all.Done()
			atomic.AddInt32(&arrived, 1)
			for atomic.LoadInt32(&arrived) < threads && time.Now().Before(until) {
			}
		}()
	}
	all.Wait()
}

// A goroutine a request. The work is C's, so a call out of Go is in its time.
//
//export go_submit
func go_submit(request C.uint64_t) { go C.foreign_serve(request) }

//export go_fib
func go_fib(n, cutoff C.uint32_t) (result C.uint64_t) {
	onScheduler(func() { result = C.uint64_t(fib(uint32(n), uint32(cutoff))) })
	return
}

//export go_nqueens
func go_nqueens(side, cutoff C.uint32_t) (ways C.uint64_t) {
	onScheduler(func() { ways = C.uint64_t(newQueens(uint32(side), uint32(cutoff)).place(board{})) })
	return
}

//export go_sort
func go_sort(values *C.int64_t, count, cutoff C.uint64_t, levels C.uint32_t) {
	numbers := unsafe.Slice((*int64)(unsafe.Pointer(values)), int(count))
	onScheduler(func() { quicksort(numbers, int(cutoff), uint(levels)) })
}

//export go_search
func go_search(kind, shape C.int32_t, branching, depth, inner C.double, children C.uint32_t, geometricPart C.double,
	seed C.uint32_t, found *C.uint64_t) {
	searched := tree{kind: int(kind), shape: int(shape), branching: float64(branching), depth: float64(depth),
		inner: float64(inner), children: uint32(children), geometricPart: float64(geometricPart)}
	result := unsafe.Slice((*uint64)(unsafe.Pointer(found)), 3)
	onScheduler(func() {
		count := searched.search(root(uint32(seed)))
		result[0], result[1], result[2] = count.nodes, count.leaves, count.deepest
	})
}

//export go_walk
func go_walk(path *C.char, counts *C.uint64_t) (failed C.int32_t) {
	from := C.GoString(path)
	result := unsafe.Slice((*uint64)(unsafe.Pointer(counts)), 3)
	onScheduler(func() {
		if !walk(from, result) {
			failed = 1
		}
	})
	return
}
