package main

import "fmt"

// patients returns n invented records. Patients who are old or smoke are ill more often.
func patients(n int) []patient {
	all := make([]patient, n)
	for i := range all {
		p := patient{Name: fmt.Sprint("patient ", i), Age: 20 + i*7919%70, Smoker: i%4 == 0}
		if i%9 != 0 {
			weight := 50 + float64(i*104729%600)/10
			p.Weight = &weight
		}
		risk := p.Age + i*1299709%50
		if p.Smoker {
			risk += 20
		}
		p.Ill = risk > 85
		all[i] = p
	}
	return all
}
