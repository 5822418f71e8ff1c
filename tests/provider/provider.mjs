// An identity provider for tests: the npm package oidc-provider behind https, with access tokens as JWTs for the portal.
//
//   node provider.mjs --modules FOLDER --certificate FILE --key FILE [--page URL]
//
// FOLDER contains node_modules/oidc-provider. The portal's page at URL is a client, too, for itself and its viewer. Prints its address in
// one line. Keys rotate in three steps: `POST /keys/announce` publishes new keys after the old ones, `POST /keys/rotate` signs with the new
// keys from then on, and `POST /keys/retire` removes the old ones. The first segment of a token's resource is its algorithm,
// https://portail.test/ES256; the second one may be its lifetime in seconds, https://portail.test/ES256/63.
import { createServer } from 'node:https';
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';

const { values: flags } = parseArgs({
  options: {
    modules: { type: 'string' },
    certificate: { type: 'string' },
    key: { type: 'string' },
    page: { type: 'string' },
  },
});
const installed = createRequire(pathToFileURL(`${flags.modules}/package.json`));
const { Provider } = await import(pathToFileURL(installed.resolve('oidc-provider')));

const generators = {
  RS256: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
  PS256: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
  ES256: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  EdDSA: () => generateKeyPairSync('ed25519'),
};

function generateKeys() {
  return Object.entries(generators).map(([alg, generate]) => ({
    ...generate().privateKey.export({ format: 'jwk' }),
    alg,
    use: 'sig',
    kid: `${alg}-${randomUUID()}`,
  }));
}

const resource = 'https://portail.test/';
const cookieKey = randomUUID();
const segments = (indicator) => indicator.slice(resource.length).split('/');
const roles = { 'sub-gestionnaire-1': ['gestionnaire'] };
const pages = flags.page
  ? [
      {
        client_id: 'page',
        token_endpoint_auth_method: 'none',
        grant_types: ['authorization_code'],
        response_types: ['code'],
        redirect_uris: [flags.page, new URL('swagger/oauth2-redirect.html', flags.page).href],
        post_logout_redirect_uris: [flags.page],
      },
    ]
  : [];

function createProvider(address, published) {
  const provider = new Provider(address, {
    jwks: { keys: published },
    cookies: { keys: [cookieKey] }, // sessions remain valid when keys rotate
    clients: [
      {
        client_id: 'robot',
        client_secret: 'robot-secret',
        grant_types: ['client_credentials'],
        response_types: [],
        redirect_uris: [],
      },
      {
        client_id: 'front-end',
        token_endpoint_auth_method: 'none',
        grant_types: ['authorization_code'],
        response_types: ['code'],
        redirect_uris: ['https://front-end.test/signed-in'],
      },
      ...pages,
    ],
    clientBasedCORS: (context, origin, client) => client.clientId === 'page' && origin === new URL(flags.page).origin,
    findAccount: (context, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
    extraTokenClaims: (context, { accountId }) => ({ role: roles[accountId] }),
    features: {
      clientCredentials: { enabled: true },
      devInteractions: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (context, indicator) => ({
          scope: 'portail',
          audience: 'portail',
          accessTokenFormat: 'jwt',
          accessTokenTTL: Number(segments(indicator)[1] ?? 3600),
          jwt: { sign: { alg: segments(indicator)[0] } },
        }),
        useGrantedResource: () => true,
      },
    },
  });
  return provider.callback();
}

let issuer;
let keys = generateKeys();
let announced = [];
let answer;

const steps = {
  '/keys/announce': () => {
    announced = generateKeys();
    return [...keys, ...announced];
  },
  '/keys/rotate': () => [...announced, ...keys],
  '/keys/retire': () => (keys = announced),
};

const server = createServer(
  { cert: readFileSync(flags.certificate), key: readFileSync(flags.key) },
  (request, response) => {
    const step = request.method === 'POST' && steps[request.url];
    if (!step) return answer(request, response);
    answer = createProvider(issuer, step());
    return response.writeHead(204).end();
  },
);
server.listen(0, '127.0.0.1', () => {
  issuer = `https://localhost:${server.address().port}`;
  answer = createProvider(issuer, keys);
  console.log(`provider: ${issuer}`);
});
