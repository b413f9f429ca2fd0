import { chooseOne } from '../../components/dialogs.tsx';
import { showToast } from '../../components/toast.tsx';
import { describeError } from '../../errors.ts';
import { makeKey } from '../../keys.ts';
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

/** Two people who take over within this time pressed at the same moment. */
const SAME_MOMENT_MS = 5_000;

type StateChanges = Partial<Pick<Conversation, 'ask_human_help' | 'assigned_to' | 'closed'>>;

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
 *                                                    attended <--an answer is written-- closed --"Desfazer"--> as it was
 */
export class Attending {
  readonly #feed: Feed;
  readonly #id: string;
  #takenAt = Number.NEGATIVE_INFINITY;
  /** The note for the next colleague, until it is stored and the conversation is passed on. */
  #note = { text: '', key: makeKey() };

  constructor(feed: Feed, id: string) {
    this.#feed = feed;
    this.#id = id;
  }

  /** Runs after each change: adds the name of the person again if it was replaced at the same moment. */
  async addReplaced(): Promise<void> {
    const person = readAttendant();
    const others = this.#listOthers();
    const isReplaced = others.length > 0 && person !== undefined && !this.#attendants.includes(person);
    if (isReplaced && Date.now() - this.#takenAt < SAME_MOMENT_MS)
      await this.#assign([...others, person]).catch(() => undefined);
  }

  /** Takes over a conversation that is closed or that nobody attends, before an answer; false if the person gives no name. */
  async takeOverIfFree(): Promise<boolean> {
    const person = await ensurePersonName();
    if (!person) return false;
    if (this.#feed.find(this.#id)?.closed) await this.#assign([person], { closed: false });
    else if (this.#attendants.length === 0) await this.takeOver();
    return true;
  }

  async takeOver(): Promise<void> {
    const person = await ensurePersonName();
    if (!person) return;
    const known = this.#attendants.join();
    await this.#feed.refresh();
    // A colleague was faster: the button now says whose conversation it is.
    if (this.#attendants.length > 0 && this.#attendants.join() !== known) return;
    this.#takenAt = Date.now();
    await this.#assign([person]);
  }

  async join(): Promise<void> {
    const person = await ensurePersonName();
    if (person) await this.#assign([...this.#attendants, person]);
  }

  /** Replaces the attendant; the text for the next one becomes a note of the conversation. */
  async passOn(): Promise<void> {
    const { hostId } = this.#feed;
    const person = await ensurePersonName();
    if (!person) return;
    const chosen = await chooseOne({
      title: 'Passar a conversa',
      text: 'A pessoa que você escolher vê a conversa como dela.',
      label: 'A quem',
      groups: await this.#listSuccessors(),
      empty: 'Não há outra pessoa na equipe. Quem administra convida pessoas em “Equipe”.',
      note: { label: 'Nota para a equipe (a pessoa atendida não vê)', text: this.#note.text },
      action: 'Passar',
    });
    if (!chosen) return;
    const { choice, note: content } = chosen;
    // The same note is stored once, even if it is sent again.
    if (content !== this.#note.text) this.#note = { text: content, key: makeKey() };
    const note = { hostId, conversationId: this.#id, content, author: 'note', name: person } as const;
    if (content) await call('appendMessage', note, { 'idempotency-key': this.#note.key });
    await this.#assign([choice]);
    this.#note = { text: '', key: makeKey() };
  }

  /** Lists the colleagues who can take it, first those who are there. An attendant with a token is no person of the team. */
  async #listSuccessors(): Promise<[group: string, names: string[]][]> {
    const people = await call('listColleagues', { hostId: this.#feed.hostId });
    const busy = [...this.#feed.conversations.peek().values()].flatMap(listAttendants);
    const taken = new Set([readAttendant(), ...this.#attendants]);
    const listed = (names: readonly string[]) =>
      [...new Set(names.map(attendantOf))]
        .filter(name => !taken.has(name))
        .toSorted((a, b) => a.localeCompare(b));
    const [here, away] = [true, false].map(isHere =>
      listed(people.filter(({ present }) => present === isHere).map(({ name }) => name)),
    ) as [string[], string[]];
    const others = listed(busy).filter(name => !here.includes(name) && !away.includes(name));
    return [
      ['No painel agora', here],
      ['Fora do painel', away],
      ['Sem cadastro na equipe', others],
    ];
  }

  giveBack(): Promise<void> {
    return this.#update({ ask_human_help: false, assigned_to: null });
  }

  /** Closes it. For some seconds this can be undone: then it waits again, or the same people attend it. */
  async close(): Promise<void> {
    const known = this.#feed.find(this.#id);
    await this.#update({ closed: true });
    if (!known) return;
    const { ask_human_help, assigned_to } = known;
    const before = { closed: false, ask_human_help, assigned_to };
    showToast('Conversa encerrada', 'plain', () => {
      this.#update(before).catch(error =>
        showToast(`A conversa continua encerrada: ${describeError(error).meaning}`, 'bad'),
      );
    });
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

  #assign(names: readonly string[], more: StateChanges = {}): Promise<void> {
    return this.#update({ ...more, ask_human_help: true, assigned_to: joinAttendants(names) });
  }

  async #update(changes: StateChanges): Promise<void> {
    const { hostId } = this.#feed;
    const state = await call('updateConversation', { hostId, conversationId: this.#id, ...changes });
    const known = this.#feed.find(this.#id);
    if (known) this.#feed.show({ ...known, ...state });
    // The page shows the change already: the next click must not wait for the list, nor be lost to it.
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
  if (conversation.closed) return 'Encerrada. A próxima mensagem, da pessoa ou sua, a abre de novo.';
  if (!conversation.ask_human_help) return 'O assistente responde. Ao assumir, ele se cala.';
  if (isWaiting(conversation)) return 'Espera por uma pessoa da equipe.';
  const others = listAttendants(conversation).filter(name => name !== (person && attendantOf(person)));
  const names = others.join(' e ');
  const attend = others.length > 1 ? 'atendem' : 'atende';
  if (!isAttendedBy(conversation, person)) return `${names} ${attend} esta conversa.`;
  return others.length > 0 ? `Você e ${names} atendem esta conversa.` : 'Você atende esta conversa.';
}
