import { BookOpen } from 'lucide';
import { useState } from 'preact/hooks';
import { ListRow } from '../../components/list-row.tsx';
import { Page } from '../../components/page.tsx';
import { EmptyState, ErrorNote, Skeleton } from '../../components/states.tsx';
import { call } from '../../service.ts';
import { linkTo, route } from '../../shell/route.ts';
import type { Avatar, HostOfSession, SessionContext } from '../../shell/session.ts';
import { type Loaded, useLoad } from '../../use-load.ts';
import { DatasetPage } from './dataset-page.tsx';
import { NewDataset } from './new-dataset.tsx';
import { type Dataset, describeReaders, listReaders } from './open-dataset.ts';

/** The datasets of the host: #conhecimento/<dataset>/<tab> */
export function KnowledgePage({ context: { host, avatars } }: { readonly context: SessionContext }) {
  if (!host) return <EmptyState title="Sem acesso" text="Este acesso não permite ver o conhecimento." />;
  return <Datasets host={host} avatars={avatars} />;
}

interface DatasetsProps {
  readonly host: HostOfSession;
  readonly avatars: readonly Avatar[];
}

function Datasets({ host, avatars }: DatasetsProps) {
  const hostId = host.host_id;
  const loaded = useLoad(() => call('listDatasets', { hostId }), [hostId]);
  const [openId] = route.value.parts;
  const open = loaded.data?.find(({ id }) => id === openId);
  if (!open) return <DatasetList host={host} avatars={avatars} loaded={loaded} />;
  return <DatasetPage key={open.id} host={host} dataset={open} avatars={avatars} onChanged={loaded.reload} />;
}

function DatasetList({
  host,
  avatars,
  loaded: { data, error, reload },
}: DatasetsProps & { readonly loaded: Loaded<Dataset[]> }) {
  const [isNew, setNew] = useState(false);
  const begin = (
    <button type="button" onClick={() => setNew(true)}>
      {data?.length === 0 ? 'Criar a primeira base' : 'Nova base'}
    </button>
  );
  return (
    <Page
      title="Conhecimento"
      about="As bases com que os assistentes respondem."
      action={data && data.length > 0 && begin}
    >
      {error !== undefined && <ErrorNote error={error} onRetry={reload} />}
      {!data && error === undefined && <Skeleton label="Carregando as bases" />}
      {data?.length === 0 && (
        <EmptyState
          title="Ainda não há conhecimento"
          text="Uma base guarda as passagens com que os assistentes respondem: escreva-as, ou importe documentos."
        >
          {begin}
        </EmptyState>
      )}
      {data && data.length > 0 && (
        <ul class="list">
          {data.map(dataset => (
            <ListRow
              key={dataset.id}
              icon={BookOpen}
              title={dataset.dataset_name}
              detail={describeReaders(listReaders(dataset, avatars))}
              href={linkTo('conhecimento', [dataset.id])}
            />
          ))}
        </ul>
      )}
      {isNew && <NewDataset host={host} avatars={avatars} onMade={reload} onClose={() => setNew(false)} />}
    </Page>
  );
}
