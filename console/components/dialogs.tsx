import { type ComponentChild, render } from 'preact';
import { Field } from './field.tsx';

/** Asks before something that cannot be undone. Resolves to whether the person agreed. */
export async function confirmAction(props: {
  readonly title: string;
  readonly text: string;
  readonly action: string;
}): Promise<boolean> {
  const { title, text, action } = props;
  const agreed = await openDialog<true>(title, finish => (
    <>
      <p>{text}</p>
      <div class="buttons">
        <button type="button" class="quiet" onClick={() => finish(undefined)}>
          Cancelar
        </button>
        <button type="button" class="danger" onClick={() => finish(true)}>
          {action}
        </button>
      </div>
    </>
  ));
  return agreed === true;
}

/** Resolves to undefined if the person did not answer. */
export function askText(props: {
  readonly title: string;
  readonly text: string;
  readonly label: string;
  readonly action: string;
}): Promise<string | undefined> {
  const { title, text, label, action } = props;
  return openDialog<string>(title, finish => {
    const submit = (event: SubmitEvent) => {
      event.preventDefault();
      const answer = new FormData(event.currentTarget as HTMLFormElement).get('answer');
      if (typeof answer === 'string' && answer.trim()) finish(answer.trim());
    };
    return (
      <form class="stack" onSubmit={submit}>
        <p>{text}</p>
        <Field label={label}>
          {field => <input {...field} name="answer" required maxLength={200} autocomplete="name" />}
        </Field>
        <div class="buttons">
          <button type="button" class="quiet" onClick={() => finish(undefined)}>
            Cancelar
          </button>
          <button type="submit">{action}</button>
        </div>
      </form>
    );
  });
}

/** Asks for one of several in groups, or for none, and for a note if wanted; resolves to undefined if the person did not choose. */
export function chooseOne(props: {
  readonly title: string;
  readonly text: string;
  readonly label: string;
  readonly groups: readonly Choices[];
  /** Shown where there is nothing to choose from. */
  readonly empty: string;
  readonly note?: { readonly label: string; readonly text: string };
  readonly action: string;
}): Promise<{ readonly choice: string; readonly note: string } | undefined> {
  const { title, text, label, groups, empty, note, action } = props;
  const filled = groups.filter(([, choices]) => choices.length > 0);
  return openDialog(title, finish => {
    const submit = (event: SubmitEvent) => {
      event.preventDefault();
      const answer = new FormData(event.currentTarget as HTMLFormElement);
      const [choice, written] = [answer.get('choice'), answer.get('note') ?? ''];
      if (typeof choice === 'string' && typeof written === 'string') finish({ choice, note: written.trim() });
    };
    return (
      <form class="stack" onSubmit={submit}>
        <p>{filled.length > 0 ? text : empty}</p>
        {filled.length > 0 && (
          <>
            <Field label={label}>
              {field => (
                <select {...field} name="choice" required>
                  <option value="">Escolha</option>
                  {filled.map(makeOptions)}
                </select>
              )}
            </Field>
            {note && (
              <Field label={note.label}>
                {field => (
                  <textarea {...field} name="note" rows={3} maxLength={2_000} defaultValue={note.text} />
                )}
              </Field>
            )}
          </>
        )}
        <div class="buttons">
          <button type="button" class="quiet" onClick={() => finish(undefined)}>
            {filled.length > 0 ? 'Cancelar' : 'Fechar'}
          </button>
          {filled.length > 0 && <button type="submit">{action}</button>}
        </div>
      </form>
    );
  });
}

type Choices = readonly [name: string, choices: readonly (readonly [value: string, text: string])[]];

const makeOptions = ([name, choices]: Choices) => (
  <optgroup key={name} label={name}>
    {choices.map(([value, text]) => (
      <option key={value} value={value}>
        {text}
      </option>
    ))}
  </optgroup>
);

/** The browser keeps the focus inside a modal dialog, and gives it back. */
function openDialog<Answer>(
  title: string,
  makeContent: (finish: (answer: Answer | undefined) => void) => ComponentChild,
): Promise<Answer | undefined> {
  return new Promise(resolve => {
    const dialog = document.createElement('dialog');
    dialog.className = 'card';
    dialog.setAttribute('aria-label', title);
    const finish = (answer: Answer | undefined) => {
      resolve(answer);
      dialog.close();
    };
    render(
      <>
        <h2>{title}</h2>
        {makeContent(finish)}
      </>,
      dialog,
    );
    dialog.addEventListener('close', () => {
      render(null, dialog);
      dialog.remove();
      resolve(undefined);
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}
