package values

// The long help texts and the examples of commands.
const (
	EvaluateLong = `Measure a model on a table whose target is known: accuracy, the accuracy of always naming
the most frequent level, log-loss, area under the curve, precision, recall and the
confusion matrix; for a numeric target the root mean squared error, the mean absolute error
and R². With --group the same by the levels of a categorical column, or by the texts of a
column that the schema ignores.

With --private the table is private, and everything is computed from one noisy release that
costs --epsilon: a histogram of the true levels and the scores, or sums of cut residuals.
Estimates stand beside intervals that allow for the noise and for the sampling of the
records, or of persons with several rows; where noise hides the records they are wide, up to
all that is possible. With --out they are written with a certificate, which dither verify
recomputes.
Then --group takes only columns with declared levels.

Without --private the numbers are exact about this table and not private: publish them only if
the table is public. They say nothing about the guarantee of the model, which stays what it was.

Rows that the schema drops, among them those without a usable target, are left out and
counted. A numeric target outside its declared bounds counts as the nearest bound.`
	EvaluateExample = `  dither evaluate dither-model test.csv
  dither evaluate dither-model test.csv --group sex --json
  dither evaluate dither-model builtin:randhie
  dither evaluate dither-model people.csv --private --epsilon 0.5 --out people-evaluation`
	SignLong = `Sign a folder that train, query, evaluate --private or sweep --select wrote, or any one file, such as a page or an
archive of dither ledger. A folder is verified first. The signature stands beside what it is over: certificate.sig in a
folder, FILE.sig for a file. Earlier signatures of the same bytes stay. "dither verify --signed-by PUB.pem" checks it.

A certificate holds the hashes of all other files, so that its signature covers the folder. A signature says that a
holder of the key vouches for these bytes. It does not say when, nor that what the certificate states is true.

The key is Ed25519, in PKCS #8 and PEM. The file is for its owner alone.`
	SignExample = `  openssl genpkey -algorithm ed25519 -out key.pem
  openssl pkey -in key.pem -pubout -out pub.pem
  dither sign dither-model --key key.pem
  dither verify dither-model --signed-by pub.pem
  dither sign budget.html --key key.pem`
	PredictLong = `Apply a model to a table and write one line of CSV for each of its rows: the row's number
(counted from 1, the header not counted), the prediction, and for a model of classes the
probability of every level, in the schema's order. Of two levels the second is predicted
when its probability is above the model's threshold (0.5, or what was set when it was
trained, or --threshold); of more, the first of the most probable ones.

The table is read under the schema that the model carries; its target column may be absent.
A row that the schema drops keeps its line, with empty cells. Of a table without rows only the
header is written, also where header: names the columns and the file has no byte. Probabilities are written in full.
Lines on standard error count undeclared levels, missing cells and clamped numbers by column.

With --pass-through id,town these columns of the table are copied behind the row's number, also those
that the schema does not name. Any other column that the schema does not name is refused, as in training.

In CSV a text that a spreadsheet would take for a formula (it starts with =, +, -, @ or a tab and
is no number) gets an apostrophe in front. With --out scores.parquet the same rows are written as
Parquet, and with --out scores.db --out-table scores into a table of SQLite.`
	PredictExample = `  dither predict dither-model people.csv > predictions.csv
  dither predict dither-model people.csv.gz --out predictions.csv --pass-through id
  dither predict dither-model people.parquet --out scores.parquet --pass-through id
  dither predict dither-model postgres://db.example/clinic --table visits --pass-through id --out postgres://db.example/clinic --out-table scores
  dither predict dither-model builtin:randhie`
	ExplainLong = `Put a certificate into plain words, for someone who decides and does not calculate: what was released,
from which records, who is protected against what, what epsilon and delta mean as odds and for the best
attacker, how each release adds to the cost, what was declared public, and what is not covered.

The argument is the folder of a model, of a private evaluation or of an answer, a certificate.json, a plan,
an event expression such as "repeat(1000, poisson(0.01, gaussian(1.1)))", or a term such as epsilon; without
one, the terms are listed.

What a certificate says is recomputed first. When it does not follow from its plan, that is all that is
said, and the exit status is 1.`
	ExplainExample = `  dither explain dither-model
  dither explain certificate.json --json
  dither explain "repeat(1000, poisson(0.01, gaussian(1.1)))" --delta 1e-5
  dither explain epsilon
  dither explain`
	ExportLong = `Write a model for other programs, so that raw columns go in and predictions come out:

  onnx         a graph for ONNX Runtime; one input for each column, numbers as double
  sql          a SELECT statement for PostgreSQL, DuckDB or BigQuery (--dialect), which reads --table
  sklearn      a Python file with the model as JSON, which makes a pipeline of scikit-learn
  go           a Go file that imports nothing
  safetensors  the weights and the numbers of the feature map, without what reads cells

Missing cells, undeclared levels and numbers out of range are treated as dither predict treats them, and predictions
are the same but for rounding. Networks go to onnx and safetensors. Texts and transforms other than interactions go to
safetensors alone.

The folder is verified first. Each file has epsilon, delta, the relation, the unit and the SHA-256 of the certificate.
Export is post-processing: it reads no record and costs no privacy.`
	ExportExample = `  dither export dither-model --to onnx --out model.onnx
  dither export dither-model --to sql --dialect duckdb --table people > predict.sql
  dither export dither-model --to sklearn --out model.py
  dither export dither-model --to go --out predict/predict.go`
	SweepLong = `Train the same model many times with other settings, and see what privacy costs: a table, and a figure of each
metric over each setting that varies, with intervals over repeats.

The flags are those of dither train, and most take several values: 0.5,1,2, or for numbers also ranges, as
0.1..10 log 9 (nine values, equal factors apart), 0..1 linear 5 or 0.001..0.1 step 0.001. A flag whose values
have commas of their own, such as --hidden, is given once for each value. Every combination is run.
--noise-multiplier fixes the noise in place of --epsilon. A plan file (--plan, YAML) has the same names as
keys, and lists as values.

Runs of gradient descent on all rows share passes over the table; all others draw their own samples. Stopped
in the middle, the same command goes on where it was.

Without flags the table is the built-in public one. A table of your own is private unless you declare it
public (--data-public). Every run on a private table is a release: what all of them cost together is printed,
and choosing settings by them is not free. With --select the choice is made privately, and costs --epsilon. With --test FILE --test-public models are measured on public
records; with --print-not-private on records that are not, and nothing but this terminal sees it.`
	SweepExample = `  dither sweep --epsilon 0.1,0.3,1,3 --repeats 5
  dither sweep --epsilon "0.01..10 log 9" --clipping-norm 0.1,1 --repeats 10 --baseline
  dither sweep --data x.npy --labels y.npy --schema x.yaml --data-public --split first:0.8 --epsilon 0.5,1,2
  dither sweep --model mlp --noise-multiplier 0.7,1,2 --sampling-probability 0.01,0.05 --epochs 5
  dither sweep --plan plan.yaml --dry-run
  dither sweep --select geometric:5 --learning-rate 0.5,1,2 --clipping-norm 0.2,0.5 --epsilon 2`
	TrainLong = `Train a private model from a table, and write a model folder: model.json, certificate.json
and report.html. The model is linear, or with --model a network.

Without arguments it trains on the built-in RAND Health Insurance Experiment: does a person
see a doctor in the year? With a table of your own, a schema file declares what is public:
the columns, their bounds and levels, the target ("dither schema init" drafts one).

The budget (epsilon, delta) covers everything that is learned from the records: the number
of records if it is not declared, means and covariance for scaling, and every step.
Nothing else about the records is written or printed.

What nobody can declare may be private in the schema, and is then learned within the budget:
bounds: private with a wide range, bins: private with max-bins, levels: private with max-levels.

With --holdout private:0.2 a random fifth of the records is not trained on. The model is measured
on it by one noisy release, with intervals; a record is in one part or the other, so the whole
costs no more than --epsilon.

With --model mlp, cnn, text or a file of layers a network is trained, on samples of the records, each
record's gradient clipped. Its weights stand in network.safetensors, which other programs read. With
--checkpoint FILE a run that is stopped goes on with --resume FILE; with --frozen-from the first
layers of another network are taken over as they are.`
	TrainExample = `  dither train
  dither train --data people.csv --schema people.yaml --epsilon 0.5
  dither train --data people.csv --schema people.yaml --test test.csv --test-public
  dither train --data x.npy --labels y.npy --schema x.yaml --dry-run
  dither train --sampling-probability 0.05
  dither train --data huge.csv --schema huge.yaml --stream --feature-bits 8
  dither train --holdout private:0.2 --threshold best
  dither train --model mlp --hidden 64,32 --epsilon 3
  dither train --model layers.yaml --data images.npy --labels y.npy --schema images.yaml --checkpoint state
  dither train --data people.csv --schema people.yaml --sweep dither-sweep
  dither train --frozen-from dither-model --data other.csv --schema other.yaml
  dither train --non-private`
	QueryLong = `Answer one question about a table with differential privacy, with its noise, an interval
that holds the answer without noise, and what it costs. The statistics are

  count                      number of rows
  sum EXPRESSION             sum over the rows; mean and variance likewise
  mean EXPRESSION
  variance EXPRESSION
  histogram EXPRESSION       rows for each level of a column, or between --edges of a number
  quantiles EXPRESSION       --quantiles of a number, chosen among --points between its bounds
  bounds EXPRESSION          an interval that holds all but a --share of a number
  covariance EXPRESSION...   of two or more numbers, all pairs in one release
  correlation EXPRESSION...  likewise
  categories COLUMN          the frequent texts of a column whose levels nobody declared
  radius EXPRESSION...       the median length of the vector that some numbers of a row make
  aggregate EXPRESSION...    --of mean, median, deviation or correlation of each of --blocks random
                             blocks of the rows, and the median of what they give

An expression is made of numeric columns, numbers, + - *, clamp(expression, low, high) and
comparisons, which count as 0 or 1. --where takes a condition: comparisons of numbers, or of a
column with one of its levels, joined by and, or, not. Names with spaces or other marks stand
in back quotes, such levels in quotation marks. Bounds follow from the schema; nothing is taken from
the rows but what is paid for.

Rows and cells follow the schema: rows that it drops count nowhere, and neither does a row where
a missing cell leaves the number or the condition open. The schema needs no target.

With --unit person:COLUMN --max-records-per-person K a record is all rows with one text in a column,
and the first K rows that meet the condition count. Their sum is bounded together.

Each answer is a release of its own, and releases add up: with --out FOLDER the certificate is
kept, and dither account FOLDER FOLDER... prices several of them together. Exit status 3 when
--noise-multiplier would cost more than --epsilon.`
	QueryExample = `  dither query count --data people.csv --schema people.yaml --where "age >= 30 and sex = f" --epsilon 0.5
  dither query mean "hours * rate" --data people.csv --schema people.yaml --by sex
  dither query histogram age --edges 30,40,50 --data people.csv --schema people.yaml --noise gaussian
  dither query quantiles income --quantiles 0.25,0.5,0.75 --data people.csv --schema people.yaml --json
  dither query mean cost --data visits.csv --schema visits.yaml --unit person:patient --max-records-per-person 5
  dither query aggregate income --of median --blocks 40 --data people.csv --schema people.yaml`
	VerifyLong = `Recompute what follows from the plan in the certificate of a folder that train, query, evaluate --private or
sweep --select wrote: the events, epsilon, the assumptions, and what plan and model say of one another. Everything
else is held by hashes, and a file that the certificate does not know is refused. Prints what was checked and what is
guaranteed.

Exit status 0 when everything agrees, 1 when something does not (each disagreement is
printed), 2 when a file is missing or cannot be read.

With --signed-by the certificate must have a valid signature by that key (dither sign, or --sign of the commands that
write a certificate). Then a single file, such as a page of dither ledger, may be given instead of a folder.

No file can show that training really ran as the plan says, or that the assumptions in the certificate hold: for that
you trust whoever trained the model. Whoever rewrites every file alike has a folder that verifies, and claims another
plan. docs/verification.md lists what is free.`
	VerifyExample = `  dither verify dither-model
  dither verify dither-model --json
  dither verify dither-model --signed-by pub.pem
  dither verify budget.html --signed-by pub.pem`
)
