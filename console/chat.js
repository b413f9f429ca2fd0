import { chatFrame } from './chat-frame.js';
import { makeChatStorage } from './chat-storage.js';
import { counted, make } from './elements.js';
import { errorBox, isWorthRetrying } from './error-box.js';
import { messageItem } from './message-items.js';
import { helper, newConversation } from './service.js';
import { whatsappText } from './whatsapp-text.js';

/** @typedef {import('./sign-in.js').Place} Place */

/** @param {Place} place */
export function chatView({ host, avatars }) {
  if (!host) return make('p', { className: 'card' }, 'Este token não permite conversar com o assistente.');
  const kept = makeChatStorage(host.host_id);
  const frame = chatFrame(avatars, kept.chosen());
  const chat = new ChatOnPage(host, frame, kept);
  frame.form.addEventListener('submit', event => {
    event.preventDefault();
    chat.say(frame.question.value.trim());
  });
  frame.anew.addEventListener('click', () => chat.startAnew());
  frame.avatar.addEventListener('change', () => chat.open());
  frame.giveBack.addEventListener('click', () => void chat.giveBack());
  queueMicrotask(() => chat.open());
  return frame.view;
}

/*
 * One conversation: one question at a time, each with its own key, so that a question that is sent again after a lost
 * connection or a reload is answered once.
 */
class ChatOnPage {
  #host;
  #frame;
  #kept;
  /** @type {import('./chat-storage.js').Chat} */
  #chat = { entries: [] };

  /**
   * @param {import('./service.js').Host} host
   * @param {ReturnType<typeof chatFrame>} frame
   * @param {ReturnType<typeof makeChatStorage>} kept
   */
  constructor(host, frame, kept) {
    this.#host = host;
    this.#frame = frame;
    this.#kept = kept;
  }

  /** Restores the conversation with the chosen assistant. */
  open() {
    const { log, handover, question, avatar } = this.#frame;
    this.#chat = this.#kept.of(avatar.value);
    const { entries, pending, awaitsPerson } = this.#chat;
    const shown = entries.flatMap(entry => ('question' in entry ? ours(entry) : this.#theirs(entry)));
    const empty = make('p', { className: 'small note' }, 'Escreva para começar a conversa.');
    log.replaceChildren(...(shown.length > 0 ? shown : [empty]));
    handover.hidden = !awaitsPerson;
    question.focus();
    this.#keep({});
    this.#show();
    if (pending) void this.#ask(pending);
  }

  startAnew() {
    this.#kept.keep(this.#frame.avatar.value, { entries: [] });
    this.open();
  }

  /** @param {string} question */
  say(question) {
    if (!question || this.#frame.send.disabled) return;
    this.#frame.log.querySelector('.note')?.remove();
    this.#frame.question.value = '';
    const pending = { question, key: newKey(), details: this.#frame.details() };
    this.#keep({ entries: [...this.#chat.entries, { question }], pending });
    this.#show(ours({ question }));
    void this.#ask(pending);
  }

  /** @param {import('./chat-storage.js').Pending} pending */
  async #ask(pending) {
    const { question, key, details } = pending;
    const waiting = make(
      'div',
      { className: 'bubble theirs waiting', role: 'status' },
      `${this.#frame.avatarName()} está digitando…`,
    );
    this.#frame.setBusy(true);
    this.#show(waiting);
    const since = performance.now();
    try {
      const conversationId = this.#chat.conversationId ?? (await newConversation(this.#host));
      this.#keep({ conversationId });
      const asked = { hostId: this.#host.host_id, conversationId, question, ...details };
      const body = { ...asked, reasoningConfig: { rehearsal: true } };
      const turn = await helper('', body, { 'idempotency-key': key });
      const { assistantResponse, tokensControl: used, askHumanHelp: awaitsPerson } = turn;
      const answer = { items: assistantResponse.wppParsed, used, tookMs: performance.now() - since };
      this.#keep({ entries: [...this.#chat.entries, answer], awaitsPerson, pending: undefined });
      waiting.replaceWith(...this.#theirs(answer));
      this.#frame.handover.hidden = !awaitsPerson;
    } catch (error) {
      if (!isWorthRetrying(error)) this.#keep({ pending: undefined });
      waiting.replaceWith(errorBox(error, ...retryButton(error, () => void this.#ask(pending))));
    }
    this.#frame.setBusy(false);
    this.#show();
  }

  async giveBack() {
    const body = { conversationId: this.#chat.conversationId, ask_human_help: false };
    try {
      await helper('updateConversationHelper', body);
      this.#keep({ awaitsPerson: false });
      this.#frame.handover.hidden = true;
    } catch (error) {
      this.#show(errorBox(error));
    }
  }

  /** @param {{ [Name in keyof import('./chat-storage.js').Chat]?: import('./chat-storage.js').Chat[Name] | undefined }} changes */
  #keep(changes) {
    this.#chat = /** @type {import('./chat-storage.js').Chat} */ ({ ...this.#chat, ...changes });
    // After signing out, a late answer must not be stored.
    if (this.#frame.view.isConnected) this.#kept.keep(this.#frame.avatar.value, this.#chat);
  }

  /**
   * An answer as a customer sees it, with its tokens and duration.
   * @param {import('./chat-storage.js').Theirs} answer
   */
  #theirs({ items, used, tookMs }) {
    if (items.length === 0) {
      return [
        make('p', { className: 'small note' }, 'Sem resposta: uma pessoa da equipe atende esta conversa.'),
      ];
    }
    const name = make('span', { className: 'small who' }, this.#frame.avatarName());
    const bubbles = items.map(item => make('div', { className: 'bubble theirs' }, messageItem(item)));
    const cost = used.map(({ model, tokens }) => `${model}, ${counted(tokens, 'token', 'tokens')}`);
    const seconds = (tookMs / 1_000).toLocaleString('pt-BR', { maximumFractionDigits: 1 });
    const receipt = make('p', { className: 'small receipt' }, [...cost, `${seconds} s`].join(' · '));
    return [name, ...bubbles, receipt];
  }

  /** @param {...HTMLElement} elements */
  #show(...elements) {
    const { log } = this.#frame;
    log.append(...elements);
    log.scrollTop = log.scrollHeight;
  }
}

/** @param {import('./chat-storage.js').Ours} said */
function ours({ question }) {
  return make('div', { className: 'bubble ours' }, whatsappText(question));
}

/** Without TLS, browsers offer no `randomUUID`. */
function newKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('');
}

/** @param {unknown} error @param {() => void} again */
function retryButton(error, again) {
  if (!isWorthRetrying(error)) return [];
  const button = make('button', { type: 'button', className: 'quiet' }, 'Tentar de novo');
  button.addEventListener('click', () => {
    button.closest('.trouble')?.remove();
    again();
  });
  return [button];
}
