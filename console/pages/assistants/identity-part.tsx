import { useState } from 'preact/hooks';
import type { DataOf } from '../../../queues/contract/operations/index.ts';
import { Field, SelectField } from '../../components/field.tsx';
import { Portrait } from '../../components/list-row.tsx';
import type { Editing, Fields } from './changes.ts';

/** Choices for an answer with a figure that no source supports. */
const unsupportedChoices = [
  ['pass', 'Enviar assim mesmo'],
  ['handoff', 'Enviar e chamar uma pessoa'],
  ['withhold', 'Trocar a frase por “não encontrei”'],
] as const;

/** Choices for a person whose question no model answers. */
const failureChoices = [
  ['error', 'Nada: a falha vai para quem chamou'],
  ['handoff', 'Enviar um texto e chamar uma pessoa'],
] as const;

const languages = [
  ['pt-BR', 'Português (Brasil)'],
  ['en', 'Inglês'],
  ['es', 'Espanhol'],
] as const;

type Choices = readonly (readonly [value: string, text: string])[];

/** Adds the chosen value if it is not on offer. */
const withChosen = (choices: Choices, chosen: string): Choices =>
  choices.some(([value]) => value === chosen) ? choices : [...choices, [chosen, chosen]];

/** Who the assistant is and how it speaks. */
export function IdentityPart({
  editing: { fields, setField },
  models,
}: {
  readonly editing: Editing;
  readonly models: DataOf<'listModels'>;
}) {
  const modelChoices: Choices = [
    ['', 'Modelo padrão'],
    ...[...new Set(Object.values(models).flat())].map(name => [name, name] as const),
  ];
  return (
    <div class="stack">
      <Field label="Instruções" hint="Quem o assistente é, como fala e o que não deve fazer.">
        {field => (
          <textarea
            {...field}
            rows={14}
            maxLength={100_000}
            value={fields.prompt_envelop}
            onInput={event => setField({ prompt_envelop: event.currentTarget.value })}
          />
        )}
      </Field>
      <Face fields={fields} setField={setField} />
      <div class="pair">
        <SelectField
          label="Responde em"
          value={fields.language}
          choices={withChosen(languages, fields.language)}
          onChange={language => setField({ language })}
        />
        <SelectField
          label="Modelo"
          value={fields.model}
          choices={withChosen(modelChoices, fields.model)}
          onChange={model => setField({ model })}
        />
        <SelectField
          label="Se a resposta tiver um valor que não está no conhecimento"
          value={fields.on_unsupported}
          choices={unsupportedChoices}
          onChange={value => {
            const action = unsupportedChoices.find(([each]) => each === value)?.[0];
            if (action) setField({ on_unsupported: action });
          }}
        />
      </div>
      <Silence fields={fields} setField={setField} />
    </div>
  );
}

/** Settings for when the assistant or the person says nothing. */
function Silence({ fields, setField }: Pick<Editing, 'fields' | 'setField'>) {
  return (
    <div class="pair">
      <SelectField
        label="Se nenhum modelo responder"
        value={fields.on_failure}
        choices={failureChoices}
        onChange={value => setField({ on_failure: value === 'handoff' ? 'handoff' : 'error' })}
      />
      {fields.on_failure === 'handoff' && (
        <Field label="Texto nesse caso" hint="Vazio: uma frase pronta, no idioma do assistente.">
          {field => (
            <textarea
              {...field}
              rows={2}
              maxLength={4_000}
              value={fields.failure_text}
              onInput={event => setField({ failure_text: event.currentTarget.value })}
            />
          )}
        </Field>
      )}
      <Field
        label="Avisar se a pessoa parar de responder (minutos)"
        hint="De 5 a 10.080; vazio: nunca. O aviso vai para os webhooks."
      >
        {field => (
          <input
            {...field}
            type="number"
            min={5}
            max={10_080}
            value={fields.idle_after_minutes ?? ''}
            onInput={({ currentTarget: { value } }) =>
              setField({ idle_after_minutes: value === '' ? null : Number(value) })
            }
          />
        )}
      </Field>
    </div>
  );
}

function Face({
  fields: { avatar_name: name, avatar_picture: picture },
  setField,
}: {
  readonly fields: Fields;
  readonly setField: Editing['setField'];
}) {
  return (
    <div class="face">
      <Portrait name={name} url={picture} />
      <div class="pair">
        <Field label="Nome">
          {field => (
            <input
              {...field}
              required
              maxLength={200}
              value={name}
              onInput={event => setField({ avatar_name: event.currentTarget.value })}
            />
          )}
        </Field>
        <PictureField picture={picture} onChange={url => setField({ avatar_picture: url })} />
      </div>
    </div>
  );
}

/** The service accepts this many characters. */
const MOST_LETTERS = 2_000;
/** A picture is tried in these sizes and qualities, the best first, until it is short enough. */
const sizes = [64, 48, 40, 32];
const qualities = [0.8, 0.6, 0.4];
/** A browser that cannot write the first type silently writes a longer form. */
const types = ['image/webp', 'image/jpeg'];

const isStored = (picture: string) => picture.startsWith('data:');

/** The picture of an assistant: an address, or a file, which is shrunk until it fits into a `data:` URL. */
function PictureField({
  picture,
  onChange,
}: {
  readonly picture: string;
  readonly onChange: (picture: string) => void;
}) {
  const [trouble, setTrouble] = useState('');
  const takeFile = async (file: File | undefined) => {
    if (!file) return;
    const shrunk = await shrink(file).catch(() => undefined);
    setTrouble(shrunk === undefined ? `“${file.name}” não é uma imagem que este navegador abre.` : '');
    if (shrunk !== undefined) onChange(shrunk);
  };
  return (
    <Field label="Endereço da imagem" {...(trouble ? { hint: trouble } : {})}>
      {field => (
        <div class="picture-field">
          <input
            {...field}
            type="url"
            maxLength={MOST_LETTERS}
            placeholder={isStored(picture) ? 'Imagem de um arquivo' : 'https://'}
            value={isStored(picture) ? '' : picture}
            onInput={event => onChange(event.currentTarget.value)}
          />
          <label class="drop-link">
            <input
              type="file"
              class="unseen"
              accept="image/png,image/jpeg,image/webp,image/gif"
              onChange={event => {
                void takeFile(event.currentTarget.files?.[0]);
                // An empty field lets the person choose the same file again.
                event.currentTarget.value = '';
              }}
            />
            Escolher um arquivo
          </label>
        </div>
      )}
    </Field>
  );
}

/** Returns the middle of the picture as a `data:` URL; undefined if none is short enough. Rejects if the file is no picture. */
async function shrink(file: File): Promise<string | undefined> {
  const bitmap = await createImageBitmap(file);
  const tries = sizes.flatMap(size =>
    qualities.flatMap(quality => types.map(type => ({ size, quality, type }))),
  );
  for (const { size, quality, type } of tries) {
    const url = drawMiddle(bitmap, size).toDataURL(type, quality);
    if (url.startsWith(`data:${type}`) && url.length <= MOST_LETTERS) return url;
  }
  return undefined;
}

function drawMiddle(bitmap: ImageBitmap, size: number): HTMLCanvasElement {
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [size, size];
  const side = Math.min(bitmap.width, bitmap.height);
  const [left, top] = [(bitmap.width - side) / 2, (bitmap.height - side) / 2];
  canvas.getContext('2d')?.drawImage(bitmap, left, top, side, side, 0, 0, size, size);
  return canvas;
}
