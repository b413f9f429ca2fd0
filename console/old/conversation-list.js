import { formatShortly } from '../format.ts';
import { makeButton, makeEmptyState } from './actions.js';
import { listAttendants, nameCustomer } from './conversation-groups.js';
import { formatCount, make } from './elements.js';

/** @typedef {import('./conversation-feed.js').Conversation} Conversation */
/** @typedef {import('./conversation-groups.js').Group} Group */

/**
 * @param {(conversation: Conversation) => void} onOpen
 */
export function makeConversationList(onOpen) {
  const list = make('div', { className: 'inbox-groups' });
  let shown = '';
  return {
    list,
    /**
     * Draws nothing if nothing has changed, and keeps the focus.
     * @param {Group[]} groups
     * @param {{ openId: string | undefined, unread: Set<string>, showsClosed: boolean }} state
     */
    show(groups, { openId, unread, showsClosed }) {
      const next = JSON.stringify([groups, openId, [...unread], showsClosed]);
      if (next === shown) return;
      shown = next;
      const focused = list.querySelector('button:focus')?.getAttribute('data-id');
      const sections = groups.map(group => makeGroup(group, { openId, unread, onOpen }));
      list.replaceChildren(...(sections.length > 0 ? sections : [makeNothing(showsClosed)]));
      const again = [...list.querySelectorAll('button')].find(({ dataset }) => dataset['id'] === focused);
      if (focused) again?.focus();
    },
  };
}

/** @param {boolean} showsClosed */
function makeNothing(showsClosed) {
  return showsClosed
    ? makeEmptyState('Nenhuma conversa encerrada', 'Conversas encerradas ficam aqui, e podem ser reabertas.')
    : makeEmptyState(
        'Nenhuma conversa aberta',
        'Quando uma pessoa escrever, a conversa aparece aqui sem recarregar. Para experimentar, escreva em Testar.',
      );
}

/**
 * @param {Group} group
 * @param {{ openId: string | undefined, unread: Set<string>, onOpen: (conversation: Conversation) => void }} options
 */
function makeGroup({ title, isUrgent, conversations }, { openId, unread, onOpen }) {
  const rows = conversations.map(conversation => {
    const row = makeButton('', () => onOpen(conversation), 'row');
    row.dataset['id'] = conversation.id;
    if (conversation.id === openId) row.setAttribute('aria-current', 'true');
    row.append(...makeRowContent(conversation, unread.has(conversation.id)));
    return make('li', {}, row);
  });
  const count = make('span', { className: 'count' }, conversations.length.toLocaleString('pt-BR'));
  return make(
    'section',
    { className: isUrgent ? 'group urgent' : 'group', 'aria-label': title },
    make('h2', {}, title, count),
    make('ul', {}, ...rows),
  );
}

/** @param {Conversation} conversation @param {boolean} isUnread */
function makeRowContent(conversation, isUnread) {
  const { main_topic, dialogue_summary, platform, last_message_at } = conversation;
  const names = listAttendants(conversation).join(' e ');
  const name = make('strong', {}, nameCustomer(conversation));
  if (isUnread) name.append(make('span', { className: 'dot', role: 'img', 'aria-label': 'mensagem nova' }));
  return [
    name,
    make('time', { className: 'small', dateTime: last_message_at }, formatShortly(last_message_at)),
    make('span', { className: 'topic small' }, main_topic || dialogue_summary || 'Sem resumo ainda'),
    make('span', { className: 'small' }, [formatChannel(platform), names].filter(Boolean).join(' · ')),
  ];
}

/** Questions asked in the view Conversa are shown, so that attending can be tried. @param {string} platform */
export const formatChannel = platform => (platform === 'console' ? 'teste no painel' : platform);

/** @param {number} count */
export function describeWaiting(count) {
  return count === 0 ? '' : `${formatCount(count, 'conversa espera', 'conversas esperam')} por uma pessoa`;
}
