import { Paperclip, X } from 'lucide';
import { useRef, useState } from 'preact/hooks';
import type { BodyOf } from '../../../queues/contract/operations/index.ts';
import { Icon } from '../../components/icon.tsx';
import { showToast } from '../../components/toast.tsx';
import { formatSize } from '../../format.ts';
import { toBase64 } from '../knowledge/documents.ts';

/** The limits of the contract. */
const MAX_FILES = 5;
const MAX_BYTES = 16 * 1_048_576;

type SentFiles = NonNullable<BodyOf<'appendMessage'>['attachments']>;

export interface ComposerFiles {
  readonly all: readonly File[];
  /** What part of them is sent; undefined while nothing is. */
  readonly progress: number | undefined;
  readonly setProgress: (part: number | undefined) => void;
  readonly add: (files: FileList | null | undefined) => void;
  readonly remove: (file: File) => void;
  /** Those that were chosen meanwhile stay. */
  readonly dropSent: (sent: readonly File[]) => void;
}

/** The files beside a draft. They stay until they are sent, or until the page is left. */
export function useFiles(onChange: () => void): ComposerFiles {
  const [all, setAll] = useState<readonly File[]>([]);
  const [progress, setProgress] = useState<number>();
  const change = (next: readonly File[]) => {
    onChange();
    setAll(next);
  };
  return {
    all,
    progress,
    setProgress,
    add(chosen) {
      if (!chosen || chosen.length === 0) return;
      const next = [...all, ...chosen];
      const problem = findProblem(next);
      if (problem === undefined) change(next);
      else showToast(problem, 'bad');
    },
    remove: file => change(all.filter(each => each !== file)),
    dropSent: sent => setAll(now => now.filter(each => !sent.includes(each))),
  };
}

/** Says why files cannot be sent, before they are. */
function findProblem(files: readonly File[]): string | undefined {
  const empty = files.find(({ size }) => size === 0);
  if (empty) return `${empty.name} está vazio.`;
  if (files.length > MAX_FILES) return `Só cabem ${MAX_FILES} arquivos em uma mensagem.`;
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  return bytes > MAX_BYTES ? 'Os arquivos de uma mensagem têm, juntos, no máximo 16 MB.' : undefined;
}

export function readFiles(files: readonly File[]): Promise<SentFiles> {
  return Promise.all(
    files.map(async file => ({
      name: file.name,
      content_base64: toBase64(new Uint8Array(await file.arrayBuffer())),
    })),
  );
}

export function FileList({ of: { all, progress, remove } }: { readonly of: ComposerFiles }) {
  if (all.length === 0) return null;
  return (
    <>
      <ul class="composer-files" aria-label="Arquivos da mensagem">
        {all.map((file, at) => (
          <li key={`${file.name} ${at}`}>
            <Icon of={Paperclip} size={14} /> <span class="file-name">{file.name}</span>{' '}
            <span class="small">{formatSize(file.size)}</span>
            <button
              type="button"
              class="quiet slim"
              aria-label={`Tirar ${file.name}`}
              disabled={progress !== undefined}
              onClick={() => remove(file)}
            >
              <Icon of={X} size={14} />
            </button>
          </li>
        ))}
      </ul>
      {progress !== undefined && <progress aria-label="Envio dos arquivos" max={1} value={progress} />}
    </>
  );
}

/** Files may also be dragged to the composer, or pasted. */
export function AttachButton({ onFiles }: { readonly onFiles: ComposerFiles['add'] }) {
  const field = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={field}
        type="file"
        multiple
        hidden
        aria-label="Arquivos para anexar"
        onChange={event => {
          onFiles(event.currentTarget.files);
          // An empty field lets the person choose the same file again.
          event.currentTarget.value = '';
        }}
      />
      <button type="button" class="tool" onClick={() => field.current?.click()}>
        <Icon of={Paperclip} size={16} /> <span>Anexar</span>
      </button>
    </>
  );
}
