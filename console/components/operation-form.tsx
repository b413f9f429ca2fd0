import type { ComponentChildren } from 'preact';
import { useId, useState } from 'preact/hooks';
import type { BodyOf } from '../../queues/contract/operations/index.ts';
import { labelOf, placeIn } from '../labels.ts';
import { type FieldShape, shapes } from '../shapes.ts';
import { type FieldWords, type FormName, words } from '../words.ts';
import { CheckField, type Choices, Field, SelectField } from './field.tsx';
import { SaveForm } from './save-form.tsx';

/** Names of the fields that `words.ts` has for an operation; those of `a[1].b` are those of `a.b`. */
type FieldOf<N extends FormName> = (keyof (typeof words)[N] & string) | `${string}[${number}].${string}`;
/** Fields have the types of the contract; a part of one, such as `config.url`, is a text. */
type Values<N extends FormName, F extends FieldOf<N>> = {
  readonly [K in F]: K extends keyof BodyOf<N> ? Exclude<BodyOf<N>[K], undefined> : string;
};

interface FieldsProps<N extends FormName, F extends FieldOf<N>> {
  readonly of: N;
  /** In this order. */
  readonly names: readonly F[];
  readonly values: Values<N, F>;
  readonly onChange: (changed: Partial<Values<N, F>>) => void;
  readonly choices?: { readonly [K in F]?: Choices };
  /** Hints that are data. */
  readonly hints?: { readonly [K in F]?: string };
}

type FieldValue = string | number | boolean | null | readonly string[];

/** The same without knowing which operation. */
interface AnyFields {
  readonly of: FormName;
  readonly names: readonly string[];
  readonly values: Readonly<Record<string, FieldValue>>;
  readonly onChange: (changed: Readonly<Record<string, FieldValue>>) => void;
  readonly choices?: Readonly<Record<string, Choices>>;
  readonly hints?: Readonly<Record<string, string>>;
}

/** Fields of an operation, with the limits of the contract. */
export function OperationFields<N extends FormName, F extends FieldOf<N>>(props: FieldsProps<N, F>) {
  const { of, names, values, onChange, choices, hints } = props as unknown as AnyFields;
  return names.map(name => {
    const [plain] = placeIn(name);
    const { choices: fixed = {}, ...said } = wordsOf(of)[plain] ?? {};
    const hint = hints?.[name] ?? said.hint;
    return (
      <OperationField
        key={name}
        {...said}
        {...(hint && { hint })}
        label={labelOf(name) ?? name}
        shape={shapes[of][plain] ?? {}}
        choices={choices?.[name] ?? Object.entries(fixed)}
        value={values[name] ?? null}
        onChange={value => onChange({ [name]: value })}
      />
    );
  });
}

const wordsOf = (of: FormName): Readonly<Record<string, FieldWords>> => words[of];

interface FieldProps extends Omit<FieldWords, 'choices'> {
  readonly label: string;
  readonly shape: FieldShape;
  readonly choices: Choices;
  readonly value: FieldValue;
  readonly onChange: (value: FieldValue) => void;
}

function OperationField(props: FieldProps) {
  const { label, hint, shape, choices, value, onChange } = props;
  if (shape.type === 'boolean')
    return <CheckField label={label} hint={hint} isChecked={value === true} onChange={onChange} />;
  if (shape.type === 'array') return <ListField {...props} />;
  if (choices.length === 0) return <TextField {...props} />;
  return (
    <>
      <SelectField label={label} hint={hint} value={String(value)} choices={choices} onChange={onChange} />
      {props.hints && (
        <p class="small" aria-live="polite">
          {props.hints[String(value)]}
        </p>
      )}
    </>
  );
}

