import type { DataOf } from '../../../queues/contract/operations/index.ts';
import { formatPhone } from '../../format.ts';

export type Conversation = DataOf<'listConversations'>['items'][number];
export type Message = DataOf<'listMessages'>['items'][number];

/** Who attends or writes: a person of the host, or somebody who is known by a name alone. */
export interface Attendant {
  readonly personId: string | null;
  readonly name: string;
}

/** The channel of rehearsals, whose conversations attendants do not see. */
export const TRIAL_PLATFORM = 'ensaio';

export interface Group {
  readonly title: string;
  readonly isUrgent?: boolean;
  readonly conversations: readonly Conversation[];
  /** Whether unread pages have more. */
  readonly hasMore?: boolean;
}

/** The filter of the list: `''` is any channel, person, team or label; `attendant` is a `keyOf`. */
export interface Filter {
  readonly shown: 'open' | 'unanswered' | 'closed';
  readonly platform: string;
  readonly attendant: string;
  /** Id of a team. */
  readonly team: string;
  readonly label: string;
  /** Whether those who asked first for a person come first among the attended ones. */
  readonly isByWait: boolean;
}

/** Lists that are read page by page. */
type PagedList = 'unanswered' | 'others' | 'closed';

/** For each list, the time of the oldest last message that was read; absent if the whole list was read. */
export type Reach = Readonly<Partial<Record<PagedList, string>>>;

interface View {
  readonly filter: Filter;
  readonly person: Attendant | undefined;
  readonly reach?: Reach;
  /** Ids of the teams of the person. */
  readonly ownTeams?: readonly string[];
}

/**
 * Groups conversations by what waits for a person first. All that wait or are attended are known, however far the pages reach.
 */
export function groupConversations(
  all: Iterable<Conversation>,
  { filter, person, reach = {}, ownTeams = [] }: View,
): Group[] {
  const { shown, platform, attendant, team, label, isByWait } = filter;
  const sorted = [...all]
    .filter(each => each.closed === (shown === 'closed') && isShown(each))
    .filter(each => platform === '' || each.platform === platform)
    .filter(each => team === '' || each.team_id === team)
    .filter(each => label === '' || each.labels.includes(label))
    .toSorted((a, b) => b.last_message_at.localeCompare(a.last_message_at));
  /** Drops conversations below the reach: others between them are on pages that were not read yet. */
  const paged = (list: PagedList, conversations: readonly Conversation[]) => ({
    conversations: conversations.filter(({ last_message_at }) => last_message_at >= (reach[list] ?? '')),
    hasMore: reach[list] !== undefined,
  });
  if (shown === 'closed') return keepFilled([{ title: 'Encerradas', ...paged('closed', sorted) }]);
  const at = (place: Place) => sorted.filter(conversation => placeOf(conversation, person) === place);
  const unanswered = { title: 'Sem resposta', isUrgent: true, ...paged('unanswered', at('unanswered')) };
  if (shown === 'unanswered') return keepFilled([unanswered]);
  const byWait = (conversations: readonly Conversation[]) =>
    conversations.toSorted((a, b) => waitsSince(a).localeCompare(waitsSince(b)));
  const attended = (place: Place) => {
    const listed = at(place).filter(
      each => attendant === '' || listAttendants(each).some(one => keyOf(one) === attendant),
    );
    return isByWait ? byWait(listed) : listed;
  };
  const mine = { title: 'Com você', conversations: attended('mine') };
  const others = { title: 'Com a equipe', conversations: attended('others') };
  if (attendant !== '') return keepFilled([mine, others]);
  // The longest wait comes first, even if the person has written again meanwhile.
  const waits = byWait(at('waiting'));
  const isOwn = ({ team_id }: Conversation) => team_id !== null && ownTeams.includes(team_id);
  return keepFilled([
    { title: 'Esperam pela sua equipe', isUrgent: true, conversations: waits.filter(isOwn) },
    {
      title: 'Esperam por uma pessoa',
      isUrgent: true,
      conversations: waits.filter(each => !isOwn(each)),
    },
    unanswered,
    mine,
    others,
    { title: 'Com o assistente', ...paged('others', at('assistant')) },
  ]);
}

type Place = 'waiting' | 'unanswered' | 'mine' | 'others' | 'assistant';

function placeOf(conversation: Conversation, person: Attendant | undefined): Place {
  if (!conversation.ask_human_help) return conversation.unanswered ? 'unanswered' : 'assistant';
  if (isWaiting(conversation)) return 'waiting';
  return isAttendedBy(conversation, person) ? 'mine' : 'others';
}

function keepFilled(groups: readonly Group[]): Group[] {
  return groups.filter(({ conversations }) => conversations.length > 0);
}

