package scoreaudit

// Long and Example are the help of dither audit.
const (
	Long = `Try to refute a claim of differential privacy.

Without arguments, dither attacks itself on this machine, in about two minutes: the noise of every kind of release,
trainings on synthetic canaries, and the sums of every level of processor instructions. No record is read, and it
costs nothing. A correct program is refuted with probability at most 1e-6.

With a model folder or a plan, dither trains again by that very plan: its method, steps, sampling, clipping, noise,
unit and network. The records are made up, or those of --public, and canaries are among them. Attacks read every
iterate and the final model, and what they find is judged by the certificate's own claim. No private record is read,
so it costs nothing. A plan is what "dither train --dry-run --json" prints, a certificate, or an event of gradient
descent. An audit takes about two minutes, or longer for large trainings; --effort, --runs and --canaries change it.

With --scores, dither judges the attack of any program on any training. Canaries are records made for an audit: some are included in
the data of a training, others are left out. An attack gives each a score from what was released, and higher
scores mean included. If the scores tell the two kinds apart better than the claim allows, it is refuted.

--scores is a table of any program: the columns score and included (0, 1, true or false), and perhaps run. The
claim is --epsilon at --delta, or an event, plan, certificate or model folder as argument. Then the accountant's
own trade-off curve is tested, too, which refutes more.

What is known of the canaries decides which bounds count:

  one-run      a fair coin of its own decided about each canary, all in one run. Scores may depend on each other.
  independent  fair coins as well, and scores are independent, as those of orthogonal gradients are.
  runs         each canary has a run of its own.

A table on standard output says what was claimed, the lower bound on epsilon, its confidence, the verdict, and
from which epsilon the audit would have refuted. That no claim is refuted proves none. The folder of --out gets
audit.json and a page with the trade-off curve of the claim and all attacks.

The exit status is 1 if a claim is refuted, and 2 if the input is wrong.`
	Example = `  dither audit
  dither audit --scores scores.csv --epsilon 3 --delta 1e-5
  dither audit --scores scores.parquet --design runs --epsilon 3 --delta 1e-5 --confidence 0.999999
  dither audit "repeat(100, gaussian(40))" --scores gradients.csv --design independent --delta 1e-5 --json
  dither audit dither-model --scores scores.csv --out audit-of-may
  dither audit dither-model
  dither audit dither-model --public published.csv --runs 200 --confidence 0.95
  dither train --dry-run --json > plan.json && dither audit plan.json --effort 3
  dither audit "repeat(1000, poisson(0.01, gaussian(1.1)))" --delta 1e-5`
)
