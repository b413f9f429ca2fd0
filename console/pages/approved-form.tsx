import { useState } from 'preact/hooks';
import type { DataOf } from '../../queues/contract/operations/index.ts';
import { Drawer } from '../components/drawer.tsx';
import { CheckField, Field } from '../components/field.tsx';
import { SaveForm } from '../components/save-form.tsx';
import { showToast } from '../components/toast.tsx';
import { call } from '../service.ts';
import type { Avatar } from '../shell/session.ts';

type Approved = DataOf<'saveApprovedAnswer'>;
export type ApprovedBegin = Pick<Approved, 'questions' | 'answer'> & Partial<Approved>;

interface FormProps {
  readonly hostId: string;
  readonly avatars: readonly Avatar[];
  /** With an id: one that is changed. */
  readonly begin: ApprovedBegin;
  readonly onSaved?: () => void;
  readonly onClose: () => void;
}

export const ApprovedDrawer = (props: FormProps) => (
  <Drawer title="Aprovar resposta" onClose={props.onClose}>
    <ApprovedForm {...props} />
  </Drawer>
);

/** An answer that is given as it is, with the questions that it is for. */
export function ApprovedForm({ hostId, avatars, begin, onSaved, onClose }: FormProps) {
  const [questions, setQuestions] = useState(begin.questions.join('\n'));
  const [answer, setAnswer] = useState(begin.answer);
  const [day, setDay] = useState(begin.expires?.slice(0, 10) ?? '');
  const [enabled, setEnabled] = useState(begin.enabled ?? true);
  const [avatarIds, setAvatarIds] = useState(begin.avatarIds ?? avatars.map(({ avatar_id }) => avatar_id));
  const save = async () => {
    const { unmatched } = await call('saveApprovedAnswer', {
      hostId,
      ...(begin.id ? { id: begin.id } : {}),
      questions: questions
        .split('\n')
        .map(line => line.trim())
        .filter(line => line !== ''),
      answer: answer.trim(),
      avatarIds: [...avatarIds],
      expires: day === '' ? null : day === begin.expires?.slice(0, 10) ? begin.expires : day,
      enabled,
    });
    const [unread] = unmatched;
    showToast(unread ? `Salva, mas ninguém pergunta só isto: “${unread}”` : 'Resposta aprovada');
    onSaved?.();
    onClose();
  };
  return (
    <SaveForm text="Aprovar" save={save} onCancel={onClose}>
      <Field label="Perguntas" hint="Uma por linha, cada uma completa: com o curso, o campus, o ano.">
        {field => (
          <textarea
            {...field}
            required
            rows={3}
            value={questions}
            onInput={event => setQuestions(event.currentTarget.value)}
          />
        )}
      </Field>
      <Field label="Resposta" hint="É enviada como está, sem passar por um modelo.">
        {field => (
          <textarea
            {...field}
            required
            rows={8}
            value={answer}
            onInput={event => setAnswer(event.currentTarget.value)}
          />
        )}
      </Field>
      <Field label="Vale até" hint="Sem data, vale sempre.">
        {field => (
          <input {...field} type="date" value={day} onChange={event => setDay(event.currentTarget.value)} />
        )}
      </Field>
      <AvatarFields avatars={avatars} value={avatarIds} onChange={setAvatarIds} />
      <CheckField label="Ativa" isChecked={enabled} onChange={setEnabled} />
    </SaveForm>
  );
}

function AvatarFields({
  avatars,
  value,
  onChange,
}: {
  readonly avatars: readonly Avatar[];
  readonly value: readonly string[];
  readonly onChange: (value: string[]) => void;
}) {
  const others = (id: string) => value.filter(each => each !== id);
  return (
    <fieldset class="stack">
      <legend>Assistentes</legend>
      {avatars.map(({ avatar_id: id, avatar_name }) => (
        <CheckField
          key={id}
          label={avatar_name}
          isChecked={value.includes(id)}
          onChange={isChecked => onChange(isChecked ? [...value, id] : others(id))}
        />
      ))}
    </fieldset>
  );
}
