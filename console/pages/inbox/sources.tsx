import { BookOpen } from 'lucide';
import { useState } from 'preact/hooks';
import type { DataOf } from '../../../queues/contract/operations/index.ts';
import { Drawer } from '../../components/drawer.tsx';
import { Icon } from '../../components/icon.tsx';
import { PassageText } from '../../components/passage-text.tsx';
import { EmptyState, ErrorNote, Skeleton } from '../../components/states.tsx';
import { formatMoment } from '../../format.ts';
import { nameDocument } from '../../passage.ts';
import { call, ServiceError } from '../../service.ts';
import type { SessionContext } from '../../shell/session.ts';
import { useLoad } from '../../use-load.ts';
import type { Message } from './conversation.ts';

type Source = Message['sources'][number];
type Answer = Pick<Message, 'sources'>;
type Passage = DataOf<'readCitedPassage'>;

interface Origin {
  readonly title: string;
  readonly sources: readonly Source[];
}

/**
 * The documents and datasets that an answer comes from, by name; each opens its passages. An attendant of the conversation may
 * read them.
 */
export function Sources(props: {
  readonly message: Answer;
  /** Undefined if the answer is not stored. */
  readonly conversationId?: string;
  readonly context: SessionContext;
  /** Whether a passage opens beside the answer, where there is room. */
  readonly isBeside?: boolean;
}) {
  const { message, conversationId, context, isBeside = false } = props;
  const [open, setOpen] = useState<Origin>();
  const mayRead = conversationId !== undefined || context.scopes.includes('manage');
  return (
    <p class="sources">
      <span class="small">Fonte:</span>
      {listOrigins(message, context).map(origin =>
        mayRead && origin.sources.some(({ chunkId }) => chunkId) ? (
          <button key={origin.title} type="button" class="chip source" onClick={() => setOpen(origin)}>
            <Icon of={BookOpen} size={14} /> {origin.title}
          </button>
        ) : (
          <span key={origin.title} class="small">
            {origin.title}
          </span>
        ),
      )}
      {open && (
        <Drawer key={open.title} title={open.title} isBeside={isBeside} onClose={() => setOpen(undefined)}>
          <Passages
            origin={open}
            find={source =>
              conversationId ? findCited(source, conversationId) : findPassage(source, context)
            }
          />
        </Drawer>
      )}
    </p>
  );
}

function listOrigins({ sources }: Answer, { avatars }: SessionContext): Origin[] {
  const linked = avatars.flatMap(({ datasets }) => datasets);
  const nameOf = ({ title, datasetId, approvedAnswerId }: Source) =>
    (approvedAnswerId && `Resposta aprovada: ${title}`) ||
    nameDocument(title ?? '') ||
    linked.find(({ dataset_id }) => dataset_id === datasetId)?.dataset_name ||
    'Conhecimento';
  const titles = [...new Set(sources.map(nameOf))];
  return titles.map(title => ({ title, sources: sources.filter(source => nameOf(source) === title) }));
}

function Passages(props: {
  readonly origin: Origin;
  readonly find: (source: Source) => Promise<Passage | undefined>;
}) {
  const { origin, find } = props;
  const { data, error, reload } = useLoad(() => Promise.all(origin.sources.map(find)), [origin]);
  if (error !== undefined) return <ErrorNote error={error} onRetry={reload} />;
  if (!data) return <Skeleton label="Carregando a passagem" rows={2} />;
  const found = data.filter(passage => passage !== undefined);
  if (found.length === 0)
    return (
      <EmptyState
        title="Esta passagem não está mais no conhecimento"
        text="Ela foi excluída depois da resposta, ou nenhum assistente a lê."
      />
    );
  return (
    <>
      {found.map(({ chunk_id, content, dataset_name, last_update }) => (
        <article key={chunk_id} class="passage-text">
          <PassageText content={content} />
          <p class="small">
            {dataset_name} · mudada em {formatMoment(last_update)}
          </p>
        </article>
      ))}
    </>
  );
}

/** Undefined if the passage is gone. */
async function findCited({ chunkId }: Source, conversationId: string): Promise<Passage | undefined> {
  if (chunkId === undefined) return undefined;
  return call('readCitedPassage', { conversationId, chunkId }).catch((error: unknown) => {
    if (error instanceof ServiceError && error.status === 404) return undefined;
    throw error;
  });
}

/** Undefined if it is gone, or no assistant reads its dataset. */
export async function findPassage(
  { chunkId, datasetId }: Source,
  { host, avatars }: SessionContext,
): Promise<DataOf<'readChunks'>[number] | undefined> {
  const reader = avatars.find(({ datasets }) => datasets.some(({ dataset_id }) => dataset_id === datasetId));
  if (!host || !reader || datasetId === undefined || chunkId === undefined) return undefined;
  const place = { hostId: host.host_id, avatar_id: reader.avatar_id, dataset_ids: [datasetId] };
  const [passage] = await call('readChunks', { ...place, chunk_ids: [chunkId] });
  return passage;
}
