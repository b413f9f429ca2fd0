import { useState } from 'preact/hooks';
import type { DataOf } from '../../../queues/contract/operations/index.ts';
import { Badge } from '../../components/badge.tsx';
import { confirmAction } from '../../components/dialogs.tsx';
import { ActionNote, ErrorNote, Skeleton } from '../../components/states.tsx';
import { showToast } from '../../components/toast.tsx';
import { formatCount } from '../../format.ts';
import { plainText, readableTitle, splitPassage } from '../../passage.ts';
import { readPages } from '../../read-all.ts';
import { call } from '../../service.ts';
import { linkTo } from '../../shell/route.ts';
import { useAction } from '../../use-action.ts';
import { useLoad } from '../../use-load.ts';

type Contradiction = DataOf<'listContradictions'>['items'][number];
type Passage = Contradiction['passages'][number];
type Place = Contradiction['places'][number];

/** One of the two, by the passage that it stands in. */
interface Side {
  readonly passage: Passage;
  readonly place: Place;
  readonly name: string;
  /** The sentence without its markup. */
  readonly said: string;
  readonly href: string;
}

const PAGE_SIZE = 25;
const MAX_NAME = 80;

const kindNames: Readonly<Record<Contradiction['kind'], string>> = {
  date: 'Outra data',
  price: 'Outro preço',
  number: 'Outro número',
  weekday: 'Outro dia da semana',
  time: 'Outro horário',
  negation: 'Uma diz que não',
  versions: 'Duas versões',
};

/** Passages that contradict each other, for a person to decide which of them stays. */
export function Contradictions({ hostId }: { readonly hostId: string }) {
  const [pages, setPages] = useState(1);
  const { data, error, isLoading, reload } = useLoad(
    () => readPages(of => call('listContradictions', { hostId, limit: PAGE_SIZE, ...of }), pages),
    [hostId, pages],
  );
  const deciding = useAction();
  const decide = (contradictionId: string, kept?: Passage) =>
    deciding.run(async () => {
      try {
        const keep = kept ? { keepChunkId: kept.chunkId } : {};
        await call('resolveContradiction', { hostId, contradictionId, ...keep });
        showToast(kept ? 'A outra deixou de valer' : 'Não volta enquanto os textos ficarem assim');
      } finally {
        reload();
      }
    });
  return (
    <>
      <ActionNote of={deciding} />
      {error !== undefined && <ErrorNote error={error} onRetry={reload} />}
      {!data && error === undefined && <Skeleton label="Carregando as contradições" />}
      {data?.items.length === 0 && (
        <p class="empty">Nenhuma passagem diz o contrário de outra que o mesmo assistente lê.</p>
      )}
      {data?.items.map(item => (
        <ContradictionCard key={item.contradictionId} contradiction={item} onDecide={decide} />
      ))}
      {data?.hasMore && (
        <button type="button" class="quiet" aria-busy={isLoading} onClick={() => setPages(pages + 1)}>
          Mais contradições
        </button>
      )}
    </>
  );
}

function ContradictionCard({
  contradiction,
  onDecide,
}: {
  readonly contradiction: Contradiction;
  readonly onDecide: (id: string, kept?: Passage) => void;
}) {
  const { contradictionId: id, kind, pairs } = contradiction;
  const sides = sidesOf(contradiction);
  const names = sides.map(({ name }) => `“${name}”`).join(' e ');
  const keep = async (kept: Side) => {
    const other = sides.find(side => side !== kept);
    if (other && (await askToKeep(other, kind === 'versions'))) onDecide(id, kept.passage);
  };
  return (
    <article class="card stack" aria-label={`${kindNames[kind]}: ${names}`}>
      <div class="head">
        <Badge tone="warn">{kindNames[kind]}</Badge>
        <button type="button" class="quiet slim" onClick={() => onDecide(id)}>
          Não é contradição
        </button>
      </div>
      {kind === 'versions' && (
        <p>
          {names} se contradizem em {formatCount(pairs, 'par', 'pares')} de passagens, como neste:
        </p>
      )}
      <div class="pair">
        {sides.map(side => (
          <SideView key={side.passage.chunkId} side={side} onKeep={() => void keep(side)} />
        ))}
      </div>
    </article>
  );
}

function SideView({ side, onKeep }: { readonly side: Side; readonly onKeep: () => void }) {
  const { content } = side.passage;
  const { sentence, mark } = side.place;
  const textOf = (from: number, to: number) => content.slice(from, to).replaceAll('**', '');
  return (
    <div class="contradiction-side">
      <a class="small" href={side.href}>
        {side.name}
      </a>
      <p>
        {textOf(sentence.from, mark.from)}
        <mark>{textOf(mark.from, mark.to)}</mark>
        {textOf(mark.to, sentence.to)}
      </p>
      <button type="button" class="quiet slim" aria-label={`Este vale: ${side.said}`} onClick={onKeep}>
        Este vale
      </button>
    </div>
  );
}

function sidesOf({ kind, passages, places }: Contradiction): Side[] {
  return passages.flatMap((passage, at) => {
    const place = places[at];
    const { chunkId, datasetId, documentId } = passage;
    const query: Record<string, string> =
      kind === 'versions' && documentId ? { documento: documentId } : { passagem: chunkId };
    const href = linkTo('conhecimento', [datasetId, 'passagens'], query);
    if (!place) return [];
    const said = plainText(passage.content.slice(place.sentence.from, place.sentence.to));
    return [{ passage, place, name: nameOf(passage, kind), said, href }];
  });
}

/** Versions are told of documents as wholes. */
function nameOf({ content, documentName }: Passage, kind: Contradiction['kind']): string {
  if (kind === 'versions' && documentName) return documentName;
  const { title, text } = splitPassage({ content });
  const own = title ? readableTitle(title) : plainText(text).slice(0, MAX_NAME);
  return documentName ? `${documentName} · ${own}` : own;
}

function askToKeep({ name, said }: Side, isDocument: boolean): Promise<boolean> {
  const text = isDocument
    ? `O documento “${name}” deixa de valer agora, com todas as suas passagens: ninguém recebe mais respostas com ele. Ele fica na base, e a validade dele pode ser mudada lá.`
    : `A outra passagem, que diz “${said}”, deixa de valer agora: ninguém recebe mais respostas com ela. Ela fica na base, e a validade dela pode ser mudada lá.`;
  return confirmAction({ title: 'Este vale?', text, action: 'Este vale' });
}
