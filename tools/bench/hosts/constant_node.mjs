// The constant server in Node and Bun, compared with the portal: the same answer to all requests.
import { readFileSync } from "node:fs";
import { createServer } from "node:http";

const body = readFileSync("body");
const headers = readFileSync("headers", "utf8").trimEnd().split("\n").map((line) => line.split(": "));

const server = createServer((request, response) => {
  response.setHeaders(new Map(headers));
  response.end(body);
});
server.listen(0, "127.0.0.1", () => console.log(`listening on http://127.0.0.1:${server.address().port}`));
