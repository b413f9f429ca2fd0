/*
 * A provider of accounts, in a process of its own: the package `oidc-provider`, which takes every name as an account with that name as its
 * e-mail address. `unverified@…` has an address that is not verified. The ID token of `audience@…` is signed again for another client: of all
 * that goes wrong, only this cannot be had from the package itself. Prints its port.
 */
import { createPrivateKey, generateKeyPairSync, sign } from 'node:crypto';
import { createServer } from 'node:http';
import { Provider } from 'oidc-provider';

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const key = { ...privateKey.export({ format: 'jwk' }), kid: 'test', use: 'sig', alg: 'RS256' };

const server = createServer();
server.listen(Number(process.env.OIDC_PORT ?? 0), '127.0.0.1', () => {
  const { port } = server.address();
  const answer = makeProvider(`http://127.0.0.1:${port}`).callback();
  server.on('request', (...exchange) => void answer(...exchange));
  process.stdout.write(`${port}\n`);
});
// The channel closes when the process of the tests ends, however that was.
process.on('disconnect', () => process.exit());

function makeProvider(issuer) {
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: 'parley',
        client_secret: 'the secret of the client',
        redirect_uris: [`${issuer}/replaced`],
        token_endpoint_auth_method: 'client_secret_post',
      },
    ],
    jwks: { keys: [key] },
    cookies: { keys: ['a key of the tests'] },
    claims: { openid: ['sub'], email: ['email', 'email_verified'] },
    conformIdTokenClaims: process.env.OIDC_EMAIL_IN !== 'token',
    // As the package is: it refuses `select_account`, and does not say so, unless it is asked to list what it knows.
    ...(process.env.OIDC_PROMPTS
      ? { discovery: { prompt_values_supported: process.env.OIDC_PROMPTS.split(' ') } }
      : {}),
    ttl: {
      IdToken: 60,
      AccessToken: 3_600,
      AuthorizationCode: 600,
      Interaction: 3_600,
      Session: 3_600,
      Grant: 3_600,
    },
    pkce: { required: () => true },
    findAccount: (_ctx, id) => ({
      accountId: id,
      claims: () => ({ sub: id, email: id, email_verified: !id.startsWith('unverified') }),
    }),
    // Nobody is asked for consent: the institution has given it.
    async loadExistingGrant({ oidc: { client, session } }) {
      const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId });
      grant.addOIDCScope('openid email');
      await grant.save();
      return grant;
    },
  });
  // Each test has a port of its own.
  provider.Client.prototype.redirectUriAllowed = address =>
    /^http:\/\/(127\.0\.0\.1|localhost):\d+\/console\/oidc\/callback$/.test(address);
  provider.use(async (ctx, next) => {
    await next();
    const token = ctx.path === '/token' ? ctx.body?.id_token : undefined;
    if (token) ctx.body.id_token = changeAudience(token);
  });
  return provider;
}

function changeAudience(token) {
  const [head, payload] = token.split('.');
  const claims = JSON.parse(Buffer.from(payload, 'base64url'));
  if (!claims.sub.startsWith('audience')) return token;
  const changed = Buffer.from(JSON.stringify({ ...claims, aud: 'somebody else' })).toString('base64url');
  const signature = sign(
    'sha256',
    Buffer.from(`${head}.${changed}`),
    createPrivateKey({ key, format: 'jwk' }),
  );
  return `${head}.${changed}.${signature.toString('base64url')}`;
}
