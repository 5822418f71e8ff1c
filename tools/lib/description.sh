# Schemathesis and its dependencies, which test the interface's description; pinned by tests/description/requirements.txt, in
# build/description. Sourced, never run.

prepare_description() { install_requirements "$checkout/tests/description/requirements.txt" "$checkout/build/description" Schemathesis; }
