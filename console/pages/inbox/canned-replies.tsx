import { Pencil } from 'lucide';
import { useRef, useState } from 'preact/hooks';
import { foldText } from '../../../text/fold.ts';
import { Badge } from '../../components/badge.tsx';
import { Icon } from '../../components/icon.tsx';
import { ActionNote, ErrorNote } from '../../components/states.tsx';
import { showToast } from '../../components/toast.tsx';
import { formatCount } from '../../format.ts';
import { call } from '../../service.ts';
import { useAction } from '../../use-action.ts';
import { type Loaded, useLoad } from '../../use-load.ts';
import { nameReply, type SavedReply } from './reply-form.tsx';

/* Replies that the team has prepared are read each time their list opens. */

type Replies = readonly SavedReply[];

interface OpenReplies {
  readonly loaded: Loaded<Replies>;
  readonly found: Replies;
}

/** `typed`: the text after “/”; undefined while the list is closed. */
export function useReplies(hostId: string, typed: string | undefined): OpenReplies | undefined {
  const known = useRef<Replies>([]);
  const isOpen = typed !== undefined;
  const loaded = useLoad<Replies>(async () => {
    if (isOpen) known.current = await call('listSavedReplies', { hostId });
    return known.current;
  }, [hostId, isOpen]);
  return isOpen ? { loaded, found: findReplies(loaded.data ?? [], typed) } : undefined;
}

/** A reply with the words in its name comes before one with the words in its text. */
function findReplies(replies: Replies, typed: string): Replies {
  const wanted = foldText(typed.trim());
  const isNamed = ({ name }: SavedReply) => foldText(name).includes(wanted);
  const others = replies.filter(reply => !isNamed(reply) && foldText(reply.text).includes(wanted));
  return [...replies.filter(isNamed), ...others];
}

/** Returns the reply as a person gets it; without a name it addresses nobody. */
export function fillReply(text: string, personName: string): string {
  const first = personName.trim().split(/\s+/)[0] ?? '';
  if (/\p{L}/u.test(first)) return text.replaceAll(/\{nome\}/gi, () => first);
  const begun = text.replace(/^\s*\{nome\}[\s,!.:;-]*/i, '');
  const [initial = ''] = begun;
  const sentence = begun === text ? text : initial.toUpperCase() + begun.slice(initial.length);
  return sentence.replaceAll(/,? ?\{nome\}/gi, '');
}

export function CannedReplies(props: {
  readonly hostId: string;
  readonly open: OpenReplies;
  readonly onChoose: (reply: SavedReply) => void;
  /** Undefined: makes a new one. */
  readonly onEdit: (reply?: SavedReply) => void;
  readonly onClose: () => void;
}) {
  const { hostId, onChoose, onEdit, onClose } = props;
  const { loaded, found } = props.open;
  const { data, error, reload } = loaded;
  return (
    <div class="canned" onKeyDown={event => moveFocus(event, onClose)}>
      {error !== undefined && <ErrorNote error={error} onRetry={reload} />}
      <ul aria-label="Respostas prontas" aria-busy={loaded.isLoading}>
        {found.map(reply => (
          <li key={reply.replyId}>
            <button type="button" class="canned-reply" onClick={() => onChoose(reply)}>
              <strong>{reply.name}</strong> <span class="small">{reply.text}</span>
            </button>
            {reply.onlyMine && <Badge tone="plain">Só minha</Badge>}
            <button
              type="button"
              class="icon-button"
              aria-label={`Editar: ${reply.name}`}
              title="Editar"
              onClick={() => onEdit(reply)}
            >
              <Icon of={Pencil} size={15} />
            </button>
          </li>
        ))}
      </ul>
      {found.length === 0 && error === undefined && <p class="small">{describeNone(loaded)}</p>}
      <div class="canned-tools">
        <button type="button" class="tool" onClick={() => onEdit()}>
          Nova resposta pronta
        </button>
        {data && <BrowserReplies hostId={hostId} onStored={reload} />}
      </div>
    </div>
  );
}

function describeNone({ data, isLoading }: Loaded<Replies>): string {
  if (!data || (isLoading && data.length === 0)) return 'Carregando as respostas prontas…';
  if (data.length > 0) return 'Nenhuma resposta pronta com estas palavras.';
  return 'A equipe ainda não tem respostas prontas.';
}

function moveFocus(event: KeyboardEvent, onClose: () => void): void {
  if (event.key === 'Escape') onClose();
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step === undefined) return;
  event.preventDefault();
  const list = event.currentTarget as HTMLElement;
  const buttons = [...list.querySelectorAll<HTMLElement>('.canned-reply')];
  const at = buttons.indexOf(document.activeElement as HTMLElement);
  buttons[(at + step + buttons.length) % buttons.length]?.focus();
}

/*
 * Earlier releases kept replies in the browser, by host. They are offered until a person brings them to the team, which removes
 * them here.
 */

const keyOf = (hostId: string) => `parley-replies:${hostId}`;

function BrowserReplies({ hostId, onStored }: { readonly hostId: string; readonly onStored: () => void }) {
  const [kept, show] = useState(() => readKept(hostId));
  const storing = useAction();
  const store = async () => {
    // They are stored in turn: if one fails, those before it are not offered again.
    for (const text of kept) {
      await call('saveSavedReply', { hostId, name: nameReply(text), text });
      keep(
        hostId,
        readKept(hostId).filter(each => each !== text),
      );
    }
    show([]);
    onStored();
    showToast(`${formatCount(kept.length, 'resposta agora é', 'respostas agora são')} da equipe`);
  };
  if (kept.length === 0) return null;
  return (
    <>
      <button type="button" class="tool" aria-busy={storing.isBusy} onClick={() => storing.run(store)}>
        Trazer {formatCount(kept.length, 'resposta', 'respostas')} deste navegador para a equipe
      </button>
      <ActionNote of={storing} />
    </>
  );
}

function readKept(hostId: string): string[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(keyOf(hostId)) ?? '[]');
    return Array.isArray(stored) ? stored.filter(reply => typeof reply === 'string' && reply !== '') : [];
  } catch {
    return [];
  }
}

function keep(hostId: string, replies: readonly string[]): void {
  if (replies.length === 0) localStorage.removeItem(keyOf(hostId));
  else localStorage.setItem(keyOf(hostId), JSON.stringify(replies));
}
