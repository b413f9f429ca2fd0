import { Check, CircleAlert, Clock } from 'lucide';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Badge } from '../../components/badge.tsx';
import { Icon } from '../../components/icon.tsx';
import { MessageItem, SentText } from '../../components/message-item.tsx';
import { EmptyState, ErrorNote, Skeleton } from '../../components/states.tsx';
import { formatClock, formatDay, formatMoment } from '../../format.ts';
import { readServiceClock } from '../../service.ts';
import type { SessionContext } from '../../shell/session.ts';
import { ApprovedDrawer } from '../approved-form.tsx';
import { NewCaseDrawer } from '../assistants/case-form.tsx';
import { caseOf } from './case-of-answer.ts';
import { type Conversation, isLastUnread, isUntold, type Message, UNREAD } from './conversation.ts';
import { MessageFiles } from './message-files.tsx';
import { markSeen, seenUntil } from './seen.ts';
import { Sources } from './sources.tsx';
import { Thumbs } from './thumbs.tsx';
import type { Messages } from './use-messages.ts';

const NEAR_END_PX = 80;

/** The messages of the open conversation, as the person sees them, and the sources of each answer. */
export function Transcript(props: {
  readonly context: SessionContext;
  readonly conversation: Conversation;
  readonly messages: Messages;
  readonly person: string;
}) {
  const { context, conversation, messages, person } = props;
  const { items, isRead } = messages;
  const isUnread = isLastUnread(conversation);
  const log = useRef<HTMLDivElement>(null);
  const seenAt = useSeen(conversation);
  const firstNew = items.find(
    ({ author, createdAt }) => (author === 'user' || author === 'assistant') && seenAt && createdAt > seenAt,
  );
  useScroll(log, items, isRead);
  const [answer, setAnswer] = useState<Message>();
  const [approved, approve] = useState<Message>();
  const { avatars, scopes } = context;
  const mayMakeCase = scopes.includes('manage') && avatars.length > 0;
  const untold = items.findLast(message => message.author === 'human');
  // Elements stay the same objects where nothing has changed, so they are not compared.
  const shown = useMemo(
    () =>
      items.map((message, at) => (
        <TranscriptMessage
          key={message.messageId}
          message={message}
          previous={items[at - 1]}
          isFirstNew={message === firstNew}
          isUntold={message === untold && isUntold(message, conversation)}
          context={context}
          conversationId={conversation.id}
          person={person}
          {...(mayMakeCase && isAnswer(message, items[at - 1])
            ? { onCase: () => setAnswer(message), onApprove: () => approve(message) }
            : {})}
        />
      )),
    [items, firstNew, untold, context, conversation.id, person],
  );
  return (
    <div class="log" role="log" aria-label="Mensagens" tabIndex={0} ref={log}>
      {items.length === 0 && <NoMessages of={messages} isUnread={isUnread} />}
      {shown}
      {isRead && isUnread && <UnreadBubble />}
      <AnswerDrawers
        context={context}
        items={items}
        cased={answer}
        approved={approved}
        onClose={() => [setAnswer, approve].forEach(set => set(undefined))}
      />
    </div>
  );
}

/** What one click makes of an answer: a case, or an approved answer. */
function AnswerDrawers(props: {
  readonly context: SessionContext;
  readonly items: readonly Message[];
  readonly cased: Message | undefined;
  readonly approved: Message | undefined;
  readonly onClose: () => void;
}) {
  const { items, cased, approved, onClose } = props;
  const { host, avatars } = props.context;
  if (!host) return null;
  const place = { hostId: host.host_id, avatars, onClose };
  if (cased) return <NewCaseDrawer {...place} begin={caseOf(items, cased)} />;
  if (!approved) return null;
  const { question } = caseOf(items, approved);
  return <ApprovedDrawer {...place} begin={{ questions: [question], answer: approved.content }} />;
}

const UnreadBubble = () => (
  <div class="bubble theirs by-user">
    <em>{UNREAD}</em>
  </div>
);

function NoMessages(props: { readonly of: Messages; readonly isUnread: boolean }) {
  const { isUnread } = props;
  const { isRead, error, retry } = props.of;
  if (!isRead) return <Skeleton label="Carregando as mensagens" />;
  // With messages shown, the next change tries again.
  if (error !== undefined) return <ErrorNote error={error} onRetry={retry} />;
  if (isUnread) return null;
  return <EmptyState title="Ainda não há mensagens" text="O que a pessoa escrever aparece aqui." />;
}

/** Whether it is the first answer to a question whose text is still kept. */
const isAnswer = ({ author }: Message, previous: Message | undefined): boolean =>
  author === 'assistant' && previous?.author === 'user' && previous.content !== '';

/** Returns until when the person had seen the conversation when it was opened, or when they left the window. */
function useSeen(conversation: Conversation): string | undefined {
  const [seenAt, setSeenAt] = useState(() => seenUntil(conversation.id));
  useEffect(() => {
    const look = () => {
      if (document.hidden) setSeenAt(conversation.last_message_at);
      else markSeen(conversation);
    };
    if (!document.hidden) look();
    document.addEventListener('visibilitychange', look);
    return () => document.removeEventListener('visibilitychange', look);
  }, [conversation.last_message_at]);
  return seenAt;
}

