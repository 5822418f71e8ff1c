# What the portal is measured against (tools/bench/peers): Fastify and fast-jwt, as tools/bench/peers/fastify/package-lock.json pins
# them, in build/peers/fastify. Sourced, never run.

prepare_peers() { install_locked "$checkout/tools/bench/peers/fastify" "$checkout/build/peers/fastify" "Fastify and fast-jwt"; }
