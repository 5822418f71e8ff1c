package portail

import _ "embed"

// The module, which the package's build adds (tools/lib/embedding.sh).
//
//go:embed portail.wasm
var embedded []byte
