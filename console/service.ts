/*
 * Calls the service. The browser sends the cookie of the session, which no script can read; this tab knows only whose session it
 * shows, and says so in a header: another tab may have signed in somebody else.
 */

import { signal } from '@preact/signals';
import type { FailureData } from '../queues/contract/failure.ts';
import type { TokenScope } from '../queues/contract/operation.ts';
import type { BodyOf, DataOf } from '../queues/contract/operations/index.ts';
import { readEvents } from './events.ts';
import { makeKey } from './keys.ts';
import { type PathName, paths } from './paths.ts';

const PUBLIC = '/api/externalAPIs/public';
const SESSION_KEY = 'parley-session';
/** This key, shared by all tabs, says whether this browser may have the cookie of a session. */
const COOKIE_KEY = 'parley-signed-in';
const UNREACHABLE = 'O serviço não pôde ser alcançado.';

export type Host = Pick<
  DataOf<'listAvatars'>['avatarsAdminList']['host'],
  'host_id' | 'host_slug' | 'host_name'
>;

/** Reports use the days of its zone. */
export interface SessionHost extends Host {
  readonly time_zone: string;
}

export type Role = DataOf<'savePerson'>['role'];

/** The person or token that is signed in. */
export interface SignedIn {
  readonly id: string;
  readonly name: string;
  /** The role of a person; a token has none. */
  readonly role?: Role;
  /** Whether the token belongs to operators, who decide over the hosts. */
  readonly operator?: true;
  readonly scopes: TokenScope[];
  readonly hosts: readonly SessionHost[];
}

export interface Session {
  readonly id: string;
  readonly host: SessionHost;
  /** The name of the person, as colleagues see it. */
  readonly name?: string;
  readonly role?: Role;
}

let session = readSession();

/** Whether the last call reached the service. */
export const isReachable = signal(true);
export const isSignedIn = signal(false);
/** Whether the former session is over: its time has passed, or somebody ended it. */
export const isSessionOver = signal(false);

/** How many milliseconds the clock of the service is ahead of this computer. */
let clockLead = 0;

export const readServiceClock = (): number => Date.now() + clockLead;

type ErrorData = Pick<FailureData, 'reason' | 'requestId' | 'fields' | 'availableHosts' | 'cases'>;

/** A stored case that would fail after a change. */
export type FailingCase = NonNullable<FailureData['cases']>[number];

/** An error with the message of the service; the status is 0 if there was no answer. */
export class ServiceError extends Error {
  readonly status: number;
  /** Undefined if the answer is not of the service. */
  readonly reason: FailureData['reason'];
  readonly requestId: string;
  readonly fields: NonNullable<FailureData['fields']>;
  readonly availableHosts: readonly Host[];
  readonly cases: readonly FailingCase[];

  constructor(status: number, message: string, data: ErrorData = {}) {
    super(message);
    this.status = status;
    this.reason = data.reason;
    this.requestId = data.requestId ?? '';
    this.fields = data.fields ?? [];
    this.availableHosts = data.availableHosts ?? [];
    this.cases = data.cases ?? [];
  }
}

/** Whether the service refused the request, for example a cursor that it no longer knows. */
export function isRefused(error: unknown): boolean {
  return error instanceof ServiceError && error.status === 400;
}

function readSession(): Session | undefined {
  try {
    return JSON.parse(sessionStorage.getItem(SESSION_KEY) ?? 'null') ?? undefined;
  } catch {
    return undefined;
  }
}

export const getSession = (): Session | undefined => session;

/** The time zone of the host on the page. */
export const readHostZone = (): string | undefined => session?.host.time_zone;

/**
 * One person must not see the conversations of another: drafts stay only if a session ended by itself and somebody of the same
 * name goes on.
 */
export function setSession(next: Session | undefined): void {
  const isSameHost = next?.host.host_id === session?.host.host_id;
  const goesOn =
    isSameHost && (next?.id === session?.id || (isSessionOver.value && next?.name === session?.name));
  if (!goesOn) sessionStorage.clear();
  session = next;
  if (next) sessionStorage.setItem(SESSION_KEY, JSON.stringify(next));
}

