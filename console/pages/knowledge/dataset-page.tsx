import { confirmAction } from '../../components/dialogs.tsx';
import { Menu } from '../../components/menu.tsx';
import { Page } from '../../components/page.tsx';
import { ActionNote } from '../../components/states.tsx';
import { Tabs } from '../../components/tabs.tsx';
import { showToast } from '../../components/toast.tsx';
import { call } from '../../service.ts';
import { goTo, linkTo, route } from '../../shell/route.ts';
import { type Avatar, type HostOfSession, readAvatarsAgain } from '../../shell/session.ts';
import { useAction } from '../../use-action.ts';
import { DatasetSettings } from './dataset-settings.tsx';
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
