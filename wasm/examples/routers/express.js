import express from "express";
import { express as portal } from "portail/express";
import { create, port, logAddress } from "./portal.js";

const app = express();
app.use("/portail", portal(await create())); // before any parser of bodies
app.use(express.json());
app.get("/", (_, response) => response.send("the rest of the site\n"));
const server = app.listen(port, "127.0.0.1", () => logAddress(server));
