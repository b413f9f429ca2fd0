import { BookOpen } from 'lucide';
import { useState } from 'preact/hooks';
import type { DataOf } from '../../../queues/contract/operations/index.ts';
import { Drawer } from '../../components/drawer.tsx';
import { Icon } from '../../components/icon.tsx';
import { EmptyState, ErrorNote, Skeleton } from '../../components/states.tsx';
import { WhatsappText } from '../../components/whatsapp-text.tsx';
import { formatMoment } from '../../format.ts';
import { call } from '../../service.ts';
import type { SessionContext } from '../../shell/session.ts';
import { useLoad } from '../../use-load.ts';
import type { Message } from './last-messages.ts';

type Source = Message['sources'][number];
type Answer = Pick<Message, 'content' | 'sources'>;
type Passage = DataOf<'readChunks'>[number];

interface Origin {
  readonly title: string;
  readonly sources: readonly Source[];
}

/** Where an answer comes from: its documents and datasets by name, each opening the passages. */
export function Sources({
  message,
  context,
}: {
  readonly message: Answer;
  readonly context: SessionContext;
}) {
  const [open, setOpen] = useState<Origin>();
  const mayRead = context.scopes.includes('manage');
  return (
    <p class="sources">
      <span class="small">Fonte:</span>
      {listOrigins(message, context).map(origin =>
        mayRead ? (
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
        <Drawer title={open.title} onClose={() => setOpen(undefined)}>
          <Passages origin={open} message={message} context={context} />
        </Drawer>
      )}
    </p>
  );
}

function listOrigins({ sources }: Answer, { avatars }: SessionContext): Origin[] {
  const linked = avatars.flatMap(({ datasets }) => datasets);
  const nameOf = ({ title, datasetId }: Source) =>
    title || linked.find(({ dataset_id }) => dataset_id === datasetId)?.dataset_name || 'Conhecimento';
  const titles = [...new Set(sources.map(nameOf))];
  return titles.map(title => ({ title, sources: sources.filter(source => nameOf(source) === title) }));
}

function Passages({
  origin,
  message,
  context,
}: {
  readonly origin: Origin;
  readonly message: Answer;
  readonly context: SessionContext;
}) {
  const { data, error, reload } = useLoad(
    () => Promise.all(origin.sources.map(source => findPassage(source, message, context))),
    [origin],
  );
  if (error !== undefined) return <ErrorNote error={error} onRetry={reload} />;
  if (!data) return <Skeleton label="Carregando a passagem" rows={2} />;
  const found = data.filter(passage => passage !== undefined);
  if (found.length === 0)
    return (
      <EmptyState
        title="Esta passagem não está mais no conhecimento"
        text="Ela foi excluída ou reescrita depois da resposta, ou nenhum assistente a lê."
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

const PAGE_SIZE = 500;

/** The contract finds passages by a question: the sentence that the passage carries finds it first. Else all are looked through. */
async function findPassage(
  { chunkId, datasetId, sentences: [sentence] }: Source,
  { content }: Answer,
  { host, avatars }: SessionContext,
): Promise<Passage | undefined> {
  const reader = avatars.find(({ datasets }) => datasets.some(({ dataset_id }) => dataset_id === datasetId));
  if (!host || !reader) return undefined;
  const body = { hostId: host.host_id, avatar_id: reader.avatar_id, dataset_ids: [datasetId] };
  const isIt = ({ chunk_id }: Passage) => chunk_id === chunkId;
  const question = sentence && content.slice(sentence.from, sentence.to);
  const ranked = question ? await call('readChunks', { ...body, question }) : [];
  let found = ranked.find(isIt);
  for (let offset = 0; !found; offset += PAGE_SIZE) {
    const page = await call('readChunks', { ...body, offset, limit: PAGE_SIZE });
    if (page.length === 0) break;
    found = page.find(isIt);
  }
  return found;
}

const frontMatter = /^---\n[\s\S]*?\n---\n/;
const heading = /^#{1,6} (.+)$/;

/** A passage without its markup: headings and bold words as such, and no front-matter. */
function PassageText({ content }: { readonly content: string }) {
  const blocks = content
    .replace(frontMatter, '')
    .trim()
    .split(/\n{2,}/);
  return (
    <>
      {blocks.map((block, at) => {
        const [, title] = heading.exec(block) ?? [];
        if (title) return <h3 key={at}>{title.replaceAll(' > ', ' › ').replaceAll('**', '')}</h3>;
        return (
          <p key={at}>
            <WhatsappText text={block.replaceAll('**', '*')} />
          </p>
        );
      })}
    </>
  );
}
