package noise
import ("testing";"context";"time";"math")
func TestAll(t *testing.T){
  st:=time.Now()
  rs,err:=Attack(context.Background(), Options{Numbers: 400000, Elsewhere: func(context.Context) ([]float64,error) {return Elsewhere()}})
  if err!=nil {t.Fatal(err)}
  worst, n:=0.0,0
  for _,r:=range rs {
   t.Log(r.Kind, r.Numbers, r.Duration)
   for _,f:=range r.Findings { n++; worst=math.Min(worst,f.LogP); t.Logf("   %-40s %8d logP %.1f %s | %s", f.Test,f.Numbers,f.LogP,f.Seen,f.Detects)}
  }
  t.Log(worst, n, time.Since(st))
}
