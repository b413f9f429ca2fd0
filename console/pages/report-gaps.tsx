import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { BodyOf, DataOf } from '../../queues/contract/operations/index.ts';
import { DataTable } from '../components/data-table.tsx';
import { EmptyState, ErrorNote } from '../components/states.tsx';
import { formatCount, formatMoment, formatShortly } from '../format.ts';
import { call } from '../service.ts';
import type { SessionContext } from '../shell/session.ts';
import { useLoad } from '../use-load.ts';
import { QuestionActions } from './question-actions.tsx';
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
export function KnowledgeGaps(props: {
  readonly gaps: readonly Gap[];
  readonly body: BodyOf<'getKnowledgeGaps'>;
  readonly context: SessionContext;
  readonly onApproved?: (() => void) | undefined;
}) {
  const { gaps, body, context, onApproved } = props;
  const [isWhole, setWhole] = useState(false);
  const [asked, setAsked] = useState<Gap>();
  if (gaps.length === 0) return <NoGaps />;
  return (
    <>
      <ul class="list">
        {(isWhole ? gaps : gaps.slice(0, FEW)).map(gap => (
          <GapRow
            key={gap.gapId}
            gap={gap}
            {...(context.scopes.includes('reason') ? { onSee: () => setAsked(gap) } : {})}
            more={<QuestionActions asked={gap} context={context} onApproved={onApproved} />}
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
            <strong>Sem resposta, porque o assistente falhou ou a equipe não escreveu</strong>
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

function GapRow(props: { readonly gap: Gap; readonly onSee?: () => void; readonly more: ComponentChildren }) {
  const { gap, onSee, more } = props;
  return (
    <li class="gap">
      <div class="list-row-text">
        <strong>{questionOf(gap)}</strong>
        <span class="small">
          {formatCount(gap.times, 'vez', 'vezes')} · a última: {formatShortly(gap.lastAskedAt)}
          {gap.judgedWrong > 0 &&
            ` · ${formatCount(gap.judgedWrong, 'resposta errada', 'respostas erradas')}`}
          {gap.suggestion && ' · a equipe já respondeu'}
        </span>
      </div>
      <div class="buttons">
        {onSee && (
          <button type="button" class="quiet slim" onClick={onSee}>
            Ver conversas
          </button>
        )}
        {more}
      </div>
    </li>
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
