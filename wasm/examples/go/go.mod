module portail.invalid/example

go 1.24.0

require portail.invalid/portail v0.1.0

require (
	github.com/tetratelabs/wazero v1.11.0 // indirect
	golang.org/x/sys v0.38.0 // indirect
)

// The package's build (tools/lib/embedding.sh).
replace portail.invalid/portail => ../../../build/go/portail
