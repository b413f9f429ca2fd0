import { FileText } from 'lucide';
import { useEffect, useState } from 'preact/hooks';
import { Badge } from '../../components/badge.tsx';
import { confirmAction } from '../../components/dialogs.tsx';
import { ListRow } from '../../components/list-row.tsx';
import { Menu } from '../../components/menu.tsx';
import { ActionNote, EmptyState, ErrorNote, Skeleton } from '../../components/states.tsx';
import { showToast } from '../../components/toast.tsx';
import { formatCount, formatMoment } from '../../format.ts';
import { call, type Progress, readJob, ServiceError } from '../../service.ts';
import { linkTo } from '../../shell/route.ts';
import { useAction } from '../../use-action.ts';
import { useLoad } from '../../use-load.ts';
import { DocumentDrawer } from './document-drawer.tsx';
import { goneText, isImporting, type ListedDocument, readDocuments, unreadText } from './documents.ts';
import { ImportForm } from './import-form.tsx';
import { type OpenDataset, placeOf } from './open-dataset.ts';
import { scansText } from './scans.tsx';
import { reasonText } from './unread-reasons.ts';

const EVERY_MS = 500;
const MAX_WAIT_MS = 10_000;

const stages: Readonly<Record<string, string>> = {
  waiting: 'Na fila',
  fetching: 'Buscando as páginas',
  reading: 'Lendo o documento',
  storing: 'Guardando as passagens',
  ended: 'Terminando',
};

/** The documents of a dataset, newest first, and the form for new ones. Imports continue without this page. */
export function DocumentsTab({ open }: { readonly open: OpenDataset }) {
  const [pages, setPages] = useState(1);
  const { data, error, isLoading, reload } = useLoad(() => readDocuments(open, pages), [pages]);
  const [shown, setShown] = useState<ListedDocument>();
  const deleting = useAction();
  const remove = async (document: ListedDocument) => {
    if (!(await askToDelete(document))) return;
    await call('deleteDocument', { hostId: open.host.host_id, id: document.id });
    showToast('Documento excluído');
    reload();
  };
  return (
    <>
      <ImportForm open={open} onSent={reload} />
      <ActionNote of={deleting} />
      {error !== undefined && <ErrorNote error={error} onRetry={reload} />}
      {!data && error === undefined && <Skeleton label="Carregando os documentos" />}
      {data?.items.length === 0 && (
        <EmptyState
          title="Nenhum documento importado ainda"
          text="De cada documento vêm passagens, que você vê e muda como as outras."
        />
      )}
      {data && data.items.length > 0 && (
        <ul class="list">
          {data.items.map(document => (
            <DocumentRow
              key={document.id}
              document={document}
              href={linkTo(...placeOf(open.dataset, 'passagens'), { documento: document.id })}
              onEnded={reload}
              onShow={() => setShown(document)}
              onDelete={() => deleting.run(() => remove(document))}
            />
          ))}
        </ul>
      )}
      {data?.hasMore && (
        <button type="button" class="quiet" aria-busy={isLoading} onClick={() => setPages(pages + 1)}>
          Mais documentos
        </button>
      )}
      {shown && (
        <DocumentDrawer
          key={shown.id}
          open={open}
          document={shown}
          onChanged={reload}
          onClose={() => setShown(undefined)}
        />
      )}
    </>
  );
}

function DocumentRow(props: {
  readonly document: ListedDocument;
  readonly href: string;
  readonly onEnded: () => void;
  readonly onShow: () => void;
  readonly onDelete: () => void;
}) {
  const { document, href, onEnded, onShow, onDelete } = props;
  const { name, passages, job_id: jobId } = document;
  const isWatched = isImporting(document) && jobId !== '';
  return (
    <ListRow
      icon={FileText}
      title={name}
      detail={isWatched ? <ImportProgress jobId={jobId} name={name} onEnded={onEnded} /> : describe(document)}
      aside={<DocumentState document={document} />}
      action={
        <Menu
          label={`Ações de ${name}`}
          actions={[
            { text: 'Validade e histórico', onChoose: onShow },
            { text: 'Excluir documento', isDangerous: true, onChoose: onDelete },
          ]}
        />
      }
      {...(passages > 0 ? { href } : {})}
    />
  );
}

