import Router from '@koa/router';
import * as client from 'openid-client';
import type { Logger } from 'pino';
import { Gate } from '../../platform/gate.ts';
import { isByHttps } from '../base-address.ts';
import type { Ctx, State } from '../context.ts';
import { networkOf } from '../guards/rate-limit.ts';
import { makeUnknownCallerLimits } from '../guards/unknown-caller-limits.ts';
import { RETRY_AFTER, RefusalError, sendOutcome } from '../replies/envelope.ts';
import { type Language, languageOf } from './page-language.ts';
import { fetchFromProvider } from './provider-fetch.ts';
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

/** Why nobody was signed in: the page has a sentence for each, the log this one. */
const reasons = {
  fora: 'the provider did not answer',
  recusada: 'the answer of the provider was not accepted',
  cancelada: 'the person has cancelled',
  'sem-email': 'the provider sent no confirmed e-mail address',
  desconhecida: 'nobody who may sign in has this e-mail address',
};
type Refusal = keyof typeof reasons;

const START_PATH = '/console/oidc';
const CALLBACK_PATH = '/console/oidc/callback';
/** This cookie holds the values that the provider's answer must match. `Lax`, because the answer comes from another site. */
const STATE_COOKIE = 'parley_oidc';
const STATE_SECONDS = 600;
/** The limit of each request to the provider: a person waits for it. */
const ANSWER_WITHIN_SECONDS = 5;
const choosesAccount = /^https:\/\/(?:accounts\.google\.com|login\.microsoftonline\.com)(?:\/|$)/;
/** The clocks of the provider and of this machine may differ by this much. */
const CLOCK_TOLERANCE_SECONDS = 180;
/**
 * Anybody may press the button: without this, a thousand presses a second asked the provider a thousand times; now they ask it
 * once.
 */
const FOUND_FOR_MS = 10_000;
/**
 * Each person holds a place while the provider and the database are asked, which may take seconds; people of one network, as of a
 * school on its first morning, wait for each other, and are told to come again where too many do. Attack: 40 answers that hang.
 * A hundred who asked the database at once waited for its ten connections longer than any statement may.
 */
const PLACES = { maxTotal: 128, maxPerKey: 32 };
const WAIT_FOR_PLACE_MS = 15_000;
const MAX_WAITING = 1_000;
const fullTexts: Readonly<Record<Language, readonly [title: string, text: string, link: string]>> = {
  pt: [
    'Muita gente está entrando',
    'Muita gente está entrando neste momento. Espere um pouco e',
    'tente de novo',
  ],
  en: ['Many people are signing in', 'Many people are signing in just now. Wait a moment and', 'try again'],
  es: [
    'Mucha gente está entrando',
    'Mucha gente está entrando en este momento. Espere un poco e',
    'intente de nuevo',
  ],
};
const MAX_TOLD = 200;

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
  const holdPlace = makePlaces();
  const refuse = (ctx: Ctx, why: Refusal, error?: unknown) => {
    const line = { event: 'oidc.refused', requestId: ctx.state.requestId, reason: reasons[why] };
    log.warn({ ...line, ...toldBy(error) }, 'nobody was signed in');
    ctx.redirect(`/console#conta=${why}`);
  };

  router.get(START_PATH, async ctx => {
    const provider = await findProvider().catch((error: unknown) => refuse(ctx, 'fora', error));
    if (provider) await sendToProvider(ctx, provider, callbackOf(ctx, publicUrl));
  });

  router.get(CALLBACK_PATH, async ctx => {
    const [state = '', nonce = '', verifier = ''] = (ctx.cookies.get(STATE_COOKIE) ?? '').split('.');
    setStateCookie(ctx, '', 0);
    const answer = new URL(ctx.search, callbackOf(ctx, publicUrl));
    const expected = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier };
    const provider = await findProvider().catch((error: unknown) => refuse(ctx, 'fora', error));
    if (!provider) return;
    const signIn = async () => {
      let email: string | undefined;
      try {
        email = await readVerifiedEmail(provider, answer, expected);
      } catch (error) {
        const why = refusalOf(error);
        if (why === 'recusada' && !(await hasFailureLeft(limits.noteFailed(ctx, CALLBACK_PATH))))
          return sendFull(ctx, 429);
        return refuse(ctx, why, error);
      }
      if (email === undefined || !plainAddress.test(email)) return refuse(ctx, 'sem-email');
      const links = await sessions.makeLinks(email);
      if (links.length === 0) return refuse(ctx, 'desconhecida');
      ctx.redirect(`/console#entrar=${links.join(',')}`);
    };
    await holdPlace(networkOf(ctx.ip), signIn).catch((error: unknown) => {
      if (!(error instanceof NoPlaceError || error instanceof RefusalError)) throw error;
      sendFull(ctx, 503);
    });
  });
  return router;
}

