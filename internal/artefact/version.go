package artefact

// Version is the version of the program, as stated in models, certificates and release archives.
const Version = "0.1.0"

// Program is the name of the program in models and certificates.
const Program = "dither " + Version
