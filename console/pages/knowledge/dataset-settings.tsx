import { useState } from 'preact/hooks';
import { CheckField, NameField } from '../../components/field.tsx';
import { ActionNote, EmptyState } from '../../components/states.tsx';
import { showToast } from '../../components/toast.tsx';
import { call } from '../../service.ts';
import { linkTo } from '../../shell/route.ts';
import { readAvatarsAgain } from '../../shell/session.ts';
import { useAction } from '../../use-action.ts';
import { datasetTypes } from './new-dataset.tsx';
import type { OpenDataset } from './open-dataset.ts';

/** The name of a dataset, and who reads it. */
export function DatasetSettings({
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
