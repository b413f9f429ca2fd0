import { useState } from 'preact/hooks';
import { Field, type FieldAttributes, SelectField } from '../../components/field.tsx';
import { labels } from '../../labels.ts';
import type { Step } from './changes.ts';

type Kind = NonNullable<Step['kind']>;
type Choices = NonNullable<Step['choices']>;

const askKinds: Readonly<Record<Kind, string>> = {
  text: 'Qualquer texto',
  number: 'Um número',
  date: 'Uma data',
  cpf: 'Um CPF',
  email: 'Um e-mail',
  phone: 'Um telefone',
  choice: 'Uma opção da lista',
};
const RETRIES = 2;
const MAX_RETRIES = 5;
const twoChoices = ['Sim', 'Não'].map(title => ({ id: title, title }));

export const labelOf = (part: string): string => labels.get(`chainJson.${part}`) ?? part;

/** By which a step is known in a list. */
export const textOf = ({ content, description, name = '', values = [] }: Step): string =>
  content || description || [name, ...values].filter(Boolean).join(' · ') || 'Ainda vazio';

/** Returns the step with another type, without the fields that only its old type has. */
export function toType(step: Step, type: string): Step {
  const {
    name: _name,
    kind: _kind,
    retries: _retries,
    values: _values,
    goTo: _goTo,
    choices,
    ...rest
  } = step;
  if (type === 'ask') return { ...rest, type, name: 'resposta', kind: 'text' };
  if (type === 'when') return { ...rest, type, content: '' };
  return { ...rest, type, ...(type === 'message' && choices ? { choices } : {}) };
}

/** Keeps branches at their steps when these move; a branch whose step was removed leads nowhere. */
export function keepTargets(before: readonly Step[], after: readonly Step[]): readonly Step[] {
  return after.map(step => {
    if (typeof step.goTo !== 'number') return step;
    const target = before[step.goTo];
    const at = target ? after.indexOf(target) : -1;
    if (at >= 0) return { ...step, goTo: at };
    const { goTo: _, ...lost } = step;
    return after.length < before.length ? lost : step;
  });
}

interface Props {
  readonly step: Step;
  readonly onChange: (step: Step) => void;
}

/** The fields of a question, of a branch, and of a message with choices. */
export function AskFields(props: Props & { readonly place: number; readonly steps: readonly Step[] }) {
  const { step, place, steps, onChange } = props;
  if (step.type === 'message') return <ChoiceFields step={step} isOptional onChange={onChange} />;
  if (step.type === 'when')
    return <BranchFields step={step} place={place} steps={steps} onChange={onChange} />;
  if (step.type !== 'ask') return null;
  return (
    <>
      <NameField step={step} onChange={onChange} />
      <SelectField
        label={labelOf('kind')}
        value={step.kind ?? 'text'}
        choices={Object.entries(askKinds)}
        onChange={kind => {
          const { choices = twoChoices, ...rest } = step;
          onChange({ ...rest, kind: kind as Kind, ...(kind === 'choice' ? { choices } : {}) });
        }}
      />
      {step.kind === 'choice' && <ChoiceFields step={step} isOptional={false} onChange={onChange} />}
      <SelectField
        label={labelOf('retries')}
        value={String(step.retries ?? RETRIES)}
        choices={Array.from({ length: MAX_RETRIES + 1 }, (_, times) => [`${times}`, `${times}`] as const)}
        onChange={retries => onChange({ ...step, retries: Number(retries) })}
      />
    </>
  );
}

function NameField({ step, onChange }: Props) {
  return (
    <Field label={labelOf('name')} hint="Ferramentas, agentes e filtros a encontram por este nome.">
      {field => <Input field={field} value={step.name ?? ''} onValue={name => onChange({ ...step, name })} />}
    </Field>
  );
}

function Input(props: {
  readonly field: FieldAttributes;
  readonly value: string;
  readonly onValue: (value: string) => void;
}) {
  const { field, value, onValue } = props;
  return (
    <input
      {...field}
      required
      maxLength={200}
      value={value}
      onInput={event => onValue(event.currentTarget.value)}
    />
  );
}

function BranchFields(props: Props & { readonly place: number; readonly steps: readonly Step[] }) {
  const { step, place, steps, onChange } = props;
  const later = steps.flatMap((each, at) =>
    at >= place ? [[String(at), `${at + 1}. ${textOf(each)}`] as const] : [],
  );
  const { goTo } = step;
  const named = steps.findIndex(({ type, name }, at) => at >= place && type !== 'when' && name === goTo);
  const target = typeof goTo === 'string' ? named : (goTo ?? -1);
  return (
    <>
      <NameField step={step} onChange={onChange} />
      <LinesField
        label={labelOf('values')}
        hint="Um valor por linha."
        lines={step.values ?? []}
        onLines={values => onChange({ ...step, values })}
      />
      <SelectField
        label={labelOf('goTo')}
        value={target >= place ? String(target) : ''}
        choices={[['', 'Escolha um passo'], ...later]}
        onChange={at => at !== '' && onChange({ ...step, goTo: Number(at) })}
      />
    </>
  );
}

/** Each choice is a line. Its id is its title, unless a system gave it one of its own, which stays while the title is changed. */
function ChoiceFields({ step, isOptional, onChange }: Props & { readonly isOptional: boolean }) {
  const { choices: listed = [], ...rest } = step;
  const onLines = (lines: readonly string[]) => {
    const choices: Choices = lines.map((title, at) => {
      const changed = listed[at] && !lines.includes(listed[at].title) ? listed[at] : undefined;
      const known = listed.find(each => each.title === title) ?? changed;
      return { id: known && known.id !== known.title ? known.id : title, title };
    });
    onChange(choices.length === 0 && isOptional ? rest : { ...rest, choices });
  };
  return (
    <LinesField
      label={labelOf('choices')}
      hint={`Uma opção por linha, de duas a dez.${isOptional ? ' Sem opções, deixe vazio.' : ''}`}
      lines={listed.map(({ title }) => title)}
      onLines={onLines}
    />
  );
}

function LinesField(props: {
  readonly label: string;
  readonly hint: string;
  readonly lines: readonly string[];
  readonly onLines: (lines: string[]) => void;
}) {
  const { label, hint, lines, onLines } = props;
  // An empty line stays while somebody types, and lines that were changed elsewhere take its place.
  const [typed, setTyped] = useState('');
  const text = lines.join('\n');
  return (
    <Field label={label} hint={hint}>
      {field => (
        <textarea
          {...field}
          rows={3}
          value={linesOf(typed).join('\n') === text ? typed : text}
          onInput={({ currentTarget: { value } }) => {
            setTyped(value);
            onLines(linesOf(value));
          }}
        />
      )}
    </Field>
  );
}

const linesOf = (text: string): string[] => text.split('\n').flatMap(line => line.trim() || []);
