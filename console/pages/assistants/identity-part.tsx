import { useState } from 'preact/hooks';
import type { DataOf } from '../../../queues/contract/operations/index.ts';
import { type Choices, Field } from '../../components/field.tsx';
import { Portrait } from '../../components/list-row.tsx';
import { OperationFields } from '../../components/operation-form.tsx';
import type { Editing } from './changes.ts';

const languages = [
  ['pt-BR', 'Português (Brasil)'],
  ['en', 'Inglês'],
  ['es', 'Espanhol'],
] as const;

/** Adds the chosen value if it is not on offer. */
const withChosen = (choices: Choices, chosen: string): Choices =>
  choices.some(([value]) => value === chosen) ? choices : [...choices, [chosen, chosen]];

/** Who the assistant is and how it speaks. */
export function IdentityPart(props: { readonly editing: Editing; readonly models: DataOf<'listModels'> }) {
  const { models } = props;
  const { fields, setField } = props.editing;
  const modelChoices: Choices = [
    ['', 'Modelo padrão'],
    ...[...new Set(Object.values(models).flat())].map(name => [name, name] as const),
  ];
  const common = { of: 'editAvatar', values: fields, onChange: setField } as const;
  return (
    <div class="stack">
      <OperationFields {...common} names={['prompt_envelop']} />
      <div class="face">
        <Portrait name={fields.avatar_name} url={fields.avatar_picture} />
        <div class="pair">
          <OperationFields {...common} names={['avatar_name']} />
          <PictureField
            picture={fields.avatar_picture}
            onChange={avatar_picture => setField({ avatar_picture })}
          />
        </div>
      </div>
      <div class="pair">
        <OperationFields
          {...common}
          names={['language', 'model', 'on_unsupported']}
          choices={{
            language: withChosen(languages, fields.language),
            model: withChosen(modelChoices, fields.model),
          }}
        />
      </div>
      <div class="pair">
        <OperationFields
          {...common}
          names={
            fields.on_failure === 'handoff'
              ? ['on_failure', 'failure_text', 'idle_after_minutes']
              : ['on_failure', 'idle_after_minutes']
          }
        />
      </div>
      <OperationFields {...common} names={['answer_mode', 'rewrite']} />
    </div>
  );
}

/** The service accepts this many characters. */
const MAX_LETTERS = 2_000;
/** A picture is tried in these sizes and qualities, the best first, until it is short enough. */
const sizes = [64, 48, 40, 32];
const qualities = [0.8, 0.6, 0.4];
/** A browser that cannot write the first type silently writes a longer form. */
const types = ['image/webp', 'image/jpeg'];

const isStored = (picture: string) => picture.startsWith('data:');

/** The picture of an assistant: an address, or a file, which is shrunk until it fits into a `data:` URL. */
function PictureField(props: { readonly picture: string; readonly onChange: (picture: string) => void }) {
  const { picture, onChange } = props;
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
            maxLength={MAX_LETTERS}
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
    if (url.startsWith(`data:${type}`) && url.length <= MAX_LETTERS) return url;
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