class NoPlaceError extends Error {}

function makePlaces() {
  const gate = new Gate(PLACES);
  let waiting = 0;
  return async <T>(key: string, work: () => Promise<T>): Promise<T> => {
    if (waiting >= MAX_WAITING) throw new NoPlaceError();
    waiting += 1;
    try {
      await gate.enter({ key, startLimit: () => AbortSignal.timeout(WAIT_FOR_PLACE_MS) });
    } catch {
      throw new NoPlaceError();
    } finally {
      waiting -= 1;
    }
    try {
      return await work();
    } finally {
      gate.leave({ key });
    }
  };
}

/** Whether the network may fail once more this minute. */
async function hasFailureLeft(noted: Promise<void>): Promise<boolean> {
  return noted.then(
    () => true,
    (error: unknown) => {
      if (error instanceof RefusalError) return false;
      throw error;
    },
  );
}

/** A person looks at the answer, not a program. */
function sendFull(ctx: Ctx, status: 429 | 503): void {
  ctx.status = status;
  if (!ctx.response.get('Retry-After')) ctx.set('Retry-After', RETRY_AFTER);
  ctx.set('Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'");
  ctx.type = 'html';
  const language = languageOf(ctx);
  const [title, text, link] = fullTexts[language];
  ctx.body = `<!doctype html>
<html lang="${language}"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title>
<p>${text} <a href="/console">${link}</a>.</p></html>`;
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
      [client.customFetch]: fetchFromProvider,
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

async function sendToProvider(ctx: Ctx, provider: client.Configuration, callback: string): Promise<void> {
  const [state, nonce, verifier] = [
    client.randomState(),
    client.randomNonce(),
    client.randomPKCECodeVerifier(),
  ];
  setStateCookie(ctx, [state, nonce, verifier].join('.'), STATE_SECONDS);
  const address = client.buildAuthorizationUrl(provider, {
    redirect_uri: callback,
    scope: 'openid email',
    state,
    nonce,
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    ...promptOf(provider),
  });
  ctx.redirect(address.href);
}

/**
 * Asks for the account again: otherwise the next person at this computer would get the account of the last, and a refused person
 * could not choose another. A provider may refuse everybody for a prompt that it does not list; Google and Microsoft list none.
 */
function promptOf(provider: client.Configuration): { prompt?: string } {
  const { issuer, prompt_values_supported: listed } = provider.serverMetadata();
  const known = Array.isArray(listed) ? listed : choosesAccount.test(issuer) ? ['select_account'] : [];
  const prompt = ['select_account', 'login'].find(each => known.includes(each));
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

/** The words of the library, which quote no input, and of the provider, which are cut and have no control characters. */
function toldBy(error: unknown) {
  if (!(error instanceof Error)) return {};
  const { message, code, cause } = error as Error & { readonly code?: string };
  const inner = cause instanceof Error ? `: ${cause.message}` : '';
  const detail = `${code ? `${code} ` : ''}${message}${inner}`;
  const isOfProvider =
    error instanceof client.AuthorizationResponseError || error instanceof client.ResponseBodyError;
  if (!isOfProvider) return { detail };
  const told = { providerError: error.error, providerDescription: error.error_description };
  const words = Object.entries(told).flatMap(([name, text]) =>
    typeof text === 'string' ? [[name, text.replaceAll(/[\p{C}\p{Z}]+/gu, ' ').slice(0, MAX_TOLD)]] : [],
  );
  return { detail, ...Object.fromEntries(words) };
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
