import { ErrorNote, Skeleton } from '../../components/states.tsx';
import { linkTo } from '../../shell/route.ts';
import { useLoad } from '../../use-load.ts';
import type { ListedDocument } from './documents.ts';
import { type OpenDataset, placeOf, readPassages } from './open-dataset.ts';

type Scans = NonNullable<ListedDocument['scans']>;
type Range = Scans['read'][number];

const whys: Readonly<Record<Scans['unread'][number]['why'], string>> = {
  'not-asked': 'importe de novo com “Ler páginas digitalizadas com um modelo”',
  'no-model': 'o modelo desta instituição não lê imagens, ou elas não podem sair daqui',
  budget: 'o orçamento acabou; importe de novo para ler o resto',
  limit: 'são muitas para uma vez; importe de novo para ler o resto',
  model: 'o modelo não as leu; importe de novo para tentar outra vez',
  picture: 'a imagem não pôde ser aberta; passe por um reconhecimento de texto (OCR)',
};

/** Names pages: “páginas 3 a 7 e 9”. */
function nameRanges(ranges: readonly Range[]): string {
  const names = ranges.map(({ from, to }) =>
    from === to ? `${from}` : `${from} ${to === from + 1 ? 'e' : 'a'} ${to}`,
  );
  const isOne = ranges.length === 1 && ranges[0]?.from === ranges[0]?.to;
  return `${isOne ? 'página' : 'páginas'} ${new Intl.ListFormat('pt-BR').format(names)}`;
}

/** Says which pages of a document have their text in pictures, and what became of them. */
export function scansText({ read, unread }: Scans): string {
  const unreadTexts = [...new Set(unread.map(({ why }) => why))].map(why => {
    const ranges = unread.filter(range => range.why === why);
    return `sem texto: ${nameRanges(ranges)} (${whys[why]})`;
  });
  const readTexts = read.length > 0 ? [`lidas por um modelo: ${nameRanges(read)}`] : [];
  return [...unreadTexts, ...readTexts].join(' · ');
}

/** What a model has read of a document, and the figures in it for a person to compare with the paper. */
export function ReadByModel(props: {
  readonly open: OpenDataset;
  readonly id: string;
  readonly scans: Scans;
}) {
  const { open, id, scans } = props;
  const { data, error, reload } = useLoad(() => readPassages(open, Number.POSITIVE_INFINITY), [id]);
  const read = data?.filter(passage => passage.document_id === id && passage.read_by_model) ?? [];
  return (
    <section class="stack" aria-label="Páginas digitalizadas">
      <h3>Páginas digitalizadas</h3>
      <p class="small">{scansText(scans)}</p>
      {error !== undefined && <ErrorNote error={error} onRetry={reload} />}
      {!data && error === undefined && <Skeleton label="Carregando o que o modelo leu" />}
      {read.length > 0 && <p class="small">Compare com o papel os números que o modelo leu:</p>}
      <ul class="list">
        {read.map(passage => (
          <li key={passage.chunk_id} class="small">
            <a href={linkTo(...placeOf(open.dataset, 'passagens'), { passagem: passage.chunk_id })}>
              {passage.document_title}
            </a>
            : {passage.figures_read?.join(' · ') || 'nenhum número'}
          </li>
        ))}
      </ul>
    </section>
  );
}
