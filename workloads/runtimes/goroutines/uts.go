package main

import (
	"crypto/sha1"
	"encoding/binary"
	"math"
	"sync"
	"sync/atomic"
)

// The trees of workloads/applications/uts/tree.h, with the numbers of its enumerations.

const (
	binomial = iota
	geometric
	hybrid
)

const (
	linear = iota
	cyclic
	fixed
)

const childrenMax = 100 // of any node but a binomial tree's root

type tree struct {
	kind, shape             int
	branching, depth, inner float64
	children                uint32
	geometricPart           float64
}

type node struct {
	state [sha1.Size]byte
	depth uint32
}

type count struct{ nodes, leaves, deepest uint64 }

func root(seed uint32) node {
	var message [sha1.Size]byte
	binary.BigEndian.PutUint32(message[sha1.Size-4:], seed)
	return node{state: sha1.Sum(message[:])}
}

func (parent *node) child(number uint32) node {
	var message [sha1.Size + 4]byte
	copy(message[:], parent.state[:])
	binary.BigEndian.PutUint32(message[sha1.Size:], number)
	return node{state: sha1.Sum(message[:]), depth: parent.depth + 1}
}

// What a node draws, in 0 to 1: 31 bits of its state.
func (n *node) drawn() float64 {
	return float64(binary.BigEndian.Uint32(n.state[sha1.Size-4:])&0x7fffffff) / 2147483648.0
}

// Mean number of children at that depth.
func (t *tree) meanChildren(depth float64) float64 {
	if depth == 0 {
		return t.branching
	}
	switch t.shape {
	case linear:
		return t.branching * (1 - depth/t.depth)
	case cyclic:
		if depth > 5*t.depth {
			return 0
		}
		return math.Pow(t.branching, math.Sin(2*3.141592653589793*depth/t.depth))
	}
	if depth < t.depth {
		return t.branching
	}
	return 0
}

func (t *tree) geometricChildren(n *node) uint32 {
	stop := 1 / (1 + t.meanChildren(float64(n.depth)))
	children := math.Floor(math.Log(1-n.drawn()) / math.Log(1-stop))
	return uint32(math.Max(0, math.Min(children, childrenMax)))
}

func (t *tree) binomialChildren(n *node) uint32 {
	if n.drawn() < t.inner {
		return t.children
	}
	return 0
}

func (t *tree) childrenOf(n *node) uint32 {
	switch {
	case t.kind == binomial && n.depth == 0:
		return uint32(t.branching)
	case t.kind == geometric, t.kind == hybrid && float64(n.depth) < t.geometricPart*t.depth:
		return t.geometricChildren(n)
	}
	return t.binomialChildren(n)
}

// What was counted of nodes whose states begin alike. A goroutine cannot ask which thread it is on, so there are more of
// these than threads, apart from the cache lines of others.
type shard struct {
	nodes, leaves, deepest uint64
	_                      [104]byte
}

const shards = 64

func (s *shard) visited(depth uint64, isLeaf bool) {
	atomic.AddUint64(&s.nodes, 1)
	if isLeaf {
		atomic.AddUint64(&s.leaves, 1)
	}
	for before := atomic.LoadUint64(&s.deepest); depth > before; before = atomic.LoadUint64(&s.deepest) {
		if atomic.CompareAndSwapUint64(&s.deepest, before, depth) {
			break
		}
	}
}

// A goroutine a node but the last of its siblings, with which its parent's goes on. Nothing is joined but the whole:
// joined by their parents, who sum up, they take half as long again.
func (t *tree) search(from node) (found count) {
	var counts [shards]shard
	var all sync.WaitGroup
	var visit func(n node)
	visit = func(n node) {
		for {
			children := t.childrenOf(&n)
			counts[n.state[0]%shards].visited(uint64(n.depth), children == 0)
			if children == 0 {
				return
			}
			all.Add(int(children - 1))
			for i := uint32(0); i < children-1; i++ {
				child := n.child(i)
				go func() {
					visit(child)
					all.Done()
				}()
			}
			n = n.child(children - 1)
		}
	}
	visit(from)
	all.Wait()
	for i := range counts {
		found.nodes += counts[i].nodes
		found.leaves += counts[i].leaves
		if counts[i].deepest > found.deepest {
			found.deepest = counts[i].deepest
		}
	}
	return
}
