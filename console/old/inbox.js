import { dropDraft, readDraft, storeDraft } from '../drafts.ts';
import { readPersonName } from '../shell/person-name.ts';
import { waiting } from '../shell/waiting.ts';
import { makeButton, makeEmptyState, makeWaiting } from './actions.js';
import { makeConversationFeed } from './conversation-feed.js';
import { groupConversations } from './conversation-groups.js';
import { describeWaiting, makeConversationList } from './conversation-list.js';
import { makeConversationPane } from './conversation-pane.js';
import { make, makeSelect } from './elements.js';
import { makeErrorBox } from './error-box.js';

/** @typedef {import('./conversation-feed.js').Conversation} Conversation */

const OPEN = 'open-conversation';

/** @param {import('../shell/session.ts').SessionContext} context */
export function makeInboxView({ host }) {
  if (!host) return make('p', { className: 'card' }, 'Este token não permite ver conversas.');
  const inbox = new Inbox(host.host_id);
  queueMicrotask(() => void inbox.start());
  return inbox.view;
}

/* The conversations at the side, and one of them open. On a phone one of both is shown. */
class Inbox {
  /** @type {Map<string, Conversation>} */
  #conversations = new Map();
  /** @type {Set<string>} */
  #unread = new Set();
  #isLoaded = false;
  /** @type {ReturnType<typeof makeConversationPane> | undefined} */
  #pane;
  #feed;
  #list = makeConversationList(conversation => this.#open(conversation, true));
  #shown = makeSelect('Mostrar', [
    ['open', 'Abertas'],
    ['closed', 'Encerradas'],
  ]);
  #status = make('p', { className: 'unseen', role: 'status' });
  #trouble = make('div', { className: 'outcome', 'aria-live': 'polite' });
  #more = makeButton('Mais conversas', () => void this.#readMore(), 'quiet');
  #place = make('div', { className: 'inbox-pane' });
  /** The next page of each list. @type {Map<string, { filter: { ask_human_help?: boolean, closed: boolean }, cursor: string | null }>} */
  #pages = new Map();
  view;

  /** @param {string} hostId */
  constructor(hostId) {
    this.#feed = makeConversationFeed(hostId, {
      onConversations: changed => this.#merge(changed),
      onTrouble: error => {
        this.#showTrouble(error);
        if (error === undefined && !this.#isLoaded) void this.#readMore();
      },
      isWanted: () => this.view.isConnected,
    });
    this.#shown.field.addEventListener('change', () => void this.#readMore());
    const side = make(
      'div',
      { className: 'card inbox-side' },
      make('div', { className: 'inbox-tools' }, this.#shown.row),
      this.#trouble,
      this.#list.list,
      this.#more,
      this.#status,
    );
    this.#more.hidden = true;
    this.#list.list.append(makeWaiting('Carregando as conversas…'));
    this.view = make('section', { className: 'inbox', 'aria-label': 'Atendimento' }, side, this.#place);
    this.#showNothingOpen();
  }

  get #showsClosed() {
    return this.#shown.field.value === 'closed';
  }

  async start() {
    await this.#readMore();
    void this.#feed.refresh();
  }

  /** Reads the next pages of the lists that are shown; the first ones first. */
  async #readMore() {
    const filters = this.#showsClosed
      ? [{ closed: true }]
      : [
          { closed: false, ask_human_help: true },
          { closed: false, ask_human_help: false },
        ];
    try {
      for (const filter of filters) {
        const name = JSON.stringify(filter);
        const page = this.#pages.get(name);
        if (page?.cursor === null) continue;
        const cursor = await this.#feed.readPage(filter, page?.cursor);
        this.#pages.set(name, { filter, cursor });
      }
      this.#showTrouble(undefined);
    } catch (error) {
      this.#showTrouble(error);
    }
    const pages = filters.map(filter => this.#pages.get(JSON.stringify(filter)));
    this.#more.hidden = pages.every(page => !page?.cursor);
    if (!this.#isLoaded && pages.every(page => page !== undefined)) this.#restore();
    this.#draw();
  }

  /** Opens the conversation that was open before a reload. */
  #restore() {
    this.#isLoaded = true;
    const last = this.#conversations.get(readDraft(OPEN) ?? '');
    if (last) this.#open(last, false);
  }

  /** @param {Conversation[]} changed */
  #merge(changed) {
    for (const conversation of changed) {
      const known = this.#conversations.get(conversation.id);
      const isNewer = known !== undefined && conversation.last_message_at > known.last_message_at;
      if (isNewer && this.#pane?.conversationId !== conversation.id) this.#unread.add(conversation.id);
      this.#conversations.set(conversation.id, conversation);
      if (this.#pane?.conversationId === conversation.id) this.#pane.show(conversation);
    }
    if (changed.length > 0) this.#draw();
  }

  #draw() {
    // Before the lists are read, nobody knows that they are empty.
    if (!this.#isLoaded) return;
    const options = { showsClosed: this.#showsClosed, person: readPersonName() };
    const groups = groupConversations([...this.#conversations.values()], options);
    const openId = this.#pane?.conversationId;
    this.#list.show(groups, { openId, unread: this.#unread, showsClosed: this.#showsClosed });
    const count = groups.find(({ isUrgent }) => isUrgent)?.conversations.length ?? 0;
    const status = describeWaiting(count);
    if (this.#status.textContent !== status) this.#status.textContent = status;
    waiting.value = count;
  }

  /** @param {Conversation} conversation @param {boolean} takesFocus */
  #open(conversation, takesFocus) {
    const { hostId } = this.#feed;
    storeDraft(OPEN, conversation.id);
    this.#unread.delete(conversation.id);
    const refresh = () => this.#feed.refresh();
    this.#pane = makeConversationPane(conversation, { hostId, refresh, onBack: () => this.#close() });
    this.#place.replaceChildren(this.#pane.element);
    this.view.classList.add('has-open');
    if (takesFocus) this.#pane.title.focus();
    this.#draw();
  }

  #close() {
    const id = this.#pane?.conversationId;
    this.#pane = undefined;
    dropDraft(OPEN);
    this.#showNothingOpen();
    this.#draw();
    const rows = this.view.querySelectorAll('button');
    [...rows].find(({ dataset }) => dataset['id'] === id)?.focus();
  }

  #showNothingOpen() {
    this.view?.classList.remove('has-open');
    const text = 'As que esperam por uma pessoa vêm primeiro. Novas mensagens chegam sem recarregar.';
    this.#place.replaceChildren(
      make('div', { className: 'card chat-main' }, makeEmptyState('Escolha uma conversa', text)),
    );
  }

  /** @param {unknown} error */
  #showTrouble(error) {
    if (error === undefined) return this.#trouble.replaceChildren();
    if (!this.#isLoaded) this.#list.list.replaceChildren();
    const retry = makeButton('Tentar agora', () => void this.start(), 'quiet');
    this.#trouble.replaceChildren(makeErrorBox(error, retry));
  }
}