/** Begins at the first new message, or at the end, and stays at the end while the reader is there. */
function useScroll(
  log: { readonly current: HTMLElement | null },
  items: readonly Message[],
  isRead: boolean,
): void {
  const isAtEnd = useRef(true);
  const stay = () => {
    if (log.current && isAtEnd.current) log.current.scrollTop = log.current.scrollHeight;
  };
  useLayoutEffect(() => {
    const element = log.current;
    if (!element) return undefined;
    const look = () => {
      isAtEnd.current = element.scrollHeight - element.scrollTop - element.clientHeight < NEAR_END_PX;
    };
    element.addEventListener('scroll', look, { passive: true });
    // A growing composer, or a colleague who writes, takes away height.
    const resizes = new ResizeObserver(stay);
    resizes.observe(element);
    return () => {
      resizes.disconnect();
      element.removeEventListener('scroll', look);
    };
  }, []);
  useLayoutEffect(stay, [items]);
  useLayoutEffect(() => {
    const line = log.current?.querySelector<HTMLElement>('.new-line');
    if (isRead && line && log.current) log.current.scrollTop = line.offsetTop - NEAR_END_PX;
  }, [isRead]);
}

function TranscriptMessage(props: {
  readonly message: Message;
  readonly previous: Message | undefined;
  readonly isFirstNew: boolean;
  readonly isUntold: boolean;
  readonly context: SessionContext;
  readonly conversationId: string;
  readonly person: string;
  /** Begins a case with this answer. */
  readonly onCase?: () => void;
  /** Approves it for its question. */
  readonly onApprove?: () => void;
}) {
  const { message, previous, isFirstNew, isUntold, context, conversationId, person, onCase, onApprove } =
    props;
  const { author, createdAt } = message;
  const isNewDay = !previous || formatDay(previous.createdAt) !== formatDay(createdAt);
  const isSameAuthor = !isNewDay && previous.author === author && previous.name === message.name;
  const side = author === 'user' ? 'theirs' : 'ours';
  if (author === 'system') return <p class="small note day">{message.content}</p>;
  return (
    <>
      {isNewDay && <p class="small note day">{formatDay(createdAt)}</p>}
      {isFirstNew && (
        <p class="new-line">
          <span>Nova mensagem</span>
        </p>
      )}
      {(!isSameAuthor || isFirstNew) && (
        <span class={`small who who-${side}`}>
          {nameAuthor(message, person)} · <time dateTime={createdAt}>{formatClock(createdAt)}</time>
        </span>
      )}
      <Bubbles message={message} className={`bubble ${side} by-${author}`} />
      {message.delivery && <Delivery state={message.delivery} nextAttemptAt={message.nextAttemptAt} />}
      {isUntold && <span class="small delivery">Só no painel: nenhum webhook leva ao canal</span>}
      {message.unsupported.length > 0 && <Unsupported figures={message.unsupported} />}
      {message.sources.length > 0 && (
        <Sources message={message} conversationId={conversationId} context={context} isBeside />
      )}
      {author === 'assistant' && message.turnId && (
        <Thumbs message={message} conversationId={conversationId} />
      )}
      {onApprove && <MakeButton text="Aprovar" onClick={onApprove} />}
      {onCase && <MakeButton text="Criar caso" onClick={onCase} />}
    </>
  );
}

const MakeButton = ({ text, onClick }: { readonly text: string; readonly onClick: () => void }) => (
  <button type="button" class="as-link small make-case" onClick={onClick}>
    {text}
  </button>
);

const deliveries = {
  pending: { icon: Clock, text: 'A caminho do canal' },
  delivered: { icon: Check, text: 'Entregue ao canal' },
  failed: { icon: CircleAlert, text: 'Não chegou ao canal' },
} as const;

function Delivery(props: { readonly state: keyof typeof deliveries; readonly nextAttemptAt: string | null }) {
  const { state, nextAttemptAt } = props;
  const isLate = nextAttemptAt !== null;
  const { icon, text } = isLate
    ? { icon: CircleAlert, text: `Ainda não chegou ao canal${describeNext(nextAttemptAt)}` }
    : deliveries[state];
  return (
    <span class={`small delivery is-${isLate ? 'late' : state}`}>
      <Icon of={icon} size={14} /> {text}
    </span>
  );
}

/** Describes only a future attempt: one that is due is on its way, or its webhook is switched off. */
function describeNext(at: string): string {
  if (Date.parse(at) < readServiceClock()) return '';
  const isToday = formatDay(at) === formatDay(new Date().toISOString());
  return `; nova tentativa ${isToday ? `às ${formatClock(at)}` : `em ${formatMoment(at)}`}`;
}

/** Figures that no source supported when the assistant answered; an attendant should look at them. */
function Unsupported({ figures }: { readonly figures: Message['unsupported'] }) {
  const texts = [...new Set(figures.map(({ text }) => text))];
  return (
    <p class="sources">
      <Badge tone="warn">Sem fonte: {texts.join(', ')}</Badge>
    </p>
  );
}

function nameAuthor({ author, name, fromChannel }: Message, person: string): string {
  if (author === 'user') return name || person;
  if (author === 'assistant') return name || 'Assistente';
  if (fromChannel) return `${name || 'Pessoa'} (equipe, pelo celular)`;
  return `${name || 'Pessoa'} (${author === 'note' ? 'nota interna' : 'equipe'})`;
}

function Bubbles({ message, className }: { readonly message: Message; readonly className: string }) {
  const { author, content, wppParsed } = message;
  if (author === 'assistant' && wppParsed.length > 0)
    return (
      <>
        {wppParsed.map((item, at) => (
          <div key={at} class={className}>
            <MessageItem item={item} />
          </div>
        ))}
      </>
    );
  return (
    <div class={className}>
      {content === '' ? <em>Texto apagado pelo prazo de guarda</em> : <SentText text={content} />}
      <MessageFiles files={message.attachments} />
    </div>
  );
}
