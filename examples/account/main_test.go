package main

// The numbers are those of package account, which is tested against published figures.
func Example_main() {
	main()
	// Output:
	// sequence(laplace(10), repeat(2000, poisson(0.01, gaussian(1.1))))
	// pld      epsilon is at most 2.20
	// rdp      epsilon is at most 2.42
	// zcdp     epsilon is at most 1018.34
	// gdp      has no proof for it
	// basic    epsilon is at most 1289.39
	// advanced epsilon is at most 563.72
	// best     epsilon is at most 2.20
	// five rows of one person: at most 14.53
	// an attacker who accuses 1 % falsely finds at most 3.6 % of the members
}
