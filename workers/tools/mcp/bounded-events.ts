import { AnswerTooLarge } from '../response-cap.ts';
import { TOO_LARGE } from './bounded-messages.ts';

/*
 * The protocol's library reads each message of a server for itself, which costs far more than the bytes: an answer made
 * of endless notifications holds the process for seconds. So messages are counted before it reads them. A stream that
 * has too many ends with an error to what was asked, which is the one end that the library takes for an answer: over a
 * stream that just broke off it would let the call wait, and knock again to hear the rest.
 */

/** Of one answer; and what a stream that stays open may bring at once. */
const MOST_MESSAGES = 1_000;
const STREAM_MESSAGES_PER_SECOND = 50;

type Fetch = typeof globalThis.fetch;

export function withBoundedEvents(fetch: Fetch): Fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    const type = (response.headers.get('content-type') ?? '').toLowerCase();
    const isAnswer = init?.method === 'POST';
    if (!response.body) return response;
    if (type.startsWith('text/event-stream'))
      return withBody(response, boundedEvents(response.body, { isAnswer, id: idOf(init?.body) }));
    return isAnswer && type.startsWith('application/json') ? boundedBatch(response) : response;
  };
}

function boundedEvents(
  body: ReadableStream<Uint8Array>,
  { isAnswer, id }: { isAnswer: boolean; id: unknown },
) {
  const reader = body.getReader();
  const isTooMuch = messageMeter(isAnswer ? 0 : STREAM_MESSAGES_PER_SECOND);
  const end = (controller: ReadableStreamDefaultController<Uint8Array>) => {
    const error = JSON.stringify({ jsonrpc: '2.0', id, error: TOO_LARGE });
    // What came may have broken off within an event.
    controller.enqueue(Buffer.from(`\n\ndata: ${error}\n\n`));
    controller.close();
  };
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { value, done } = await reader.read();
        if (done) return controller.close();
        if (!isTooMuch(value)) return controller.enqueue(value);
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

function messageMeter(perSecond: number): (bytes: Uint8Array) => boolean {
  const countEnds = eventCounter();
  let left = MOST_MESSAGES;
  let seenAt = performance.now();
  return bytes => {
    const now = performance.now();
    left = Math.min(MOST_MESSAGES, left + ((now - seenAt) / 1_000) * perSecond) - countEnds(bytes);
    seenAt = now;
    return left < 0;
  };
}

const [LINE, RETURN] = Buffer.from('\n\r');

/** Blank lines, in any of their three spellings: each ends an event. */
function eventCounter(): (bytes: Uint8Array) => number {
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

/** Servers of an older revision may answer with a list of messages. */
async function boundedBatch(response: Response): Promise<Response> {
  const text = await response.text();
  if (text.trimStart().startsWith('[') && (JSON.parse(text) as unknown[]).length > MOST_MESSAGES)
    throw new AnswerTooLarge();
  return withBody(response, text);
}

function withBody(response: Response, body: ReadableStream<Uint8Array> | string): Response {
  const { status, statusText, headers, url } = response;
  const changed = new Response(body, { status, statusText, headers });
  Object.defineProperty(changed, 'url', { value: url });
  return changed;
}

/** Of nobody where it cannot be known; the library takes that, too, for the end of what it waits for. */
function idOf(body: unknown): unknown {
  const asked = typeof body === 'string' ? (JSON.parse(body) as { id?: unknown }) : {};
  return asked.id ?? 'none';
}
