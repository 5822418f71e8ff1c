import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { create, port, logAddress } from "./portal.js";

const portail = await create("/portail");
const app = new Hono();
app.all("/portail/*", (context) => portail.fetch(context.req.raw));
app.get("/", (context) => context.text("the rest of the site\n"));
const server = serve({ fetch: app.fetch, port, hostname: "127.0.0.1" }, () => logAddress(server));
