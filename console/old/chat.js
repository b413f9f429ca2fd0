import { isWorthRetrying } from '../errors.ts';
import { makeKey } from '../keys.ts';
import { askWhileGenerated, callHelper, createConversation } from '../service.ts';
import { makeRetryButtons } from './actions.js';
import { makeChatFrame } from './chat-frame.js';
import { makeChatStorage } from './chat-storage.js';
import { formatCount, make } from './elements.js';
import { makeErrorBox } from './error-box.js';
import { makeMessageItem, makeWhatsappText } from './message-items.js';

/** @typedef {import('../shell/session.ts').SessionContext} SessionContext */

/** @param {SessionContext} context */
export function makeChatView({ host, avatars }) {
  if (!host) return make('p', { className: 'card' }, 'Este token não permite conversar com o assistente.');
  const storage = makeChatStorage(host.host_id);
  const frame = makeChatFrame(avatars, storage.readChosen());
  const chat = new ChatOnPage(host, frame, storage);
  frame.form.addEventListener('submit', event => {
    event.preventDefault();
    chat.sendQuestion(frame.question.value.trim());
  });
  frame.newChat.addEventListener('click', () => chat.startNewChat());
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
  #storage;
  /** @type {import('./chat-storage.js').Chat} */
  #chat = { entries: [] };

  /**
   * @param {import('../service.ts').Host} host
   * @param {ReturnType<typeof makeChatFrame>} frame
   * @param {ReturnType<typeof makeChatStorage>} storage
   */
  constructor(host, frame, storage) {
    this.#host = host;
    this.#frame = frame;
    this.#storage = storage;
  }

  /** Restores the conversation with the chosen assistant. */
  open() {
    const { log, handover, question, avatar } = this.#frame;
    this.#chat = this.#storage.load(avatar.value);
    const { entries, pending, awaitsPerson } = this.#chat;
    const messages = entries.flatMap(entry =>
      'question' in entry ? makeQuestion(entry) : this.#makeAnswer(entry),
    );
    const empty = make('p', { className: 'small note' }, 'Escreva para começar a conversa.');
    log.replaceChildren(...(messages.length > 0 ? messages : [empty]));
    handover.hidden = !awaitsPerson;
    question.focus();
    this.#update({});
    this.#append();
    if (pending) void this.#ask(pending);
  }

  startNewChat() {
    this.#storage.store(this.#frame.avatar.value, { entries: [] });
    this.open();
  }

  /** @param {string} question */
  sendQuestion(question) {
    if (!question || this.#frame.send.disabled) return;
    this.#frame.log.querySelector('.note')?.remove();
    this.#frame.question.value = '';
    const pending = { question, key: makeKey(), details: this.#frame.readDetails() };
    this.#update({ entries: [...this.#chat.entries, { question }], pending });
    this.#append(makeQuestion({ question }));
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
    this.#append(waiting);
    const startedAt = performance.now();
    try {
      const conversationId = this.#chat.conversationId ?? (await createConversation(this.#host));
      this.#update({ conversationId });
      const target = { hostId: this.#host.host_id, conversationId, question, ...details };
      const body = { ...target, reasoningConfig: { rehearsal: true } };
      const turn = await askWhileGenerated(body, { 'idempotency-key': key }, text =>
        this.#showText(waiting, text),
      );
      const { assistantResponse, tokensControl: used, askHumanHelp: awaitsPerson } = turn;
      const answer = { items: assistantResponse.wppParsed, used, tookMs: performance.now() - startedAt };
      this.#update({ entries: [...this.#chat.entries, answer], awaitsPerson, pending: undefined });
      waiting.replaceWith(...this.#makeAnswer(answer));
      this.#frame.handover.hidden = !awaitsPerson;
    } catch (error) {
      if (!isWorthRetrying(error)) this.#update({ pending: undefined });
      waiting.replaceWith(makeErrorBox(error, ...makeRetryButtons(error, () => void this.#ask(pending))));
    }
    this.#frame.setBusy(false);
    this.#append();
  }

  /**
   * What the assistant has written so far.
   * @param {HTMLElement} bubble
   * @param {string} text
   */
  #showText(bubble, text) {
    if (text === '') return;
    bubble.classList.remove('waiting');
    // Read aloud once, as a whole, when the answer replaces it.
    bubble.setAttribute('role', 'none');
    bubble.textContent = text;
    const { log } = this.#frame;
    log.scrollTop = log.scrollHeight;
  }

  async giveBack() {
    const body = { conversationId: this.#chat.conversationId, ask_human_help: false };
    try {
      await callHelper('updateConversationHelper', body);
      this.#update({ awaitsPerson: false });
      this.#frame.handover.hidden = true;
    } catch (error) {
      this.#append(makeErrorBox(error));
    }
  }

  /** @param {{ [Name in keyof import('./chat-storage.js').Chat]?: import('./chat-storage.js').Chat[Name] | undefined }} changes */
  #update(changes) {
    this.#chat = /** @type {import('./chat-storage.js').Chat} */ ({ ...this.#chat, ...changes });
    // After signing out, a late answer must not be stored.
    if (this.#frame.view.isConnected) this.#storage.store(this.#frame.avatar.value, this.#chat);
  }

  /**
   * An answer as a customer sees it, with its tokens and duration.
   * @param {import('./chat-storage.js').AssistantEntry} answer
   */
  #makeAnswer({ items, used, tookMs }) {
    if (items.length === 0) {
      return [
        make('p', { className: 'small note' }, 'Sem resposta: uma pessoa da equipe atende esta conversa.'),
      ];
    }
    const name = make('span', { className: 'small who' }, this.#frame.avatarName());
    const bubbles = items.map(item => make('div', { className: 'bubble theirs' }, makeMessageItem(item)));
    const cost = used.map(({ model, tokens }) => `${model}, ${formatCount(tokens, 'token', 'tokens')}`);
    const seconds = (tookMs / 1_000).toLocaleString('pt-BR', { maximumFractionDigits: 1 });
    const receipt = make('p', { className: 'small receipt' }, [...cost, `${seconds} s`].join(' · '));
    return [name, ...bubbles, receipt];
  }

  /** @param {...HTMLElement} elements */
  #append(...elements) {
    const { log } = this.#frame;
    log.append(...elements);
    log.scrollTop = log.scrollHeight;
  }
}

/** @param {import('./chat-storage.js').UserEntry} entry */
function makeQuestion({ question }) {
  return make('div', { className: 'bubble ours' }, makeWhatsappText(question));
}
