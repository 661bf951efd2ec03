// fib and nqueens on Go's scheduler, as extras/runtimes/goroutines.c calls them. Built as an archive for C (make runtimes),
// offline, from Go's own library alone.
//
// As Go's documentation has it: a goroutine for what may go on by itself, a sync.WaitGroup where its result is needed,
// the last piece done by whoever divided the work.
package main

// #include <stdint.h>
import "C"

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"
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
