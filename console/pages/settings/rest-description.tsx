import { useState } from 'preact/hooks';
import type { DataOf } from '../../../queues/contract/operations/index.ts';
import { CheckField, Field } from '../../components/field.tsx';
import { OperationForm } from '../../components/operation-form.tsx';
import { describeField } from '../../error-texts.ts';
import { formatCount } from '../../format.ts';
import { call } from '../../service.ts';

export interface Description extends DataOf<'readOpenApi'> {
  /** Its text or address, as it was typed. */
  readonly openapi: string;
}

/** Reads an OpenAPI file, from which functions are chosen. */
export function DescriptionForm(props: {
  readonly hostId: string;
  readonly onRead: (description: Description) => void;
}) {
  const read = async (typed: { readonly openapi: string }) => {
    const openapi = typed.openapi.trim();
    props.onRead({ openapi, ...(await call('readOpenApi', { hostId: props.hostId, openapi })) });
  };
  return <OperationForm of="readOpenApi" begin={{ openapi: '' }} text="Ler arquivo" save={read} />;
}

/** A tool has no more. */
const MAX_CHOSEN = 100;
/** More boxes are found by a word. */
const MAX_SHOWN = 100;

/** All, if they are not too many for one tool. */
export function firstChosenOf({ functions }: Description): readonly string[] {
  return functions.length > MAX_CHOSEN ? [] : functions.map(({ name }) => name);
}

export function FunctionChoice(props: {
  readonly description: Description;
  readonly chosen: readonly string[];
  readonly onChange: (chosen: readonly string[]) => void;
}) {
  const { description, chosen, onChange } = props;
  const [word, setWord] = useState('');
  const { functions, left } = description;
  const found = functions.filter(each =>
    `${each.name} ${each.path} ${each.description}`.toLowerCase().includes(word.toLowerCase()),
  );
  return (
    <>
      {functions.length > MAX_SHOWN && (
        <Field label="Procurar função">
          {field => (
            <input
              {...field}
              type="search"
              value={word}
              onInput={event => setWord(event.currentTarget.value)}
            />
          )}
        </Field>
      )}
      <fieldset>
        <legend>Funções do arquivo</legend>
        <p class="hint" role="status">
          {chosen.length} de {functions.length} escolhidas; cabem {MAX_CHOSEN}.
          {found.length > MAX_SHOWN && ` Aparecem as primeiras ${MAX_SHOWN}.`}
        </p>
        {found.slice(0, MAX_SHOWN).map(({ name, method, path, description: about }) => (
          <CheckField
            key={name}
            label={name}
            hint={`${method} ${path}${about && ` · ${about}`}`}
            isChecked={chosen.includes(name)}
            onChange={isChecked =>
              onChange(isChecked ? [...chosen, name] : chosen.filter(each => each !== name))
            }
          />
        ))}
      </fieldset>
      {left.length > 0 && (
        <details class="small">
          <summary>{formatCount(left.length, 'operação ficou de fora', 'operações ficaram de fora')}</summary>
          <ul>
            {left.map(({ path, message, rule }) => (
              <li key={path}>{describeField({ path, message, rule: rule as never })}</li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}
