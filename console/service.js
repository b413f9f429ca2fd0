/*
 * Calls of the service. The token is in this module and, to survive a reload, in the session storage of this tab; it is sent
 * in a header and never part of an address.
 */

const PUBLIC = '/api/externalAPIs/public';
const SESSION_KEY = 'parley-session';

/** @typedef {{ host_id: string, host_slug: string, host_name: string }} Host */
/** @typedef {{ token: string, slug: string, chosen?: string }} Session */

/** @type {Session | undefined} */
let session = readSession();

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

/** @param {Host} host */
export async function createConversation({ host_id: hostId, host_slug: hostSlug }) {
  const body = { hostId, hostSlug, globalData: { platform: 'console' } };
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
async function send(method, path, body, extraHeaders = {}) {
  /** @type {Record<string, string>} */
  const headers = { ...extraHeaders, authorization: `Bearer ${session?.token ?? ''}` };
  if (session?.chosen) headers['x-choosen-host-id'] = session.chosen;
  if (body) headers['content-type'] = 'application/json';
  const request = { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) };
  const response = await fetch(path, request).catch(() => {
    throw new ServiceError(0, 'O serviço não pôde ser alcançado.');
  });
  const answer = await response.json().catch(() => undefined);
  // A failed health check has the status 503 and its own form.
  if (answer && (response.ok || typeof answer.status === 'string')) return answer;
  const requestId = response.headers.get('x-request-id') ?? '';
  throw new ServiceError(response.status, answer?.message ?? response.statusText, {
    requestId,
    ...answer?.data,
  });
}