function DocumentState({ document }: { readonly document: ListedDocument }) {
  if (document.not_valid && !isImporting(document)) return <Badge tone="warn">Fora da validade</Badge>;
  if (document.state === 'ready') return <Badge tone="good">Importado</Badge>;
  if (document.state === 'incomplete') return <Badge tone="warn">Incompleto</Badge>;
  if (document.state === 'failed') return <Badge tone="bad">Falhou</Badge>;
  return <Badge>Importando</Badge>;
}

function describe(document: ListedDocument): string {
  const { state, reason, incomplete, gone, struck = 0, scans, passages, updated_at } = document;
  const { refresh_every_hours: hours } = document;
  const count = formatCount(passages, 'passagem', 'passagens');
  const lost = [incomplete && unreadText(incomplete), gone && goneText(gone)].filter(Boolean).join(' ');
  if (lost !== '') return `${count} · ${lost}`;
  if (state === 'failed') {
    const before = passages > 0 ? ` Valem as ${count} de antes.` : '';
    const unread = scans ? ` (${scansText(scans)})` : '';
    return `Não foi importado: ${reasonText(reason)}${unread}${before}`;
  }
  if (state !== 'ready') return 'A importação continua; a lista mostra o fim quando for recarregada.';
  const left = struck > 0 ? ` · sem ${formatCount(struck, 'trecho riscado', 'trechos riscados')}` : '';
  const every = hours ? ` · atualiza a cada ${formatCount(hours, 'hora', 'horas')}` : '';
  const seen = scans ? ` · ${scansText(scans)}` : '';
  return `${count}${left}${seen} · ${formatMoment(updated_at)}${every}`;
}

const askToDelete = ({ name }: ListedDocument): Promise<boolean> =>
  confirmAction({
    title: `Excluir “${name}”?`,
    text: 'As passagens que vieram dele também são excluídas. Uma importação que ainda corre termina sem mudar nada.',
    action: 'Excluir documento',
  });

/** The progress of an import, until it ends. */
export function ImportProgress(props: {
  readonly jobId: string;
  readonly name: string;
  readonly onEnded: () => void;
}) {
  const { jobId, name, onEnded } = props;
  const [progress, setProgress] = useState<Progress>();
  const [isAway, setAway] = useState(false);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isLeft = false;
    let waitMs = EVERY_MS;
    const look = async () => {
      const job = await readJob(jobId).catch(readLostJob);
      if (isLeft) return;
      if (job?.state === 'completed' || job?.state === 'failed') return onEnded();
      setAway(job === undefined);
      if (job?.progress) setProgress(job.progress);
      waitMs = job ? EVERY_MS : Math.min(MAX_WAIT_MS, waitMs * 2);
      timer = setTimeout(() => void look(), waitMs);
    };
    void look();
    return () => {
      isLeft = true;
      clearTimeout(timer);
    };
  }, [jobId]);
  const { stage = 'waiting', done = 0, total = 0 } = progress ?? {};
  const share = total > 0 ? `: ${done.toLocaleString('pt-BR')} de ${total.toLocaleString('pt-BR')}` : '';
  return (
    <>
      <progress aria-label={`Importação de ${name}`} {...(total > 0 ? { value: done, max: total } : {})} />
      <span role="status">
        {isAway ? 'Sem conexão: tentando de novo…' : `${stages[stage] ?? stage}${share}`}
      </span>
    </>
  );
}

/** A job that the service has forgotten has ended: the list says how. Undefined while the service cannot be reached. */
function readLostJob(
  error: unknown,
): { readonly state: 'completed'; readonly progress?: Progress } | undefined {
  return error instanceof ServiceError && error.status === 404 ? { state: 'completed' } : undefined;
}
