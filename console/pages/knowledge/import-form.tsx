import { Upload } from 'lucide';
import { type TargetedDragEvent } from 'preact';
import { useId, useRef, useState } from 'preact/hooks';
import { Field } from '../../components/field.tsx';
import { Icon } from '../../components/icon.tsx';
import { OperationFields } from '../../components/operation-form.tsx';
import { ActionNote } from '../../components/states.tsx';
import { describeError } from '../../errors.ts';
import { formatCount } from '../../format.ts';
import { call } from '../../service.ts';
import { useAction } from '../../use-action.ts';
import { acceptedFiles, documentAt, findProblem, readFile } from './documents.ts';
import type { OpenDataset } from './open-dataset.ts';
import { changedOf } from './validity.ts';

/** Of a document that is valid for ever, and read once. */
const nothingGiven: Record<'valid_from' | 'valid_until', string | null> & {
  refresh_every_hours: number | null;
  read_scans: boolean;
} = { valid_from: '', valid_until: '', refresh_every_hours: null, read_scans: false };

/** What is sent of any document: only an address is read again. */
function sentOf({ valid_from, valid_until, read_scans }: typeof nothingGiven) {
  const { valid_from: from, valid_until: until } = nothingGiven;
  const days = changedOf({ valid_from, valid_until }, { valid_from: from, valid_until: until });
  return { ...days, ...(read_scans && { read_scans }) };
}

interface ImportFormProps {
  readonly open: OpenDataset;
  readonly onSent: () => void;
}

/** People drop or choose files here, or give an address; the content becomes passages. */
export function ImportForm({ open, onSent }: ImportFormProps) {
  const [sending, setSending] = useState<{
    readonly name: string;
    readonly at: number;
    readonly of: number;
  }>();
  const [refused, setRefused] = useState<readonly string[]>([]);
  /** Files that are dropped while others are being sent wait for those. */
  const queue = useRef(Promise.resolve());
  const work = useAction();
  const [given, setGiven] = useState(nothingGiven);
  const target = { hostId: open.host.host_id, dataset_id: open.dataset.id, ...sentOf(given) };
  const hours = given.refresh_every_hours;
  const sendAll = async (files: readonly File[]) => {
    for (const [at, file] of files.entries()) {
      setSending({ name: file.name, at, of: files.length });
      const problem = findProblem(file) ?? (await sendFile(file));
      if (problem === undefined) onSent();
      else setRefused(before => [...before, `${file.name}: ${problem}`]);
    }
    setSending(undefined);
  };
  const sendFile = async (file: File): Promise<string | undefined> => {
    try {
      await call('importDocument', { ...target, ...(await readFile(file)) });
      return undefined;
    } catch (error) {
      return describeError(error).meaning;
    }
  };
  const sendNext = (files: readonly File[]) => {
    setRefused([]);
    queue.current = queue.current.then(() => sendAll(files));
  };
  const sendAddress = async (url: string) => {
    await call('importDocument', {
      ...target,
      ...documentAt(url),
      ...(hours !== null && { refresh_every_hours: hours }),
    });
    onSent();
  };
  return (
    <section class="card stack" aria-label="Importar">
      <DropZone onFiles={sendNext} />
      {sending && (
        <p class="stack small" role="status">
          <progress aria-label="Envio dos arquivos" value={sending.at} max={sending.of} />
          Enviando {sending.name} ({sending.at + 1} de {formatCount(sending.of, 'arquivo', 'arquivos')})
        </p>
      )}
      {refused.length > 0 && <Refused texts={refused} />}
      <AddressForm isBusy={work.isBusy} onAddress={url => work.run(() => sendAddress(url))} />
      <GivenFields given={given} onGiven={setGiven} />
      <ActionNote of={work} />
    </section>
  );
}

function GivenFields(props: {
  readonly given: typeof nothingGiven;
  readonly onGiven: (given: typeof nothingGiven) => void;
}) {
  const { given, onGiven } = props;
  return (
    <details>
      <summary>Validade, atualização e leitura</summary>
      <OperationFields
        of="importDocument"
        names={['valid_from', 'valid_until', 'refresh_every_hours', 'read_scans']}
        values={given}
        onChange={changed => onGiven({ ...given, ...changed })}
      />
    </details>
  );
}

function Refused({ texts }: { readonly texts: readonly string[] }) {
  return (
    <div class="trouble" role="alert">
      <strong>{formatCount(texts.length, 'arquivo não foi enviado', 'arquivos não foram enviados')}</strong>
      <ul>
        {texts.map(text => (
          <li key={text}>{text}</li>
        ))}
      </ul>
    </div>
  );
}

function DropZone({ onFiles }: { readonly onFiles: (files: readonly File[]) => void }) {
  const id = useId();
  const [isOver, setOver] = useState(false);
  const take = (files: FileList | null | undefined) => {
    if (files && files.length > 0) onFiles([...files]);
  };
  const onDrop = (event: TargetedDragEvent<HTMLLabelElement>) => {
    event.preventDefault();
    setOver(false);
    take(event.dataTransfer?.files);
  };
  return (
    <label
      class={isOver ? 'drop-zone is-over' : 'drop-zone'}
      onDragOver={event => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={onDrop}
    >
      <input
        type="file"
        class="unseen"
        multiple
        accept={acceptedFiles}
        aria-describedby={id}
        onChange={event => {
          take(event.currentTarget.files);
          // An empty field lets the person choose the same file again.
          event.currentTarget.value = '';
        }}
      />
      <Icon of={Upload} size={24} />
      <span>
        Arraste arquivos para cá, ou <span class="drop-link">escolha arquivos</span>
      </span>
      <span class="small" id={id}>
        PDF, Word, Excel (.xlsx), Markdown, texto, HTML ou CSV, até 16 MB cada. O mesmo nome substitui o de
        antes.
      </span>
    </label>
  );
}

function AddressForm(props: { readonly isBusy: boolean; readonly onAddress: (url: string) => void }) {
  const { isBusy, onAddress } = props;
  const [url, setUrl] = useState('');
  return (
    <form
      class="address-form"
      onSubmit={event => {
        event.preventDefault();
        onAddress(url.trim());
      }}
    >
      <Field label="Ou um endereço" hint="Uma página, ou um sitemap com até 200 páginas.">
        {field => (
          <input
            {...field}
            type="url"
            required
            placeholder="https://"
            maxLength={2_000}
            value={url}
            onInput={event => setUrl(event.currentTarget.value)}
          />
        )}
      </Field>
      <button type="submit" class="quiet" aria-busy={isBusy}>
        Importar
      </button>
    </form>
  );
}
