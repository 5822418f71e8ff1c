// The constant server in workerd, compared with the portal: the same answer to all requests.
let headers;

export default {
  fetch(request, env) {
    headers ??= env.HEADERS.trimEnd().split("\n").map((line) => line.split(": "));
    return new Response(env.BODY, { headers });
  },
};
