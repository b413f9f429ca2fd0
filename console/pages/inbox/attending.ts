import { chooseOne } from '../../components/dialogs.tsx';
import { showToast } from '../../components/toast.tsx';
import { describeError } from '../../errors.ts';
import { nameApart } from '../../format.ts';
import { makeKey } from '../../keys.ts';
import { call } from '../../service.ts';
import { ensurePersonName, readPerson } from '../../shell/person-name.ts';
import { askReason, attendance, nameTeam } from './attendance.ts';
import {
  type Attendant,
  assign,
  attendantOf,
  type Conversation,
  isAttendedBy,
  isSame,
  isWaiting,
  keyOf,
  listAttendants,
  nameAttendants,
} from './conversation.ts';
import type { Feed } from './feed.ts';

/** Two people who take over within this time pressed at the same moment. */
const SAME_MOMENT_MS = 5_000;

type StateChanges = Partial<
  Pick<
    Conversation,
    'ask_human_help' | 'assigned_to' | 'assigned_person_ids' | 'closed' | 'team_id' | 'close_reason'
  >
>;

/** The person at this page, who is asked for a name where none is known. */
async function ensurePerson(): Promise<Attendant | undefined> {
  return (await ensurePersonName()) === undefined ? undefined : readPerson();
}

/** Somebody to whom a conversation can be passed. */
type Successor = Attendant & { readonly label: string };

