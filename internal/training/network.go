package training

import (
	"context"
	"fmt"
	"os"
	"reflect"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/internal/draft"
	"github.com/ditherml/dither/internal/layers"
	"github.com/ditherml/dither/internal/report"
	"github.com/ditherml/dither/internal/wording"
	"github.com/ditherml/dither/ledger"
	"github.com/ditherml/dither/model"
	"github.com/ditherml/dither/train"
	"github.com/ditherml/dither/train/neural"
)

// Network holds the settings of a network's run in addition to the settings of every run.
type Network struct {
	Setup   neural.Setup
	Options neural.Options
	// Frozen describes the origin of frozen layers, nil without any.
	Frozen *certificate.Frozen
	// Checkpoint is the file of checkpoints, "" for none. held is that file, open and locked.
	Checkpoint string
	held       *os.File
	// from is the checkpoint to continue from, nil for a run from the beginning. whole is the plan
	// with the earlier runs.
	from   *neural.Checkpoint
	whole  neural.Plan
	result *neural.Result // set at the end
}

// NetworkRequest is the request for a network.
type NetworkRequest struct {
	// Request is the request to package neural without the layers. Shared is the request for any
	// model.
	Request neural.Request
	Shared  train.Request
	Options neural.Options
	Layers  layers.Spec
	Frozen  FrozenRequest
	// Checkpoint is the file of checkpoints, and Resume the checkpoint to continue from; "" means
	// none.
	Checkpoint, Resume string
	// Dry leaves checkpoints alone.
	Dry bool
}

// networkRun is the private training of a network.
type networkRun struct{ *Run }

// NewNetwork plans the training of a network, and drafts the certificate.
func NewNetwork(ctx context.Context, asked NetworkRequest, o train.Options, t Tables) (*Run, error) {
	n := &Network{Options: asked.Options}
	r := &Run{Tables: t, Options: o, Network: n}
	r.method = networkRun{r}
	err := r.planNetwork(ctx, asked)
	if err != nil {
		n.closeCheckpoint()
		return nil, err
	}
	return r, nil
}

func (r *Run) planNetwork(ctx context.Context, asked NetworkRequest) error {
	n, request := r.Network, asked.Request
	size, err := layers.SizesFor(asked.Shared, r.Tables.Schema)
	if err != nil {
		return err
	}
	if asked.Frozen.From != "" {
		err = r.freeze(ctx, asked, size, &request)
	} else {
		request.Layers, request.Input, err = asked.Layers.Layers(ctx, r.Tables.Source, r.Tables.Schema, size)
	}
	if err != nil {
		return err
	}
	if r.Draft, err = draft.Within(request.Epsilon, func(epsilon float64) (certificate.Certificate, error) {
		at := request
		at.Epsilon = epsilon
		if n.Setup, err = neural.NewSetup(at, r.Tables.Schema); err != nil {
			return certificate.Certificate{}, err
		}
		return n.Setup.Plan.Certificate()
	}); err != nil {
		return err
	}
	if n.Frozen == nil && len(n.Setup.Network.Frozen()) > 0 {
		return fmt.Errorf("there are frozen layers without --frozen-from, want the source of their weights, which the certificate names")
	}
	if err = n.openCheckpoint(asked); err != nil {
		return err
	}
	if err = n.Setup.Check(context.Background(), n.Options); err != nil {
		return err
	}
	r.Setup = sharedNetwork(n.Setup)
	if n.from != nil { // the steps of stopped runs count too: no budget was requested for the whole
		if r.Draft, err = n.plan().Certificate(); err != nil {
			return err
		}
	}
	r.declare(n.plan().Premises(), r.Setup)
	return nil
}

func (r networkRun) releases() []report.Event { return wording.NetworkReleases(r.Network.plan()) }

func (r networkRun) untrained() (*model.Model, error) {
	s := r.Network.Setup
	return model.NewNetwork(s.Schema, s.Features, s.Loss, s.Network, make([]float32, s.Network.Weights()))
}

func (r networkRun) fit(ctx context.Context, l *ledger.Ledger) (*train.Result, error) {
	n := r.Network
	n.Options.Progress, n.Options.Checkpoint = r.Options.Progress, n.writeCheckpoint(r.Draft.Recorded, r.sign)
	var err error
	if n.from != nil {
		n.result, err = neural.Resume(ctx, l, n.Setup, r.Records, n.Options, n.from)
	} else {
		n.result, err = neural.Fit(ctx, l, n.Setup, r.Records, n.Options)
	}
	if err != nil {
		return nil, err
	}
	if !reflect.DeepEqual(n.result.Plan, n.plan()) {
		return nil, fmt.Errorf("the plan of the result is another than the one that was reserved, want one plan; nothing was written")
	}
	return &train.Result{Model: n.result.Model, LearningRate: n.result.LearningRate, Divisor: n.result.Divisor}, nil
}

// plan returns the plan of the cost. If the run continues from a checkpoint, it has the steps of
// interrupted runs.
func (n *Network) plan() neural.Plan {
	if n.from == nil {
		return n.Setup.Plan
	}
	return n.whole
}

// sharedNetwork returns the part of a network's setup that package train has too.
func sharedNetwork(s neural.Setup) train.Setup {
	p := s.Plan
	linear := model.Linear{Loss: s.Loss, Columns: s.Network.Output().Size(), Dim: s.Features.Dim()}
	return train.Setup{Schema: s.Schema, Features: s.Features, Model: linear, Plan: train.Plan{Subject: p.Subject, Person: p.Person, NonPrivate: p.NonPrivate}}
}
