package sample

import (
	"reflect"
	"slices"
	"sync"
	"testing"
)

// blockPair is one block of AES as two words.
type blockPair [2]uint64

// blocksOf reads n blocks of each stream, each in a goroutine of its own.
func blocksOf(streams []*Stream, n int) []blockPair {
	out := make([]blockPair, n*len(streams))
	var all sync.WaitGroup
	for i, s := range streams {
		part := out[i*n : (i+1)*n]
		all.Go(func() {
			for k := range part {
				part[k] = blockPair{s.Word(), s.Word()}
			}
		})
	}
	all.Wait()
	return out
}

// repeats counts the blocks that occurred before.
func repeats(blocks []blockPair) int {
	count := len(blocks)
	slices.SortFunc(blocks, func(a, b blockPair) int { return slices.Compare(a[:], b[:]) })
	return count - len(slices.Compact(blocks))
}

// TestStreamsNeverRepeatABlock draws 2^18 blocks of 16 bytes from 64 fresh streams at once. A
// stream by itself cannot repeat a block, since AES is a permutation and its counter goes on;
// between streams the 2^35 pairs agree with probability below 2^(35-128) = 2^-93. Two streams
// under one key, or one stream begun again, must be found.
func TestStreamsNeverRepeatABlock(t *testing.T) {
	streams := make([]*Stream, 64)
	for i := range streams {
		streams[i] = NewStream()
	}
	if n := repeats(blocksOf(streams, 1<<12)); n != 0 {
		t.Errorf("%d of 2^18 blocks occur again", n)
	}
	if n := repeats(blocksOf([]*Stream{fixed(170), NewStream(), fixed(170)}, 1<<11)); n != 1<<11 {
		t.Errorf("two streams under one key repeat %d blocks, want all %d", n, 1<<11)
	}
}

// TestStreamIsMarkedAgainstCopies: go vet reports a copy of any value that holds, by value, a
// type of which only the pointer has the methods Lock and Unlock. Nothing else prevents one, and
// a copy would give out the rest of the buffer a second time.
func TestStreamIsMarkedAgainstCopies(t *testing.T) {
	locker := reflect.TypeFor[sync.Locker]()
	stream := reflect.TypeFor[Stream]()
	for i := range stream.NumField() {
		field := stream.Field(i).Type
		if reflect.PointerTo(field).Implements(locker) && !field.Implements(locker) && field.Kind() == reflect.Struct {
			return
		}
	}
	t.Errorf("no field of %v carries the mark", stream)
}
