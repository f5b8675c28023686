package reproduce

import (
	"context"
	"fmt"
	"math"

	"github.com/ditherml/dither/internal/experiment"
	"github.com/ditherml/dither/network"
	"github.com/ditherml/dither/train/neural"
)

// transferEpsilon is small, because there a smaller number of learned weights matters most.
const transferEpsilon = 0.5

// publicRate is the learning rate of the public network, about that of the private network that
// learns everything.
const publicRate = 1

// transferEpochs is the number of epochs of the public network and of the private ones.
const transferEpochs = 5

// transfer adds the results of the last layers after layers of a public network, compared with a
// network that learns all layers.
func (t *table) transfer(ctx context.Context, l experiment.Environment, public, private images) error {
	l.Report("the public network", 0.8)
	layers := network.CNN(10)
	whole := networkTrial{epsilon: math.Inf(1), layers: layers, input: pixelImage, epochs: transferEpochs, options: neural.Options{LearningRate: publicRate}}
	of, err := whole.fit(ctx, public)
	if err != nil {
		return err
	}
	l.Report("a private network", 0.9)
	own, err := networkTrial{epsilon: transferEpsilon, layers: layers, input: pixelImage, epochs: transferEpochs, options: averaged}.accuracies(ctx, l, private, 1)
	if err != nil {
		return err
	}
	t.random(fmt.Sprintf("convolutional network, all layers trained, accuracy at epsilon %v, %%", transferEpsilon), "", own, 1, "", "no number in the report")
	for _, kept := range []struct {
		layers int
		name   string
	}{{7, "convolutions of a public network, the last two layers trained"}, {9, "all layers of a public network except the last, which is trained"}} {
		l.Report("behind public layers", 0.95)
		trial, failed := behind(of.Network(), kept.layers, of.NetworkWeights())
		if failed != nil {
			return failed
		}
		accuracies, failed := trial.accuracies(ctx, l, private, 1)
		if failed != nil {
			return failed
		}
		t.random(fmt.Sprintf("%s, accuracy at epsilon %v, %%", kept.name, transferEpsilon), "preserves the accuracy of a network that was trained without privacy", accuracies, 1, "", "worse than training all layers, because layers for images of clothes suit digits badly; public layers need neither noise nor time, but help only if the public records resemble the private ones")
	}
	return nil
}

// behind returns a private trial of a network with these parameters of the whole network. Its first
// layers stay, and the others begin anew. The first weights of the others come from a fixed seed:
// they depend on no record.
func behind(whole *network.Network, kept int, weights []float32) (networkTrial, error) {
	frozen, initial, err := whole.Freeze(kept, weights)
	if err != nil {
		return networkTrial{}, err
	}
	fresh := make([]float32, frozen.Weights())
	frozen.Init(fresh, 1)
	copy(initial[:frozen.Trained()], fresh)
	options := averaged
	options.Initial = initial
	return networkTrial{epsilon: transferEpsilon, layers: frozen.Layers(), input: frozen.Input(), epochs: transferEpochs, options: options}, nil
}