/** Headers of operators, who call for any host, or for all. */
export const ofHost = (hostId: string) => ({ 'x-choosen-host-id': hostId });
export const ofAllHosts = ofHost('');

/** Calls an operation of the contract by its name; its body and its answer have the types of the contract. */
export async function call<N extends PathName>(
  name: N,
  body: BodyOf<N>,
  headers?: Record<string, string>,
): Promise<DataOf<N>> {
  const path = paths[name];
  // A page that is closing calls after the person has signed out.
  if (session === undefined) throw new ServiceError(0, UNREACHABLE);
  const answer = await send('POST', path, body, headers);
  // The searches have no envelope.
  return path.startsWith(PUBLIC) ? answer.data : answer;
}

/** The same for a large body: tells what part of it was sent. */
export async function callWithProgress<N extends PathName>(
  name: N,
  body: BodyOf<N>,
  headers: Record<string, string>,
  onProgress: (part: number) => void,
): Promise<DataOf<N>> {
  if (session === undefined) throw new ServiceError(0, UNREACHABLE);
  return (await readJson(await request('POST', paths[name], body, headers, underway.signal, onProgress)))
    .data;
}

/** Calls a path below `/svcReasoning`; '' is the turn itself. */
export async function callHelper(name: string, body: object) {
  const path = `${PUBLIC}/svcReasoning${name && `/${name}`}`;
  return (await send('POST', path, body)).data;
}

/** Asks a turn and reads its answer while it is generated; `onText` gets all of the text so far. */
export async function askWhileGenerated(
  body: BodyOf<'reason'>,
  headers: Record<string, string>,
  onText: (text: string) => void,
): Promise<DataOf<'reason'>> {
  const accept = { accept: 'text/event-stream', ...headers };
  const response = await request('POST', `${PUBLIC}/svcReasoning`, body, accept);
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream');
  const answer = isStream ? await readTurnEvents(response, onText) : await readJson(response);
  return answer.data;
}

async function readTurnEvents(response: Response, onText: (text: string) => void) {
  let text = '';
  for await (const { event, data } of readEvents(response)) {
    if (event === 'answer') return data;
    if (event === 'error') throw new ServiceError(data.code, data.message, data.data);
    text = event === 'replace' ? data.text : text + data.text;
    onText(text);
  }
  throw new ServiceError(0, UNREACHABLE);
}

/** Signs in with a token, or with a link. That uses the link up, except for a repeat with the same key. */
export async function exchange(linkOrToken: string, key = makeKey()): Promise<SignedIn> {
  const headers = { authorization: `Bearer ${linkOrToken}`, 'idempotency-key': key };
  const { data } = await send('POST', '/console/sign-in', undefined, headers);
  localStorage.setItem(COOKIE_KEY, '1');
  return data;
}

/** Whether people may also sign in with an account of their institution. */
export async function mayUseAccount(): Promise<boolean> {
  return (await send('GET', '/console/sign-in')).data.account;
}

/** The person and host that a sign-in link is for. */
export interface LinkFace {
  readonly name: string;
  readonly host_name: string;
  readonly host_picture: string;
}

/** Reads about a link without using it up. */
export async function describeLink(link: string): Promise<LinkFace> {
  return (await send('POST', '/console/sign-in-link', undefined, { authorization: `Bearer ${link}` })).data;
}

export const mayBeSignedIn = (): boolean => localStorage.getItem(COOKIE_KEY) !== null;

/** Returns the person whom the cookie of this browser signs in. */
export async function readSignedIn(): Promise<SignedIn> {
  return (await send('GET', '/console/session')).data;
}

/** Aborts every request of this session. */
let underway = new AbortController();

/**
 * Ends the session in this browser. Requests that are pending or made meanwhile are aborted: their refusal would look like a
 * session that ended by itself.
 */
export async function endSession(): Promise<void> {
  underway.abort();
  const ending = new AbortController();
  try {
    await readJson(await request('DELETE', '/console/session', undefined, {}, ending.signal));
  } finally {
    underway = ending;
  }
  localStorage.removeItem(COOKIE_KEY);
}

