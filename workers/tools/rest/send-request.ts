import { FormData } from 'undici';
import { errorCodeOf } from '../../../platform/error-reason.ts';
import type { RestAnswer } from '../../domain/rest-tools/rest-answer.ts';
import type { RestBody, RestRequest } from '../../domain/rest-tools/rest-request.ts';
import type { Fetcher } from '../egress.ts';

/** The system leads elsewhere: nothing is sent there, least of all the secret. */
export class ForeignRedirectError extends Error {
  readonly status: number;
  constructor(status: number) {
    super('the system redirects to another address');
    this.status = status;
  }
}

const MAX_REDIRECTS = 3;
const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308];
/** No answer has come, and of these no request may have been read. */
const UNANSWERED: readonly unknown[] = [
  'ECONNREFUSED',
  'ECONNRESET',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_SOCKET',
];

/**
 * Follows redirects within the origin where it may repeat. Such a request is also sent once more where no answer came; others never
 * are. `sign` makes the request to an address of this origin.
 */
export async function sendRequest(
  fetcher: Fetcher,
  address: string,
  sign: (url: string) => RestRequest,
  { signal, mayRepeat }: { readonly signal: AbortSignal; readonly mayRepeat: boolean },
): Promise<RestAnswer> {
  const { origin } = new URL(address);
  let url = address;
  for (let followed = 0; ; followed += 1) {
    const request = sign(url);
    const response = await sendOnce(fetcher, request, signal).catch((error: unknown) => {
      const isLost = UNANSWERED.includes(errorCodeOf(error)) && !signal.aborted;
      if (!mayRepeat || !isLost) throw error;
      return sendOnce(fetcher, request, signal);
    });
    const { status } = response;
    const location = REDIRECTS.includes(status) ? response.headers.get('location') : null;
    if (location === null) return readAnswer(response);
    await response.body?.cancel();
    const isWithin = URL.canParse(location, url) && new URL(location, url).origin === origin;
    if (!isWithin || !mayRepeat || followed === MAX_REDIRECTS) throw new ForeignRedirectError(status);
    url = new URL(location, url).href;
  }
}

function sendOnce({ fetch }: Fetcher, request: RestRequest, signal: AbortSignal): Promise<Response> {
  const { method, url, body } = request;
  const headers = {
    accept: 'application/json, text/*;q=0.9, */*;q=0.5',
    ...request.headers,
    ...typeOf(body),
  };
  return fetch(url, { method, headers, body: contentOf(body), redirect: 'manual', signal });
}

function typeOf(body: RestBody | undefined) {
  return body && 'type' in body ? { 'content-type': body.type } : {};
}

function contentOf(body: RestBody | undefined) {
  if (!body) return null;
  if ('text' in body) return body.text;
  const form = new FormData();
  for (const [name, value] of body.parts) form.append(name, value);
  // The FormData of this undici, which sends it; the type is of Node's.
  return form as unknown as globalThis.FormData;
}

async function readAnswer(response: Response): Promise<RestAnswer> {
  const type = response.headers.get('content-type') ?? '';
  const bytes = await response.arrayBuffer();
  const [, charset = 'utf-8'] = /charset\s{0,4}=\s{0,4}"?([\w-]{1,40})/i.exec(type) ?? [];
  const mediaType = type.split(';', 1)[0]?.trim().slice(0, 100) ?? '';
  return { status: response.status, mediaType, text: decoderOf(charset).decode(bytes) };
}

/** Many systems still answer in ISO-8859-1. */
function decoderOf(charset: string): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(charset);
  } catch {
    return new TextDecoder();
  }
}
