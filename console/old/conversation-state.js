import { callHelper } from '../service.ts';
import { ensurePersonName, readPersonName } from '../shell/person-name.ts';
import { makeButton, runAction } from './actions.js';
import { isAttendedBy, listAttendants } from './conversation-groups.js';
import { make } from './elements.js';

/** @typedef {import('./conversation-feed.js').Conversation} Conversation */

/** Within this time, another name is that of a person who pressed at the same moment. */
const SAME_MOMENT_MS = 5_000;

/*
 * Who attends a conversation. The last one to set the name wins, so two who take over at the same moment could not know of
 * each other: the one whose name was replaced adds it again beside the other.
 *
 *   assistant <--"Devolver"-- waiting --"Assumir"--> attended --"Encerrar"--> closed --"Reabrir"--> assistant
 */

/** @typedef {'take' | 'join' | 'giveBack' | 'close' | 'reopen'} ActionName */
/** @typedef {{ hostId: string, conversationId: string, outcome: HTMLElement, refresh: () => Promise<void> }} StateOptions */

export class ConversationState {
  #options;
  #takenAt = Number.NEGATIVE_INFINITY;
  #shownButtons = '';
  /** @type {Conversation | undefined} */
  #now;
  banner = make('p', { className: 'banner', role: 'status' });
  buttons = make('div', { className: 'buttons' });
  #actions = {
    take: { text: 'Assumir', work: () => this.#takeOver(), className: '' },
    join: { text: 'Assumir também', work: () => this.#join(), className: 'quiet' },
    giveBack: {
      text: 'Devolver ao assistente',
      work: () => this.#update({ ask_human_help: false, assigned_to: null }),
      className: 'quiet',
    },
    close: { text: 'Encerrar', work: () => this.#update({ closed: true }), className: 'quiet' },
    reopen: { text: 'Reabrir', work: () => this.#update({ closed: false }), className: '' },
  };

  /** @param {StateOptions} options */
  constructor(options) {
    this.#options = options;
  }

  /** @param {Conversation} next */
  show(next) {
    this.#now = next;
    const person = readPersonName();
    const others = listAttendants(next).filter(name => name !== person);
    const isReplaced = others.length > 0 && !isAttendedBy(next, person);
    if (person && isReplaced && Date.now() - this.#takenAt < SAME_MOMENT_MS) {
      void this.#assign([...others, person]).catch(() => undefined);
    }
    this.banner.textContent = describeState(next, person, others);
    this.banner.classList.toggle('banner-waiting', next.ask_human_help && !next.assigned_to);
    this.#showButtons(chooseActions(next, person));
  }

  /** Who answers a conversation that nobody attends takes it over; false if the person gives no name. */
  async takeOverIfFree() {
    if (!(await ensurePersonName())) return false;
    if (this.#now && listAttendants(this.#now).length === 0) await this.#takeOver();
    return true;
  }

  /** @param {readonly ActionName[]} names */
  #showButtons(names) {
    if (names.join() === this.#shownButtons) return;
    this.#shownButtons = names.join();
    const isFocused = this.buttons.contains(document.activeElement);
    const made = names.map(name => {
      const { text, work, className } = this.#actions[name];
      const button = makeButton(text, () => void runAction(button, this.#options.outcome, work), className);
      return button;
    });
    this.buttons.replaceChildren(...made);
    if (isFocused) made[0]?.focus();
  }

  async #takeOver() {
    const person = await ensurePersonName();
    if (!person) return;
    const known = this.#now?.assigned_to;
    await this.#options.refresh();
    // Somebody was faster: the button now says whose conversation it is.
    if (this.#now?.assigned_to && this.#now.assigned_to !== known) return;
    this.#takenAt = Date.now();
    await this.#assign([person]);
  }

  async #join() {
    const person = await ensurePersonName();
    if (person) await this.#assign([...(this.#now ? listAttendants(this.#now) : []), person]);
  }

  /** @param {string[]} names */
  #assign(names) {
    return this.#update({ ask_human_help: true, assigned_to: names.join(', ') });
  }

  /** @param {object} changes */
  async #update(changes) {
    const { hostId, conversationId, refresh } = this.#options;
    await callHelper('updateConversationHelper', { hostId, conversationId, ...changes });
    await refresh();
  }
}

/** @param {Conversation} conversation @param {string | undefined} person @returns {ActionName[]} */
function chooseActions(conversation, person) {
  if (conversation.closed) return ['reopen'];
  if (!conversation.ask_human_help) return ['take', 'close'];
  if (!conversation.assigned_to) return ['take', 'giveBack', 'close'];
  if (isAttendedBy(conversation, person)) return ['giveBack', 'close'];
  return ['join', 'giveBack', 'close'];
}

/** @param {Conversation} conversation @param {string | undefined} person @param {string[]} others */
function describeState(conversation, person, others) {
  if (conversation.closed) return 'Encerrada. A próxima mensagem do cliente a abre de novo.';
  if (!conversation.ask_human_help) return 'O assistente responde. Ao assumir, ele se cala.';
  if (!conversation.assigned_to) return 'Espera por uma pessoa da equipe.';
  const names = others.join(' e ');
  const attend = others.length > 1 ? 'atendem' : 'atende';
  if (!isAttendedBy(conversation, person)) return `${names} ${attend} esta conversa.`;
  return others.length > 0 ? `Você e ${names} atendem esta conversa.` : 'Você atende esta conversa.';
}
