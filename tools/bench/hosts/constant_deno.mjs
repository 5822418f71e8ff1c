// The constant server in Deno, compared with the portal: the same answer to all requests.
const body = Deno.readFileSync("body");
const headers = Deno.readTextFileSync("headers").trimEnd().split("\n").map((line) => line.split(": "));

Deno.serve({
  hostname: "127.0.0.1",
  port: 0,
  handler: () => new Response(body, { headers }),
  onListen: ({ port }) => console.log(`listening on http://127.0.0.1:${port}`),
});
