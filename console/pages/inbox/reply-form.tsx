import { useState } from 'preact/hooks';
import type { DataOf } from '../../../queues/contract/operations/index.ts';
import { confirmAction } from '../../components/dialogs.tsx';
import { Drawer } from '../../components/drawer.tsx';
import { CheckField, Field, NameField } from '../../components/field.tsx';
import { ActionNote } from '../../components/states.tsx';
import { showToast } from '../../components/toast.tsx';
import { call } from '../../service.ts';
import { useAction } from '../../use-action.ts';

export type SavedReply = DataOf<'listSavedReplies'>[number];

const MAX_LENGTH = 16_000;
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
export function ReplyForm(options: FormOptions) {
  const { reply, onClose } = options;
  const { name, setName, text, setText, onlyMine, setOnlyMine, saving, save, remove } = useReplyForm(options);
  const isNew = reply.replyId === undefined;
  return (
    <Drawer title={isNew ? 'Nova resposta pronta' : 'Editar resposta pronta'} onClose={onClose}>
      <form
        class="stack"
        onSubmit={event => {
          event.preventDefault();
          saving.run(save);
        }}
      >
        <NameField label="Nome" hint="Curto, para achá-la depois da barra." value={name} onInput={setName} />
        <ReplyText text={text} onInput={setText} />
        <CheckField label="Só minha: a equipe não vê" isChecked={onlyMine} onChange={setOnlyMine} />
        <ActionNote of={saving} />
        <div class="buttons">
          <button type="submit" aria-busy={saving.isBusy}>
            Salvar
          </button>
          <button type="button" class="quiet" onClick={onClose}>
            Cancelar
          </button>
          {!isNew && (
            <button type="button" class="danger" onClick={() => saving.run(remove)}>
              Excluir
            </button>
          )}
        </div>
      </form>
    </Drawer>
  );
}

function ReplyText({ text, onInput }: { readonly text: string; readonly onInput: (text: string) => void }) {
  return (
    <Field label="Texto" hint="{nome} vira o primeiro nome da pessoa.">
      {field => (
        <textarea
          {...field}
          rows={6}
          required
          maxLength={MAX_LENGTH}
          value={text}
          onInput={event => onInput(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}

function useReplyForm({ hostId, reply, onSaved }: FormOptions) {
  const { replyId: id } = reply;
  const [name, setName] = useState(reply.name ?? nameReply(reply.text));
  const [text, setText] = useState(reply.text);
  const [onlyMine, setOnlyMine] = useState(reply.onlyMine ?? false);
  const saving = useAction();
  const known = { hostId, ...(id === undefined ? {} : { id }) };
  const finish = (said: string) => {
    showToast(said);
    onSaved();
  };
  const save = async () => {
    await call('saveSavedReply', { ...known, name: name.trim(), text: text.trim(), onlyMine });
    finish('Resposta pronta salva: escreva / para usá-la');
  };
  const remove = async () => {
    const question = { title: `Excluir ${reply.name}?`, text: reply.text, action: 'Excluir' };
    if (!(await confirmAction(question))) return;
    await call('saveSavedReply', { ...known, deleted: true });
    finish('Resposta pronta excluída');
  };
  return { name, setName, text, setText, onlyMine, setOnlyMine, saving, save, remove };
}
