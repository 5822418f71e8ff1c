# The tests that are components themselves.
#
# The stores of components, each in a component of its own that runs the conformance suite, composed with a component
# that stands in for the host and keeps its buckets in a folder. Its bindings are made by tests/edge/generate-bindings.
set(bindings "${CMAKE_CURRENT_SOURCE_DIR}/bindings")
portail_bindings(store-suite "${bindings}")

add_library(store_suite OBJECT store_faults.cpp store_suite.cpp)
target_link_libraries(store_suite PUBLIC store_conformance portail_core_options)

function(portail_store_suite name)
  portail_bindings(${name}-host "${bindings}")
  portail_component(host-${name} hosts/${name}_host.cpp
    LIBRARIES bindings_${name}-host portail_files DESCRIPTION "A host's buckets")
  portail_component(suite-${name} suite_main.cpp suite_${name}.cpp
    LIBRARIES store_suite store_conformance bindings_store-suite portail_${name}_store bindings_${name} DESCRIPTION "Conformance suite")
  portail_composition(suite-${name}-composed suite-${name} host-${name})
endfunction()

portail_store_suite(keyvalue)
portail_store_suite(keyvalue2)

portail_bindings(config-draft-host "${bindings}")
portail_component(host-config-draft hosts/config_draft_host.cpp
  LIBRARIES bindings_config-draft-host DESCRIPTION "A host's configuration")

# The portal over such hosts, for run_contract.py and config_test.py; wasi:config@0.2.0-rc.1 is wasmtime's own.
portail_composition(portail-wasi-keyvalue-composed portail-wasi-keyvalue host-keyvalue)
portail_composition(portail-spin-p2-composed portail-spin-p2 host-keyvalue2 host-config-draft)

portail_bindings(spin-host "${bindings}")
portail_component(host-spin hosts/spin_host.cpp
  LIBRARIES bindings_spin-host portail_files DESCRIPTION "A host's stores")
portail_component(suite-spin suite_spin.cpp
  LIBRARIES store_suite store_conformance portail_edge_http3 bindings_http3 portail_spin_store bindings_spin bindings_keyvalue2
  DESCRIPTION "Conformance suite")
portail_composition(suite-spin-composed suite-spin host-spin host-keyvalue2)
portail_composition(portail-spin-composed portail-spin host-spin host-keyvalue2 host-config-draft)
