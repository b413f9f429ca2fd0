import { chooseOne } from '../../components/dialogs.tsx';
import { call } from '../../service.ts';
import { ensurePersonName, readPersonName } from '../../shell/person-name.ts';
import {
  attendantOf,
  type Conversation,
  isAttendedBy,
  isWaiting,
  joinAttendants,
  listAttendants,
} from './conversation.ts';
import type { Feed } from './feed.ts';

/** Within this time, another name is that of a person who pressed at the same moment. */
const SAME_MOMENT_MS = 5_000;

/** The name of the person, as it stands among those who attend. */
function readAttendant(): string | undefined {
  const name = readPersonName();
  return name && attendantOf(name);
}

/*
 * Who attends a conversation. The last one to set the name wins, so two who take over at the same moment could not know of
 * each other: the one whose name was replaced adds it again beside the other.
 *
 *   attended --"Passar"--> attended by the colleague alone
 *   assistant <--"Devolver"-- waiting --"Assumir"--> attended --"Encerrar"--> closed --"Reabrir"--> assistant
 */
export class Attending {
  readonly #feed: Feed;
  readonly #id: string;
  #takenAt = Number.NEGATIVE_INFINITY;

  constructor(feed: Feed, id: string) {
    this.#feed = feed;
    this.#id = id;
  }

  /** After each change: whose name was replaced at the same moment adds it again. */
  async addReplaced(): Promise<void> {
    const person = readAttendant();
    const others = this.#listOthers();
    const isReplaced = others.length > 0 && person !== undefined && !this.#attendants.includes(person);
    if (isReplaced && Date.now() - this.#takenAt < SAME_MOMENT_MS)
      await this.#assign([...others, person]).catch(() => undefined);
  }

  /** Who answers a conversation that nobody attends takes it over; false if the person gives no name. */
  async takeOverIfFree(): Promise<boolean> {
    if (!(await ensurePersonName())) return false;
    if (this.#attendants.length === 0) await this.takeOver();
    return true;
  }

  async takeOver(): Promise<void> {
    const person = await ensurePersonName();
    if (!person) return;
    const known = this.#attendants.join();
    await this.#feed.refresh();
    // Somebody was faster: the button now says whose conversation it is.
    if (this.#attendants.length > 0 && this.#attendants.join() !== known) return;
    this.#takenAt = Date.now();
    await this.#assign([person]);
  }

  async join(): Promise<void> {
    const person = await ensurePersonName();
    if (person) await this.#assign([...this.#attendants, person]);
  }

  /** Who attended it is replaced. */
  async passOn(): Promise<void> {
    const { hostId } = this.#feed;
    const people = await call('listColleagues', { hostId });
    const busy = [...this.#feed.conversations.peek().values()].flatMap(listAttendants);
    const names = new Set([...people.map(({ name }) => attendantOf(name)), ...busy]);
    for (const name of [readAttendant(), ...this.#attendants]) if (name) names.delete(name);
    const chosen = await chooseOne({
      title: 'Passar a conversa',
      text: 'A pessoa que você escolher vê a conversa como dela.',
      label: 'A quem',
      choices: [...names].toSorted((a, b) => a.localeCompare(b)),
      empty: 'Não há outra pessoa na equipe. Quem administra convida pessoas em “Equipe”.',
      action: 'Passar',
    });
    if (chosen) await this.#assign([chosen]);
  }

  giveBack(): Promise<void> {
    return this.#update({ ask_human_help: false, assigned_to: null });
  }

  close(): Promise<void> {
    return this.#update({ closed: true });
  }

  reopen(): Promise<void> {
    return this.#update({ closed: false });
  }

  get #attendants(): string[] {
    const conversation = this.#feed.find(this.#id);
    return conversation ? listAttendants(conversation) : [];
  }

  #listOthers(): string[] {
    return this.#attendants.filter(name => name !== readAttendant());
  }

  #assign(names: readonly string[]): Promise<void> {
    return this.#update({ ask_human_help: true, assigned_to: joinAttendants(names) });
  }

  async #update(changes: Partial<Pick<Conversation, 'ask_human_help' | 'assigned_to' | 'closed'>>) {
    const { hostId } = this.#feed;
    const state = await call('updateConversation', { hostId, conversationId: this.#id, ...changes });
    const known = this.#feed.find(this.#id);
    if (known) this.#feed.show({ ...known, ...state });
    // The page shows it already: what is pressed next must not wait for the list, nor be lost to it.
    void this.#feed.refresh();
  }
}

export type AttendingAction = 'takeOver' | 'join' | 'passOn' | 'giveBack' | 'close' | 'reopen';

export function listActions(conversation: Conversation, person: string | undefined): AttendingAction[] {
  if (conversation.closed) return ['reopen'];
  if (!conversation.ask_human_help) return ['takeOver', 'close'];
  if (isWaiting(conversation)) return ['takeOver', 'giveBack', 'passOn', 'close'];
  if (isAttendedBy(conversation, person)) return ['giveBack', 'passOn', 'close'];
  return ['join', 'giveBack', 'passOn', 'close'];
}

export function describeState(conversation: Conversation, person: string | undefined): string {
  if (conversation.closed) return 'Encerrada. A próxima mensagem da pessoa a abre de novo.';
  if (!conversation.ask_human_help) return 'O assistente responde. Ao assumir, ele se cala.';
  if (isWaiting(conversation)) return 'Espera por uma pessoa da equipe.';
  const others = listAttendants(conversation).filter(name => name !== (person && attendantOf(person)));
  const names = others.join(' e ');
  const attend = others.length > 1 ? 'atendem' : 'atende';
  if (!isAttendedBy(conversation, person)) return `${names} ${attend} esta conversa.`;
  return others.length > 0 ? `Você e ${names} atendem esta conversa.` : 'Você atende esta conversa.';
}
