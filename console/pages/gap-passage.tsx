import { useState } from 'preact/hooks';
import type { DataOf } from '../../queues/contract/operations/index.ts';
import { Drawer } from '../components/drawer.tsx';
import { SelectField } from '../components/field.tsx';
import { EmptyState, ErrorNote, Skeleton } from '../components/states.tsx';
import { showToast } from '../components/toast.tsx';
import { newPassage } from '../passage.ts';
import { call } from '../service.ts';
import { linkTo } from '../shell/route.ts';
import type { HostOfSession } from '../shell/session.ts';
import { useLoad } from '../use-load.ts';
import { PassageForm } from './passage-form.tsx';

interface GapPassageProps {
  readonly gap: DataOf<'getKnowledgeGaps'>[number];
  readonly host: HostOfSession;
  readonly onSaved: () => void;
  readonly onClose: () => void;
}

/** Writes a passage for a gap, beginning with what the staff answered. It stays a draft until it is saved or given up. */
export function GapPassage(props: GapPassageProps) {
  const { host, onClose } = props;
  const hostId = host.host_id;
  const { data: datasets, error, reload } = useLoad(() => call('listDatasets', { hostId }), [hostId]);
  return (
    <Drawer title="Escrever passagem" onClose={onClose}>
      {error !== undefined && <ErrorNote error={error} onRetry={reload} />}
      {!datasets && error === undefined && <Skeleton rows={3} label="Carregando as bases" />}
      {datasets?.length === 0 && (
        <EmptyState title="Ainda não há uma base" text="Uma passagem fica em uma base de conhecimento.">
          <a href={linkTo('conhecimento')}>Criar uma base</a>
        </EmptyState>
      )}
      {datasets && datasets.length > 0 && <PassageOfGap {...props} datasets={datasets} />}
    </Drawer>
  );
}

function PassageOfGap({
  gap: { gapId, question, suggestion },
  host: { host_id, host_config },
  datasets,
  onSaved,
  onClose,
}: GapPassageProps & { readonly datasets: DataOf<'listDatasets'> }) {
  const [dataset, setDataset] = useState(datasets[0]?.id ?? '');
  return (
    <PassageForm
      draft={`lacuna:${gapId}`}
      begin={{ ...newPassage, title: question, text: suggestion?.content ?? '' }}
      hint={
        suggestion
          ? 'Começa com o que a equipe respondeu: tire o que vale só para aquela pessoa.'
          : 'A resposta, completa e sem depender de outro texto.'
      }
      limit={host_config.chunk_size_limit}
      save={sent => call('createChunk', { host_id, dataset_id: dataset, ...sent })}
      onSaved={() => {
        showToast('Passagem salva: o assistente já a usa');
        onSaved();
        onClose();
      }}
      onClose={onClose}
    >
      <SelectField
        label="Base"
        value={dataset}
        choices={datasets.map(({ id, dataset_name }) => [id, dataset_name] as const)}
        onChange={setDataset}
      />
    </PassageForm>
  );
}
