# What generates the typed clients of docs/how-to/write-a-client.md from the interface's description, as tests/clients pins it, in build/clients.
# Sourced, never run.

prepare_clients() {
  install_locked "$checkout/tests/clients" "$checkout/build/clients/typescript" "openapi-typescript, openapi-fetch and TypeScript"
  install_requirements "$checkout/tests/clients/requirements.txt" "$checkout/build/clients/python" openapi-python-client
}
