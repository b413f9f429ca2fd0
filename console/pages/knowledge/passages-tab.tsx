import { FileText, StickyNote, X } from 'lucide';
import { useEffect, useState } from 'preact/hooks';
import { foldText } from '../../../text/fold.ts';
import { Badge } from '../../components/badge.tsx';
import { Icon } from '../../components/icon.tsx';
import { ListRow } from '../../components/list-row.tsx';
import { MarkedText } from '../../components/passage-text.tsx';
import { EmptyState, ErrorNote, Skeleton } from '../../components/states.tsx';
import { formatCount, formatShortly } from '../../format.ts';
import { nameDocument, plainText, readableTitle, splitPassage } from '../../passage.ts';
import { goTo, linkTo, route } from '../../shell/route.ts';
import { useLoad } from '../../use-load.ts';
import { readDocuments } from './documents.ts';
import { type OpenDataset, type Passage, placeOf, readPassages } from './open-dataset.ts';
import { PassageDrawer } from './passage-drawer.tsx';

const PAGE_SIZE = 50;
/** Stands in place of the id of a passage. */
export const NEW = 'nova';

/** The passages of a dataset, newest first: …/passagens?passagem=<id, or nova>&documento=<id> */
export function PassagesTab({ open }: { readonly open: OpenDataset }) {
  const { dataset } = open;
  const { passagem: chunkId, documento: documentId, titulo = '' } = route.value.query;
  const [search, setSearch] = useState('');
  const [shown, setShown] = useState(PAGE_SIZE);
  const { data, error, isLoading, isWhole, reload } = usePassages(open, {
    most: shown + 1,
    needsAll: search !== '' || documentId !== undefined,
    chunkId,
  });
  const ofDocument: Record<string, string> = documentId === undefined ? {} : { documento: documentId };
  const openPassage = (passagem: string) =>
    linkTo(...placeOf(dataset, 'passagens'), { ...ofDocument, passagem });
  const found = data?.filter(
    passage => (documentId === undefined || passage.document_id === documentId) && hasWords(passage, search),
  );
  const passage = data?.find(({ chunk_id }) => chunk_id === chunkId);
  const isGone = chunkId !== undefined && chunkId !== NEW && !passage && isWhole && !isLoading;
  const isFiltered = search !== '' || documentId !== undefined;
  return (
    <>
      <SearchBar search={search} onSearch={setSearch} newPassage={openPassage(NEW)} />
      {documentId !== undefined && <DocumentFilter open={open} documentId={documentId} />}
      {isGone && <p class="small">Essa passagem não está mais aqui: foi excluída ou reescrita.</p>}
      {error !== undefined && <ErrorNote error={error} onRetry={reload} />}
      {!found && error === undefined && <Skeleton label="Carregando as passagens" />}
      {found && isFiltered && (
        <p class="small" role="status">
          {isLoading ? 'Procurando…' : formatCount(found.length, 'passagem', 'passagens')}
        </p>
      )}
      {found && <PassageList passages={found.slice(0, shown)} search={search} linkToPassage={openPassage} />}
      {found?.length === 0 && !isLoading && !isFiltered && <NoPassages open={open} />}
      {found && found.length > shown && (
        <button type="button" class="quiet" aria-busy={isLoading} onClick={() => setShown(shown + PAGE_SIZE)}>
          Mais passagens
        </button>
      )}
      {(chunkId === NEW || passage) && (
        <PassageDrawer
          key={chunkId}
          open={open}
          title={titulo}
          {...(passage ? { passage } : {})}
          onChanged={reload}
          onClose={() => goTo(...placeOf(dataset, 'passagens'), ofDocument)}
        />
      )}
    </>
  );
}

