import type { ComponentChild } from 'preact';
import { useId, useLayoutEffect } from 'preact/hooks';

export interface FieldAttributes {
  readonly id: string;
  readonly 'aria-describedby'?: string;
}

/** A form field under its label; the child gets the attributes that link both. */
export function Field({
  label,
  hint,
  children,
}: {
  readonly label: string;
  readonly hint?: string;
  readonly children: (attributes: FieldAttributes) => ComponentChild;
}) {
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

/** A choice among few, as a field. */
export function SelectField({
  label,
  value,
  choices,
  onChange,
}: {
  readonly label: string;
  readonly value: string;
  readonly choices: Choices;
  readonly onChange: (value: string) => void;
}) {
  return (
    <Field label={label}>
      {field => (
        <select {...field} value={value} onChange={event => onChange(event.currentTarget.value)}>
          {choices.map(([each, text]) => (
            <option key={each} value={each}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

/** A checkbox with its label. */
export function CheckField({
  label,
  isChecked,
  onChange,
}: {
  readonly label: string;
  readonly isChecked: boolean;
  readonly onChange: (isChecked: boolean) => void;
}) {
  return (
    <label class="check">
      <input type="checkbox" checked={isChecked} onChange={event => onChange(event.currentTarget.checked)} />
      {label}
    </label>
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
