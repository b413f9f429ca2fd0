/** The channel of rehearsals, whose conversations are not shown to those who attend. */
export const TRIAL_PLATFORM = 'ensaio';

/** @typedef {import('./conversation-feed.js').Conversation} Conversation */
/** @typedef {{ title: string, isUrgent?: boolean, conversations: Conversation[] }} Group */

/**
 * The conversations by what waits for a person first.
 * @param {Conversation[]} all
 * @param {{ showsClosed: boolean, person: string | undefined }} options
 * @returns {Group[]}
 */
export function groupConversations(all, { showsClosed, person }) {
  const shown = all
    .filter(each => each.closed === showsClosed && !each.archived && each.platform !== TRIAL_PLATFORM)
    .toSorted((a, b) => b.last_message_at.localeCompare(a.last_message_at));
  if (showsClosed) return keepFilled([{ title: 'Encerradas', conversations: shown }]);
  /** @param {Conversation} conversation */
  const placeOf = conversation => {
    if (!conversation.ask_human_help) return 'assistant';
    if (!conversation.assigned_to) return 'waiting';
    return isAttendedBy(conversation, person) ? 'mine' : 'others';
  };
  /** @param {string} place */
  const at = place => shown.filter(conversation => placeOf(conversation) === place);
  return keepFilled([
    // Who waits longest comes first.
    { title: 'Esperam por uma pessoa', isUrgent: true, conversations: at('waiting').toReversed() },
    { title: 'Com você', conversations: at('mine') },
    { title: 'Com a equipe', conversations: at('others') },
    { title: 'Com o assistente', conversations: at('assistant') },
  ]);
}

/** @param {Group[]} groups */
function keepFilled(groups) {
  return groups.filter(({ conversations }) => conversations.length > 0);
}

/**
 * Several people who took a conversation over at the same time are all named.
 * @param {Pick<Conversation, 'assigned_to'>} conversation
 */
export function listAttendants({ assigned_to: names }) {
  return (names ?? '').split(', ').filter(name => name !== '');
}

/**
 * @param {Pick<Conversation, 'assigned_to'>} conversation
 * @param {string | undefined} person
 */
export function isAttendedBy(conversation, person) {
  return person !== undefined && listAttendants(conversation).includes(person);
}

/** @param {Conversation} conversation */
export function nameCustomer({ contact_name, user_name, wpp_id }) {
  return contact_name || user_name || wpp_id || 'Sem nome';
}
