import type { ComponentChildren, TargetedInputEvent } from 'preact';
import { useState } from 'preact/hooks';
import { Field } from '../components/field.tsx';
import { SaveForm } from '../components/save-form.tsx';
import { dropDraft, readDraft, storeDraft } from '../drafts.ts';
import { formatCount } from '../format.ts';
import { joinPassage, type PassageParts } from '../passage.ts';

interface PassageFormProps {
  /** The name under which the draft is kept until the person saves it or gives it up. */
  readonly draft: string;
  readonly begin: PassageParts;
  readonly hint?: string;
  /** Whether the passage may be limited to some conversations. */
  readonly hasFilters?: boolean;
  /** In characters. */
  readonly limit: number;
  readonly save: (sent: ReturnType<typeof joinPassage>) => Promise<unknown>;
  readonly onSaved: () => void;
  readonly onClose: () => void;
  /** Fields before its own. */
  readonly children?: ComponentChildren;
}

/** A form for a passage: its title and its text. */
export function PassageForm(props: PassageFormProps) {
  const { begin, hint, hasFilters = false, limit, onSaved, onClose, children } = props;
  const title = useDraft(`${props.draft}:titulo`, begin.title);
  const text = useDraft(`${props.draft}:texto`, begin.text);
  const filters = useDraft(`${props.draft}:filtros`, begin.filters);
  const sent = joinPassage({
    filters: filters.value,
    mark: begin.mark,
    title: title.value,
    text: text.value,
  });
  const drop = () => [title, text, filters].forEach(each => each.drop());
  const save = async () => {
    await props.save(sent);
    drop();
    onSaved();
  };
  const giveUp = () => {
    drop();
    onClose();
  };
  // A passage of a document may have no heading.
  const mayBeBare = begin.title === '' && begin.text !== '';
  return (
    <SaveForm text="Salvar passagem" save={save} onCancel={giveUp}>
      {children}
      <Field label="Título" hint="O assunto, como as pessoas o chamam.">
        {field => <input {...field} required={!mayBeBare} value={title.value} onInput={title.onInput} />}
      </Field>
      <Field label="Texto" {...(hint ? { hint } : {})}>
        {field => <textarea {...field} required rows={12} value={text.value} onInput={text.onInput} />}
      </Field>
      {(hasFilters || begin.filters) && (
        <Field label="Para quais conversas" hint="Uma linha por dado, como “campus: Santos, Centro”.">
          {field => <textarea {...field} rows={3} value={filters.value} onInput={filters.onInput} />}
        </Field>
      )}
      <Length of={sent.content} limit={limit} />
    </SaveForm>
  );
}

function Length({ of, limit }: { readonly of: string; readonly limit: number }) {
  const { length } = Array.from(of);
  const isTooLong = length > limit;
  return (
    <p class={isTooLong ? 'small over' : 'small'} role="status">
      {formatCount(length, 'caractere', 'caracteres')} de {limit.toLocaleString('pt-BR')}
      {isTooLong && ': divida em duas passagens'}
    </p>
  );
}

/** Keeps the draft over an error and a reload. A text that equals `begin` is no draft. */
function useDraft(key: string, begin = '') {
  const [value, setValue] = useState(() => readDraft(key) ?? begin);
  return {
    value,
    onInput: ({ currentTarget }: TargetedInputEvent<HTMLInputElement | HTMLTextAreaElement>) => {
      setValue(currentTarget.value);
      if (currentTarget.value === begin) dropDraft(key);
      else storeDraft(key, currentTarget.value);
    },
    drop: () => dropDraft(key),
  };
}
