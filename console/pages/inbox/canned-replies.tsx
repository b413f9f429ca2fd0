import { Trash2 } from 'lucide';
import { foldText } from '../../../text/fold.ts';
import { confirmAction } from '../../components/dialogs.tsx';
import { Icon } from '../../components/icon.tsx';

/* Replies that a person uses often. They are kept in this browser, by host, and outlive the session. */

const keyOf = (hostId: string) => `parley-replies:${hostId}`;

export function readReplies(hostId: string): string[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(keyOf(hostId)) ?? '[]');
    return Array.isArray(stored) ? stored.filter(reply => typeof reply === 'string') : [];
  } catch {
    return [];
  }
}

/** Returns whether the browser has kept them. */
export function storeReplies(hostId: string, replies: readonly string[]): boolean {
  try {
    localStorage.setItem(keyOf(hostId), JSON.stringify([...new Set(replies)]));
    return true;
  } catch {
    return false;
  }
}

/** Finds the replies that have what was typed behind “/”. */
export function findReplies(replies: readonly string[], typed: string): string[] {
  const wanted = foldText(typed.trim());
  return replies.filter(reply => foldText(reply).includes(wanted));
}

/** The list over the composer. */
export function CannedReplies({
  replies,
  found,
  onChoose,
  onDelete,
  onClose,
}: {
  readonly replies: readonly string[];
  readonly found: readonly string[];
  readonly onChoose: (reply: string) => void;
  readonly onDelete: (reply: string) => void;
  readonly onClose: () => void;
}) {
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') onClose();
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const list = event.currentTarget as HTMLElement;
    const buttons = [...list.querySelectorAll<HTMLElement>('.canned-reply')];
    const at = buttons.indexOf(document.activeElement as HTMLElement);
    buttons[(at + step + buttons.length) % buttons.length]?.focus();
  };
  const askToDelete = async (reply: string) => {
    const question = { title: 'Excluir esta resposta pronta?', text: reply, action: 'Excluir' };
    if (await confirmAction(question)) onDelete(reply);
  };
  return (
    <ul class="canned" aria-label="Respostas prontas" onKeyDown={onKeyDown}>
      {found.map(reply => (
        <li key={reply}>
          <button type="button" class="canned-reply" onClick={() => onChoose(reply)}>
            {reply}
          </button>
          <button
            type="button"
            class="icon-button"
            aria-label={`Excluir: ${reply}`}
            title="Excluir"
            onClick={() => void askToDelete(reply)}
          >
            <Icon of={Trash2} size={15} />
          </button>
        </li>
      ))}
      {found.length === 0 && (
        <li class="small">
          {replies.length > 0
            ? 'Nenhuma resposta pronta com estas palavras.'
            : 'Ainda não há respostas prontas. Escreva uma resposta e escolha “Guardar como pronta”.'}
        </li>
      )}
    </ul>
  );
}
