import type { ComponentChildren } from 'preact';
import { useAction } from '../use-action.ts';
import { ActionNote } from './states.tsx';

/** A form with the button that saves it, and the error of the last attempt. */
export function SaveForm(props: {
  readonly class?: string;
  /** Of the button. */
  readonly text?: string;
  readonly save: () => Promise<unknown>;
  /** Offers to give up. */
  readonly onCancel?: (() => void) | undefined;
  readonly buttons?: ComponentChildren;
  readonly children: ComponentChildren;
}) {
  const saving = useAction();
  return (
    <form
      class={props.class ?? 'stack'}
      onSubmit={event => {
        event.preventDefault();
        saving.run(props.save);
      }}
    >
      {props.children}
      <ActionNote of={saving} />
      <div class="buttons">
        <button type="submit" aria-busy={saving.isBusy}>
          {props.text ?? 'Salvar'}
        </button>
        {props.onCancel && (
          <button type="button" class="quiet" onClick={props.onCancel}>
            Cancelar
          </button>
        )}
        {props.buttons}
      </div>
    </form>
  );
}
