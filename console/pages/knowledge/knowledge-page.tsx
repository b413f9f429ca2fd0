import { BookOpen } from 'lucide';
import { NounList } from '../../components/noun-list.tsx';
import { Page, Tabs } from '../../components/page.tsx';
import { EmptyState } from '../../components/states.tsx';
import { call } from '../../service.ts';
import { linkTo, route } from '../../shell/route.ts';
import type { Avatar, HostOfSession, SessionContext } from '../../shell/session.ts';
import { type Loaded, useLoad } from '../../use-load.ts';
import { Contradictions } from './contradictions.tsx';
import { DatasetPage } from './dataset-page.tsx';
import { NewDataset } from './new-dataset.tsx';
import { type Dataset, describeReaders, listReaders } from './open-dataset.ts';

const CONTRADICTIONS = 'contradicoes';

/** The datasets of the host: #conhecimento/<dataset>/<tab>, and what contradicts itself in them: #conhecimento/contradicoes */
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
  if (open)
    return (
      <DatasetPage key={open.id} host={host} dataset={open} avatars={avatars} onChanged={loaded.reload} />
    );
  const isOfContradictions = openId === CONTRADICTIONS;
  return (
    <Page
      title="Conhecimento"
      about="As bases com que os assistentes respondem."
      action={<a href={linkTo('comecar')}>Começar por um site</a>}
    >
      <Tabs
        label="Conhecimento"
        tabs={[
          { text: 'Bases', href: linkTo('conhecimento', ['bases']), isOpen: !isOfContradictions },
          {
            text: 'Contradições',
            href: linkTo('conhecimento', [CONTRADICTIONS]),
            isOpen: isOfContradictions,
          },
        ]}
      />
      {isOfContradictions ? (
        <Contradictions hostId={hostId} />
      ) : (
        <DatasetList host={host} avatars={avatars} loaded={loaded} />
      )}
    </Page>
  );
}

function DatasetList({ host, avatars, loaded }: DatasetsProps & { readonly loaded: Loaded<Dataset[]> }) {
  return (
    <NounList
      loaded={loaded}
      label="Bases"
      begin={{ text: 'Nova base', first: 'Criar a primeira base' }}
      empty={{
        title: 'Ainda não há conhecimento',
        text: 'Uma base guarda as passagens com que os assistentes respondem: escreva-as, ou importe documentos.',
      }}
      rowOf={dataset => ({
        id: dataset.id,
        icon: BookOpen,
        title: dataset.dataset_name,
        detail: describeReaders(listReaders(dataset, avatars)),
        href: linkTo('conhecimento', [dataset.id]),
      })}
      form={({ onSaved, onClose }) => (
        <NewDataset host={host} avatars={avatars} onMade={onSaved} onClose={onClose} />
      )}
    />
  );
}
