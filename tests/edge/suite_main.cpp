// The suite of a synchronous store: `wasmtime run --invoke 'run()'`.
#include "bindings/store-suite/store_suite.h"
#include "tests/edge/store_suite.hpp"

bool exports_store_suite_run() { return portail::run_store_suite(); }
