import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { BodyOf, DataOf } from '../../queues/contract/operations/index.ts';
import { Badge } from '../components/badge.tsx';
import { DataTable } from '../components/data-table.tsx';
import { Drawer } from '../components/drawer.tsx';
import { SelectField } from '../components/field.tsx';
import { EmptyState, ErrorNote, Skeleton } from '../components/states.tsx';
import { showToast } from '../components/toast.tsx';
import { formatCount, formatMoment, formatShortly } from '../format.ts';
import { newPassage } from '../passage.ts';
import { call } from '../service.ts';
import { linkTo } from '../shell/route.ts';
import type { HostOfSession, SessionContext } from '../shell/session.ts';
import { useLoad } from '../use-load.ts';
import { NewCaseDrawer } from './assistants/case-form.tsx';
import { PassageForm } from './passage-form.tsx';
import { ConversationsDrawer, type IdList } from './report-conversations.tsx';

type Gap = DataOf<'getKnowledgeGaps'>[number];

const FEW = 5;
const questionOf = ({ question }: Gap): string => question || 'Pergunta antiga, já apagada';

export const listOfGap = (gap: Gap, body: BodyOf<'getKnowledgeGaps'>): IdList => ({
  first: gap,
  readMore: async cursor => {
    const [next] = await call('getKnowledgeGaps', { ...body, cursor });
    return next ?? { conversations: [], nextCursor: null };
  },
});

/** The questions that the knowledge does not answer; each can get a passage. */
export function KnowledgeGaps({
  gaps,
  body,
  context: { host, avatars, scopes },
}: {
  readonly gaps: readonly Gap[];
  readonly body: BodyOf<'getKnowledgeGaps'>;
  readonly context: SessionContext;
}) {
  const [isWhole, setWhole] = useState(false);
  const [written, setWritten] = useState<readonly string[]>([]);
  const [asked, setAsked] = useState<Gap>();
  const [missing, setMissing] = useState<Gap>();
  if (gaps.length === 0) return <NoGaps />;
  const mayWrite = host !== undefined && scopes.includes('manage');
  return (
    <>
      <ul class="list">
        {(isWhole ? gaps : gaps.slice(0, FEW)).map(gap => (
          <GapRow
            key={gap.gapId}
            gap={gap}
            isWritten={written.includes(gap.gapId)}
            {...(scopes.includes('reason') ? { onSee: () => setAsked(gap) } : {})}
            {...(mayWrite ? { onWrite: () => setMissing(gap) } : {})}
            more={mayWrite && <GapCase gap={gap} host={host} avatars={avatars} />}
          />
        ))}
      </ul>
      {gaps.length > FEW && !isWhole && (
        <button type="button" class="quiet" onClick={() => setWhole(true)}>
          Mostrar todas as {gaps.length}
        </button>
      )}
      <GapTable gaps={gaps} />
      {asked && (
        <ConversationsDrawer
          title={questionOf(asked)}
          {...listOfGap(asked, body)}
          onClose={() => setAsked(undefined)}
        />
      )}
      {missing && host && (
        <GapPassage
          gap={missing}
          host={host}
          onSaved={() => setWritten([...written, missing.gapId])}
          onClose={() => setMissing(undefined)}
        />
      )}
    </>
  );
}

const MAX_FAILED = 100;

/**
 * Questions where the assistant failed: nobody knows yet whether the knowledge lacks anything. They are current, whatever the
 * period.
 */
