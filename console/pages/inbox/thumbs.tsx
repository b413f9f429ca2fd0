import { ThumbsDown, ThumbsUp } from 'lucide';
import { useState } from 'preact/hooks';
import { Field } from '../../components/field.tsx';
import { Icon } from '../../components/icon.tsx';
import { SaveForm } from '../../components/save-form.tsx';
import { ActionNote } from '../../components/states.tsx';
import { showToast } from '../../components/toast.tsx';
import { call, getSession } from '../../service.ts';
import { useAction } from '../../use-action.ts';
import type { Message } from './conversation.ts';

/** Whether the answer was right, as this member of the staff says, and what its person said of it. */
export function Thumbs(props: { readonly message: Message; readonly conversationId: string }) {
  const { message, conversationId } = props;
  const own = message.feedback.find(({ personId }) => personId === getSession()?.id);
  const ofPerson = message.feedback.find(({ personId }) => personId === null);
  const [score, setScore] = useState(own?.score);
  const [isCorrecting, setCorrecting] = useState(false);
  const judging = useAction();
  const judge = async (next: number, said = '') => {
    const hostId = getSession()?.host.host_id ?? '';
    const turnId = message.turnId ?? undefined;
    await call('saveFeedback', {
      hostId,
      conversationId,
      ...(turnId ? { turnId } : {}),
      score: next,
      text: said,
    });
    setScore(next);
  };
  const button = (value: number, label: string, icon: typeof ThumbsUp) => (
    <button
      type="button"
      class="icon-button"
      aria-label={label}
      title={label}
      aria-pressed={score === value}
      onClick={() => {
        judging.run(() => judge(value));
        setCorrecting(value < 0);
      }}
    >
      <Icon of={icon} size={14} />
    </button>
  );
  return (
    <div class="thumbs">
      {button(1, 'Resposta certa', ThumbsUp)}
      {button(-1, 'Resposta errada', ThumbsDown)}
      {ofPerson && <span class="small">{describe(ofPerson)}</span>}
      <ActionNote of={judging} />
      {isCorrecting && (
        <Correction
          begin={own?.text ?? ''}
          save={said => judge(-1, said)}
          onClose={() => setCorrecting(false)}
        />
      )}
    </div>
  );
}

function Correction(props: {
  readonly begin: string;
  readonly save: (text: string) => Promise<void>;
  readonly onClose: () => void;
}) {
  const { begin, save, onClose } = props;
  const [text, setText] = useState(begin);
  const store = async () => {
    await save(text.trim());
    onClose();
    showToast('A resposta certa está nas perguntas');
  };
  return (
    <SaveForm text="Guardar" save={store} onCancel={onClose}>
      <Field label="A resposta certa, se quiser">
        {field => (
          <textarea {...field} rows={3} value={text} onInput={event => setText(event.currentTarget.value)} />
        )}
      </Field>
    </SaveForm>
  );
}

function describe({ score, scale, text }: Message['feedback'][number]): string {
  const verdict = scale ? `${score} de ${scale}` : score > 0 ? 'certa' : 'errada';
  return `A pessoa: ${verdict}${text ? `, “${text}”` : ''}`;
}
