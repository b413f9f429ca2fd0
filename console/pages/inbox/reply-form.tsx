import type { DataOf } from '../../../queues/contract/operations/index.ts';
import { confirmAction } from '../../components/dialogs.tsx';
import { Drawer } from '../../components/drawer.tsx';
import { OperationForm } from '../../components/operation-form.tsx';
import { ActionNote } from '../../components/states.tsx';
import { showToast } from '../../components/toast.tsx';
import { call } from '../../service.ts';
import { useAction } from '../../use-action.ts';

export type SavedReply = DataOf<'listSavedReplies'>[number];

const NAME_LENGTH = 40;

/** Names a reply by the beginning of its text, to the end of a word. */
export function nameReply(text: string): string {
  const line = text.trim().split(/\s+/).join(' ');
  if (line.length <= NAME_LENGTH) return line;
  const end = line.lastIndexOf(' ', NAME_LENGTH);
  return `${line.slice(0, end > 0 ? end : NAME_LENGTH)}…`;
}

/** The content of the form at first; a new reply has no id. */
export type EditedReply = Pick<SavedReply, 'text'> & Partial<SavedReply>;

interface FormOptions {
  readonly hostId: string;
  readonly reply: EditedReply;
  readonly onSaved: () => void;
  readonly onClose: () => void;
}

/** A prepared reply to change, or a new one that begins with a text. */
export function ReplyForm({ hostId, reply, onSaved, onClose }: FormOptions) {
  const { replyId: id, name = nameReply(reply.text), text, onlyMine = false } = reply;
  const deleting = useAction();
  const known = { hostId, ...(id && { id }) };
  const finish = (said: string) => {
    showToast(said);
    onSaved();
  };
  const remove = async () => {
    if (!(await confirmAction({ title: `Excluir ${name}?`, text, action: 'Excluir' }))) return;
    await call('saveSavedReply', { ...known, deleted: true });
    finish('Resposta pronta excluída');
  };
  return (
    <Drawer title={id ? 'Editar resposta pronta' : 'Nova resposta pronta'} onClose={onClose}>
      <OperationForm
        of="saveSavedReply"
        begin={{ name, text, onlyMine }}
        save={async fields => {
          await call('saveSavedReply', { ...known, ...fields, text: fields.text.trim() });
          finish('Resposta pronta salva: escreva / para usá-la');
        }}
        onCancel={onClose}
        buttons={
          id && (
            <button type="button" class="danger" onClick={() => deleting.run(remove)}>
              Excluir
            </button>
          )
        }
      >
        <ActionNote of={deleting} />
      </OperationForm>
    </Drawer>
  );
}
