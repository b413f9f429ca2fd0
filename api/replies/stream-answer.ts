import { failure, isFailure, type Outcome } from '../../queues/contract/failure.ts';
import type { BodyOf } from '../../queues/contract/operations/index.ts';
import type { JobRequest } from '../../queues/transport/queued-job.ts';
import type { Ctx } from '../context.ts';
import type { Ask } from '../job-request.ts';
import { envelopeOf, errorOf, sendOutcome } from './envelope.ts';
import { EventSender } from './event-sender.ts';
import { turnDataOf } from './reason-data.ts';
import { StreamedText, type TextChange, TranscriptText } from './streamed-text.ts';

/*
 * The answer of a turn as server-sent events, while it is generated. The status is sent with the first event. Until then, a
 * failure is an ordinary error response.
 */

/** How the parts of an answer are written. */
interface EventForm {
  /** Undefined: the form has no place for a question that was spoken. */
  sendTranscript?(events: EventSender, question: string): void;
  sendChange(events: EventSender, change: TextChange): void;
  sendEnd(events: EventSender, outcome: Outcome<unknown>): void;
}

/** `heard` where the question was spoken, `delta` and `replace`, then one `answer` or `error`. */
export function streamAnswer(ctx: Ctx, request: JobRequest, ask: Ask): Promise<void> {
  return streamTurn(ctx, request, ask, {
    sendTranscript: (events, text) => events.send({ event: 'heard', data: { text } }),
    sendChange: (events, { kind, text }) => events.send({ event: kind, data: { text } }),
    sendEnd(events, outcome) {
      if (isFailure(outcome)) events.send({ event: 'error', data: errorOf(ctx, outcome) });
      else events.send({ event: 'answer', data: envelopeOf(outcome.code, turnDataOf(outcome)) });
    },
  });
}

export async function streamTurn(
  ctx: Ctx,
  request: JobRequest,
  ask: Ask,
  { sendTranscript, sendChange, sendEnd }: EventForm,
): Promise<void> {
  const text = new StreamedText();
  const heard = sendTranscript && hasRecording(request) ? new TranscriptText() : undefined;
  let isAnswered = false;
  const events = new EventSender(ctx.res);
  const sendText = () => {
    const question = heard?.take();
    if (question) sendTranscript?.(events, question);
    // The answer comes after its question.
    if (heard && !heard.isTaken) return;
    const change = text.takeChange();
    if (change) sendChange(events, change);
  };
  // A client that reads slowly gets more at once.
  events.onDrain(sendText);
  const onPiece: JobRequest['onPiece'] = piece => {
    // The reply overtakes pieces that are still being decrypted.
    if (isAnswered) return;
    if (!('heard' in piece)) text.add(piece);
    else heard?.add(piece);
    if (!events.isFull) sendText();
  };
  const asked = ask({ ...request, onPiece }).finally(() => {
    isAnswered = true;
    events.stopWaiting();
  });
  const outcome = await asked.catch((error: unknown) => {
    if (!events.isOpen) throw error;
    // Koa can send no error response any more.
    ctx.app.emit('error', error, ctx);
    return failure('internal');
  });
  if (!events.isOpen && isFailure(outcome)) return sendOutcome(ctx, outcome);
  // Koa has no part in this response.
  ctx.respond = false;
  if (!isFailure(outcome)) {
    const { question, assistantResponse } = turnDataOf(outcome);
    heard?.end(question ?? '');
    text.end(assistantResponse.string);
    sendText();
  }
  sendEnd(events, outcome);
  events.end();
}

function hasRecording({ body }: JobRequest): boolean {
  const { attachments = [] } = body as BodyOf<'reason'>;
  return attachments.some(({ type }) => type === 'audio');
}
