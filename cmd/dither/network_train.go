package main

import (
	"context"
	"fmt"
	"os"
	"reflect"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/internal/artefact"
	"github.com/ditherml/dither/internal/layers"
	"github.com/ditherml/dither/ledger"
	"github.com/ditherml/dither/model"
	"github.com/ditherml/dither/train"
	"github.com/ditherml/dither/train/neural"
)

// networkFitting is what a run of a network needs beside what all runs need.
type networkFitting struct {
	setup   neural.Setup
	options neural.Options
	// from is the checkpoint to go on from, nil for a run from the beginning.
	from *neural.Checkpoint
	// whole is the plan with the runs before the checkpoint.
	whole neural.Plan
	// checkpoint is the file of checkpoints, empty for none; held is it, open and locked.
	checkpoint string
	held       *os.File
	// frozen says where frozen layers come from, nil without any.
	frozen *certificate.Frozen
	result *neural.Result // once it is there
}

// runNetwork is run for a network.
func (t *trainCommand) runNetwork(ctx context.Context, source tables) error {
	f, err := computed(ctx, t.stderr, calibrating, func() (trainRun, error) { return t.planNetwork(ctx, source) })
	if f.network != nil {
		defer f.network.closeCheckpoint()
	}
	if err != nil {
		return err
	}
	if t.dryRun {
		if err = t.checkTables(ctx, source); err != nil {
			return stopped(err)
		}
		return t.printNetworkDryRun(f)
	}
	if f.folder, err = artefact.Claim(t.out, t.replace, t.stderr); err != nil {
		return err
	}
	defer f.folder.Close()
	if err = t.takeCheckpoint(f.network); err != nil {
		return err
	}
	if f.records, err = source.train(ctx); err != nil {
		return stopped(err)
	}
	if f.test, err = source.test(ctx); err != nil {
		return stopped(err)
	}
	if err = t.rehearse(f); err != nil {
		return err
	}
	return t.fit(ctx, f)
}

// planNetwork settles plan and options from the flags alone, and drafts the certificate.
func (t *trainCommand) planNetwork(ctx context.Context, source tables) (trainRun, error) {
	if private := source.schema.Private(); len(private) > 0 {
		return trainRun{}, fmt.Errorf("column %q has private bounds or levels with a network, want them declared; --model %s learns them", private[0].Name, layers.Linear)
	}
	if err := t.holdout.check(len(source.schema.Target.Levels)); err != nil {
		return trainRun{}, err
	}
	shared, options, err := t.plan.request(t.nonPrivate)
	if err != nil {
		return trainRun{}, err
	}
	request, err := t.network.request(&t.plan, shared)
	if err != nil {
		return trainRun{}, err
	}
	f := trainRun{source: source, options: options, network: &networkFitting{}}
	if f.network.options, err = t.network.options(&t.plan, options); err != nil {
		return f, err
	}
	size, err := layers.SizesFor(shared, source.schema)
	if err != nil {
		return f, err
	}
	if t.network.frozenFrom != "" {
		err = t.freeze(ctx, source, size, &request, f.network)
	} else {
		request.Layers, request.Input, err = t.network.layers.Layers(ctx, t.streamed, source.schema, size)
	}
	if err != nil {
		return f, err
	}
	if f.draft, err = within(request.Epsilon, func(epsilon float64) (certificate.Certificate, error) {
		asked := request
		asked.Epsilon = epsilon
		if f.network.setup, err = neural.NewSetup(asked, source.schema); err != nil {
			return certificate.Certificate{}, err
		}
		return f.network.setup.Plan.Certificate()
	}); err != nil {
		return f, err
	}
	if f.network.frozen == nil && len(f.network.setup.Network.Frozen()) > 0 {
		return f, fmt.Errorf("there are frozen layers without --frozen-from, want the source of their weights, which the certificate names")
	}
	if err = t.openCheckpoint(f.network); err != nil {
		return f, err
	}
	if err = f.network.setup.Check(f.network.options); err != nil {
		return f, err
	}
	f.setup = sharedNetwork(f.network.setup)
	if f.network.from != nil { // the steps of runs that were stopped are counted, too: no budget was asked for the whole
		if f.draft, err = f.network.plan().Certificate(); err != nil {
			return f, err
		}
	}
	f.draft.Declared = declarations(source, "")
	if f.network.frozen != nil {
		if f.draft.Declared == nil {
			f.draft.Declared = &certificate.Declared{}
		}
		f.draft.Declared.Frozen = f.network.frozen
	}
	f.draft.Assumptions = assumptionsOf(f.network.plan().Premises(), f.network.setup.Schema, f.network.setup.Features, f.draft)
	return f, nil
}

// sharedNetwork is what a network's setup has in common with one of package train.
func sharedNetwork(s neural.Setup) train.Setup {
	p := s.Plan
	linear := model.Linear{Loss: s.Loss, Columns: s.Network.Output().Size(), Dim: s.Features.Dim()}
	return train.Setup{Schema: s.Schema, Features: s.Features, Model: linear, Plan: train.Plan{Neighboring: p.Neighboring, Unit: p.Unit, RowsPerPerson: p.RowsPerPerson, Delta: p.Delta,
		Records: p.Records, MaxRecords: p.MaxRecords, NonPrivate: p.NonPrivate}}
}

// plan is what the run costs: with the steps of interrupted runs, if it goes on from a checkpoint.
func (n *networkFitting) plan() neural.Plan {
	if n.from == nil {
		return n.setup.Plan
	}
	return n.whole
}

// untrained is the model with weights of zero.
func (n *networkFitting) untrained() (*model.Model, error) {
	s := n.setup
	return model.NewNetwork(s.Schema, s.Features, s.Loss, s.Network, make([]float32, s.Network.Weights()))
}

// fit trains the network.
func (n *networkFitting) fit(ctx context.Context, l *ledger.Ledger, f trainRun) (*train.Result, error) {
	n.options.Progress = f.options.Progress
	n.options.Checkpoint = n.writeCheckpoint()
	var err error
	if n.from != nil {
		n.result, err = neural.Resume(ctx, l, n.setup, f.records, n.options, n.from)
	} else {
		n.result, err = neural.Fit(ctx, l, n.setup, f.records, n.options)
	}
	if err != nil {
		return nil, err
	}
	if !reflect.DeepEqual(n.result.Plan, n.plan()) {
		return nil, fmt.Errorf("the plan of the result is another than the one that was reserved, want one plan; nothing was written")
	}
	return &train.Result{Model: n.result.Model, LearningRate: n.result.LearningRate, Divisor: n.result.Divisor}, nil
}
