import Fastify from "fastify";
import { fastify as portal } from "portail/fastify";
import { create, port, logAddress } from "./portal.js";

const app = Fastify();
await app.register(portal, { portail: await create(), prefix: "/portail" });
app.get("/", async () => "the rest of the site\n");
await app.listen({ port, host: "127.0.0.1" });
logAddress(app.server);