/** Keeps the order of the choices, however they were made. */
function ListField({ label, hint, choices, value, onChange }: FieldProps) {
  const chosen = value as readonly string[];
  const hintId = useId();
  if (choices.length === 0) return null;
  return (
    <fieldset aria-describedby={hint && hintId}>
      <legend>{label}</legend>
      {hint && (
        <p class="hint" id={hintId}>
          {hint}
        </p>
      )}
      {choices.map(([each, text]) => (
        <CheckField
          key={each}
          label={text}
          isChecked={chosen.includes(each)}
          onChange={isChecked =>
            onChange(
              choices.flatMap(([one]) => ((one === each ? isChecked : chosen.includes(one)) ? [one] : [])),
            )
          }
        />
      ))}
    </fieldset>
  );
}

function TextField({ label, hint, shape, value, onChange, rows, hints: _, ...words }: FieldProps) {
  const { isRequired = false, maxLength, min, max, pattern } = { ...shape, ...words };
  const isNumber = shape.type === 'integer';
  const empty = isNumber ? null : '';
  const shared = {
    required: isRequired,
    maxLength,
    autocomplete: 'off' as const,
    value: String(value ?? ''),
  };
  const { type = isNumber ? 'number' : 'text', placeholder, inputMode } = words;
  const line = { type: type as 'text', placeholder, inputMode, min, max, pattern };
  return (
    <Field label={label} hint={hint}>
      {field =>
        rows ? (
          <textarea
            {...field}
            {...shared}
            rows={rows}
            spellcheck={words.spellcheck}
            onInput={event => onChange(event.currentTarget.value)}
          />
        ) : (
          <input
            {...field}
            {...shared}
            {...line}
            onInput={({ currentTarget: { value } }) =>
              onChange(isNumber && value !== '' ? Number(value) : value || empty)
            }
          />
        )
      }
    </Field>
  );
}

interface FormProps<N extends FormName, F extends FieldOf<N>>
  extends Pick<FieldsProps<N, F>, 'of' | 'choices' | 'hints'> {
  /** The values to begin with, in the order of the fields. */
  readonly begin: Values<N, F>;
  /** Some fields depend on others. */
  readonly isShown?: (name: F, values: Values<N, F>) => boolean;
  readonly changeWith?: (changed: Partial<Values<N, F>>, values: Values<N, F>) => Partial<Values<N, F>>;
  /** Whether the fields stand side by side where there is room. */
  readonly isPair?: boolean;
  readonly class?: string;
  /** Of the button. */
  readonly text?: string;
  readonly buttons?: ComponentChildren;
  /** `show` puts what was stored into the fields, where they stay open. */
  readonly save: (values: Values<N, F>, show: (stored: Values<N, F>) => void) => Promise<unknown>;
  readonly onCancel?: () => void;
  /** Stands after the fields. */
  readonly children?: ComponentChildren;
}

/** A form for an operation: it shows the fields of `begin`. */
export function OperationForm<N extends FormName, F extends FieldOf<N>>(props: FormProps<N, F>) {
  const [values, setValues] = useState(props.begin);
  const names = Object.keys(props.begin) as F[];
  const isLine = (name: string) => wordsOf(props.of)[name]?.rows === undefined;
  const trimmed = () =>
    Object.fromEntries(
      Object.entries(values).map(([name, value]) => [
        name,
        typeof value === 'string' && isLine(name) ? value.trim() : value,
      ]),
    ) as Values<N, F>;
  const fields = (
    <OperationFields
      {...props}
      names={names.filter(name => props.isShown?.(name, values) ?? true)}
      values={values}
      onChange={changed => setValues({ ...values, ...changed, ...props.changeWith?.(changed, values) })}
    />
  );
  return (
    <SaveForm
      {...(props.class && { class: props.class })}
      {...(props.text && { text: props.text })}
      save={() => props.save(trimmed(), setValues)}
      onCancel={props.onCancel}
      buttons={props.buttons}
    >
      {props.isPair ? <div class="pair">{fields}</div> : fields}
      {props.children}
    </SaveForm>
  );
}
