// What stands in for Cloudflare's KV: workerd asks a service over HTTP (GET, PUT and DELETE of a key), and this one is a
// folder, whose files are the values. To remove what is not there is success in KV.
export default {
  async fetch(request, env) {
    const answer = await env.FOLDER.fetch(request);
    return request.method === "DELETE" && answer.status === 404 ? new Response(null, { status: 204 }) : answer;
  },
};