/** Whether attendants see the conversation. */
export const isShown = ({ archived, platform }: Conversation): boolean =>
  !archived && platform !== TRIAL_PLATFORM;

/** Whether it waits for a person, and nobody has taken it over. */
export function isWaiting({ closed, ask_human_help, assigned_to }: Conversation): boolean {
  return !closed && ask_human_help && !assigned_to;
}

/** Stands for what the person sent where it was not read: no message is stored of it. */
export const UNREAD = 'Áudio ou arquivo que não pôde ser lido';

/** Whether the last that the person sent could not be read. Without an answer, a person is asked for, or a question comes last. */
export const isLastUnread = ({ unanswered, ask_human_help, last_message }: Conversation): boolean =>
  unanswered && !ask_human_help && last_message?.author !== 'user';

/** Conversations of an earlier release do not know when help was requested. */
export const waitsSince = ({ help_asked_at, last_message_at }: Conversation): string =>
  help_asked_at ?? last_message_at;

const BETWEEN_NAMES = ', ';

/** Writes a name so that it stands in a list of names: `Souza, Bia` would be two. */
export const attendantOf = (name: string): string => name.split(/[\s,]+/).join(' ');

/** Tells people of the host apart by their id, others by their name. */
export const keyOf = ({ personId, name }: Attendant): string => personId ?? attendantOf(name);

export const isSame = (one: Attendant, other: Attendant | undefined): boolean =>
  other !== undefined && keyOf(one) === keyOf(other);

type Assigned = Pick<Conversation, 'assigned_to' | 'assigned_person_ids'>;

/** Lists all who took a conversation over at the same time: people of the host come first. */
export function listAttendants({ assigned_to: names, assigned_person_ids: ids }: Assigned): Attendant[] {
  const listed = (names ?? '').split(BETWEEN_NAMES).filter(name => name !== '');
  return listed.map((name, at) => ({ name, personId: ids[at] ?? null }));
}

export const nameAttendants = (attendants: readonly Attendant[]): string =>
  attendants.map(({ name }) => name).join(' e ');

/** The fields that say who attends. */
export function assign(attendants: readonly Attendant[]): Assigned {
  const people = attendants.filter(({ personId }) => personId !== null);
  const others = attendants.filter(({ personId }) => personId === null);
  return {
    assigned_person_ids: people.flatMap(({ personId }) => personId ?? []),
    assigned_to: [...people, ...others].map(({ name }) => attendantOf(name)).join(BETWEEN_NAMES) || null,
  };
}

/** Whether the person wrote the message as a staff member. */
export const isBy = (
  { author, personId, name }: NonNullable<Conversation['last_message']>,
  person: Attendant | undefined,
): boolean => author === 'human' && name !== null && isSame({ personId, name }, person);

export function isAttendedBy(conversation: Assigned, person: Attendant | undefined): boolean {
  return listAttendants(conversation).some(one => isSame(one, person));
}

/** Deliveries are certain to be kept for this many hours. */
const KNOWN_HOURS = 24;

/** Whether no webhook takes what a colleague wrote to the channel of the person; what was typed on its phone is there. */
export function isUntold(
  { author, delivery, createdAt, fromChannel }: Message,
  { platform }: Conversation,
): boolean {
  const isRecent = Date.now() - Date.parse(createdAt) < KNOWN_HOURS * HOUR * MINUTE;
  return author === 'human' && !fromChannel && delivery === null && platform !== 'console' && isRecent;
}

const ID_CHARACTERS = 4;

export const namePerson = ({ id, contact_name, user_name, wpp_id }: Conversation): string =>
  contact_name || user_name || formatPhone(wpp_id) || nameVisitor(id);

/** Names a visitor who gave no name, so that people can tell them apart. */
export const nameVisitor = (id: string): string => `Visitante ${id.slice(-ID_CHARACTERS).toUpperCase()}`;

const channels = new Map([
  ['whatsapp', 'WhatsApp'],
  ['api', 'API'],
  ['site', 'Site'],
  // Questions asked in Testar are shown, so that people can try attending.
  ['console', 'teste no painel'],
]);

export const nameChannel = (platform: string): string => channels.get(platform) ?? platform;

const MINUTE = 60_000;
const HOUR = 60;
const DAY = 24 * HOUR;

/** Says how long ago that was: `12 min`, `3 h`, `2 dias`. */
export function describeWait(since: string, now: number): string {
  const minutes = Math.max(1, Math.floor((now - Date.parse(since)) / MINUTE));
  if (minutes < HOUR) return `${minutes} min`;
  if (minutes < DAY) return `${Math.floor(minutes / HOUR)} h`;
  const days = Math.floor(minutes / DAY);
  return days === 1 ? '1 dia' : `${days} dias`;
}
