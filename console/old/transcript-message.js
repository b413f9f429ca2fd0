import { formatClock, formatDay } from '../format.ts';
import { make } from './elements.js';
import { makeMessageItem } from './message-items.js';
import { renderWhatsappText } from './whatsapp-text.js';

/** @typedef {import('./message-items.js').Item} Item */
/**
 * @typedef {{ messageId: string, author: 'user' | 'assistant' | 'human', name: string | null, content: string,
 *   wppParsed: Item[], createdAt: string }} Message
 */

/**
 * A message as the customer sees it: the date where a day begins, who writes where that changes, and its bubbles.
 * @param {Message} message
 * @param {Message | undefined} previous
 * @param {string} customer
 */
export function makeTranscriptMessage(message, previous, customer) {
  const { author, createdAt } = message;
  const isNewDay = !previous || formatDay(previous.createdAt) !== formatDay(createdAt);
  const isSameAuthor = !isNewDay && previous.author === author && previous.name === message.name;
  const side = author === 'user' ? 'theirs' : 'ours';
  const bubbles = makeContents(message).map(content =>
    make('div', { className: `bubble ${side} by-${author}` }, content),
  );
  const who = `${nameAuthor(message, customer)} · ${formatClock(createdAt)}`;
  return [
    ...(isNewDay ? [make('p', { className: 'small note day' }, formatDay(createdAt))] : []),
    ...(isSameAuthor ? [] : [make('span', { className: `small who who-${side}` }, who)]),
    ...bubbles,
  ];
}

/** @param {Message} message @param {string} customer */
function nameAuthor({ author, name }, customer) {
  if (author === 'user') return name || customer;
  return author === 'assistant' ? name || 'Assistente' : `${name || 'Pessoa'} (equipe)`;
}

/** @param {Message} message */
function makeContents({ author, content, wppParsed }) {
  if (author === 'assistant' && wppParsed.length > 0) return wppParsed.map(makeMessageItem);
  return [
    content === ''
      ? make('em', {}, 'Texto apagado pelo prazo de guarda')
      : make('div', {}, renderWhatsappText(content)),
  ];
}
