import OpenAI from 'openai';
import { listMessageTexts } from './conversation-records.ts';
import { openOnce } from './opened.ts';
import type { Service } from './service.ts';

type Params = OpenAI.Responses.ResponseCreateParamsNonStreaming;
type Input = string | OpenAI.Responses.ResponseInput;
export type Answer = OpenAI.Responses.Response;
export type AnswerEvent = OpenAI.Responses.ResponseStreamEvent;
export type Asked = Partial<Omit<Params, 'input' | 'model' | 'stream'>>;

export const endOf = (events: readonly AnswerEvent[]): Answer =>
  (events.at(-1) as { response: Answer }).response;

export const conversationOf = (answer: object): string =>
  (answer as { parley: { conversationId: string } }).parley.conversationId;

export const errorOf = (work: Promise<unknown>): Promise<InstanceType<typeof OpenAI.APIError> | undefined> =>
  work.then(
    () => undefined,
    (error: unknown) => error as InstanceType<typeof OpenAI.APIError>,
  );

/** A client of the package for responses of an avatar of the demonstration host. */
export function openResponses(service: Service, model: string) {
  const client = openOnce(
    () =>
      new OpenAI({
        baseURL: `${service.baseURL}/v1`,
        apiKey: service.demo.token,
        maxRetries: 0,
        logLevel: 'off',
      }),
  );
  return {
    client,
    ask: (input: Input, more: Asked = {}): Promise<Answer> =>
      client.responses.create({ model, input, ...more, stream: false }),
    async stream(input: Input, more: Asked = {}): Promise<AnswerEvent[]> {
      const events: AnswerEvent[] = [];
      for await (const event of await client.responses.create({ model, input, ...more, stream: true }))
        events.push(event);
      return events;
    },
    saidIn: (answer: Answer): Promise<string[]> => listMessageTexts(service.db, conversationOf(answer)),
  };
}
