import { useState } from 'preact/hooks';
import { Field } from '../../components/field.tsx';

/** As many characters as the service takes. */
const MOST_LETTERS = 2_000;
/** What a picture is tried as, until it is short enough: how wide and high it is, and how exact. */
const sizes = [64, 48, 40, 32];
const qualities = [0.8, 0.6, 0.4];
/** Where a browser cannot write the first, it writes a longer form instead. */
const types = ['image/webp', 'image/jpeg'];

const isStored = (picture: string) => picture.startsWith('data:');

/** The picture of an assistant: an address, or a file, whose picture is made so small that it is its own address. */
export function PictureField({
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
                // So that the same file can be chosen again.
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

/** The middle of the picture as a `data:` URL; undefined if none is short enough. Rejects what is no picture. */
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
