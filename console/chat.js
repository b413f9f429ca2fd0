import { chatFrame } from './chat-frame.js';
import { make } from './elements.js';
import { messageItem } from './message-items.js';
import { helper, newConversation } from './service.js';
import { isWorthRetrying, troubleBox } from './trouble-box.js';
import { whatsappText } from './whatsapp-text.js';

/** @typedef {import('./sign-in.js').Place} Place */

/** @param {Place} place */
export function chatView({ host, avatars }) {
  if (!host) return make('p', { className: 'card' }, 'Este token não permite conversar com o assistente.');
  const frame = chatFrame(avatars);
  const chat = new Chat(host, frame);
  frame.form.addEventListener('submit', event => {
    event.preventDefault();
    chat.say(frame.question.value.trim());
  });
  frame.anew.addEventListener('click', () => chat.startAnew());
  frame.avatar.addEventListener('change', () => chat.startAnew());
  frame.giveBack.addEventListener('click', () => void chat.giveBack());
  queueMicrotask(() => chat.startAnew());
  return frame.view;
}

/*
 * One conversation: a question at a time, each under a key of its own, so that a question that is sent again
 * after a lost connection is still answered once.
 */
class Chat {
  #host;
  #frame;
  /** @type {string | undefined} */
  #conversationId;

  /** @param {import('./service.js').Host} host @param {ReturnType<typeof chatFrame>} frame */
  constructor(host, frame) {
    this.#host = host;
    this.#frame = frame;
  }

  startAnew() {
    this.#conversationId = undefined;
    const { log, handover, question } = this.#frame;
    log.replaceChildren(make('p', { className: 'small note' }, 'Escreva para começar a conversa.'));
    handover.hidden = true;
    question.focus();
  }

  /** @param {string} question */
  say(question) {
    if (!question || this.#frame.send.disabled) return;
    this.#frame.log.querySelector('.note')?.remove();
    this.#show(make('div', { className: 'bubble ours' }, whatsappText(question)));
    this.#frame.question.value = '';
    void this.#ask(question, newKey());
  }

  /** @param {string} question @param {string} key */
  async #ask(question, key) {
    const waiting = make(
      'div',
      { className: 'bubble theirs waiting', role: 'status' },
      'O assistente está digitando…',
    );
    this.#frame.setBusy(true);
    this.#show(waiting);
    const since = performance.now();
    try {
      this.#conversationId ??= await newConversation(this.#host);
      const conversationId = this.#conversationId;
      const body = { hostId: this.#host.host_id, conversationId, question, ...this.#frame.details() };
      const turn = await helper('', body, { 'idempotency-key': key });
      waiting.replaceWith(...answerOf(turn, performance.now() - since));
      this.#frame.handover.hidden = !turn.askHumanHelp;
    } catch (error) {
      const again = () => void this.#ask(question, key);
      waiting.replaceWith(troubleBox(error, ...retryButton(error, again)));
    }
    this.#frame.setBusy(false);
    this.#show();
  }

  async giveBack() {
    const body = { conversationId: this.#conversationId, ask_human_help: false };
    try {
      await helper('updateConversationHelper', body);
      this.#frame.handover.hidden = true;
    } catch (error) {
      this.#show(troubleBox(error));
    }
  }

  /** @param {...HTMLElement} elements */
  #show(...elements) {
    const { log } = this.#frame;
    log.append(...elements);
    log.scrollTop = log.scrollHeight;
  }
}

/** A page that is served without TLS has no `randomUUID`. */
function newKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('');
}

/**
 * @param {{ assistantResponse: { wppParsed: import('./message-items.js').Item[] }, tokensControl: { model: string, tokens: number }[] }} turn
 * @param {number} tookMs
 */
function answerOf({ assistantResponse, tokensControl }, tookMs) {
  const items = assistantResponse.wppParsed.map(item => {
    return make('div', { className: 'bubble theirs' }, messageItem(item));
  });
  if (items.length === 0) {
    return [
      make('p', { className: 'small note' }, 'Sem resposta: uma pessoa da equipe atende esta conversa.'),
    ];
  }
  const used = tokensControl.map(({ model, tokens }) => `${model}, ${tokens} tokens`);
  const seconds = (tookMs / 1_000).toLocaleString('pt-BR', { maximumFractionDigits: 1 });
  return [...items, make('p', { className: 'small receipt' }, [...used, `${seconds} s`].join(' · '))];
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
