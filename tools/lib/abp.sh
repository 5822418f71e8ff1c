# ABP's own clients, which the portal is tried with: what tests/abp/package-lock.json pins. Sourced, never run.

prepare_abp() { install_locked "$checkout/tests/abp" "$checkout/build/abp" "ABP's clients"; }
