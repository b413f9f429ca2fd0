import { MessageCircle, Search, Ticket, UserRound } from 'lucide';
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { DataOf } from '../../queues/contract/operations/index.ts';
import { Choices } from '../components/choices.tsx';
import { Icon } from '../components/icon.tsx';
import { ListRow } from '../components/list-row.tsx';
import { Page } from '../components/page.tsx';
import { EmptyState, ErrorNote, Skeleton } from '../components/states.tsx';
import { formatCount, formatShortly } from '../format.ts';
import { call } from '../service.ts';
import { goTo, linkTo, replaceRoute, route } from '../shell/route.ts';
import type { SessionContext } from '../shell/session.ts';
import { HAS_KEYBOARD } from '../shell/shortcuts.tsx';
import { useLoad } from '../use-load.ts';
import { nameVisitor } from './inbox/conversation.ts';
import { Highlight, maskCpf, RecordDrawer } from './search-record.tsx';

type Result = DataOf<'searchHybrid'>['results'][number];

const PAGE_SIZE = 50;
const MAX_LETTERS = 256;
const RECENT = 20;

const filters = [
  ['tudo', 'Tudo'],
  ['conversations', 'Conversas'],
  ['leads', 'Leads'],
  ['tickets', 'Chamados'],
  ['telefone', 'Telefone'],
] as const;
type Filter = (typeof filters)[number][0];

const icons = { conversations: MessageCircle, leads: UserRound, tickets: Ticket };
const kinds = { conversations: 'Conversa', leads: 'Lead', tickets: 'Chamado' };

/** Finds conversations, leads and tickets: #busca/<kind>/<id>?texto=…&em=… */
export function SearchPage({ context }: { readonly context: SessionContext }) {
  const { query, parts } = route.value;
  const text = query['texto'] ?? '';
  const filter: Filter = filters.find(([each]) => each === query['em'])?.[0] ?? 'tudo';
  const look = (next: Record<string, string>) => replaceRoute('busca', [], { ...query, ...next });
  const [kind, id] = parts;
  return (
    <Page
      title="Busca"
      about={`Por nome, palavras de uma conversa, e-mail, CPF ou telefone.${HAS_KEYBOARD ? ' Ctrl-K traz você aqui.' : ''}`}
    >
      <SearchForm text={text} onSearch={texto => look({ texto })} />
      <Choices label="Mostrar" value={filter} choices={filters} onChoose={em => look({ em })} />
      {text === '' && (
        <Recent key={filter} kind={filter} context={context}>
          <EmptyState
            title="O que você procura?"
            text="Os resultados abrem com um clique. Sem palavras, Leads e Chamados mostram os mais novos."
          />
        </Recent>
      )}
      {text !== '' && (
        <Results
          key={`${filter === 'telefone'} ${text}`}
          text={text}
          filter={filter}
          onAll={() => look({ em: 'tudo' })}
        />
      )}
      {(kind === 'leads' || kind === 'tickets') && id !== undefined && (
        <RecordDrawer kind={kind} id={id} context={context} onClose={() => goTo('busca', [], query)} />
      )}
    </Page>
  );
}

function SearchForm(props: { readonly text: string; readonly onSearch: (text: string) => void }) {
  const { text, onSearch } = props;
  const field = useRef<HTMLInputElement>(null);
  // Effects that wait for the next frame would put an older text, or nothing, over what is typed until then.
  useLayoutEffect(() => {
    if (field.current) field.current.value = text;
  }, [text]);
  // The field gets the focus only if there is a keyboard: on a phone it would cover the page.
  useLayoutEffect(() => {
    if (text === '' && HAS_KEYBOARD) field.current?.focus();
  }, []);
  return (
    <form
      role="search"
      class="search-form"
      onSubmit={event => {
        event.preventDefault();
        onSearch(field.current?.value.trim() ?? '');
      }}
    >
      <input
        ref={field}
        type="search"
        aria-label="Buscar em conversas, leads e chamados"
        placeholder="Buscar"
        maxLength={MAX_LETTERS}
        onInput={event => event.currentTarget.value === '' && onSearch('')}
      />
      <button type="submit" aria-label="Buscar">
        <Icon of={Search} />
      </button>
    </form>
  );
}

