import type { TargetedInputEvent } from 'preact';
import { useState } from 'preact/hooks';
import type { DataOf } from '../../queues/contract/operations/index.ts';
import { Drawer } from '../components/drawer.tsx';
import { Field, SelectField } from '../components/field.tsx';
import { EmptyState, ErrorNote, Skeleton } from '../components/states.tsx';
import { showToast } from '../components/toast.tsx';
import { dropDraft, readDraft, storeDraft } from '../drafts.ts';
import { call } from '../service.ts';
import { linkTo } from '../shell/route.ts';
import { useLoad } from '../use-load.ts';

interface GapPassageProps {
  readonly gap: DataOf<'getKnowledgeGaps'>[number];
  readonly hostId: string;
  readonly onSaved: () => void;
  readonly onClose: () => void;
}

/** Writes a passage for a gap, beginning with what the staff answered. It stays a draft until it is saved. */
export function GapPassage(props: GapPassageProps) {
  const { hostId, onClose } = props;
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
      {datasets && datasets.length > 0 && <PassageForm {...props} datasets={datasets} />}
    </Drawer>
  );
}

function PassageForm({
  gap: { gapId, question, suggestion },
  hostId,
  datasets,
  onSaved,
  onClose,
}: GapPassageProps & { readonly datasets: DataOf<'listDatasets'> }) {
  const title = useDraft(`lacuna-titulo:${gapId}`, question);
  const text = useDraft(`lacuna-texto:${gapId}`, suggestion?.content ?? '');
  const [dataset, setDataset] = useState(datasets[0]?.id ?? '');
  const [error, setError] = useState<unknown>();
  const [isSaving, setSaving] = useState(false);
  const save = async () => {
    if (isSaving) return;
    setSaving(true);
    setError(undefined);
    const content = `## ${title.value.replaceAll(/\s+/g, ' ').trim()}\n\n${text.value.trim()}`;
    try {
      await call('createChunk', { host_id: hostId, dataset_id: dataset, content });
      title.drop();
      text.drop();
      showToast('Passagem salva: o assistente já a usa');
      onSaved();
      onClose();
    } catch (reason) {
      setError(reason);
      setSaving(false);
    }
  };
  const choices = datasets.map(({ id, dataset_name }) => [id, dataset_name] as const);
  const hint = suggestion
    ? 'Começa com o que a equipe respondeu: tire o que vale só para aquela pessoa.'
    : 'A resposta, completa e sem depender de outro texto.';
  return (
    <form
      class="stack"
      onSubmit={event => {
        event.preventDefault();
        void save();
      }}
    >
      <SelectField label="Base" value={dataset} choices={choices} onChange={setDataset} />
      <Field label="Título" hint="O assunto, como as pessoas o chamam.">
        {field => <input {...field} required value={title.value} onInput={title.onInput} />}
      </Field>
      <Field label="Texto" hint={hint}>
        {field => <textarea {...field} required rows={10} value={text.value} onInput={text.onInput} />}
      </Field>
      {error !== undefined && <ErrorNote error={error} />}
      <div class="buttons">
        <button type="submit" aria-busy={isSaving}>
          Salvar passagem
        </button>
        <button type="button" class="quiet" onClick={onClose}>
          Fechar
        </button>
      </div>
    </form>
  );
}

/** What is typed, over a reload and a closed drawer. */
function useDraft(key: string, begin: string) {
  const [value, setValue] = useState(() => readDraft(key) ?? begin);
  return {
    value,
    onInput: (event: TargetedInputEvent<HTMLInputElement | HTMLTextAreaElement>) => {
      setValue(event.currentTarget.value);
      storeDraft(key, event.currentTarget.value);
    },
    drop: () => dropDraft(key),
  };
}
