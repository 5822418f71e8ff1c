# What the interface's description is tried with: Schemathesis and what it needs, as tests/description/requirements.txt pins them, in
# build/description. Sourced, never run.

prepare_description() { install_requirements "$checkout/tests/description/requirements.txt" "$checkout/build/description" Schemathesis; }
