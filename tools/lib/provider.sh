# oidc-provider, the identity provider of the tests, and its dependencies, pinned by tests/provider/package-lock.json. Sourced, never run.

prepare_provider() { install_locked "$checkout/tests/provider" "$checkout/build/provider" oidc-provider; }
