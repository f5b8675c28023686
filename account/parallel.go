package account

import "sync"

// each calls work for 0 … n-1, on goroutines of their own.
func each(n int, work func(i int)) {
	if n == 1 {
		work(0)
		return
	}
	var wait sync.WaitGroup
	for i := range n {
		wait.Go(func() { work(i) })
	}
	wait.Wait()
}
