package network

// tanhLayer is the activation of the presets.
var tanhLayer = Activation{Function: "tanh"}

// MLP returns the layers of a fully connected network. For each number in the argument hidden there
// is a linear layer with that number of outputs, followed by tanh. The last layer is linear and has
// the given number of outputs.
func MLP(outputs int, hidden ...int) Layers {
	return append(Layers{Flatten{}}, head(outputs, hidden)...)
}

// head returns hidden linear layers with tanh and a last linear layer.
func head(outputs int, hidden []int) Layers {
	var l Layers
	for _, units := range hidden {
		l = append(l, Linear{Outputs: units}, tanhLayer)
	}
	return append(l, Linear{Outputs: outputs})
}

// CNN returns the layers of a small convolutional network with tanh, for images of about 28 × 28.
// It is the network of table 1 of N. Papernot, A. Thakurta, S. Song, S. Chien and Ú. Erlingsson,
// "Tempered sigmoid activations for deep learning with differential privacy", AAAI 2021. It has
// 26010 parameters for one channel and 10 outputs.
func CNN(outputs int) Layers {
	return append(Layers{
		Conv{Channels: 16, Kernel: 8, Stride: 2, Padding: 3}, tanhLayer, MaxPool{Kernel: 2, Stride: 1},
		Conv{Channels: 32, Kernel: 4, Stride: 2}, tanhLayer, MaxPool{Kernel: 2, Stride: 1}, Flatten{},
	}, head(outputs, []int{32})...)
}
