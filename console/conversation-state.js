import { makeButton, runAction } from './actions.js';
import { isAttendedBy, listAttendants } from './conversation-groups.js';
import { make } from './elements.js';
import { ensurePersonName, readPersonName } from './person-name.js';
import { callHelper } from './service.js';

/** @typedef {import('./conversation-feed.js').Conversation} Conversation */

/** Within this time, another name is that of a person who pressed at the same moment. */
const SAME_MOMENT_MS = 5_000;

/*
 * Who attends a conversation. The last one to set the name wins, so two who take over at the same moment could not know of
 * each other: the one whose name was replaced adds it again beside the other.
 *
 *   assistant <--"Devolver"-- waiting --"Assumir"--> attended --"Encerrar"--> closed --"Reabrir"--> assistant
 */

/**
 * @param {{ hostId: string, conversationId: string, outcome: HTMLElement, refresh: () => Promise<void> }} options
 */
export function makeConversationState({ hostId, conversationId, outcome, refresh }) {
  const banner = make('p', { className: 'banner', role: 'status' });
  const buttons = make('div', { className: 'buttons' });
  /** @type {Conversation | undefined} */
  let now;
  let takenAt = Number.NEGATIVE_INFINITY;
  let shownButtons = '';

  /** @param {object} changes */
  const update = async changes => {
    await callHelper('updateConversationHelper', { hostId, conversationId, ...changes });
    await refresh();
  };
  /** @param {string} person @param {string[]} [beside] */
  const assign = (person, beside = []) =>
    update({ ask_human_help: true, assigned_to: [...beside, person].join(', ') });
  const takeOver = async () => {
    const person = await ensurePersonName();
    if (!person) return;
    const known = now?.assigned_to;
    await refresh();
    // Somebody was faster: the button now says whose conversation it is.
    if (now?.assigned_to && now.assigned_to !== known) return;
    takenAt = Date.now();
    await assign(person);
  };
  const actions = {
    take: { text: 'Assumir', work: takeOver, className: '' },
    takeFrom: { text: 'Assumir também', work: () => joinOthers(), className: 'quiet' },
    giveBack: {
      text: 'Devolver ao assistente',
      work: () => update({ ask_human_help: false, assigned_to: null }),
      className: 'quiet',
    },
    close: { text: 'Encerrar', work: () => update({ closed: true }), className: 'quiet' },
    reopen: { text: 'Reabrir', work: () => update({ closed: false }), className: '' },
  };
  const joinOthers = async () => {
    const person = await ensurePersonName();
    if (person) await assign(person, now ? listAttendants(now) : []);
  };

  /** @param {Conversation} next */
  const show = next => {
    const person = readPersonName();
    now = next;
    const others = listAttendants(next).filter(name => name !== person);
    if (person && others.length > 0 && !isAttendedBy(next, person) && Date.now() - takenAt < SAME_MOMENT_MS) {
      void assign(person, others).catch(() => undefined);
    }
    banner.textContent = describeState(next, person, others);
    banner.className = `banner ${next.ask_human_help && !next.assigned_to ? 'banner-waiting' : ''}`;
    const names = chooseActions(next, person);
    if (names.join() === shownButtons) return;
    shownButtons = names.join();
    const isFocused = buttons.contains(document.activeElement);
    buttons.replaceChildren(
      ...names.map(name => {
        const { text, work, className } = actions[name];
        const button = makeButton(text, () => void runAction(button, outcome, work), className);
        return button;
      }),
    );
    if (isFocused) buttons.querySelector('button')?.focus();
  };
  return {
    banner,
    buttons,
    show,
    /** Who answers a conversation that nobody attends takes it over; false if the person gives no name. */
    async takeOverIfFree() {
      if (!(await ensurePersonName())) return false;
      if (now && listAttendants(now).length === 0) await takeOver();
      return true;
    },
  };
}

/** @param {Conversation} conversation @param {string | undefined} person */
function chooseActions(conversation, person) {
  if (conversation.closed) return /** @type {const} */ (['reopen']);
  if (!conversation.ask_human_help) return /** @type {const} */ (['take', 'close']);
  if (!conversation.assigned_to) return /** @type {const} */ (['take', 'giveBack', 'close']);
  if (isAttendedBy(conversation, person)) return /** @type {const} */ (['giveBack', 'close']);
  return /** @type {const} */ (['takeFrom', 'giveBack', 'close']);
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
