// What workerd serves beside the portal: the same answer to everything.
let headers;

export default {
  fetch(request, env) {
    headers ??= env.HEADERS.trimEnd().split("\n").map((line) => line.split(": "));
    return new Response(env.BODY, { headers });
  },
};
