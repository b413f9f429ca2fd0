import type { DataOf } from '../../../queues/contract/operations/index.ts';
import { formatPhone } from '../../format.ts';

export type Conversation = DataOf<'listConversations'>['items'][number];
export type Message = DataOf<'listMessages'>['items'][number];

/** The channel of rehearsals, whose conversations are not shown to those who attend. */
export const TRIAL_PLATFORM = 'ensaio';

export interface Group {
  readonly title: string;
  readonly isUrgent?: boolean;
  readonly conversations: readonly Conversation[];
}

/** The conversations by what waits for a person first. */
export function groupConversations(
  all: Iterable<Conversation>,
  { showsClosed, person }: { readonly showsClosed: boolean; readonly person: string | undefined },
): Group[] {
  const shown = [...all]
    .filter(each => each.closed === showsClosed && !each.archived && each.platform !== TRIAL_PLATFORM)
    .toSorted((a, b) => b.last_message_at.localeCompare(a.last_message_at));
  if (showsClosed) return keepFilled([{ title: 'Encerradas', conversations: shown }]);
  const placeOf = (conversation: Conversation) => {
    if (!conversation.ask_human_help) return conversation.unanswered ? 'unanswered' : 'assistant';
    if (isWaiting(conversation)) return 'waiting';
    return isAttendedBy(conversation, person) ? 'mine' : 'others';
  };
  const at = (place: string) => shown.filter(conversation => placeOf(conversation) === place);
  return keepFilled([
    // Who waits longest comes first, also who has written again meanwhile.
    {
      title: 'Esperam por uma pessoa',
      isUrgent: true,
      conversations: at('waiting').toSorted((a, b) => waitsSince(a).localeCompare(waitsSince(b))),
    },
    { title: 'Sem resposta', isUrgent: true, conversations: at('unanswered') },
    { title: 'Com você', conversations: at('mine') },
    { title: 'Com a equipe', conversations: at('others') },
    { title: 'Com o assistente', conversations: at('assistant') },
  ]);
}

function keepFilled(groups: readonly Group[]): Group[] {
  return groups.filter(({ conversations }) => conversations.length > 0);
}

/** Whether it waits for a person, and nobody has taken it over. */
export function isWaiting({ closed, ask_human_help, assigned_to }: Conversation): boolean {
  return !closed && ask_human_help && !assigned_to;
}

/** Conversations of an earlier release do not know when help was requested. */
export const waitsSince = ({ help_asked_at, last_message_at }: Conversation): string =>
  help_asked_at ?? last_message_at;

const BETWEEN_NAMES = ', ';

/** A name as it stands among others, where one such as `Souza, Bia` would be two. */
export const attendantOf = (name: string): string => name.split(/[\s,]+/).join(' ');

/** Several people who took a conversation over at the same time are all named. */
export function listAttendants({ assigned_to: names }: Pick<Conversation, 'assigned_to'>): string[] {
  return (names ?? '').split(BETWEEN_NAMES).filter(name => name !== '');
}

export const joinAttendants = (names: readonly string[]): string =>
  names.map(attendantOf).join(BETWEEN_NAMES);

export function isAttendedBy(
  conversation: Pick<Conversation, 'assigned_to'>,
  person: string | undefined,
): boolean {
  return person !== undefined && listAttendants(conversation).includes(attendantOf(person));
}

/** As long as deliveries are kept for certain, in hours. */
const KNOWN_HOURS = 24;

/** Whether no webhook takes what a colleague wrote to the channel of the person. */
export function isUntold({ author, delivery, createdAt }: Message, { platform }: Conversation): boolean {
  const isRecent = Date.now() - Date.parse(createdAt) < KNOWN_HOURS * HOUR * MINUTE;
  return author === 'human' && delivery === null && platform !== 'console' && isRecent;
}

const ID_CHARACTERS = 4;

export const namePerson = ({ id, contact_name, user_name, wpp_id }: Conversation): string =>
  contact_name || user_name || formatPhone(wpp_id) || nameVisitor(id);

/** Who has given no name, so that several can be told apart. */
export const nameVisitor = (id: string): string => `Visitante ${id.slice(-ID_CHARACTERS).toUpperCase()}`;

const channels = new Map([
  ['whatsapp', 'WhatsApp'],
  ['api', 'API'],
  ['site', 'Site'],
  // Questions asked in Testar are shown, so that attending can be tried.
  ['console', 'teste no painel'],
]);

export const nameChannel = (platform: string): string => channels.get(platform) ?? platform;

const MINUTE = 60_000;
const HOUR = 60;
const DAY = 24 * HOUR;

/** How long ago that was: `12 min`, `3 h`, `2 dias`. */
export function describeWait(since: string, now: number): string {
  const minutes = Math.max(1, Math.floor((now - Date.parse(since)) / MINUTE));
  if (minutes < HOUR) return `${minutes} min`;
  if (minutes < DAY) return `${Math.floor(minutes / HOUR)} h`;
  const days = Math.floor(minutes / DAY);
  return days === 1 ? '1 dia' : `${days} dias`;
}
