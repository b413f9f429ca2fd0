import { createParser } from 'eventsource-parser';
import { eventually } from './eventually.ts';
import { PUBLIC, type Service } from './service.ts';

export interface ReceivedEvent {
  readonly event: string;
  // Tests look into events freely.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly data: any;
}

export interface EventClient {
  readonly response: Response;
  readonly events: readonly ReceivedEvent[];
  readonly comments: readonly string[];
  /** The answer of a turn so far, as its events give it. */
  text(): string;
  /** Resolves when the answer so far is this text. */
  waitForText(text: string): Promise<void>;
  /** Resolves with all events when the response has ended. */
  readAll(): Promise<readonly ReceivedEvent[]>;
  disconnect(): void;
}

/** Asks a question whose answer comes as events; resolves when the headers have come. */
export function openEvents(
  { baseURL, demo: { hostId, token } }: Service,
  body: object,
  headers: Record<string, string> = {},
): Promise<EventClient> {
  return requestEvents(`${baseURL}${PUBLIC}/svcReasoning`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${token}`,
      'Content-Type': 'application/json',
      Accept: 'text/event-stream',
      ...headers,
    },
    body: JSON.stringify({ hostId, ...body }),
  });
}

export async function requestEvents(url: string, init: RequestInit): Promise<EventClient> {
  const client = new AbortController();
  const response = await fetch(url, { ...init, signal: client.signal });
  const events: ReceivedEvent[] = [];
  const comments: string[] = [];
  const parser = createParser({
    onEvent: ({ event = '', data }) => events.push({ event, data: JSON.parse(data) }),
    onComment: comment => comments.push(comment),
  });
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream');
  const ended = isStream ? readInto(response, parser.feed.bind(parser)) : Promise.resolve();
  ended.catch(() => undefined);
  const text = () => textOf(events);
  return {
    response,
    events,
    comments,
    text,
    waitForText: async wanted => void (await eventually(async () => text(), wanted)),
    readAll: async () => {
      await ended;
      return events;
    },
    disconnect: () => client.abort(),
  };
}

/** The events of a whole body. */
export function readEvents(body: string): ReceivedEvent[] {
  const events: ReceivedEvent[] = [];
  const parser = createParser({
    onEvent: ({ event = '', data }) => events.push({ event, data: JSON.parse(data) }),
  });
  parser.feed(body);
  return events;
}

async function readInto({ body }: Response, feed: (text: string) => void): Promise<void> {
  const decoder = new TextDecoder();
  for await (const bytes of body ?? []) feed(decoder.decode(bytes as Uint8Array, { stream: true }));
}

/** Returns what a client shows that follows the events. */
function textOf(events: readonly ReceivedEvent[]): string {
  return events.reduce((text, { event, data }) => {
    if (event === 'replace') return data.text;
    return event === 'delta' ? text + data.text : text;
  }, '');
}
