/*
 * Calls of the service. The token is in this module and, to survive a reload, in the session storage of this tab; it is sent
 * in a header and never part of an address.
 */

import { signal } from '@preact/signals';
import type { TokenScope } from '../queues/contract/operation.ts';
import type { BodyOf, DataOf } from '../queues/contract/operations/index.ts';
import { readEvents } from './events.ts';
import { type PathName, paths } from './paths.ts';

const PUBLIC = '/api/externalAPIs/public';
const SESSION_KEY = 'parley-session';
const UNREACHABLE = 'O serviço não pôde ser alcançado.';

export type Host = Pick<
  DataOf<'listAvatars'>['avatarsAdminList']['host'],
  'host_id' | 'host_slug' | 'host_name'
>;

export interface Session {
  readonly token: string;
  readonly slug: string;
  readonly chosen?: string;
  /** Of the person, as colleagues see it. */
  readonly name?: string;
}

let session = readSession();

/** Whether the service could be reached when it was called last. */
export const isReachable = signal(true);
export const isSignedIn = signal(false);
/** Whether the session that was in use is over: its token has expired, or was revoked. */
export const isSessionOver = signal(false);

/** How far the clock of the service is ahead of the one of this computer, in milliseconds. */
let clockLead = 0;

export const readServiceClock = (): number => Date.now() + clockLead;

interface ErrorData {
  readonly requestId?: string;
  readonly fields?: readonly { readonly path: string; readonly message: string }[];
  readonly availableHosts?: readonly Host[];
}

/** An error with the message of the service; its status is 0 without an answer. */
export class ServiceError extends Error {
  readonly status: number;
  readonly requestId: string;
  readonly fields: readonly { readonly path: string; readonly message: string }[];
  readonly availableHosts: readonly Host[];

  constructor(status: number, message: string, data: ErrorData = {}) {
    super(message);
    this.status = status;
    this.requestId = data.requestId ?? '';
    this.fields = data.fields ?? [];
    this.availableHosts = data.availableHosts ?? [];
  }
}

function readSession(): Session | undefined {
  try {
    return JSON.parse(sessionStorage.getItem(SESSION_KEY) ?? 'null') ?? undefined;
  } catch {
    return undefined;
  }
}

export const getSession = (): Session | undefined => session;

/**
 * Conversations of one token must not be visible with another; only after a session has ended by itself, the same person goes
 * on with what is typed.
 */
export function setSession(next: Session | undefined): void {
  const goesOn = isSessionOver.value && next?.slug === session?.slug && next?.name === session?.name;
  if (next?.token !== session?.token && !goesOn) sessionStorage.clear();
  session = next;
  if (next) sessionStorage.setItem(SESSION_KEY, JSON.stringify(next));
}

/** Calls an operation of the contract by its name; its body and its answer have the types of the contract. */
export async function call<N extends PathName>(
  name: N,
  body: BodyOf<N>,
  headers?: Record<string, string>,
): Promise<DataOf<N>> {
  const path = paths[name];
  // Of a page that is just being left, after signing out.
  if (session === undefined) throw new ServiceError(0, UNREACHABLE);
  const answer = await send('POST', path, body, headers);
  // The searches have no envelope.
  return path.startsWith(PUBLIC) ? answer.data : answer;
}

/** A call below `/svcReasoning`; '' is the turn itself. */
export async function callHelper(name: string, body: object, headers?: Record<string, string>) {
  const path = `${PUBLIC}/svcReasoning${name && `/${name}`}`;
  return (await send('POST', path, body, headers)).data;
}

/** A turn whose answer is read while it is generated; `onText` gets all of the text so far. */
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

/** The token of a sign-in link, which is used up by this. */
export async function exchangeLink(link: string): Promise<{ token: string; hostSlug: string; name: string }> {
  return (await send('POST', '/console/sign-in', undefined, { authorization: `Bearer ${link}` })).data;
}

/** What the token of the session may do. */
export async function readScopes(): Promise<TokenScope[]> {
  return (await send('GET', '/console/session')).data.scopes;
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

/** A call below `/search-index`; without a body it is a GET. */
export async function searchIndex(path: string, body?: object) {
  return send(body ? 'POST' : 'GET', `/search-index/${path}`, body);
}

/** Whether the service answers again. */
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
): Promise<Response> {
  const headers: Record<string, string> = {
    authorization: `Bearer ${session?.token ?? ''}`,
    ...extraHeaders,
    ...(session?.chosen ? { 'x-choosen-host-id': session.chosen } : {}),
    ...(body ? { 'content-type': 'application/json' } : {}),
  };
  const options = { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) };
  const response = await fetch(path, options).catch(() => {
    isReachable.value = false;
    throw new ServiceError(0, UNREACHABLE);
  });
  isReachable.value = true;
  if (response.status === 401 && isSignedIn.value) isSessionOver.value = true;
  const at = Date.parse(response.headers.get('date') ?? '');
  if (!Number.isNaN(at)) clockLead = at - Date.now();
  return response;
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
