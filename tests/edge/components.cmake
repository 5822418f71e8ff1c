# The tests that are components themselves.
#
# The stores of components, each in a component of its own that runs the conformance suite, composed with a test host: a component
# whose buckets are in a folder.
set(wit WIT "${CMAKE_CURRENT_SOURCE_DIR}/wit")
portail_bindings(store-suite ${wit})
portail_bindings(keyvalue-host ${wit} RENAME wasi:keyvalue/store@0.2.0-draft=store wasi:keyvalue/batch@0.2.0-draft=batch)
portail_bindings(keyvalue2-host ${wit} RENAME wasi:keyvalue/store@0.2.0-draft2=store wasi:keyvalue/atomics@0.2.0-draft2=atomics)
portail_bindings(spin-host ${wit} RENAME spin:key-value/key-value@3.0.0=key_value)
portail_bindings(config-draft-host ${wit} RENAME wasi:config/store@0.2.0-draft-2024-09-27=config)
portail_bindings(clock3-host ${wit} RENAME wasi:clocks/monotonic-clock@0.3.0=clock)
portail_bindings(clock2-host WIT "${CMAKE_CURRENT_SOURCE_DIR}/clock2.wit" RENAME wasi:clocks/monotonic-clock@0.2.3=clock
  wasi:cli/stderr@0.2.3=standard_error wasi:io/streams@0.2.3=stream wasi:io/poll@0.2.3=poll)

foreach(part store_suite store_faults)
  add_library(${part} OBJECT ${part}.cpp)
  target_link_libraries(${part} PUBLIC store_conformance portail_core_options)
endforeach()

function(portail_store_suite name)
  portail_component(host-${name} hosts/${name}_host.cpp
    LIBRARIES bindings_${name}-host portail_folder DESCRIPTION "A host's buckets")
  portail_component(suite-${name} suite_main.cpp suite_${name}.cpp
    LIBRARIES store_suite store_faults store_conformance bindings_store-suite portail_${name}_store bindings_${name} DESCRIPTION "Conformance suite")
  portail_composition(suite-${name}-composed suite-${name} host-${name})
endfunction()

portail_store_suite(keyvalue)
portail_store_suite(keyvalue2)

portail_component(host-config-draft hosts/config_draft_host.cpp
  LIBRARIES bindings_config-draft-host DESCRIPTION "A host's configuration")

# The portal over such hosts, for run_contract.py and config_test.py; wasi:config@0.2.0-rc.1 is wasmtime's own.
portail_composition(portail-wasi-keyvalue-composed portail-wasi-keyvalue host-keyvalue)
portail_composition(portail-spin-p2-composed portail-spin-p2 host-keyvalue2 host-config-draft)

portail_component(host-spin hosts/spin_host.cpp
  LIBRARIES bindings_spin-host portail_folder DESCRIPTION "A host's stores")
portail_component(suite-spin suite_spin.cpp suite_request.cpp
  LIBRARIES store_suite store_faults store_conformance portail_edge_http3 bindings_http3 portail_spin_store bindings_spin bindings_keyvalue2
  DESCRIPTION "Conformance suite")
portail_composition(suite-spin-composed suite-spin host-spin host-keyvalue2)
portail_component(suite-folder suite_folder.cpp suite_request.cpp
  LIBRARIES store_suite store_conformance portail_edge_http3 bindings_http3 portail_asynchronous_revision bindings_folder
  DESCRIPTION "Conformance suite")
portail_composition(portail-spin-composed portail-spin host-spin host-keyvalue2 host-config-draft)

# Bodies with a clock whose periods are over immediately, for timeouts_test.py.
foreach(version 2 3)
  portail_component(host-clock${version} hosts/clock${version}_host.cpp
    LIBRARIES bindings_clock${version}-host DESCRIPTION "A host's clock")
  portail_component(bodies-p${version} bodies.cpp LIBRARIES portail_edge_http${version} bindings_http${version} DESCRIPTION "Bodies")
  portail_composition(bodies-p${version}-composed bodies-p${version} host-clock${version})
endforeach()

portail_component(fastly-portals MODULE fastly_portals.cpp
  LIBRARIES portail_edge_fastly portail_edge_unavailable portail_webassembly_management DESCRIPTION "The portals of the contract suite")
portail_component(suite-fastly MODULE suite_fastly.cpp
  LIBRARIES store_suite store_conformance portail_edge_fastly DESCRIPTION "Conformance suite")
