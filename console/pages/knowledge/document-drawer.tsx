import type { DataOf } from '../../../queues/contract/operations/index.ts';
import { Drawer } from '../../components/drawer.tsx';
import { OperationForm } from '../../components/operation-form.tsx';
import { ActionNote, ErrorNote, Skeleton } from '../../components/states.tsx';
import { showToast } from '../../components/toast.tsx';
import { formatCount, formatMoment } from '../../format.ts';
import { call } from '../../service.ts';
import { useAction } from '../../use-action.ts';
import { useLoad } from '../../use-load.ts';
import { goneText, type ListedDocument, unreadText } from './documents.ts';
import type { OpenDataset } from './open-dataset.ts';
import { ReadByModel } from './scans.tsx';
import { reasonText } from './unread-reasons.ts';
import { changedOf, daysOf } from './validity.ts';

interface DocumentDrawerProps {
  readonly open: OpenDataset;
  readonly document: ListedDocument;
  readonly onChanged: () => void;
  readonly onClose: () => void;
}

/** When a document is valid, how often its address is read again, and what became of it. */
export function DocumentDrawer({ open, document, onChanged, onClose }: DocumentDrawerProps) {
  const target = { hostId: open.host.host_id, id: document.id };
  const isOfAddress = document.url !== undefined;
  const begin = {
    ...daysOf(document),
    refresh_every_hours: document.refresh_every_hours ?? null,
  };
  const reading = useAction();
  const readNow = async () => {
    await call('editDocument', { ...target, refresh_now: true });
    showToast('O endereço está sendo lido');
    onChanged();
    onClose();
  };
  return (
    <Drawer title={document.name} onClose={onClose}>
      <OperationForm
        of="editDocument"
        begin={begin}
        isShown={name => isOfAddress || name !== 'refresh_every_hours'}
        save={async fields => {
          await call('editDocument', { ...target, ...changedOf(fields, begin) });
          showToast('Documento salvo');
          onChanged();
          onClose();
        }}
        buttons={
          isOfAddress && (
            <button
              type="button"
              class="quiet"
              aria-busy={reading.isBusy}
              onClick={() => reading.run(readNow)}
            >
              Atualizar agora
            </button>
          )
        }
      />
      <ActionNote of={reading} />
      {document.scans && <ReadByModel open={open} id={document.id} scans={document.scans} />}
      <History target={target} />
    </Drawer>
  );
}

function History({ target }: { readonly target: { readonly hostId: string; readonly id: string } }) {
  const { data, error, reload } = useLoad(() => call('listDocumentChanges', target), [target.id]);
  return (
    <section class="stack" aria-label="Histórico">
      <h3>Histórico</h3>
      {error !== undefined && <ErrorNote error={error} onRetry={reload} />}
      {!data && error === undefined && <Skeleton label="Carregando o histórico" />}
      {data?.length === 0 && <p class="small">Nada mudou ainda.</p>}
      {data && data.length > 0 && (
        <ul class="list">
          {data.map(change => (
            <li key={change.at} class="small">
              {formatMoment(change.at)} · {describeChange(change)}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

type Change = DataOf<'listDocumentChanges'>[number];

function describeChange({ automatic, reason, added, removed, incomplete, gone }: Change): string {
  const by = automatic ? 'Por si mesmo' : 'A pedido';
  if (reason) return `${by}: nada mudou, ${reasonText(reason)}`;
  const counts = [
    added > 0 && formatCount(added, 'passagem nova', 'passagens novas'),
    removed > 0 && formatCount(removed, 'passagem saiu', 'passagens saíram'),
  ].filter(Boolean);
  const told = [
    counts.join(', ') || 'nada mudou',
    incomplete && unreadText(incomplete),
    gone && goneText(gone),
  ];
  return `${by}: ${told.filter(Boolean).join(' · ')}`;
}
