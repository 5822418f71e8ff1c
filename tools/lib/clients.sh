# The generators of the typed clients in docs/how-to/write-a-client.md, pinned by tests/clients, in build/clients. Sourced, never run.

prepare_clients() {
  install_locked "$checkout/tests/clients" "$checkout/build/clients/typescript" "openapi-typescript, openapi-fetch and TypeScript"
  install_requirements "$checkout/tests/clients/requirements.txt" "$checkout/build/clients/python" openapi-python-client
}
