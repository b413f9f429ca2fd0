import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Choices } from '../../components/choices.tsx';
import { EmptyState, ErrorNote, Skeleton } from '../../components/states.tsx';
import { formatCount } from '../../format.ts';
import { call, ServiceError } from '../../service.ts';
import { readPersonName } from '../../shell/person-name.ts';
import { linkTo, route } from '../../shell/route.ts';
import type { SessionContext } from '../../shell/session.ts';
import { waiting } from '../../shell/waiting.ts';
import { useLoad } from '../../use-load.ts';
import { groupConversations } from './conversation.ts';
import { ConversationList } from './conversation-list.tsx';
import { ConversationPane } from './conversation-pane.tsx';
import { type Feed, feed } from './feed.ts';

/** The conversations at the side, and the one of the address: `#atendimento/<id>`. On a phone one of both is shown. */
export function InboxPage({ context }: { readonly context: SessionContext }) {
  const started = feed.value;
  const openId = route.value.parts[0];
  useEffect(() => {
    started?.watch(true);
    return () => started?.watch(false);
  }, [started]);
  if (!context.host) return <p class="card">Este acesso não permite ver conversas.</p>;
  if (!started) return null;
  return (
    <section class={openId ? 'inbox has-open' : 'inbox'} aria-label="Atendimento">
      <h1 class="unheard">Atendimento</h1>
      <InboxSide feed={started} openId={openId} />
      {openId ? (
        <OpenConversation key={openId} feed={started} id={openId} context={context} />
      ) : (
        <div class="pane">
          <EmptyState
            title="Nenhuma conversa escolhida"
            text="As que esperam por uma pessoa vêm primeiro. Novas mensagens chegam sem recarregar."
          />
        </div>
      )}
    </section>
  );
}

function InboxSide({ feed, openId }: { readonly feed: Feed; readonly openId: string | undefined }) {
  const [shown, setShown] = useState<'open' | 'closed'>('open');
  const showsClosed = shown === 'closed';
  const all = feed.conversations.value;
  const person = readPersonName();
  const groups = useMemo(
    () => groupConversations(all.values(), { showsClosed, person }),
    [all, showsClosed, person],
  );
  const list = showsClosed ? 'closed' : 'others';
  const isRead = showsClosed ? feed.cursors.value.closed !== undefined : feed.isRead;
  useEffect(() => {
    if (showsClosed && !isRead) void feed.readNext('closed');
  }, [showsClosed, isRead]);
  useReturn(openId);
  const error = feed.error.value;
  // Without a connection, the line over the page says so; what is known stays.
  const isOffline = error instanceof ServiceError && error.status === 0;
  const isTrouble = error !== undefined && (groups.length === 0 || !isOffline);
  return (
    <div class="inbox-side">
      <header class="inbox-tools">
        <p class="title" aria-hidden="true">
          Atendimento
        </p>
        <Choices
          label="Mostrar"
          value={shown}
          onChoose={setShown}
          choices={[
            ['open', 'Abertas'],
            ['closed', 'Encerradas'],
          ]}
        />
      </header>
      <p class="unheard" role="status">
        {waiting.value > 0 &&
          `${formatCount(waiting.value, 'conversa espera', 'conversas esperam')} por uma pessoa`}
      </p>
      {isTrouble && <ErrorNote error={error} onRetry={() => void feed.refresh()} />}
      {!isRead && !isTrouble && groups.length === 0 && <Skeleton label="Carregando as conversas" rows={6} />}
      {isRead && !isTrouble && groups.length === 0 && <NoConversation showsClosed={showsClosed} />}
      <ConversationList
        key={shown}
        groups={groups}
        openId={openId}
        onNearEnd={() => isRead && void feed.readNext(list)}
      />
    </div>
  );
}

/** Back in the list, the keyboard goes on at the conversation that was open. */
function useReturn(openId: string | undefined): void {
  const last = useRef(openId);
  useEffect(() => {
    const isBack = openId === undefined && last.current !== undefined;
    if (isBack)
      document
        .querySelector<HTMLElement>(`a.inbox-row[href="${linkTo('atendimento', [last.current ?? ''])}"]`)
        ?.focus();
    last.current = openId;
  }, [openId]);
}

function NoConversation({ showsClosed }: { readonly showsClosed: boolean }) {
  return showsClosed ? (
    <EmptyState
      title="Nenhuma conversa encerrada"
      text="Conversas encerradas ficam aqui, e podem ser reabertas."
    />
  ) : (
    <EmptyState
      title="Nenhuma conversa aberta"
      text="Quando uma pessoa escrever, a conversa aparece aqui sem recarregar. Para experimentar, escreva em Testar."
    />
  );
}

/** A link may lead to a conversation that is on none of the pages that were read. */
function OpenConversation({
  feed,
  id,
  context,
}: {
  readonly feed: Feed;
  readonly id: string;
  readonly context: SessionContext;
}) {
  const conversation = feed.find(id);
  const isUnknown = conversation === undefined && feed.isRead;
  const { error, reload } = useLoad(async () => {
    if (!isUnknown) return;
    const found = await call('getConversationInformation', { hostId: feed.hostId, conversationId: id });
    // All that are attended are on the pages that were read.
    feed.merge([
      {
        ...found,
        contact_id: '',
        contact_name: '',
        contact_email: '',
        platform: '',
        assigned_to: null,
        unanswered: false,
        last_note_at: null,
        help_asked_at: null,
        last_message: null,
      },
    ]);
  }, [isUnknown]);
  if (conversation) return <ConversationPane feed={feed} conversation={conversation} context={context} />;
  const isMissing = error instanceof ServiceError && (error.status === 404 || error.status === 400);
  return (
    <div class="pane">
      {isMissing && (
        <EmptyState
          title="Esta conversa não existe"
          text="O endereço pode estar incompleto, ou a conversa foi apagada."
        >
          <a href={linkTo('atendimento')}>Ver as conversas</a>
        </EmptyState>
      )}
      {error !== undefined && !isMissing && <ErrorNote error={error} onRetry={reload} />}
      {error === undefined && <Skeleton label="Carregando a conversa" rows={3} />}
    </div>
  );
}
