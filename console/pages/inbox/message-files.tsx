import { Download } from 'lucide';
import { Icon } from '../../components/icon.tsx';
import { formatSize } from '../../format.ts';
import type { Message } from './conversation.ts';

type File = Message['attachments'][number];

/** The files of a message, both ways: the service serves them to this session. */
export function MessageFiles({ files }: { readonly files: readonly File[] }) {
  return (
    <>
      {files.map(file => (
        <div key={file.id} class="item message-file">
          {file.kept ? <Sent file={file} /> : <Named file={file} />}
        </div>
      ))}
    </>
  );
}

function Sent({ file }: { readonly file: File }) {
  return (
    <>
      <Shown file={file} />
      <a href={file.url} download={file.name ?? ''}>
        <Icon of={Download} size={14} /> <span class="unseen">Baixar </span>
        <span class="file-name">{nameOf(file)}</span> <span class="small">{formatSize(file.size)}</span>
      </a>
    </>
  );
}

function Named({ file }: { readonly file: File }) {
  return (
    <span class="small">
      <span class="file-name">{nameOf(file)}</span> {formatSize(file.size)}: não foi guardado
    </span>
  );
}

/** What was said stands in the message. */
function Shown({ file }: { readonly file: File }) {
  if (file.content_type.startsWith('image/')) return <img src={file.url} alt={nameOf(file)} loading="lazy" />;
  if (file.content_type.startsWith('audio/'))
    return <audio controls preload="none" src={file.url} aria-label={nameOf(file)} />;
  return null;
}

function nameOf({ name, content_type: type }: File): string {
  if (name) return name;
  if (type.startsWith('image/')) return 'Imagem';
  return type.startsWith('audio/') ? 'Áudio' : 'Arquivo';
}
