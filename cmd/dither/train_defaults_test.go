package main

import (
	"reflect"
	"testing"

	"github.com/ditherml/dither/train"
)

// TestDefaultsAreThoseOfTheFlags holds what Go programs get without a word to what the command does without a flag.
func TestDefaultsAreThoseOfTheFlags(t *testing.T) {
	command, _ := newTrainCommand()
	request, options, err := command.plan.request(false)
	if err != nil {
		t.Fatal(err)
	}
	wantRequest, wantOptions := train.Defaults()
	if !reflect.DeepEqual(request, wantRequest) || !reflect.DeepEqual(options, wantOptions) {
		t.Errorf("without flags: %+v and %+v, want %+v and %+v", request, options, wantRequest, wantOptions)
	}
}
