package main

// The numbers are those of package account, which is tested against published figures.
func Example_main() {
	main()
	// Output:
	// target: epsilon 2, delta 1e-06, add-or-remove-one
	// 1000 steps at sampling probability 0.01 want a noise multiplier of 1.029
	// a noise multiplier of 1.1 affords 1312 steps
	// 1000 steps with that noise afford a sampling probability of 0.0113
	// the first plan costs epsilon 2.000
}
