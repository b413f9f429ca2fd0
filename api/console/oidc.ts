import Router from '@koa/router';
import * as client from 'openid-client';
import type { Logger } from 'pino';
import { isByHttps } from '../base-address.ts';
import type { Ctx, State } from '../context.ts';
import { makeUnknownCallerLimits } from '../guards/unknown-caller-limits.ts';
import { sendOutcome } from '../replies/envelope.ts';
import type { SessionStore } from './sessions.ts';

/*
 * Signing in with an account of the institution, by OpenID Connect. It ends where a link begins: the page gets one for each person
 * of this e-mail address, and exchanges one of them as it exchanges every link. Nobody is created.
 *
 *   GET /console/oidc --> provider --> GET /console/oidc/callback --> /console#entrar=lnk_…,lnk_…   or   /console#conta=<why not>
 */

export interface OidcProvider {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

interface OidcParts {
  /** Undefined: people sign in only by links. */
  readonly oidc: OidcProvider | undefined;
  readonly publicUrl?: string | undefined;
  readonly sessions: SessionStore;
  readonly log: Logger;
}

/** Why nobody was signed in; the page has a sentence for each reason. */
type Refusal = 'fora' | 'recusada' | 'cancelada' | 'sem-email' | 'desconhecida';

const START_PATH = '/console/oidc';
const CALLBACK_PATH = '/console/oidc/callback';
/** This cookie holds the values that the provider's answer must match. `Lax`, because the answer comes from another site. */
const STATE_COOKIE = 'parley_oidc';
const STATE_SECONDS = 600;
/** The limit of each request to the provider: a person waits for it. */
const ANSWER_WITHIN_SECONDS = 5;
/** The clocks of the provider and of this machine may differ by this much. */
const CLOCK_TOLERANCE_SECONDS = 180;
/**
 * Anybody may press the button: without this, a thousand presses a second asked the provider a thousand times; now they ask it
 * once.
 */
const FOUND_FOR_MS = 10_000;
/**
 * Other characters are refused: `lower` of PostgreSQL turns the Kelvin sign into a k, and so a stranger's address into a
 * person's.
 */
const plainAddress = /^[\x21-\x7e]{3,200}$/;

export function makeOidcRoutes({ oidc, publicUrl, sessions, log }: OidcParts): Router<State> {
  const router = new Router<State>();
  router.get('/console/sign-in', ctx =>
    sendOutcome(ctx, { code: 200, data: { account: oidc !== undefined } }),
  );
  if (!oidc) return router;
  const findProvider = makeProviderFinder(oidc);
  const limits = makeUnknownCallerLimits();
  const refuse = (ctx: Ctx, why: Refusal, error?: unknown) => {
    const reason = error === undefined ? why : describe(error);
    log.warn({ event: 'oidc.refused', requestId: ctx.state.requestId, why, reason }, 'nobody was signed in');
    ctx.redirect(`/console#conta=${why}`);
  };

  router.get(START_PATH, async ctx => {
    const provider = await findProvider().catch((error: unknown) => refuse(ctx, 'fora', error));
    if (!provider) return;
    const [state, nonce, verifier] = [
      client.randomState(),
      client.randomNonce(),
      client.randomPKCECodeVerifier(),
    ];
    setStateCookie(ctx, [state, nonce, verifier].join('.'), STATE_SECONDS);
    const address = client.buildAuthorizationUrl(provider, {
      redirect_uri: callbackOf(ctx, publicUrl),
      scope: 'openid email',
      state,
      nonce,
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      ...promptOf(provider),
    });
    ctx.redirect(address.href);
  });

  router.get(CALLBACK_PATH, async ctx => {
    const [state = '', nonce = '', verifier = ''] = (ctx.cookies.get(STATE_COOKIE) ?? '').split('.');
    setStateCookie(ctx, '', 0);
    const answer = new URL(ctx.search, callbackOf(ctx, publicUrl));
    let email: string | undefined;
    try {
      const provider = await findProvider();
      const expected = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier };
      email = await limits.finding(ctx, () => readVerifiedEmail(provider, answer, expected));
    } catch (error) {
      const why = refusalOf(error);
      if (why === 'recusada') await limits.noteFailed(ctx, CALLBACK_PATH);
      return refuse(ctx, why, error);
    }
    if (email === undefined || !plainAddress.test(email)) return refuse(ctx, 'sem-email');
    const links = await sessions.makeLinks(email);
    if (links.length === 0) return refuse(ctx, 'desconhecida');
    ctx.redirect(`/console#entrar=${links.join(',')}`);
  });
  return router;
}

