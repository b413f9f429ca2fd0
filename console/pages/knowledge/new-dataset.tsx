import { useState } from 'preact/hooks';
import { Drawer } from '../../components/drawer.tsx';
import { CheckField, NameField, SelectField } from '../../components/field.tsx';
import { ActionNote } from '../../components/states.tsx';
import { call } from '../../service.ts';
import { goTo } from '../../shell/route.ts';
import { type Avatar, type HostOfSession, readAvatarsAgain } from '../../shell/session.ts';
import { useAction } from '../../use-action.ts';

export const datasetTypes = [
  ['common_rag', 'Todas as conversas'],
  ['filtered_rag', 'Só conversas com os dados pedidos na passagem'],
] as const;
type DatasetType = (typeof datasetTypes)[number][0];

/** Makes a dataset and opens it. */
export function NewDataset({
  host,
  avatars,
  onMade,
  onClose,
}: {
  readonly host: HostOfSession;
  readonly avatars: readonly Avatar[];
  readonly onMade: () => void;
  readonly onClose: () => void;
}) {
  const [name, setName] = useState('');
  const [datasetType, setType] = useState<DatasetType>('common_rag');
  const [readers, setReaders] = useState(avatars.length === 1 ? avatars.map(idOf) : []);
  const creating = useAction();
  const create = async () => {
    const body = { hostId: host.host_id, datasetName: name.trim(), datasetType, avatarIds: readers };
    const { id } = await call('createDataset', body);
    if (readers.length > 0) await readAvatarsAgain();
    onMade();
    onClose();
    goTo('conhecimento', [id]);
  };
  return (
    <Drawer title="Nova base" onClose={onClose}>
      <form
        class="stack"
        onSubmit={event => {
          event.preventDefault();
          creating.run(create);
        }}
      >
        <NameField label="Nome" hint="Por exemplo: Guia do aluno" value={name} onInput={setName} />
        <SelectField
          label="Quem pode ler cada passagem"
          value={datasetType}
          choices={datasetTypes}
          onChange={value => setType(value as DatasetType)}
        />
        {avatars.length > 0 && <ReaderChecks avatars={avatars} readers={readers} onChange={setReaders} />}
        <ActionNote of={creating} />
        <div class="buttons">
          <button type="submit" aria-busy={creating.isBusy}>
            Criar base
          </button>
          <button type="button" class="quiet" onClick={onClose}>
            Cancelar
          </button>
        </div>
      </form>
    </Drawer>
  );
}

function ReaderChecks({
  avatars,
  readers,
  onChange,
}: {
  readonly avatars: readonly Avatar[];
  readonly readers: readonly string[];
  readonly onChange: (readers: string[]) => void;
}) {
  return (
    <fieldset>
      <legend>Assistentes que leem esta base</legend>
      {avatars.map(avatar => {
        const others = readers.filter(id => id !== idOf(avatar));
        return (
          <CheckField
            key={idOf(avatar)}
            label={avatar.avatar_name}
            isChecked={readers.includes(idOf(avatar))}
            onChange={isChecked => onChange(isChecked ? [...others, idOf(avatar)] : others)}
          />
        );
      })}
    </fieldset>
  );
}

const idOf = ({ avatar_id }: Avatar): string => avatar_id;
