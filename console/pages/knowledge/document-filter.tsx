import { X } from 'lucide';
import { Icon } from '../../components/icon.tsx';
import { linkTo } from '../../shell/route.ts';
import { useLoad } from '../../use-load.ts';
import { readDocuments } from './documents.ts';
import { type OpenDataset, placeOf } from './open-dataset.ts';

/** Says of which document the passages are, and leads back. */
export function DocumentFilter({
  open,
  documentId,
}: {
  readonly open: OpenDataset;
  readonly documentId: string;
}) {
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
