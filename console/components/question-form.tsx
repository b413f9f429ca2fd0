import { SendHorizontal } from 'lucide';
import { useRef, useState } from 'preact/hooks';
import { dropDraft, readDraft, storeDraft } from '../drafts.ts';
import { useGrowth } from './field.tsx';
import { Icon } from './icon.tsx';

const MAX_LENGTH = 16_000;

interface QuestionFormOptions {
  readonly label: string;
  readonly placeholder: string;
  readonly action: string;
  /** The name under which the text is kept until it is sent. */
  readonly draft: string;
  readonly isBusy: boolean;
  /** Whether the text stays after sending, so that the person can ask it again. */
  readonly keepsText?: boolean;
  readonly onAsk: (question: string) => void;
}

/** A form that asks an assistant something; Enter sends, also with Ctrl as in the inbox, and Shift-Enter breaks the line. */
export function QuestionForm(options: QuestionFormOptions) {
  const { label, placeholder, action, isBusy } = options;
  const { field, text, setText, submit } = useQuestion(options);
  return (
    <form
      class="composer"
      onSubmit={event => {
        event.preventDefault();
        submit();
      }}
    >
      <textarea
        ref={field}
        rows={1}
        maxLength={MAX_LENGTH}
        aria-label={label}
        placeholder={placeholder}
        value={text}
        onInput={event => setText(event.currentTarget.value)}
        onKeyDown={event => {
          if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
          event.preventDefault();
          submit();
        }}
      />
      <div class="composer-tools">
        <span class="small composer-hint">Enter envia</span>
        <button type="submit" disabled={isBusy}>
          {action} <Icon of={SendHorizontal} size={16} />
        </button>
      </div>
    </form>
  );
}

function useQuestion({ draft, isBusy, keepsText = false, onAsk }: QuestionFormOptions) {
  const [text, show] = useState(() => readDraft(draft) ?? '');
  const field = useRef<HTMLTextAreaElement>(null);
  useGrowth(field, text);
  const setText = (next: string) => {
    show(next);
    if (next === '') dropDraft(draft);
    else storeDraft(draft, next);
  };
  const submit = () => {
    const question = text.trim();
    if (question === '' || isBusy) return;
    if (!keepsText) setText('');
    onAsk(question);
    field.current?.focus();
  };
  return { field, text, setText, submit };
}
