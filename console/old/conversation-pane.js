import { makeButton } from './actions.js';
import { makeAnswerForm } from './answer-form.js';
import { nameCustomer } from './conversation-groups.js';
import { formatChannel } from './conversation-list.js';
import { ConversationState } from './conversation-state.js';
import { make } from './elements.js';
import { makeTranscript } from './transcript.js';

/** @typedef {import('./conversation-feed.js').Conversation} Conversation */

/**
 * One conversation: who it is, who attends it, its messages, and the answer of a person.
 * @param {Conversation} conversation
 * @param {{ hostId: string, refresh: () => Promise<void>, onBack: () => void }} options
 */
export function makeConversationPane(conversation, { hostId, refresh, onBack }) {
  const { id: conversationId } = conversation;
  const customer = nameCustomer(conversation);
  const transcript = makeTranscript({ hostId, conversationId, customer });
  const outcome = make('div', { className: 'outcome', 'aria-live': 'polite' });
  const state = new ConversationState({ hostId, conversationId, outcome, refresh });
  const form = makeAnswerForm({
    hostId,
    conversationId,
    beforeSending: () => state.takeOverIfFree(),
    refresh,
  });
  const title = make('h2', { tabIndex: -1 }, customer);
  const about = make('div', { className: 'about' });
  const head = make(
    'header',
    { className: 'pane-head' },
    makeButton('Voltar', onBack, 'quiet back'),
    make('div', { className: 'pane-title' }, title, about),
    state.buttons,
  );
  const element = make(
    'section',
    { className: 'card chat-main pane', 'aria-label': `Conversa com ${customer}` },
    head,
    state.banner,
    outcome,
    transcript.log,
    form,
  );
  /** @type {Conversation} */
  let shown = conversation;
  /** @param {Conversation} next */
  const show = next => {
    if (next.last_message_at !== shown.last_message_at) void transcript.refresh();
    shown = next;
    about.replaceChildren(...makeAbout(next));
    state.show(next);
  };
  show(conversation);
  void transcript.refresh();
  return { element, title, conversationId, show };
}

/** @param {Conversation} conversation */
function makeAbout({ main_topic, dialogue_summary, tip, wpp_id, platform }) {
  const line = [formatChannel(platform), wpp_id, main_topic].filter(Boolean).join(' · ');
  const summary = [dialogue_summary, tip && `Dica: ${tip}`].filter(Boolean);
  const details = make(
    'details',
    {},
    make('summary', { className: 'small' }, 'Resumo'),
    ...summary.map(text => make('p', { className: 'small' }, text)),
  );
  return [make('span', { className: 'small' }, line), ...(summary.length > 0 ? [details] : [])];
}
