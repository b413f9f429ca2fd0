import { callHelper } from '../service.ts';
import { makeWaiting } from './actions.js';
import { make } from './elements.js';
import { makeErrorBox } from './error-box.js';
import { makeTranscriptMessage } from './transcript-message.js';

/** @typedef {import('./transcript-message.js').Message} Message */

const NEAR_END_PX = 80;

/**
 * The messages of one conversation. Each refresh appends what is new, in their order.
 * @param {{ hostId: string, conversationId: string, customer: string }} options
 */
export function makeTranscript({ hostId, conversationId, customer }) {
  const log = make('div', { className: 'log', role: 'log', 'aria-label': 'Mensagens', tabIndex: 0 });
  log.append(makeWaiting('Carregando as mensagens…'));
  /** @type {string | undefined} */
  let cursor;
  /** @type {Message | undefined} */
  let last;
  let isReading = false;
  let isAskedAgain = false;

  /** @param {Message[]} items */
  const append = items => {
    const fresh = items.filter(({ messageId }) => !last || Number(messageId) > Number(last.messageId));
    const isAtEnd = log.scrollHeight - log.scrollTop - log.clientHeight < NEAR_END_PX;
    for (const message of fresh) {
      log.append(...makeTranscriptMessage(message, last, customer));
      last = message;
    }
    if (isAtEnd && fresh.length > 0) log.scrollTop = log.scrollHeight;
  };
  const readAll = async () => {
    for (;;) {
      const body = { hostId, conversationId, limit: 100, ...(cursor ? { cursor } : {}) };
      const { items, nextCursor } = await callHelper('messagesListHelper', body);
      log.querySelector(':scope > .waiting, :scope > .trouble, :scope > .empty')?.remove();
      append(items);
      // The last page is read again by the next refresh: it is the one that grows.
      if (!nextCursor) break;
      cursor = nextCursor;
    }
    if (!last) log.replaceChildren(make('p', { className: 'empty small' }, 'Ainda não há mensagens.'));
  };
  const refresh = async () => {
    if (isReading) {
      isAskedAgain = true;
      return;
    }
    isReading = true;
    try {
      do {
        isAskedAgain = false;
        await readAll();
      } while (isAskedAgain);
    } catch (error) {
      // With messages shown, the next change tries again, and the list says that there is no connection.
      if (!last) log.replaceChildren(makeErrorBox(error));
    }
    isReading = false;
  };
  return { log, refresh };
}
