import { MessageCircle, Ticket, UserRound } from 'lucide';
import { useState } from 'preact/hooks';
import { Badge } from '../../components/badge.tsx';
import { Icon } from '../../components/icon.tsx';
import { Initials } from '../../components/list-row.tsx';
import { ErrorNote, Skeleton } from '../../components/states.tsx';
import { formatPhone, formatShortly } from '../../format.ts';
import { call } from '../../service.ts';
import { linkTo } from '../../shell/route.ts';
import type { SessionContext } from '../../shell/session.ts';
import { useLoad } from '../../use-load.ts';
import { RecordDrawer } from '../search-record.tsx';
import { nameTeam } from './attendance.ts';
import { Consents } from './consents.tsx';
import {
  type Conversation,
  listAttendants,
  type Message,
  nameAttendants,
  nameChannel,
  namePerson,
  nameVisitor,
} from './conversation.ts';
import { Labels } from './labels.tsx';
import { Sources } from './sources.tsx';

/** The person: the topic and mood of the conversation, the source of the last answer, and what else is known. */
export function ContactPanel(props: {
  readonly conversation: Conversation;
  readonly messages: readonly Message[];
  readonly context: SessionContext;
}) {
  const { conversation, messages, context } = props;
  const name = namePerson(conversation);
  const { id, wpp_id, contact_email, external_id, platform } = conversation;
  const answer = messages.findLast(({ author }) => author === 'assistant');
  const facts = [
    ['Telefone', formatPhone(wpp_id)],
    ['E-mail', contact_email],
    ['Canal', nameChannel(platform)],
    ['Equipe', nameTeam(conversation.team_id)],
    ['Atende', nameAttendants(listAttendants(conversation))],
    ['No seu sistema', external_id],
  ].filter(([, value]) => value);
  return (
    <>
      <header class="contact-head">
        <Initials name={name} />
        <strong>{name}</strong>
      </header>
      <dl class="field-list">
        {facts.map(([label, value]) => (
          <>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </>
        ))}
      </dl>
      <Labels conversation={conversation} />
      <Insight conversation={conversation} />
      {answer && answer.sources.length > 0 && (
        <section class="contact-part" aria-label="Última resposta">
          <h3>Última resposta do assistente</h3>
          <Sources message={answer} conversationId={id} context={context} isBeside />
        </section>
      )}
      <Consents key={id} conversationId={id} />
      {wpp_id && context.scopes.includes('search') && (
        <OfSamePerson key={wpp_id} conversation={conversation} context={context} />
      )}
    </>
  );
}

const CLEAR_MOOD = 0.25;

function Insight({ conversation }: { readonly conversation: Conversation }) {
  const { main_topic, dialogue_summary, tip, ask_human_help, sentiment_score } = conversation;
  const { sentiment_score_explanation, heat_score, heat_score_description } = conversation;
  if (!dialogue_summary && !main_topic) return null;
  return (
    <section class="contact-part">
      <h3>Resumo</h3>
      {main_topic && <strong>{main_topic}</strong>}
      {dialogue_summary && <p>{dialogue_summary}</p>}
      {/* Advice to who attends is stale when the assistant goes on. */}
      {tip && ask_human_help && <p class="contact-tip">Dica: {tip}</p>}
      {(sentiment_score_explanation || heat_score_description) && (
        <p class="contact-scores">
          {sentiment_score_explanation && (
            <span title={sentiment_score_explanation}>
              <Mood score={sentiment_score} />
            </span>
          )}
          {heat_score_description && (
            <span title={heat_score_description}>
              <Badge>Interesse {Math.round(heat_score)} de 100</Badge>
            </span>
          )}
        </p>
      )}
      {sentiment_score_explanation && <p class="small">{sentiment_score_explanation}</p>}
    </section>
  );
}

function Mood({ score }: { readonly score: number }) {
  if (score >= CLEAR_MOOD) return <Badge tone="good">Humor bom</Badge>;
  return score <= -CLEAR_MOOD ? <Badge tone="bad">Humor ruim</Badge> : <Badge>Humor neutro</Badge>;
}

const kinds = {
  conversations: { icon: MessageCircle, text: 'Conversa' },
  leads: { icon: UserRound, text: 'Lead' },
  tickets: { icon: Ticket, text: 'Chamado' },
} as const;
const MOST = 20;

/** Records that the search finds under the same phone number. */
function OfSamePerson(props: { readonly conversation: Conversation; readonly context: SessionContext }) {
  const { conversation, context } = props;
  const { id, wpp_id } = conversation;
  const [opened, open] = useState<Found>();
  const { data, error, reload } = useLoad(
    () => call('searchPhone', { phone: wpp_id, search_type: 'exact', limit: MOST }),
    [wpp_id],
  );
  if (error !== undefined) return <ErrorNote error={error} onRetry={reload} />;
  if (!data) return <Skeleton label="Procurando o que mais se sabe" rows={1} />;
  const others = data.results.filter(({ origin_id }) => origin_id !== id);
  const conversations = others.filter(({ origin_table }) => origin_table === 'conversations');
  const records = others.filter(({ origin_table }) => origin_table !== 'conversations');
  return (
    <>
      <Records title="No CRM" records={records} onOpen={open} />
      <Records title="Outras conversas" records={conversations} onOpen={open} />
      {opened && opened.origin_table !== 'conversations' && (
        <RecordDrawer
          kind={opened.origin_table}
          id={opened.origin_id}
          context={context}
          onClose={() => open(undefined)}
        />
      )}
    </>
  );
}

type Found = Awaited<ReturnType<typeof call<'searchPhone'>>>['results'][number];

function Records(props: {
  readonly title: string;
  readonly records: readonly Found[];
  readonly onOpen: (record: Found) => void;
}) {
  const { title, records, onOpen } = props;
  if (records.length === 0) return null;
  return (
    <section class="contact-part">
      <h3>{title}</h3>
      <ul class="contact-records">
        {records.map(record => {
          const { origin_table, origin_id, title: name, updated_at } = record;
          const { icon, text } = kinds[origin_table];
          const isConversation = origin_table === 'conversations';
          return (
            <li key={origin_id}>
              <Icon of={icon} size={16} />
              {isConversation ? (
                <a href={linkTo('atendimento', [origin_id])}>{name || nameVisitor(origin_id)}</a>
              ) : (
                <button type="button" class="as-link" onClick={() => onOpen(record)}>
                  {text}: {name || 'sem título'}
                </button>
              )}
              <time class="small" dateTime={updated_at}>
                {formatShortly(updated_at)}
              </time>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
