import { RawJson } from '../../platform/raw-json.ts';
import type { AnswerPiece, TranscriptPiece } from '../../queues/contract/answer-piece.ts';
import { failure, isFailure, type Outcome, type Success } from '../../queues/contract/failure.ts';
import type { BodyOf, DataOf } from '../../queues/contract/operations/index.ts';
import type { Request } from '../../queues/transport/request.ts';
import type { Ctx } from '../context.ts';
import type { Ask } from '../request.ts';
import { envelopeOf, errorOf, sendOutcome } from './envelope.ts';
import { EventSender } from './event-sender.ts';

/*
 * A turn's answer is sent as server-sent events while it is generated. The status goes with the first event; a failure before
 * that is an ordinary error response.
 */

export interface EventForm {
  /** Undefined if the form has no place for a spoken question. */
  sendTranscript?(events: EventSender, question: string): void;
  sendChange(events: EventSender, change: TextChange): void;
  sendEnd(events: EventSender, outcome: Outcome<unknown>): void;
}

/** Sends `heard` if the question was spoken, then `delta` and `replace`, and last one `answer` or `error`. */
export function streamAnswer(ctx: Ctx, request: Request, ask: Ask): Promise<void> {
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
  request: Request,
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
    // The answer must not come before its question.
    if (heard && !heard.isTaken) return;
    const change = text.takeChange();
    if (change) sendChange(events, change);
  };
  // A slow reader gets larger parts.
  events.onDrain(sendText);
  const onPiece: Request['onPiece'] = piece => {
    // The reply may overtake pieces that are still being decrypted.
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
    // Koa can no longer send an error response.
    ctx.app.emit('error', error, ctx);
    return failure('internal');
  });
  if (!events.isOpen && isFailure(outcome)) return sendOutcome(ctx, outcome);
  // Koa must not write this response.
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

function hasRecording({ body }: Request): boolean {
  const { attachments = [] } = body as BodyOf<'reason'>;
  return attachments.some(({ type }) => type === 'audio');
}

/** The client gets this next: more text, or all of it, because its text is void. */
export interface TextChange {
  readonly kind: 'delta' | 'replace';
  readonly text: string;
}

/**
 * The text of an answer: as much as its pieces brought, and how much of it the client has. A piece that does not join on is
 * ignored: the reply has the whole text.
 */
export class StreamedText {
  #version: number | undefined;
  #text = '';
  #sentLength = 0;
  #isVoid = false;

  add({ version, at, text }: AnswerPiece): void {
    if (version > (this.#version ?? Number.NEGATIVE_INFINITY)) this.#begin(version);
    if (version === this.#version && at === this.#text.length) this.#text += text;
  }

  /** The whole text, from the reply. */
  end(text: string): void {
    if (!text.startsWith(this.#text.slice(0, this.#sentLength))) this.#isVoid = this.#sentLength > 0;
    this.#text = text;
    if (this.#isVoid) this.#sentLength = 0;
  }

  /** Undefined if the client has all of it. */
  takeChange(): TextChange | undefined {
    const text = this.#text.slice(this.#sentLength);
    if (text === '' && !this.#isVoid) return undefined;
    const kind = this.#isVoid ? 'replace' : 'delta';
    this.#sentLength = this.#text.length;
    this.#isVoid = false;
    return { kind, text };
  }

  #begin(version: number): void {
    this.#version = version;
    this.#isVoid ||= this.#sentLength > 0;
    this.#text = '';
    this.#sentLength = 0;
  }
}

/** A spoken question, which the client gets once, and whole. */
export class TranscriptText {
  #version: number | undefined;
  #text = '';
  #isWhole = false;
  #isTaken = false;

  get isTaken(): boolean {
    return this.#isTaken;
  }

  add({ version, at, heard, length }: TranscriptPiece): void {
    if (this.#isWhole) return;
    if (version > (this.#version ?? Number.NEGATIVE_INFINITY)) {
      this.#version = version;
      this.#text = '';
    }
    if (version !== this.#version || at !== this.#text.length) return;
    this.#text += heard;
    this.#isWhole = this.#text.length === length;
  }

  /** The whole question, from the reply. */
  end(question: string): void {
    if (!this.#isWhole) this.#text = question;
    this.#isWhole = true;
  }

  /** Undefined if it is not complete yet, or the client has it. */
  take(): string | undefined {
    if (!this.#isWhole || this.#isTaken) return undefined;
    this.#isTaken = true;
    return this.#text;
  }
}

/** The data of an answered turn; a long answer is not parsed yet. */
export function turnDataOf({ data }: Success<unknown>): DataOf<'reason'> {
  return (data instanceof RawJson ? data.parse() : data) as DataOf<'reason'>;
}
