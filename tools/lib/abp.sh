# ABP's own clients, against which the portal is tested; pinned by tests/abp/package-lock.json. Sourced, never run.

prepare_abp() { install_locked "$checkout/tests/abp" "$checkout/build/abp" "ABP's clients"; }
