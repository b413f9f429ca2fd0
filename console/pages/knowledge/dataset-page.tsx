import { confirmAction } from '../../components/dialogs.tsx';
import { CheckField } from '../../components/field.tsx';
import { Menu } from '../../components/menu.tsx';
import { OperationForm } from '../../components/operation-form.tsx';
import { Page, Tabs } from '../../components/page.tsx';
import { ActionNote, EmptyState } from '../../components/states.tsx';
import { showToast } from '../../components/toast.tsx';
import { call } from '../../service.ts';
import { goTo, linkTo, route } from '../../shell/route.ts';
import { type Avatar, type HostOfSession, readAvatarsAgain } from '../../shell/session.ts';
import { useAction } from '../../use-action.ts';
import { useTicks } from '../../use-ticks.ts';
import { words } from '../../words.ts';
import { DocumentsTab } from './documents-tab.tsx';
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

export function DatasetPage(props: {
  readonly host: HostOfSession;
  readonly dataset: Dataset;
  readonly avatars: readonly Avatar[];
  readonly onChanged: () => void;
}) {
  const { host, dataset, avatars, onChanged } = props;
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
function DatasetSettings(props: { readonly open: OpenDataset; readonly onChanged: () => void }) {
  const { host, dataset } = props.open;
  return (
    <>
      <OperationForm
        of="editDataset"
        class="card stack"
        begin={{ datasetName: dataset.dataset_name, enrich: dataset.enrich }}
        save={async fields => {
          await call('editDataset', { hostId: host.host_id, id: dataset.id, ...fields });
          showToast('Salvo');
          props.onChanged();
        }}
      >
        <p class="small">
          Quem pode ler cada passagem:{' '}
          {words.createDataset.datasetType.choices[dataset.dataset_type].toLowerCase()}.
        </p>
      </OperationForm>
      <Readers open={props.open} />
    </>
  );
}

function Readers({ open: { host, dataset, avatars, readers } }: { readonly open: OpenDataset }) {
  const linking = useTicks(async (avatarId, reads) => {
    const body = { hostId: host.host_id, datasetId: dataset.id, avatarId };
    await call(reads ? 'linkDatasetAvatar' : 'unlinkDatasetAvatar', body);
    await readAvatarsAgain();
  });
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
            isChecked={linking.wanted(avatar.avatar_id) ?? readers.includes(avatar)}
            onChange={reads => linking.tick(avatar.avatar_id, reads)}
          />
        ))}
      </div>
      <ActionNote of={linking} />
    </section>
  );
}
