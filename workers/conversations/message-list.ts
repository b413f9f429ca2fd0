import { findConversation } from '../../db/conversations/conversations.ts';
import { type ListedMessage, listMessages as listStored } from '../../db/conversations/message-list.ts';
import { runInSlices } from '../../platform/run-in-slices.ts';
import { failure, isFailure } from '../../queues/contract/failure.ts';
import type { DataOf } from '../../queues/contract/operations/index.ts';
import { object, patternText } from '../../queues/contract/shape.ts';
import { type Page, readPage } from '../bodies/page.ts';
import { parseWppSteps } from '../domain/wpp-parsed/wpp-parsed.ts';
import type { Handler } from '../runtime/job.ts';

const key = object({ seq: patternText(/^[1-9]\d{0,17}$/, 'a whole number') });

type Item = DataOf<'listMessages'>['items'][number];

export const listMessages: Handler<'listMessages'> = async job => {
  const { conversationId, notes: withNotes = false } = job.body;
  const page = await job.read<Page<ListedMessage>>(async scope => {
    if (!(await findConversation(scope, conversationId))) return failure('conversation-not-found');
    const found = await readPage({ ...job, ofId: conversationId }, key, {
      read: order => listStored(scope, conversationId, { ...order, withNotes }),
      keyOf: ({ seq }) => ({ seq }),
      fits: ({ fits }) => fits,
      toItem: message => message,
    });
    return isFailure(found) ? found : { code: 200, data: found };
  });
  if (isFailure(page)) return page;
  const items: Item[] = [];
  // After the transaction, because parsing a page of long answers takes a while.
  for (const message of page.data.items) items.push(await toMessageItem(message));
  return { code: 200, data: { items, nextCursor: page.data.nextCursor } };
};

async function toMessageItem({
  seq,
  turnId,
  author,
  name,
  content,
  payments,
  sources,
  unsupported,
  delivery,
  nextAttemptAt,
  createdAt,
}: ListedMessage): Promise<Item> {
  const isSent = (code: string) => payments?.includes(code) ?? false;
  const { items } =
    author === 'assistant'
      ? await runInSlices(parseWppSteps(content, payment => isSent(payment.content)))
      : { items: [] };
  return {
    messageId: seq,
    turnId,
    author,
    name,
    content,
    wppParsed: items.map(item => ({ ...item })),
    sources: (sources ?? []) as Item['sources'],
    unsupported: (unsupported ?? []) as Item['unsupported'],
    delivery,
    nextAttemptAt,
    createdAt: createdAt.toISOString(),
  };
}
