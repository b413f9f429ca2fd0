import { isFailure } from '../../queues/contract/failure.ts';
import type { JobRequest } from '../../queues/transport/queued-job.ts';
import type { Ctx } from '../context.ts';
import type { Ask } from '../job-request.ts';
import { errorOf } from '../replies/envelope.ts';
import type { EventSender } from '../replies/event-sender.ts';
import { turnDataOf } from '../replies/reason-data.ts';
import { streamTurn } from '../replies/stream-answer.ts';
import { type ChatIds, chatChunkOf, lastChunkOf, usageChunkOf } from './chat-completion.ts';
import { NEW_TEXT_MARK } from './chat-history.ts';

interface ChatStreamOptions {
  readonly ids: ChatIds;
  readonly hasUsage: boolean | undefined;
}

/**
 * The answer in chunks of OpenAI's form. That form cannot take back a text: one that is void is followed by an empty line and the
 * new one.
 */
export function streamChat(
  ctx: Ctx,
  request: JobRequest,
  ask: Ask,
  { ids, hasUsage }: ChatStreamOptions,
): Promise<void> {
  let isBegun = false;
  const begin = (events: EventSender) => {
    if (!isBegun) events.send({ data: chatChunkOf(ids, { role: 'assistant', content: '' }) });
    isBegun = true;
  };
  return streamTurn(ctx, request, ask, {
    sendChange(events, { kind, text }) {
      begin(events);
      const content = kind === 'replace' ? `${NEW_TEXT_MARK}${text}` : text;
      events.send({ data: chatChunkOf(ids, { content }) });
    },
    sendEnd(events, outcome) {
      if (isFailure(outcome)) events.send({ data: errorOf(ctx, outcome) });
      else {
        const data = turnDataOf(outcome);
        // Also of an empty answer: clients take the role from the first chunk.
        begin(events);
        events.send({ data: lastChunkOf(ids, data) });
        if (hasUsage) events.send({ data: usageChunkOf(ids, data) });
        events.sendLine('data: [DONE]');
      }
    },
  });
}