/**
 * Discovers the provider when a person comes, so that the page can say that it is away; otherwise the browser would show its own
 * error.
 */
function makeProviderFinder({ issuer, clientId, clientSecret }: OidcProvider) {
  let found: { readonly at: number; readonly provider: Promise<client.Configuration> } | undefined;
  const find = async () => {
    // Settings allow http for development only.
    const execute = issuer.startsWith('http:') ? [client.allowInsecureRequests] : [];
    const options = {
      execute: [...execute, client.enableNonRepudiationChecks],
      timeout: ANSWER_WITHIN_SECONDS,
    };
    const metadata = { client_secret: clientSecret, [client.clockTolerance]: CLOCK_TOLERANCE_SECONDS };
    const provider = await client.discovery(new URL(issuer), clientId, metadata, undefined, options);
    return provider;
  };
  return (): Promise<client.Configuration> => {
    const now = performance.now();
    if (!found || now - found.at > FOUND_FOR_MS) {
      found = { at: now, provider: find() };
      found.provider.catch(() => (found = undefined));
    }
    return found.provider;
  };
}

/**
 * Asks for the account again: otherwise the next person at this computer would get the account of the last, and a refused person
 * could not choose another. A provider that lists its prompts may lack the first one.
 */
function promptOf(provider: client.Configuration): { prompt?: string } {
  const known = provider.serverMetadata()['prompt_values_supported'];
  const prompt = ['select_account', 'login'].find(each => !Array.isArray(known) || known.includes(each));
  return prompt === undefined ? {} : { prompt };
}

/** Takes the address and whether it is verified from one answer: the token, or else the provider's details of the person. */
async function readVerifiedEmail(
  provider: client.Configuration,
  answer: URL,
  expected: client.AuthorizationCodeGrantChecks,
): Promise<string | undefined> {
  const tokens = await client.authorizationCodeGrant(provider, answer, {
    ...expected,
    idTokenExpected: true,
  });
  const token = tokens.claims();
  const told =
    token && token['email'] === undefined && provider.serverMetadata().userinfo_endpoint !== undefined
      ? await client.fetchUserInfo(provider, tokens.access_token, token.sub)
      : token;
  // Microsoft's `xms_edov` says that the domain of the address belongs to the tenant.
  const isVerified = [told?.['email_verified'], told?.['xms_edov']].some(value =>
    [true, 'true', 1, '1'].includes(value as never),
  );
  return isVerified && typeof told?.['email'] === 'string' ? told['email'] : undefined;
}

function refusalOf(error: unknown): Refusal {
  if (error instanceof client.AuthorizationResponseError && error.error === 'access_denied')
    return 'cancelada';
  const { name, code, cause } = error as { name?: string; code?: string; cause?: unknown };
  const isLate = code === 'OAUTH_TIMEOUT' || name === 'TimeoutError';
  const isBroken = cause instanceof Response && cause.status >= 500;
  const isWithoutAnswer = error instanceof TypeError && code === undefined;
  return isLate || isBroken || isWithoutAnswer ? 'fora' : 'recusada';
}

/** The reason of the library, without any input. */
function describe(error: unknown): string {
  const { message, code, cause } = error as Error & { readonly code?: string };
  const inner = cause instanceof Error ? `: ${cause.message}` : '';
  return `${code ? `${code} ` : ''}${message}${inner}`;
}

/** A forged `Host` does no harm: the provider sends people back only to addresses that it knows. */
function callbackOf(ctx: Ctx, publicUrl: string | undefined): string {
  const base = publicUrl ?? `${isByHttps(ctx) ? 'https' : 'http'}://${ctx.host}`;
  return new URL(CALLBACK_PATH, base).href;
}

function setStateCookie(ctx: Ctx, value: string, seconds: number): void {
  const flags = `Path=${START_PATH}; Max-Age=${seconds}; HttpOnly; SameSite=Lax${isByHttps(ctx) ? '; Secure' : ''}`;
  ctx.append('Set-Cookie', `${STATE_COOKIE}=${value}; ${flags}`);
}