/*
 * Who attends a conversation. The last one to take it over wins, so two at the same moment could not know of each other: the
 * one who was replaced joins the other.
 *
 *   attended --"Passar"--> attended by the colleague alone, or waiting for a team
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

  /** Runs after each change: adds the person again who was replaced at the same moment. */
  async addReplaced(): Promise<void> {
    const person = readPerson();
    const attendants = this.#attendants;
    if (!person || attendants.length === 0 || attendants.some(each => isSame(each, person))) return;
    if (Date.now() - this.#takenAt < SAME_MOMENT_MS)
      await this.#assign([...attendants, person]).catch(() => undefined);
  }

  /** Takes over a conversation that is closed or that nobody attends, before an answer; false if the person gives no name. */
  async takeOverIfFree(): Promise<boolean> {
    const person = await ensurePerson();
    if (!person) return false;
    if (this.#feed.find(this.#id)?.closed) await this.#assign([person], { closed: false });
    else if (this.#attendants.length === 0) await this.takeOver();
    return true;
  }

  async takeOver(): Promise<void> {
    const person = await ensurePerson();
    if (!person) return;
    const known = this.#attendants.map(keyOf).join();
    await this.#feed.refresh();
    // A colleague was faster: the button now says whose conversation it is.
    if (this.#attendants.length > 0 && this.#attendants.map(keyOf).join() !== known) return;
    this.#takenAt = Date.now();
    await this.#assign([person]);
  }

  async join(): Promise<void> {
    const person = await ensurePerson();
    if (person) await this.#assign([...this.#attendants, person]);
  }

  /** Replaces the attendant; the text for the next one becomes a note of the conversation. */
  async passOn(): Promise<void> {
    const { hostId } = this.#feed;
    const person = await ensurePerson();
    if (!person) return;
    const groups = await this.#listSuccessors();
    const { teams } = attendance.peek();
    const chosen = await chooseOne({
      title: 'Passar a conversa',
      text: 'Quem você escolher vê a conversa como sua; numa equipe ela espera por todos que estão nela.',
      label: 'A quem',
      groups: [
        ['Equipes', teams.map(({ teamId, name }) => [teamId, name] as const)],
        ...groups.map(
          ([group, listed]) => [group, listed.map(each => [keyOf(each), each.label] as const)] as const,
        ),
      ],
      empty: 'Não há outra pessoa na equipe. Quem administra convida pessoas em “Equipe”.',
      note: { label: 'Nota para a equipe (a pessoa atendida não vê)', text: this.#note.text },
      action: 'Passar',
    });
    if (!chosen) return;
    const { choice, note: content } = chosen;
    // The same note is stored once, even if it is sent again.
    if (content !== this.#note.text) this.#note = { text: content, key: makeKey() };
    const note = { hostId, conversationId: this.#id, content, author: 'note', name: person.name } as const;
    if (content) await call('appendMessage', note, { 'idempotency-key': this.#note.key });
    if (teams.some(({ teamId }) => teamId === choice)) await this.#update({ team_id: choice });
    else await this.#assign(groups.flatMap(([, listed]) => listed.filter(each => keyOf(each) === choice)));
    this.#note = { text: '', key: makeKey() };
  }

  /** Lists the colleagues who can take it, first those who are there. Whoever attends with a token is no person of the team. */
  async #listSuccessors(): Promise<[group: string, Successor[]][]> {
    const people = await call('listColleagues', { hostId: this.#feed.hostId });
    const busy = [...this.#feed.conversations.peek().values()].flatMap(listAttendants);
    const names = new Set(people.map(({ name }) => attendantOf(name)));
    const unknown = busy.filter(({ personId, name }) => personId === null && !names.has(attendantOf(name)));
    const taken = new Set([readPerson(), ...this.#attendants].flatMap(each => (each ? [keyOf(each)] : [])));
    const listed = (all: readonly Successor[]) =>
      [...new Map(all.map(each => [keyOf(each), each])).values()]
        .filter(each => !taken.has(keyOf(each)))
        .toSorted((a, b) => a.label.localeCompare(b.label));
    const [here, away] = [true, false].map(isHere =>
      listed(
        people
          .filter(({ present }) => present === isHere)
          .map(each => ({ ...each, label: nameApart(each, people) })),
      ),
    ) as [Successor[], Successor[]];
    return [
      ['No painel agora', here],
      ['Fora do painel', away],
      ['Sem cadastro na equipe', listed(unknown.map(each => ({ ...each, label: each.name })))],
    ];
  }

  giveBack(): Promise<void> {
    return this.#update({ ask_human_help: false, assigned_to: null });
  }

  /** Closes it. For some seconds this can be undone: then it waits again, or the same people attend it. */
  async close(): Promise<void> {
    const reason = await askReason('Encerrar a conversa');
    if (reason === undefined) return;
    const known = this.#feed.find(this.#id);
    await this.#update({ closed: true, ...(reason === '' ? {} : { close_reason: reason }) });
    if (!known) return;
    const { ask_human_help, assigned_to, assigned_person_ids } = known;
    const before = { closed: false, ask_human_help, assigned_to, assigned_person_ids };
    showToast('Conversa encerrada', 'plain', () => {
      this.#update(before).catch(error =>
        showToast(`A conversa continua encerrada: ${describeError(error).meaning}`, 'bad'),
      );
    });
  }

  reopen(): Promise<void> {
    return this.#update({ closed: false });
  }

  get #attendants(): Attendant[] {
    const conversation = this.#feed.find(this.#id);
    return conversation ? listAttendants(conversation) : [];
  }

  #assign(attendants: readonly Attendant[], more: StateChanges = {}): Promise<void> {
    return this.#update({ ...more, ask_human_help: true, ...assign(attendants) });
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

export function listActions(conversation: Conversation, person: Attendant | undefined): AttendingAction[] {
  if (conversation.closed) return ['reopen'];
  if (!conversation.ask_human_help) return ['takeOver', 'close'];
  if (isWaiting(conversation)) return ['takeOver', 'giveBack', 'passOn', 'close'];
  if (isAttendedBy(conversation, person)) return ['giveBack', 'passOn', 'close'];
  return ['join', 'giveBack', 'passOn', 'close'];
}

export function describeState(conversation: Conversation, person: Attendant | undefined): string {
  const { closed, close_reason: reason, team_id: teamId } = conversation;
  const team = nameTeam(teamId);
  if (closed)
    return `Encerrada${reason ? ` (${reason})` : ''}. A próxima mensagem, da pessoa ou sua, a abre de novo.`;
  if (!conversation.ask_human_help) return 'O assistente responde. Ao assumir, ele se cala.';
  if (isWaiting(conversation))
    return team ? `Espera pela equipe ${team}.` : 'Espera por uma pessoa da equipe.';
  const others = listAttendants(conversation).filter(each => !isSame(each, person));
  const names = nameAttendants(others);
  const attend = others.length > 1 ? 'atendem' : 'atende';
  if (!isAttendedBy(conversation, person)) return `${names} ${attend} esta conversa.`;
  return others.length > 0 ? `Você e ${names} atendem esta conversa.` : 'Você atende esta conversa.';
}