/** Reads the newest, or all of them for a search: the service does not look into their text. */
function usePassages(
  open: OpenDataset,
  {
    most,
    needsAll,
    chunkId,
  }: { readonly most: number; readonly needsAll: boolean; readonly chunkId: string | undefined },
) {
  const [isWhole, setWhole] = useState(needsAll);
  const loaded = useLoad(
    () => readPassages(open, isWhole ? Number.POSITIVE_INFINITY : most),
    [open.readers[0]?.avatar_id, isWhole || most],
  );
  const isMissing =
    chunkId !== undefined &&
    chunkId !== NEW &&
    loaded.data !== undefined &&
    !loaded.data.some(({ chunk_id }) => chunk_id === chunkId);
  useEffect(() => {
    if (needsAll || isMissing) setWhole(true);
  }, [needsAll, isMissing]);
  return { ...loaded, isWhole };
}

function hasWords({ content }: Passage, search: string): boolean {
  const folded = foldText(content);
  return search.split(/\s+/).every(word => folded.includes(foldText(word)));
}

function SearchBar(props: {
  readonly search: string;
  readonly onSearch: (search: string) => void;
  readonly newPassage: string;
}) {
  const { search, onSearch, newPassage } = props;
  return (
    <div class="search-bar">
      <input
        type="search"
        aria-label="Buscar nas passagens"
        placeholder="Buscar nas passagens"
        value={search}
        onInput={event => onSearch(event.currentTarget.value)}
      />
      <button type="button" onClick={() => (location.href = newPassage)}>
        Escrever passagem
      </button>
    </div>
  );
}

function PassageList(props: {
  readonly passages: readonly Passage[];
  readonly search: string;
  readonly linkToPassage: (id: string) => string;
}) {
  const { passages, search, linkToPassage } = props;
  if (passages.length === 0) return null;
  return (
    <ul class="list">
      {passages.map(each => (
        <PassageRow key={each.chunk_id} passage={each} search={search} href={linkToPassage(each.chunk_id)} />
      ))}
    </ul>
  );
}

function PassageRow(props: { readonly passage: Passage; readonly search: string; readonly href: string }) {
  const { search, href } = props;
  const { content, document_title, last_update, not_valid, read_by_model } = props.passage;
  const { title, text } = splitPassage({ content });
  const body = plainText(text);
  return (
    <ListRow
      icon={document_title === undefined ? StickyNote : FileText}
      title={title ? <MarkedText text={readableTitle(title)} question={search} /> : body.slice(0, 80)}
      detail={
        <>
          {document_title && `${nameDocument(document_title)} · `}
          <MarkedText text={body} question={search} />
        </>
      }
      aside={
        not_valid ? (
          <Badge tone="warn">Fora da validade</Badge>
        ) : read_by_model ? (
          <Badge>Lida por um modelo</Badge>
        ) : (
          formatShortly(last_update)
        )
      }
      href={href}
    />
  );
}

function NoPassages({ open: { dataset, readers } }: { readonly open: OpenDataset }) {
  if (readers.length === 0)
    return (
      <EmptyState
        title="Nenhum assistente lê esta base"
        text="Escolha um assistente que a leia: as passagens aparecem aqui, e ele passa a responder com elas."
      >
        <a href={linkTo(...placeOf(dataset, 'ajustes'))}>Escolher os assistentes</a>
      </EmptyState>
    );
  return (
    <EmptyState
      title="Esta base ainda não tem passagens"
      text="Cada passagem é um assunto com que os assistentes respondem. Escreva a primeira, ou importe um documento."
    >
      <a href={linkTo(...placeOf(dataset, 'documentos'))}>Importar documentos</a>
    </EmptyState>
  );
}

/** Names the document whose passages are shown, and leads back. */
function DocumentFilter({ open, documentId }: { readonly open: OpenDataset; readonly documentId: string }) {
  const { data } = useLoad(() => readDocuments(open, 1), [documentId]);
  const name = data?.items.find(({ id }) => id === documentId)?.name ?? 'um documento';
  return (
    <p class="document-filter">
      <span>
        De <strong>{name}</strong>
      </span>
      <a class="small" href={linkTo(...placeOf(open.dataset, 'documentos'))}>
        Ver os documentos
      </a>
      <a class="small" href={linkTo(...placeOf(open.dataset, 'passagens'))}>
        <Icon of={X} size={14} /> Mostrar todas as passagens
      </a>
    </p>
  );
}
