import { native } from './native.ts';

/** The calls of the chat. It knows the service by the address of its own script. */
export interface Calls {
  visit(visitor: string | undefined): Promise<Visit>;
  read(visitor: string, after: string | undefined): Promise<Conversation>;
  /** Tells the text so far as it grows. */
  ask(visitor: string, question: Question, onText: (text: string) => void): Promise<Answer>;
  /** The whole address of a path of the service. */
  addressOf(path: string): string;
}

export interface Visit {
  readonly visitor: string;
  readonly title: string;
  readonly greeting: string;
  readonly colour: string;
}

export interface Message {
  readonly id: string;
  readonly from: 'visitor' | 'assistant' | 'staff';
  readonly name: string | null;
  readonly text: string;
  readonly sources:
    | readonly { readonly title: string; readonly text: string; readonly url: string | null }[]
    | null;
  readonly files: readonly { readonly name: string | null; readonly url: string }[] | null;
}

interface Conversation {
  readonly staff: 'none' | 'waiting' | 'attending';
  readonly messages: readonly Message[];
}

/** It keeps its key when it is sent again, so that it is asked once. */
export interface Question {
  readonly key: string;
  readonly text: string;
  readonly choice?: string | undefined;
  readonly at: number;
}

export interface Answer {
  readonly text: string;
  readonly choices?: readonly { readonly id: string; readonly title: string }[];
}

/** The service has answered that it will not; without one of these, it was not reached. */
export class RefusedError extends Error {
  readonly status: number;
  readonly reason: string | undefined;

  constructor(status: number, reason: string | undefined) {
    super(reason);
    this.status = status;
    this.reason = reason;
  }

  /** Whether the same question may get an answer soon. */
  get mayPass(): boolean {
    return (
      this.status === 408 ||
      ['overloaded', 'unavailable', 'interrupted', 'too-many-requests'].includes(this.reason ?? '')
    );
  }
}

interface Sent {
  readonly body: object;
  readonly visitor?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

export function makeCalls(base: string, key: string): Calls {
  const post = async (name: string, { body, visitor, headers }: Sent): Promise<Response> => {
    const response = await native.fetch(`${base}/site-chat/${encodeURIComponent(key)}/${name}`, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        ...(visitor === undefined ? {} : { Authorization: `Bearer ${visitor}` }),
        ...headers,
      },
      body: native.JSON.stringify(body),
      credentials: 'omit',
      cache: 'no-store',
    });
    if (response.ok) return response;
    throw refusedBy(response.status, await response.json().catch(() => undefined));
  };
  const dataOf = async (response: Response) => (await response.json()).data;
  return {
    visit: async visitor => dataOf(await post('visits', { body: {}, visitor })),
    read: async (visitor, after) => dataOf(await post('messages', { body: { after }, visitor })),
    async ask(visitor, { key: questionKey, text: question, choice }, onText) {
      const headers = { Accept: 'text/event-stream', 'Idempotency-Key': questionKey };
      const response = await post('questions', { body: { question, choice }, visitor, headers });
      let text = '';
      for await (const { event, data } of eventsOf(response)) {
        if (event === 'answer') return data.data;
        if (event === 'error') throw refusedBy(data.code, data);
        text = event === 'replace' ? data.text : text + data.text;
        onText(text);
      }
      throw new TypeError('the answer has no end');
    },
    addressOf: path => new native.URL(path, base).href,
  };
}

interface Refused {
  readonly data?: { readonly reason?: string };
}

function refusedBy(status: number, body: Refused | undefined): RefusedError {
  return new RefusedError(status, body?.data?.reason);
}

type AnswerEvent =
  | { readonly event: 'delta' | 'replace'; readonly data: { readonly text: string } }
  | { readonly event: 'answer'; readonly data: { readonly data: Answer } }
  | { readonly event: 'error'; readonly data: Refused & { readonly code: number } };

async function* eventsOf(response: Response): AsyncGenerator<AnswerEvent> {
  const reader = response.body?.pipeThrough(new native.TextDecoderStream()).getReader();
  let waiting = '';
  for (;;) {
    const part = await reader?.read();
    if (!part || part.done) return;
    const blocks = (waiting + part.value).split('\n\n');
    waiting = blocks.pop() ?? '';
    for (const block of blocks) {
      const [, event, data] = /^event: (\w+)\ndata: (.*)$/.exec(block) ?? [];
      if (event !== undefined && data !== undefined)
        yield { event, data: native.JSON.parse(data) } as AnswerEvent;
    }
  }
}
