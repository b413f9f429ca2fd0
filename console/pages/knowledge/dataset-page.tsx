import { useState } from 'preact/hooks';
import { confirmAction } from '../../components/dialogs.tsx';
import { CheckField, NameField } from '../../components/field.tsx';
import { Menu } from '../../components/menu.tsx';
import { Page, Tabs } from '../../components/page.tsx';
import { ActionNote, EmptyState } from '../../components/states.tsx';
import { showToast } from '../../components/toast.tsx';
import { call } from '../../service.ts';
import { goTo, linkTo, route } from '../../shell/route.ts';
import { type Avatar, type HostOfSession, readAvatarsAgain } from '../../shell/session.ts';
import { useAction } from '../../use-action.ts';
import { DocumentsTab } from './documents-tab.tsx';
import { datasetTypes } from './new-dataset.tsx';
import {
  type Dataset,
  describeReaders,
  listReaders,
  type OpenDataset,
  placeOf,
  tabs,
} from './open-dataset.ts';
import { PassagesTab } from './passages-tab.tsx';
import { QuestionTab } from './question-tab.tsx';

/** A dataset with its tabs. */
export function DatasetPage({
  host,
  dataset,
  avatars,
  onChanged,
}: {
  readonly host: HostOfSession;
  readonly dataset: Dataset;
  readonly avatars: readonly Avatar[];
  readonly onChanged: () => void;
}) {
  const deleting = useAction();
  const open: OpenDataset = { host, dataset, avatars, readers: listReaders(dataset, avatars) };
  const tab = tabs.find(([name]) => name === route.value.parts[1])?.[0] ?? 'passagens';
  const remove = async () => {
    if (!(await askToDelete(dataset))) return;
    await call('editDataset', { hostId: host.host_id, id: dataset.id, deleted: true });
    await readAvatarsAgain();
    showToast('Base excluída');
    goTo('conhecimento');
    onChanged();
  };
  return (
    <Page
      title={dataset.dataset_name}
      back={{ text: 'Conhecimento', href: linkTo('conhecimento') }}
      about={describeReaders(open.readers)}
      action={
        <Menu
          label={`Ações de ${dataset.dataset_name}`}
          actions={[{ text: 'Excluir base', isDangerous: true, onChoose: () => deleting.run(remove) }]}
        />
      }
    >
      <Tabs
        label={dataset.dataset_name}
        tabs={tabs.map(([name, text]) => ({
          text,
          href: linkTo(...placeOf(dataset, name)),
          isOpen: name === tab,
        }))}
      />
      <ActionNote of={deleting} />
      {tab === 'passagens' && <PassagesTab open={open} />}
      {tab === 'documentos' && <DocumentsTab open={open} />}
      {tab === 'testar' && <QuestionTab open={open} />}
      {tab === 'ajustes' && <DatasetSettings open={open} onChanged={onChanged} />}
    </Page>
  );
}

const askToDelete = ({ dataset_name }: Dataset): Promise<boolean> =>
  confirmAction({
    title: `Excluir “${dataset_name}”?`,
    text: 'Os assistentes deixam de responder com ela a partir da próxima pergunta.',
    action: 'Excluir base',
  });

/** The name of a dataset, and the assistants that read it. */
function DatasetSettings({
  open,
  onChanged,
}: {
  readonly open: OpenDataset;
  readonly onChanged: () => void;
}) {
  const { host, dataset } = open;
  const [name, setName] = useState(dataset.dataset_name);
  const renaming = useAction();
  const rename = async () => {
    await call('editDataset', { hostId: host.host_id, id: dataset.id, datasetName: name.trim() });
    showToast('Salvo');
    onChanged();
  };
  return (
    <>
      <form
        class="card stack"
        onSubmit={event => {
          event.preventDefault();
          renaming.run(rename);
        }}
      >
        <NameField label="Nome da base" value={name} onInput={setName} />
        <p class="small">
          Quem pode ler cada passagem:{' '}
          {datasetTypes.find(([type]) => type === dataset.dataset_type)?.[1].toLowerCase()}.
        </p>
        <ActionNote of={renaming} />
        <div class="buttons">
          <button type="submit" aria-busy={renaming.isBusy}>
            Salvar
          </button>
        </div>
      </form>
      <Readers open={open} />
    </>
  );
}

function Readers({ open: { host, dataset, avatars, readers } }: { readonly open: OpenDataset }) {
  const linking = useAction();
  const [changed, setChanged] = useState<{ readonly id: string; readonly reads: boolean }>();
  const link = async (id: string, reads: boolean) => {
    setChanged({ id, reads });
    const body = { hostId: host.host_id, datasetId: dataset.id, avatarId: id };
    try {
      await call(reads ? 'linkDatasetAvatar' : 'unlinkDatasetAvatar', body);
      await readAvatarsAgain();
    } finally {
      setChanged(undefined);
    }
  };
  if (avatars.length === 0)
    return (
      <EmptyState title="Ainda não há assistentes" text="Uma base serve aos assistentes que a leem.">
        <a href={linkTo('assistentes')}>Criar um assistente</a>
      </EmptyState>
    );
  return (
    <section class="card stack" aria-label="Assistentes que leem esta base">
      <h2>Assistentes que leem esta base</h2>
      <div>
        {avatars.map(avatar => (
          <CheckField
            key={avatar.avatar_id}
            label={avatar.avatar_name}
            isChecked={changed?.id === avatar.avatar_id ? changed.reads : readers.includes(avatar)}
            onChange={reads => linking.run(() => link(avatar.avatar_id, reads))}
          />
        ))}
      </div>
      <ActionNote of={linking} />
    </section>
  );
}
