import { OperationForm } from '../../components/operation-form.tsx';
import { call } from '../../service.ts';
import { goTo } from '../../shell/route.ts';
import { type Avatar, type HostOfSession, readAvatarsAgain } from '../../shell/session.ts';

export function NewDataset(props: {
  readonly host: HostOfSession;
  readonly avatars: readonly Avatar[];
  readonly onMade: () => void;
  readonly onClose: () => void;
}) {
  const readers = props.avatars.map(({ avatar_id, avatar_name }) => [avatar_id, avatar_name] as const);
  return (
    <OperationForm
      of="createDataset"
      begin={{
        datasetName: '',
        datasetType: 'common_rag',
        enrich: false,
        avatarIds: readers.length === 1 ? readers.map(([id]) => id) : [],
      }}
      choices={{ avatarIds: readers }}
      text="Criar base"
      save={async fields => {
        const { id } = await call('createDataset', { hostId: props.host.host_id, ...fields });
        if (fields.avatarIds.length > 0) await readAvatarsAgain();
        props.onMade();
        goTo('conhecimento', [id]);
      }}
      onCancel={props.onClose}
    />
  );
}
