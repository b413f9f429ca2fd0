import { AnswerTooLarge } from '../response-cap.ts';
import { TOO_LARGE } from './bounded-messages.ts';

/*
 * The MCP library parses each message of a server on its own, which costs far more than reading the bytes: a response
 * made of endless notifications blocks the process for seconds. So messages are counted before the library sees them.
 * A stream with too many ends with an error response to the request, because only that ends the call: after a stream
 * that just breaks off, the library lets the call wait and reconnects to read the rest.
 */

/** Limit for one response, and the burst limit for a stream that stays open. */
const MAX_MESSAGES = 1_000;
const STREAM_MESSAGES_PER_SECOND = 50;

type Fetch = typeof globalThis.fetch;

export function withBoundedEvents(fetch: Fetch): Fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    const type = (response.headers.get('content-type') ?? '').toLowerCase();
    const isAnswer = init?.method === 'POST';
    if (!response.body) return response;
    if (type.startsWith('text/event-stream'))
      return withBody(response, boundEvents(response.body, { isAnswer, id: idOf(init?.body) }));
    return isAnswer && type.startsWith('application/json') ? boundBatch(response) : response;
  };
}

function boundEvents(body: ReadableStream<Uint8Array>, { isAnswer, id }: { isAnswer: boolean; id: unknown }) {
  const reader = body.getReader();
  const exceedsLimit = makeMessageMeter(isAnswer ? 0 : STREAM_MESSAGES_PER_SECOND);
  const end = (controller: ReadableStreamDefaultController<Uint8Array>) => {
    const error = JSON.stringify({ jsonrpc: '2.0', id, error: TOO_LARGE });
    // The stream may have been cut within an event.
    controller.enqueue(Buffer.from(`\n\ndata: ${error}\n\n`));
    controller.close();
  };
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { value, done } = await reader.read();
        if (done) return controller.close();
        if (!exceedsLimit(value)) return controller.enqueue(value);
        end(controller);
        await reader.cancel();
      } catch (error) {
        if (!isAnswer || !(error instanceof AnswerTooLarge)) throw error;
        end(controller);
      }
    },
    cancel: reason => reader.cancel(reason),
  });
}

function makeMessageMeter(perSecond: number): (bytes: Uint8Array) => boolean {
  const countEnds = makeEventCounter();
  let budget = MAX_MESSAGES;
  let seenAt = performance.now();
  return bytes => {
    const now = performance.now();
    budget = Math.min(MAX_MESSAGES, budget + ((now - seenAt) / 1_000) * perSecond) - countEnds(bytes);
    seenAt = now;
    return budget < 0;
  };
}

const [LINE, RETURN] = Buffer.from('\n\r');

/** Counts blank lines, in any of their three encodings: each ends an event. */
function makeEventCounter(): (bytes: Uint8Array) => number {
  let previous: number | undefined;
  let isBlank = true;
  return bytes => {
    let events = 0;
    for (const byte of bytes) {
      const isSecondHalf = byte === LINE && previous === RETURN;
      previous = byte;
      if (isSecondHalf) continue;
      const isEnd = byte === LINE || byte === RETURN;
      if (isEnd && isBlank) events += 1;
      isBlank = isEnd;
    }
    return events;
  };
}

/** Servers of an older protocol revision may respond with a batch of messages. */
async function boundBatch(response: Response): Promise<Response> {
  const text = await response.text();
  if (text.trimStart().startsWith('[') && (JSON.parse(text) as unknown[]).length > MAX_MESSAGES)
    throw new AnswerTooLarge();
  return withBody(response, text);
}

function withBody(response: Response, body: ReadableStream<Uint8Array> | string): Response {
  const { status, statusText, headers, url } = response;
  const changed = new Response(body, { status, statusText, headers });
  Object.defineProperty(changed, 'url', { value: url });
  return changed;
}

/** The id of the request; a placeholder where it is unknown, which ends the pending call of the library, too. */
function idOf(body: unknown): unknown {
  const request = typeof body === 'string' ? (JSON.parse(body) as { id?: unknown }) : {};
  return request.id ?? 'none';
}
