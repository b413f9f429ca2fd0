import type { ComponentChild } from 'preact';
import { useId, useLayoutEffect } from 'preact/hooks';

export interface FieldAttributes {
  readonly id: string;
  readonly 'aria-describedby'?: string;
}

/** A form field under its label; the child gets the attributes that link both. */
export function Field(props: {
  readonly label: string;
  readonly hint?: string | undefined;
  readonly children: (attributes: FieldAttributes) => ComponentChild;
}) {
  const { label, hint, children } = props;
  const id = useId();
  const hintId = `${id}-hint`;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({ id, ...(hint ? { 'aria-describedby': hintId } : {}) })}
      {hint && (
        <span class="hint" id={hintId}>
          {hint}
        </span>
      )}
    </div>
  );
}

export type Choices = readonly (readonly [value: string, text: string])[];

export function SelectField(props: {
  readonly label: string;
  readonly hint?: string | undefined;
  readonly value: string;
  readonly choices: Choices;
  readonly onChange: (value: string) => void;
}) {
  return (
    <Field label={props.label} hint={props.hint}>
      {field => (
        <select {...field} value={props.value} onChange={event => props.onChange(event.currentTarget.value)}>
          {props.choices.map(([each, text]) => (
            <option key={each} value={each}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

export function CheckField(props: {
  readonly label: string;
  readonly hint?: string | undefined;
  readonly isChecked: boolean;
  readonly onChange: (isChecked: boolean) => void;
}) {
  const hintId = useId();
  const box = (
    <label class="check">
      <input
        type="checkbox"
        aria-describedby={props.hint && hintId}
        checked={props.isChecked}
        onChange={event => props.onChange(event.currentTarget.checked)}
      />
      {props.label}
    </label>
  );
  if (!props.hint) return box;
  return (
    <div class="field">
      {box}
      <span class="hint" id={hintId}>
        {props.hint}
      </span>
    </div>
  );
}

/** Keeps the field as high as its text, up to the limit of the style. */
export function useGrowth(field: { readonly current: HTMLTextAreaElement | null }, text: string): void {
  useLayoutEffect(() => {
    const element = field.current;
    if (!element) return;
    element.style.height = 'auto';
    element.style.height = `${element.scrollHeight + 2}px`;
  }, [text]);
}
