package main

import (
	"fmt"
	"io/fs"
	"os"
	"sync"
	"sync/atomic"
)

const openAtOnce = 1000 // directories; more goroutines wait for a place

// A goroutine a directory. The directory tells the types of its entries; none of them is asked for.
func walk(from string, counts []uint64) bool {
	var all sync.WaitGroup
	var failures int32
	places := make(chan struct{}, openAtOnce)
	read := func(path string) ([]fs.DirEntry, error) {
		places <- struct{}{}
		defer func() { <-places }()
		directory, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		defer directory.Close()
		return directory.ReadDir(-1)
	}
	var visit func(path string)
	visit = func(path string) {
		defer all.Done()
		entries, err := read(path)
		if err != nil {
			atomic.AddInt32(&failures, 1)
			fmt.Fprintf(os.Stderr, "cannot read %q: %v\n", path, err)
			return
		}
		var files, links uint64
		for _, entry := range entries {
			switch {
			case entry.IsDir():
				all.Add(1)
				go visit(path + "/" + entry.Name())
			case entry.Type().IsRegular():
				files++
			case entry.Type()&fs.ModeSymlink != 0:
				links++
			}
		}
		atomic.AddUint64(&counts[0], 1)
		atomic.AddUint64(&counts[1], files)
		atomic.AddUint64(&counts[2], links)
	}
	all.Add(1)
	visit(from)
	all.Wait()
	return failures == 0
}
