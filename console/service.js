/*
 * Calls of the service. The token is in this module and, to survive a reload, in the session storage of this tab; it is sent
 * in a header and never part of an address.
 */

import { readEvents } from './events.js';

const PUBLIC = '/api/externalAPIs/public';
const SESSION_KEY = 'parley-session';
const UNREACHABLE = 'O serviço não pôde ser alcançado.';

/** @typedef {{ host_id: string, host_slug: string, host_name: string }} Host */
/** @typedef {{ token: string, slug: string, chosen?: string, name?: string }} Session With the name of the person, as colleagues see it. */

/** @type {Session | undefined} */
let session = readSession();

/** How far the clock of the service is ahead of the one of this computer, in milliseconds. */
let clockLead = 0;

export const readServiceClock = () => Date.now() + clockLead;

/** An error with the message of the service. */
export class ServiceError extends Error {
  /**
   * @param {number} status 0 without an answer.
   * @param {string} message
   * @param {{ requestId?: string, fields?: { path: string, message: string }[], availableHosts?: Host[] }} [data]
   */
  constructor(status, message, data = {}) {
    super(message);
    this.status = status;
    this.requestId = data.requestId ?? '';
    this.fields = data.fields ?? [];
    this.availableHosts = data.availableHosts ?? [];
  }
}

/** @returns {Session | undefined} */
function readSession() {
  try {
    return JSON.parse(sessionStorage.getItem(SESSION_KEY) ?? 'null') ?? undefined;
  } catch {
    return undefined;
  }
}

export const getSession = () => session;

/**
 * Conversations of one token must not be visible with another.
 * @param {Session | undefined} next
 */
export function setSession(next) {
  if (next?.token !== session?.token) sessionStorage.clear();
  session = next;
  if (next) sessionStorage.setItem(SESSION_KEY, JSON.stringify(next));
}

/**
 * A call below `/svcReasoning`; '' is the turn itself.
 * @param {string} name
 * @param {object} body
 * @param {Record<string, string>} [headers]
 */
export async function callHelper(name, body, headers) {
  const path = `${PUBLIC}/svcReasoning${name && `/${name}`}`;
  return (await send('POST', path, body, headers)).data;
}

/**
 * A turn whose answer is read while it is generated.
 * @param {object} body
 * @param {Record<string, string>} headers
 * @param {(text: string) => void} onText Gets all of the text so far.
 */
export async function askWhileGenerated(body, headers, onText) {
  const accept = { accept: 'text/event-stream', ...headers };
  const response = await request('POST', `${PUBLIC}/svcReasoning`, body, accept);
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream');
  const answer = isStream ? await readTurnEvents(response, onText) : await readJson(response);
  return answer.data;
}

/**
 * @param {Response} response
 * @param {(text: string) => void} onText
 */
async function readTurnEvents(response, onText) {
  let text = '';
  for await (const { event, data } of readEvents(response)) {
    if (event === 'answer') return data;
    if (event === 'error') throw new ServiceError(data.code, data.message, data.data);
    text = event === 'replace' ? data.text : text + data.text;
    onText(text);
  }
  throw new ServiceError(0, UNREACHABLE);
}

/**
 * The token of a sign-in link, which is used up by this.
 * @param {string} link
 * @returns {Promise<{ token: string, hostSlug: string, name: string }>}
 */
export async function exchangeLink(link) {
  return (await send('POST', '/console/sign-in', undefined, { authorization: `Bearer ${link}` })).data;
}

/**
 * What the token of the session may do.
 * @returns {Promise<string[]>}
 */
export async function readScopes() {
  return (await send('GET', '/console/session')).data.scopes;
}

/** @typedef {{ stage: string, done: number, total: number }} Progress */

/**
 * @param {string} id
 * @returns {Promise<{ state: 'queued' | 'running' | 'completed' | 'failed', progress?: Progress }>}
 */
export async function readJob(id) {
  return (await send('GET', `/jobs/${id}`)).data;
}

/** @param {Host} host @param {string} [platform] */
export async function createConversation({ host_id: hostId, host_slug: hostSlug }, platform = 'console') {
  const body = { hostId, hostSlug, globalData: { platform } };
  return (await send('POST', `${PUBLIC}/createConversationId`, body)).data.conversationId;
}

/**
 * @param {string} path Below `/search-index`.
 * @param {object} [body] Without one it is a GET.
 */
export async function searchIndex(path, body) {
  return send(body ? 'POST' : 'GET', `/search-index/${path}`, body);
}

/**
 * @param {string} method
 * @param {string} path
 * @param {object} [body]
 * @param {Record<string, string>} [extraHeaders]
 */
async function send(method, path, body, extraHeaders) {
  return readJson(await request(method, path, body, extraHeaders));
}

/**
 * @param {string} method
 * @param {string} path
 * @param {object} [body]
 * @param {Record<string, string>} [extraHeaders]
 */
async function request(method, path, body, extraHeaders = {}) {
  /** @type {Record<string, string>} */
  const headers = { authorization: `Bearer ${session?.token ?? ''}`, ...extraHeaders };
  if (session?.chosen) headers['x-choosen-host-id'] = session.chosen;
  if (body) headers['content-type'] = 'application/json';
  const options = { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) };
  const response = await fetch(path, options).catch(() => {
    throw new ServiceError(0, UNREACHABLE);
  });
  const at = Date.parse(response.headers.get('date') ?? '');
  if (!Number.isNaN(at)) clockLead = at - Date.now();
  return response;
}

/** @param {Response} response */
async function readJson(response) {
  const answer = await response.json().catch(() => undefined);
  // A failed health check has the status 503 and its own form.
  if (answer && (response.ok || typeof answer.status === 'string')) return answer;
  const requestId = response.headers.get('x-request-id') ?? '';
  throw new ServiceError(response.status, answer?.message ?? response.statusText, {
    requestId,
    ...answer?.data,
  });
}
