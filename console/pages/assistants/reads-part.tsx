import type { DataOf } from '../../../queues/contract/operations/index.ts';
import { CheckField } from '../../components/field.tsx';
import { ActionNote, EmptyState } from '../../components/states.tsx';
import { showToast } from '../../components/toast.tsx';
import { call } from '../../service.ts';
import { linkTo } from '../../shell/route.ts';
import { readAvatarsAgain, type SessionContext } from '../../shell/session.ts';
import { useTicks } from '../../use-ticks.ts';

/** The datasets that the assistant reads. A change is stored at once. */
export function ReadsPart(props: {
  readonly hostId: string;
  readonly avatarId: string;
  readonly datasets: DataOf<'listDatasets'>;
  readonly context: SessionContext;
}) {
  const { hostId, avatarId, datasets, context } = props;
  const read = context.avatars.find(({ avatar_id: id }) => id === avatarId)?.datasets ?? [];
  const linking = useTicks(async (datasetId, isRead) => {
    await call(isRead ? 'linkDatasetAvatar' : 'unlinkDatasetAvatar', { hostId, datasetId, avatarId });
    await readAvatarsAgain();
    showToast(
      isRead
        ? 'O assistente lê esta base a partir da próxima pergunta'
        : 'O assistente não lê mais esta base',
    );
  });
  if (datasets.length === 0)
    return (
      <EmptyState
        title="Nenhuma base ainda"
        text="Uma base é um conjunto de passagens com que o assistente responde."
      >
        <a href={linkTo('conhecimento')}>Criar uma base</a>
      </EmptyState>
    );
  return (
    <div class="stack">
      <fieldset>
        <legend>Bases que ele lê</legend>
        {datasets.map(({ id, dataset_name: name }) => (
          <CheckField
            key={id}
            label={name}
            isChecked={linking.wanted(id) ?? read.some(({ dataset_id }) => dataset_id === id)}
            onChange={isRead => linking.tick(id, isRead)}
          />
        ))}
      </fieldset>
      <p class="small">Vale assim que você marca, sem salvar.</p>
      <ActionNote of={linking} />
    </div>
  );
}