export interface Progress {
  readonly stage: string;
  readonly done: number;
  readonly total: number;
}

interface Job {
  readonly state: 'queued' | 'running' | 'completed' | 'failed';
  readonly progress?: Progress;
}

export async function readJob(id: string): Promise<Job> {
  return (await send('GET', `/jobs/${id}`)).data;
}

export async function createConversation(
  { host_id: hostId, host_slug: hostSlug }: Host,
  platform = 'console',
): Promise<string> {
  const body = { hostId, hostSlug, globalData: { platform } };
  return (await send('POST', `${PUBLIC}/createConversationId`, body)).data.conversationId;
}

/** Reads the state of the search index, for operators. */
export async function readIndex<N extends 'searchHealth' | 'searchStats'>(name: N): Promise<DataOf<N>> {
  return send('GET', paths[name]);
}

/** Returns the notices about conversations of the host, once the service has begun; they end with the connection. */
export async function readNotices(over: AbortSignal) {
  const signal = AbortSignal.any([over, underway.signal]);
  const response = await request('GET', '/console/events', undefined, {}, signal);
  if (!response.ok) await readJson(response);
  return readEvents(response);
}

/** Tells colleagues who writes to a conversation. */
export async function sendTyping(typing: {
  readonly conversationId: string;
  readonly name: string;
}): Promise<void> {
  await send('POST', '/console/typing', typing);
}

/** Tries whether the service answers again. */
export async function findService(): Promise<void> {
  await request('GET', '/health/live').catch(() => undefined);
}

async function send(method: string, path: string, body?: object, headers?: Record<string, string>) {
  return readJson(await request(method, path, body, headers));
}

async function request(
  method: string,
  path: string,
  body?: object,
  extraHeaders: Record<string, string> = {},
  signal = underway.signal,
  onProgress?: (part: number) => void,
): Promise<Response> {
  const asker = session;
  const headers: Record<string, string> = {
    'x-parley-console': session?.id ?? '1',
    ...(session ? ofHost(session.host.host_id) : {}),
    ...extraHeaders,
    ...(body ? { 'content-type': 'application/json' } : {}),
  };
  const options = { method, headers, signal, ...(body ? { body: JSON.stringify(body) } : {}) };
  const sent = onProgress ? upload(path, options, onProgress) : fetch(path, options);
  const response = await sent.catch(() => {
    if (!signal.aborted) isReachable.value = false;
    throw new ServiceError(0, UNREACHABLE);
  });
  isReachable.value = true;
  // What was asked before this session, such as about its link, says nothing of it.
  if (response.status === 401 && isSignedIn.value && asker === session) isSessionOver.value = true;
  const at = Date.parse(response.headers.get('date') ?? '');
  if (!Number.isNaN(at)) clockLead = at - Date.now();
  return response;
}

interface Upload {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  readonly body?: string;
}

/** `fetch` does not tell how much was sent. */
function upload(
  path: string,
  { method, headers, signal, body }: Upload,
  onProgress: (part: number) => void,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    const sending = new XMLHttpRequest();
    sending.open(method, path);
    for (const [name, value] of Object.entries(headers)) sending.setRequestHeader(name, value);
    sending.upload.addEventListener('progress', ({ loaded, total }) => onProgress(loaded / total));
    sending.addEventListener('load', () => {
      const answered = new Headers();
      for (const name of ['date', 'x-request-id']) {
        const value = sending.getResponseHeader(name);
        if (value !== null) answered.set(name, value);
      }
      resolve(new Response(sending.responseText, { status: sending.status, headers: answered }));
    });
    for (const end of ['error', 'abort'])
      sending.addEventListener(end, () => reject(new TypeError(UNREACHABLE)));
    signal.addEventListener('abort', () => sending.abort());
    sending.send(body);
  });
}

async function readJson(response: Response) {
  const answer = await response.json().catch(() => undefined);
  // A failed health check has the status 503 and its own form.
  if (answer && (response.ok || typeof answer.status === 'string')) return answer;
  const requestId = response.headers.get('x-request-id') ?? '';
  throw new ServiceError(response.status, answer?.message ?? response.statusText, {
    requestId,
    ...answer?.data,
  });
}
