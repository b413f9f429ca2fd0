import { BellOff, BellRing } from 'lucide';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { Choices } from '../../components/choices.tsx';
import { Icon } from '../../components/icon.tsx';
import { EmptyState, ErrorNote, Skeleton } from '../../components/states.tsx';
import { formatCount, nameApart } from '../../format.ts';
import { call, ServiceError } from '../../service.ts';
import { readPerson } from '../../shell/person-name.ts';
import { linkTo, route } from '../../shell/route.ts';
import type { SessionContext } from '../../shell/session.ts';
import { waiting } from '../../shell/waiting.ts';
import { useAction } from '../../use-action.ts';
import { useLoad } from '../../use-load.ts';
import { attendance, listOwnTeams, readAttendance } from './attendance.ts';
import {
  type Attendant,
  type Filter,
  groupConversations,
  isShown,
  keyOf,
  listAttendants,
  nameChannel,
} from './conversation.ts';
import { ConversationList } from './conversation-list.tsx';
import { ConversationPane } from './conversation-pane.tsx';
import { type Feed, feed } from './feed.ts';
import { isOn, silence, switchAlerts } from './news.ts';
import { SelectionBar, selected } from './selection.tsx';

/** The list of conversations at the side, and the one of the address: `#atendimento/<id>`. A phone shows one of both. */
export function InboxPage({ context }: { readonly context: SessionContext }) {
  const started = feed.value;
  const openId = route.value.parts[0];
  useEffect(() => {
    started?.watch(true);
    // Without them the inbox works as for a host that has none.
    if (started) void readAttendance(started.hostId).catch(() => undefined);
    return () => {
      started?.watch(false);
      selected.value = undefined;
    };
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
  const filter = feed.filter.value;
  const { shown } = filter;
  const all = feed.conversations.value;
  const person = readPerson();
  const reach = feed.reachOf(filter);
  const ownTeams = listOwnTeams(person?.personId);
  const groups = useMemo(
    () => groupConversations(all.values(), { filter, person, reach, ownTeams }),
    [all, filter, person && keyOf(person), JSON.stringify(reach), ownTeams.join()],
  );
  const lists = pagedLists[shown];
  const isRead = feed.isRead && lists.every(list => feed.hasRead(list, filter));
  useEffect(() => {
    if (feed.isRead && !isRead) for (const list of lists) void feed.readNext(list, filter);
  }, [feed.isRead, isRead, filter]);
  useReturn(openId);
  const error = feed.error.value;
  // Without a connection, the line over the page says so; what is known stays.
  const isOffline = error instanceof ServiceError && error.status === 0;
  const isTrouble = error !== undefined && (groups.length === 0 || !isOffline);
  return (
    <div class="inbox-side">
      <InboxHead feed={feed} />
      <p class="unheard" role="status">
        {waiting.value > 0 &&
          `${formatCount(waiting.value, 'conversa espera', 'conversas esperam')} por uma pessoa`}
      </p>
      {isTrouble && <ErrorNote error={error} onRetry={() => void feed.refresh()} />}
      {!isRead && !isTrouble && groups.length === 0 && <Skeleton label="Carregando as conversas" rows={6} />}
      {isRead && !isTrouble && groups.length === 0 && <NoConversation filter={filter} />}
      <ConversationList
        key={Object.values(filter).join()}
        groups={groups}
        openId={openId}
        onNearEnd={() => {
          if (isRead) for (const list of lists) void feed.readNext(list, filter);
        }}
      />
    </div>
  );
}

/** The paged lists of each choice. */
const pagedLists = {
  open: ['unanswered', 'others'],
  unanswered: ['unanswered'],
  closed: ['closed'],
} as const;

/** The filter, and the switch of the alerts. */
function InboxHead({ feed }: { readonly feed: Feed }) {
  const { shown, platform, attendant } = feed.filter.value;
  const all = [...feed.conversations.value.values()].filter(isShown);
  const platforms = namesOf([...all.map(each => each.platform), platform]);
  const attending = all.flatMap(each => (each.closed ? [] : listAttendants(each)));
  const attendants = useAttendants(feed.hostId, attending, attendant);
  const change = (changes: Partial<Filter>) => (feed.filter.value = { ...feed.filter.peek(), ...changes });
  return (
    <header class="inbox-tools">
      <div class="inbox-title">
        <p class="title" aria-hidden="true">
          Atendimento
        </p>
        <AlertSwitch />
      </div>
      {isOn.value && silence.value && (
        <p class="small inbox-silence" role="status">
          {silence.value}
        </p>
      )}
      <Choices
        label="Mostrar"
        value={shown}
        onChoose={next => change({ shown: next })}
        choices={[
          ['open', 'Abertas'],
          ['unanswered', 'Sem resposta'],
          ['closed', 'Encerradas'],
        ]}
      />
      <div class="inbox-filters">
        {(platforms.length > 1 || platform !== '') && (
          <FilterSelect
            label="Canal"
            all="Todos os canais"
            value={platform}
            choices={platforms.map(each => [each, nameChannel(each)])}
            onChoose={next => change({ platform: next })}
          />
        )}
        {shown === 'open' && attendants.length > 0 && (
          <FilterSelect
            label="Quem atende"
            all="Toda a equipe"
            value={attendant}
            choices={attendants}
            onChoose={next => change({ attendant: next })}
          />
        )}
        <TeamFilters filter={feed.filter.value} isAttended={attendants.length > 0} onChange={change} />
      </div>
      {shown !== 'closed' && <SelectionBar feed={feed} />}
    </header>
  );
}

/** The filters of a host that has teams or labels, and the order of what is attended. */
function TeamFilters(props: {
  readonly filter: Filter;
  readonly isAttended: boolean;
  readonly onChange: (changes: Partial<Filter>) => void;
}) {
  const { isAttended, onChange } = props;
  const { shown, team, label, isByWait } = props.filter;
  const { teams, labels } = attendance.value;
  return (
    <>
      {(teams.length > 0 || team !== '') && (
        <FilterSelect
          label="Equipe"
          all="Toda equipe"
          value={team}
          choices={teams.map(({ teamId, name }) => [teamId, name])}
          onChoose={next => onChange({ team: next })}
        />
      )}
      {(labels.length > 0 || label !== '') && (
        <FilterSelect
          label="Etiqueta"
          all="Toda etiqueta"
          value={label}
          choices={labels.map(each => [each, each])}
          onChoose={next => onChange({ label: next })}
        />
      )}
      {shown === 'open' && isAttended && (
        <FilterSelect
          label="Ordem"
          all="Mais novas primeiro"
          value={isByWait ? 'wait' : ''}
          choices={[['wait', 'Quem espera há mais tempo']]}
          onChoose={next => onChange({ isByWait: next !== '' })}
        />
      )}
    </>
  );
}

/** Those who attend, as choices of the filter; the chosen one stays where nobody is attended any more. */
function useAttendants(
  hostId: string,
  attending: readonly Attendant[],
  chosen: string,
): (readonly [key: string, text: string])[] {
  const known = new Map(attending.map(each => [keyOf(each), each]));
  const isGone = chosen !== '' && !known.has(chosen);
  const isShared = new Set([...known.values()].map(({ name }) => name)).size < known.size;
  const { data: colleagues = [] } = useLoad(
    async () => (isGone || isShared ? call('listColleagues', { hostId }) : []),
    [isGone, isShared],
  );
  const colleagueOf = (id: string | null) => colleagues.find(({ personId }) => personId === id);
  if (isGone) known.set(chosen, colleagueOf(chosen) ?? { personId: null, name: chosen });
  const listed = [...known.values()].map(each => ({
    ...each,
    email: colleagueOf(each.personId)?.email ?? '',
  }));
  return listed
    .map(each => [keyOf(each), nameApart(each, listed)] as const)
    .toSorted(([, a], [, b]) => a.localeCompare(b));
}

function namesOf(all: readonly string[]): string[] {
  return [...new Set(all)].filter(name => name !== '').toSorted((a, b) => a.localeCompare(b));
}

function FilterSelect(props: {
  readonly label: string;
  readonly all: string;
  readonly value: string;
  readonly choices: readonly (readonly [value: string, text: string])[];
  readonly onChoose: (value: string) => void;
}) {
  const { label, all, value, choices, onChoose } = props;
  return (
    <label>
      <span class="unheard">{label}</span>
      <select value={value} onChange={event => onChoose(event.currentTarget.value)}>
        <option value="">{all}</option>
        {choices.map(([each, text]) => (
          <option key={each} value={each}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}

function AlertSwitch() {
  const action = useAction();
  return (
    <button
      type="button"
      class="icon-button"
      role="switch"
      aria-checked={isOn.value}
      aria-label="Avisos com som"
      title={isOn.value ? 'Avisos ligados neste navegador' : 'Ligar avisos e som neste navegador'}
      onClick={() => action.run(() => switchAlerts(!isOn.peek()))}
    >
      <Icon of={isOn.value ? BellRing : BellOff} />
    </button>
  );
}

/** Back in the list, the keyboard continues at the conversation that was open. */
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

function NoConversation({
  filter: { shown, platform, attendant, team, label },
}: {
  readonly filter: Filter;
}) {
  if ([platform, attendant, team, label].some(each => each !== ''))
    return <EmptyState title="Nenhuma conversa assim" text="Escolha outro filtro, ou todos." />;
  const [title, text] = emptyTexts[shown];
  return <EmptyState title={title} text={text} />;
}

const emptyTexts = {
  open: [
    'Nenhuma conversa aberta',
    'Quando uma pessoa escrever, a conversa aparece aqui sem recarregar. Para experimentar, escreva em Testar.',
  ],
  unanswered: [
    'Nenhuma pergunta sem resposta',
    'As que o assistente não conseguiu responder ou a equipe deixou ficam aqui.',
  ],
  closed: ['Nenhuma conversa encerrada', 'Conversas encerradas ficam aqui, e podem ser reabertas.'],
} as const;

/** A link may lead to a conversation that no page has brought. */
function OpenConversation(props: {
  readonly feed: Feed;
  readonly id: string;
  readonly context: SessionContext;
}) {
  const { feed, id, context } = props;
  const conversation = feed.find(id);
  const isUnknown = conversation === undefined && feed.isRead;
  const { error, reload } = useLoad(async () => {
    if (!isUnknown) return;
    const found = await call('getConversationInformation', { hostId: feed.hostId, conversationId: id });
    // All attended conversations are on the pages that were read.
    feed.merge([
      {
        ...found,
        contact_id: '',
        contact_name: '',
        contact_email: '',
        platform: '',
        unanswered: false,
        last_note_at: null,
        help_asked_at: null,
        window_ends_at: null,
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
