import { RawJson } from '../platform/raw-json.ts';
import { isFailure, type Outcome } from '../queues/contract/failure.ts';
import type { DataOf } from '../queues/contract/operations/index.ts';
import type { JobRequest } from '../queues/transport/queued-job.ts';
import type { Ask } from './ask.ts';
import type { Ctx } from './context.ts';
import { envelopeOf, errorOf, sendOutcome } from './envelope.ts';
import { EventSender } from './event-sender.ts';
import { StreamedText } from './streamed-text.ts';

/*
 * The answer of a turn as server-sent events, while it is generated: `delta` and `replace`, then one `answer` or `error`.
 * The status is sent with the first event. Until then, a failure is an ordinary error response.
 */

export async function streamAnswer(ctx: Ctx, request: JobRequest, ask: Ask): Promise<void> {
  const text = new StreamedText();
  const events = new EventSender(ctx.res);
  const sendChange = () => {
    const change = text.takeChange();
    if (change) events.send(change.kind, { text: change.text });
  };
  // A client that reads slowly gets more at once.
  events.onDrain(sendChange);
  const outcome = await ask({
    ...request,
    onPiece: piece => {
      text.add(piece);
      if (!events.isFull) sendChange();
    },
  }).finally(() => events.stopWaiting());
  if (!events.isOpen && isFailure(outcome)) return sendOutcome(ctx, outcome);
  // Koa has no part in this response.
  ctx.respond = false;
  if (isFailure(outcome)) return events.end('error', errorOf(ctx, outcome));
  const data = dataOf(outcome);
  text.end(data.assistantResponse.string);
  sendChange();
  events.end('answer', envelopeOf(outcome.code, data));
}

function dataOf({ data }: Extract<Outcome<unknown>, { data: unknown; code: 200 | 201 | 202 }>) {
  return (data instanceof RawJson ? JSON.parse(data.bytes.toString()) : data) as DataOf<'reason'>;
}