/** The newest leads or tickets, for people who know no name; `children` where they cannot be listed. */
function Recent(props: {
  readonly kind: Filter;
  readonly context: SessionContext;
  readonly children: ComponentChildren;
}) {
  const { kind, children } = props;
  const { host, scopes } = props.context;
  const hostId = host?.host_id;
  const listed = scopes.includes('manage') && (kind === 'leads' || kind === 'tickets') ? kind : undefined;
  const { data, error, reload } = useLoad(
    () => (hostId && listed ? readRecent(listed, hostId) : Promise.resolve(undefined)),
    [],
  );
  if (!hostId || !listed) return <>{children}</>;
  if (error !== undefined) return <ErrorNote error={error} onRetry={reload} />;
  if (!data) return <Skeleton label="Carregando os mais novos" />;
  if (data.length === 0)
    return <EmptyState title="Ainda não há nada aqui" text="O que o seu CRM envia aparece aqui." />;
  return (
    <>
      <p class="small" role="status">
        {listed === 'leads' ? 'Os leads mais novos' : 'Os chamados mais novos'}
      </p>
      <ul class="list">
        {data.map(({ id, title, detail, at }) => (
          <ListRow
            key={id}
            icon={icons[listed]}
            title={maskCpf(title) || 'Sem nome'}
            detail={maskCpf(detail)}
            aside={formatShortly(at)}
            href={linkTo('busca', [listed, id], route.value.query)}
          />
        ))}
      </ul>
    </>
  );
}

async function readRecent(kind: 'leads' | 'tickets', hostId: string) {
  const nameOf = (record: { readonly firstname: string; readonly lastname: string }) =>
    `${record.firstname} ${record.lastname}`.trim();
  if (kind === 'leads')
    return (await call('listLeads', { hostId, limit: RECENT })).items.map(lead => ({
      id: lead.leadId,
      title: nameOf(lead) || lead.dealname,
      detail: lead.dealname,
      at: lead.createdAt,
    }));
  return (await call('listTickets', { hostId, limit: RECENT })).items.map(ticket => ({
    id: ticket.ticketId,
    title: ticket.subject,
    detail: nameOf(ticket),
    at: ticket.createdAt,
  }));
}

/** The results so far; a chip hides the other kinds. */
function Results(props: { readonly text: string; readonly filter: Filter; readonly onAll: () => void }) {
  const { text, filter, onAll } = props;
  const [pages, setPages] = useState(1);
  const { data, error, isLoading, reload } = useLoad(
    () => readResults(text, filter === 'telefone', pages),
    [pages],
  );
  if (error !== undefined) return <ErrorNote error={error} onRetry={reload} />;
  if (!data) return <Skeleton label="Buscando" />;
  const isOfKind = ({ origin_table }: Result) =>
    filter === 'tudo' || filter === 'telefone' || origin_table === filter;
  const shown = data.results.filter(isOfKind);
  return (
    <>
      <p class="small" role="status">
        {shown.length > 0 ? formatCount(shown.length, 'resultado', 'resultados') : 'Nada foi encontrado.'}
      </p>
      {shown.length === 0 && data.results.length > 0 && (
        <button type="button" class="quiet slim" onClick={onAll}>
          Ver {formatCount(data.results.length, 'resultado', 'resultados')} em Tudo
        </button>
      )}
      {data.results.length === 0 && filter !== 'telefone' && (
        <p class="small">Tente menos palavras, ou só uma parte do nome.</p>
      )}
      {shown.length > 0 && (
        <ul class="list">
          {shown.map(result => (
            <ResultRow key={result.origin_id} result={result} />
          ))}
        </ul>
      )}
      {data.hasMore && (
        <button type="button" class="quiet" aria-busy={isLoading} onClick={() => setPages(pages + 1)}>
          Mais resultados
        </button>
      )}
    </>
  );
}

function ResultRow({ result }: { readonly result: Result }) {
  const { origin_table: table, origin_id: id, title, highlight, updated_at: at } = result;
  return (
    <ListRow
      icon={icons[table]}
      title={maskCpf(title) || (table === 'conversations' ? nameVisitor(id) : 'Sem nome')}
      detail={<Highlight text={highlight} />}
      aside={
        <>
          <span>{kinds[table]}</span>
          <span>{formatShortly(at)}</span>
        </>
      }
      href={
        table === 'conversations'
          ? linkTo('atendimento', [id])
          : linkTo('busca', [table, id], route.value.query)
      }
    />
  );
}

async function readResults(text: string, isPhone: boolean, pages: number) {
  const results: Result[] = [];
  for (let page = 0; page < pages; page += 1) {
    const of = { limit: PAGE_SIZE, offset: page * PAGE_SIZE };
    const found = isPhone
      ? await call('searchPhone', { phone: text, search_type: 'partial', ...of })
      : await call('searchHybrid', { query: text, ...of });
    results.push(...found.results);
    if (found.results.length === 0 || results.length >= found.total) return { results, hasMore: false };
  }
  return { results, hasMore: true };
}
