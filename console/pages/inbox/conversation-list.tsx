import { signal } from '@preact/signals';
import { FlaskConical, Globe, MessageCircle, Plug } from 'lucide';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Icon } from '../../components/icon.tsx';
import { Initials } from '../../components/list-row.tsx';
import { formatMoment, formatShortly } from '../../format.ts';
import { readServiceClock } from '../../service.ts';
import { readPerson } from '../../shell/person-name.ts';
import { linkTo } from '../../shell/route.ts';
import { nameTeam } from './attendance.ts';
import {
  type Conversation,
  describeWait,
  type Group,
  isAttendedBy,
  isBy,
  isLastUnread,
  isWaiting,
  listAttendants,
  nameAttendants,
  nameChannel,
  namePerson,
  UNREAD,
  waitsSince,
} from './conversation.ts';
import { isUnread } from './seen.ts';
import { select, selected } from './selection.tsx';
import { WindowBadge } from './window.tsx';

/* There may be thousands of rows, so only those in sight are drawn. Heights are in pixels, and the style has the same. */
const ROW = 64;
const HEAD = 36;
/** Rows drawn beyond those in sight, so that the keyboard reaches them. */
const BEYOND = 8;
/** The next page is read this close to the end. */
const NEAR_END = 20 * ROW;

const MINUTE = 60_000;
const now = signal(readServiceClock());
setInterval(() => (now.value = readServiceClock()), MINUTE / 2);

export function ConversationList(props: {
  readonly groups: readonly Group[];
  readonly openId: string | undefined;
  readonly onNearEnd: () => void;
}) {
  const { groups, openId, onNearEnd } = props;
  const place = useRef<HTMLDivElement>(null);
  const [from, to] = useSight(place);
  let end = 0;
  const sections = groups.map(group => {
    const { length } = group.conversations;
    const start = end + HEAD;
    end = start + length * ROW;
    const first = Math.min(length, Math.max(0, Math.floor((from - start) / ROW) - BEYOND));
    const last = Math.max(first, Math.min(length, Math.ceil((to - start) / ROW) + BEYOND));
    return { group, first, last };
  });
  const isNearEnd = end < to + NEAR_END;
  useEffect(() => {
    if (isNearEnd) onNearEnd();
  }, [isNearEnd, end]);
  return (
    <div class="inbox-groups" ref={place}>
      {sections.map(({ group, first, last }) => (
        <section key={group.title} class={group.isUrgent ? 'group urgent' : 'group'} aria-label={group.title}>
          <h2>
            {group.title}
            <span class="count">
              {group.conversations.length.toLocaleString('pt-BR')}
              {group.hasMore && '+'}
            </span>
          </h2>
          <ul style={{ height: group.conversations.length * ROW, paddingTop: first * ROW }}>
            {group.conversations.slice(first, last).map(conversation => (
              <Row key={conversation.id} conversation={conversation} isOpen={conversation.id === openId} />
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}

/** Returns which pixels of the content of a scrolling element are in sight. */
function useSight(place: { readonly current: HTMLElement | null }): readonly [from: number, to: number] {
  const [sight, setSight] = useState<readonly [number, number]>([0, 0]);
  useLayoutEffect(() => {
    const element = place.current;
    if (!element) return undefined;
    const look = () => {
      const { scrollTop, clientHeight } = element;
      setSight(([from, to]) => {
        const isSame = from === scrollTop && to === scrollTop + clientHeight;
        return isSame ? [from, to] : [scrollTop, scrollTop + clientHeight];
      });
    };
    look();
    const resizes = new ResizeObserver(look);
    resizes.observe(element);
    element.addEventListener('scroll', look, { passive: true });
    return () => {
      resizes.disconnect();
      element.removeEventListener('scroll', look);
    };
  }, []);
  return sight;
}

function Row({ conversation, isOpen }: { readonly conversation: Conversation; readonly isOpen: boolean }) {
  const { id, platform, unanswered, team_id, labels } = conversation;
  const name = namePerson(conversation);
  const isNew = isUnread(conversation) && !isOpen;
  const listed = listAttendants(conversation);
  // The group of the conversation already says whether it belongs to the person.
  const attendants =
    listed.length === 1 && isAttendedBy(conversation, readPerson()) ? '' : nameAttendants(listed);
  const about = [isWaiting(conversation) ? nameTeam(team_id) : '', ...labels].filter(Boolean).join(' · ');
  const chosen = selected.value;
  return (
    <li class={chosen ? 'is-selecting' : ''}>
      {chosen && (
        <input
          type="checkbox"
          aria-label={`Selecionar a conversa com ${name}`}
          checked={chosen.has(id)}
          onChange={event => select(id, event.currentTarget.checked)}
        />
      )}
      <a
        class={isNew ? 'inbox-row is-unread' : 'inbox-row'}
        href={linkTo('atendimento', [id])}
        aria-current={isOpen ? 'true' : undefined}
      >
        <Initials name={name} />
        <span class="inbox-line">
          <strong class="inbox-name">{name}</strong>
          <When conversation={conversation} />
        </span>
        <span class="inbox-line">
          <span class="inbox-last">{describeLast(conversation)}</span>
          <span class="inbox-about">
            {isNew && <span class="dot" role="img" aria-label="mensagem nova" />}
            {unanswered && <span class="inbox-attendants">Sem resposta</span>}
            <WindowBadge conversation={conversation} />
            {about && (
              <span class="inbox-attendants" title={about}>
                {about}
              </span>
            )}
            {attendants && <span class="inbox-attendants">{attendants}</span>}
            <span title={nameChannel(platform)}>
              <Icon of={channelIcons.get(platform) ?? Globe} size={15} />
              <span class="unheard">{nameChannel(platform)}</span>
            </span>
          </span>
        </span>
      </a>
    </li>
  );
}

const channelIcons = new Map([
  ['whatsapp', MessageCircle],
  ['api', Plug],
  ['console', FlaskConical],
]);

function When({ conversation }: { readonly conversation: Conversation }) {
  const waits = isWaiting(conversation);
  const at = waits ? waitsSince(conversation) : conversation.last_message_at;
  return (
    <time class={waits ? 'inbox-wait' : ''} dateTime={at} title={formatMoment(at)}>
      {waits ? (
        <>
          <span class="inbox-wait-word">espera </span>há {describeWait(at, now.value)}
        </>
      ) : (
        formatShortly(at)
      )}
    </time>
  );
}

function describeLast(conversation: Conversation): string {
  if (isLastUnread(conversation)) return UNREAD;
  const { last_message: last, main_topic } = conversation;
  return last ? describeMessage(last) : main_topic;
}

/** A message in one line. */
function describeMessage(message: NonNullable<Conversation['last_message']>): string {
  const { author, name, content } = message;
  const text = content.replaceAll(/\s+/g, ' ').replaceAll(/[*_~`#]/g, '');
  if (author === 'user') return text;
  if (author === 'assistant') return `Assistente: ${text}`;
  return `${isBy(message, readPerson()) ? 'Você' : name || 'Equipe'}: ${text}`;
}
