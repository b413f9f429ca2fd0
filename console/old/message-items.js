import { h, render } from 'preact';
import { MessageItem } from '../components/message-item.tsx';
import { WhatsappText } from '../components/whatsapp-text.tsx';
import { make } from './elements.js';

/** @typedef {import('../components/message-item.tsx').Item} Item */

/** One message of the assistant, as a component draws it. @param {Item} item */
export function makeMessageItem(item) {
  const place = make('div', { className: 'item-place' });
  render(h(MessageItem, { item }), place);
  return place;
}

/** @param {string} text */
export function makeWhatsappText(text) {
  const place = make('span');
  render(h(WhatsappText, { text }), place);
  return place;
}
