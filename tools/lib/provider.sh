# The identity provider that the tests try the portal with: oidc-provider and what it needs, as tests/provider/package-lock.json pins
# them. Sourced, never run.

prepare_provider() { install_locked "$checkout/tests/provider" "$checkout/build/provider" oidc-provider; }