export function FailedQuestions({ context: { host, scopes } }: { readonly context: SessionContext }) {
  const [isOpen, setOpen] = useState(false);
  const maySee = host !== undefined && scopes.includes('reason');
  const read = async (page: { readonly cursor?: string }) => {
    const filter = { unanswered: true, closed: false, archived: false, limit: MAX_FAILED };
    const { items, nextCursor } = await call('listConversations', {
      hostId: host?.host_id ?? '',
      ...filter,
      ...page,
    });
    return { conversations: items.map(({ id }) => id), nextCursor };
  };
  const { data, error, reload } = useLoad(async () => (maySee ? read({}) : undefined), [maySee]);
  if (error !== undefined) return <ErrorNote error={error} onRetry={reload} />;
  if (!data || data.conversations.length === 0) return null;
  const count = formatCount(data.conversations.length, 'conversa', 'conversas');
  return (
    <>
      <ul class="list">
        <li class="gap">
          <div class="list-row-text">
            <strong>Sem resposta, porque o assistente falhou</strong>
            <span class="small">
              {data.nextCursor === null ? `${count} agora` : `Mais de ${count} agora`}
            </span>
          </div>
          <div class="buttons">
            <button type="button" class="quiet slim" onClick={() => setOpen(true)}>
              Ver conversas
            </button>
          </div>
        </li>
      </ul>
      {isOpen && (
        <ConversationsDrawer
          title="Sem resposta"
          first={data}
          readMore={cursor => read({ cursor })}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
}

function NoGaps() {
  return (
    <EmptyState
      title="Nada faltou neste período"
      text="Aqui aparecem as perguntas que o assistente não soube responder, com um botão para escrever a resposta."
    />
  );
}

function GapRow({
  gap,
  isWritten,
  onSee,
  onWrite,
  more,
}: {
  readonly gap: Gap;
  readonly isWritten: boolean;
  readonly onSee?: () => void;
  readonly onWrite?: () => void;
  readonly more: ComponentChildren;
}) {
  return (
    <li class="gap">
      <div class="list-row-text">
        <strong>{questionOf(gap)}</strong>
        <span class="small">
          {formatCount(gap.times, 'vez', 'vezes')} · a última: {formatShortly(gap.lastAskedAt)}
          {gap.suggestion && ' · a equipe já respondeu'}
        </span>
      </div>
      <div class="buttons">
        {onSee && (
          <button type="button" class="quiet slim" onClick={onSee}>
            Ver conversas
          </button>
        )}
        {isWritten && <Badge tone="good">Passagem escrita</Badge>}
        {onWrite && !isWritten && (
          <button type="button" class="quiet slim" onClick={onWrite}>
            Escrever passagem
          </button>
        )}
        {more}
      </div>
    </li>
  );
}

/** Begins a case with a gap: the passage that answers it must be found from then on. */
function GapCase({
  gap: { question, suggestion },
  host,
  avatars,
}: {
  readonly gap: Gap;
  readonly host: HostOfSession;
  readonly avatars: SessionContext['avatars'];
}) {
  const [isOpen, setOpen] = useState(false);
  if (question === '' || avatars.length === 0) return null;
  const begin = { question, ...(suggestion && { answer: suggestion.content }) };
  return (
    <>
      <button type="button" class="quiet slim" onClick={() => setOpen(true)}>
        Criar caso
      </button>
      {isOpen && (
        <NewCaseDrawer hostId={host.host_id} avatars={avatars} begin={begin} onClose={() => setOpen(false)} />
      )}
    </>
  );
}

function GapTable({ gaps }: { readonly gaps: readonly Gap[] }) {
  return (
    <details>
      <summary>Ver em tabela</summary>
      <DataTable
        title="Perguntas sem resposta"
        rows={gaps}
        columns={[
          { head: 'Pergunta', of: questionOf },
          { head: 'Vezes', of: ({ times }) => times },
          { head: 'Última vez', of: ({ lastAskedAt }) => formatMoment(lastAskedAt) },
          { head: 'Resposta da equipe', of: ({ suggestion }) => suggestion?.content ?? '' },
        ]}
      />
    </details>
  );
}

interface GapPassageProps {
  readonly gap: DataOf<'getKnowledgeGaps'>[number];
  readonly host: HostOfSession;
  readonly onSaved: () => void;
  readonly onClose: () => void;
}

/**
 * Writes a passage for a gap, beginning with the answer of the staff. It stays a draft until the person saves it or gives it up.
 */
function GapPassage(props: GapPassageProps) {
  const { host, onClose } = props;
  const hostId = host.host_id;
  const { data: datasets, error, reload } = useLoad(() => call('listDatasets', { hostId }), [hostId]);
  return (
    <Drawer title="Escrever passagem" onClose={onClose}>
      {error !== undefined && <ErrorNote error={error} onRetry={reload} />}
      {!datasets && error === undefined && <Skeleton rows={3} label="Carregando as bases" />}
      {datasets?.length === 0 && (
        <EmptyState title="Ainda não há uma base" text="Uma passagem fica em uma base de conhecimento.">
          <a href={linkTo('conhecimento')}>Criar uma base</a>
        </EmptyState>
      )}
      {datasets && datasets.length > 0 && <PassageOfGap {...props} datasets={datasets} />}
    </Drawer>
  );
}

function PassageOfGap({
  gap: { gapId, question, suggestion },
  host: { host_id, host_config },
  datasets,
  onSaved,
  onClose,
}: GapPassageProps & { readonly datasets: DataOf<'listDatasets'> }) {
  const [dataset, setDataset] = useState(datasets[0]?.id ?? '');
  return (
    <PassageForm
      draft={`lacuna:${gapId}`}
      begin={{ ...newPassage, title: question, text: suggestion?.content ?? '' }}
      hint={
        suggestion
          ? 'Começa com o que a equipe respondeu: tire o que vale só para aquela pessoa.'
          : 'A resposta, completa e sem depender de outro texto.'
      }
      limit={host_config.chunk_size_limit}
      save={sent => call('createChunk', { host_id, dataset_id: dataset, ...sent })}
      onSaved={() => {
        showToast('Passagem salva: o assistente já a usa');
        onSaved();
        onClose();
      }}
      onClose={onClose}
    >
      <SelectField
        label="Base"
        value={dataset}
        choices={datasets.map(({ id, dataset_name }) => [id, dataset_name] as const)}
        onChange={setDataset}
      />
    </PassageForm>
  );
}
