import { confirmAction } from '../../components/dialogs.tsx';
import { Drawer } from '../../components/drawer.tsx';
import { Menu } from '../../components/menu.tsx';
import { OperationForm } from '../../components/operation-form.tsx';
import { ActionNote } from '../../components/states.tsx';
import { showToast } from '../../components/toast.tsx';
import { formatMoment } from '../../format.ts';
import { nameDocument, newPassage, splitPassage } from '../../passage.ts';
import { call } from '../../service.ts';
import { linkTo } from '../../shell/route.ts';
import { useAction } from '../../use-action.ts';
import { PassageForm } from '../passage-form.tsx';
import { type OpenDataset, type Passage, placeOf } from './open-dataset.ts';
import { changedOf, daysOf } from './validity.ts';

interface PassageDrawerProps {
  readonly open: OpenDataset;
  /** Absent for a new one. */
  readonly passage?: Passage;
  /** The title that a new passage begins with. */
  readonly title: string;
  readonly onChanged: () => void;
  readonly onClose: () => void;
}

/** A passage to change, or a new one. The text stays until the person saves it or gives it up. */
export function PassageDrawer(props: PassageDrawerProps) {
  const { passage, title, onChanged, onClose } = props;
  const { host, dataset } = props.open;
  const target = { host_id: host.host_id, dataset_id: dataset.id };
  const id = passage?.chunk_id;
  return (
    <Drawer title={passage ? 'Editar passagem' : 'Nova passagem'} onClose={onClose}>
      {passage && (
        <PassageOrigin
          passage={passage}
          dataset={dataset}
          target={target}
          onDeleted={onChanged}
          onClose={onClose}
        />
      )}
      <PassageForm
        draft={`passagem:${id ?? `nova:${dataset.id}`}`}
        begin={passage ? splitPassage(passage) : { ...newPassage, title }}
        hint="Um assunto, completo e sem depender de outro texto."
        hasFilters={dataset.dataset_type === 'filtered_rag'}
        limit={host.host_config.chunk_size_limit}
        save={sent =>
          id === undefined
            ? call('createChunk', { ...target, ...sent })
            : call('editChunk', { ...target, id, ...sent })
        }
        onSaved={() => {
          showToast('Passagem salva: o assistente já a usa');
          onChanged();
          onClose();
        }}
        onClose={onClose}
      />
      {passage && <PassageFields passage={passage} dataset={dataset} target={target} onChanged={onChanged} />}
    </Drawer>
  );
}

/** What is said of a passage beside its text: when it is valid, and how people call it. */
function PassageFields(
  props: Pick<PassageDrawerProps, 'onChanged'> & {
    readonly passage: Passage;
    readonly dataset: OpenDataset['dataset'];
    readonly target: { readonly host_id: string; readonly dataset_id: string };
  },
) {
  const { passage, dataset, target, onChanged } = props;
  const edit = async (fields: object, told: string) => {
    await call('editChunk', { ...target, id: passage.chunk_id, ...fields });
    showToast(told);
    onChanged();
  };
  const days = daysOf(passage);
  return (
    <>
      <OperationForm
        of="editChunk"
        isPair
        begin={days}
        save={given => edit(changedOf(given, days), 'Validade salva')}
      />
      {(passage.people_words !== undefined || dataset.enrich) && (
        <OperationForm
          of="editChunk"
          begin={{ people_words: passage.people_words ?? '' }}
          save={fields => edit(fields, 'Palavras salvas')}
        />
      )}
    </>
  );
}

/** Its author and time, its document, and its deletion. */
function PassageOrigin(props: {
  readonly passage: Passage;
  readonly dataset: OpenDataset['dataset'];
  readonly target: { readonly host_id: string; readonly dataset_id: string };
  readonly onDeleted: () => void;
  readonly onClose: () => void;
}) {
  const { dataset, target, onDeleted, onClose } = props;
  const { chunk_id, last_update, user_name, document_id, document_title, read_by_model } = props.passage;
  const deleting = useAction();
  const remove = async () => {
    if (!(await confirmAction(deletion))) return;
    await call('editChunk', { ...target, id: chunk_id, deleted: true });
    showToast('Passagem excluída');
    onDeleted();
    onClose();
  };
  return (
    <>
      <div class="head">
        <p class="small">
          Mudada em {formatMoment(last_update)}
          {user_name && ` por ${user_name}`}
          {document_id && (
            <>
              {' · de '}
              <a href={linkTo(...placeOf(dataset, 'documentos'))}>
                {nameDocument(document_title ?? '') || 'um documento'}
              </a>
            </>
          )}
          {read_by_model && ' · um modelo leu isto na imagem da página: compare os números com o papel'}
        </p>
        <Menu
          label="Ações da passagem"
          actions={[{ text: 'Excluir passagem', isDangerous: true, onChoose: () => deleting.run(remove) }]}
        />
      </div>
      <ActionNote of={deleting} />
    </>
  );
}

const deletion = {
  title: 'Excluir esta passagem?',
  text: 'Ela não pode ser recuperada. Os assistentes deixam de responder com ela.',
  action: 'Excluir passagem',
};
