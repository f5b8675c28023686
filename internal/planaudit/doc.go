// Package planaudit audits the plan of a training: that of a model folder, of a dry run, or of an
// event. It trains by the same plan on made-up or public records, with canaries among them, and
// judges what was released by the plan's own claim. It never reads private records.
package planaudit
