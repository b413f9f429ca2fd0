import { signal } from '@preact/signals';
import { confirmAction } from '../../components/dialogs.tsx';
import { ActionNote } from '../../components/states.tsx';
import { showToast } from '../../components/toast.tsx';
import { formatCount } from '../../format.ts';
import { call } from '../../service.ts';
import { useAction } from '../../use-action.ts';
import { askReason, attendance } from './attendance.ts';
import type { Feed } from './feed.ts';

/** The ids of the conversations that are to be closed together; undefined while none are selected. */
export const selected = signal<ReadonlySet<string> | undefined>(undefined);

export function select(id: string, isOn: boolean): void {
  const others = [...(selected.peek() ?? [])].filter(each => each !== id);
  selected.value = new Set(isOn ? [...others, id] : others);
}

/** How many are selected, and what can be done to them. */
export function SelectionBar({ feed }: { readonly feed: Feed }) {
  const closing = useAction();
  const chosen = selected.value;
  if (!chosen)
    return (
      <button type="button" class="quiet slim" onClick={() => (selected.value = new Set())}>
        Selecionar várias
      </button>
    );
  const many = formatCount(chosen.size, 'selecionada', 'selecionadas');
  return (
    <div class="stack">
      <div class="buttons">
        <span class="small" role="status">
          {many}
        </span>
        <button
          type="button"
          class="slim"
          disabled={chosen.size === 0}
          aria-busy={closing.isBusy}
          onClick={() => closing.run(() => closeAll(feed, [...chosen]))}
        >
          Encerrar selecionadas
        </button>
        <button type="button" class="quiet slim" onClick={() => (selected.value = undefined)}>
          Cancelar
        </button>
      </div>
      <ActionNote of={closing} />
    </div>
  );
}

/** Closes them one after the other. One that could not be closed stays selected, and the error says why. */
async function closeAll(feed: Feed, ids: readonly string[]): Promise<void> {
  const title = `Encerrar ${formatCount(ids.length, 'conversa', 'conversas')}?`;
  const hasReasons = attendance.peek().close_reasons.length > 0;
  const text = 'A próxima mensagem de cada pessoa abre a conversa de novo.';
  const reason = hasReasons
    ? await askReason(title)
    : (await confirmAction({ title, text, action: 'Encerrar' }))
      ? ''
      : undefined;
  if (reason === undefined) return;
  const why = reason === '' ? {} : { close_reason: reason };
  const failures: unknown[] = [];
  for (const conversationId of ids)
    await call('updateConversation', { hostId: feed.hostId, conversationId, closed: true, ...why })
      .then(state => {
        const known = feed.find(conversationId);
        if (known) feed.show({ ...known, ...state });
        select(conversationId, false);
      })
      .catch(error => failures.push(error));
  void feed.refresh();
  const closed = ids.length - failures.length;
  if (closed > 0) showToast(formatCount(closed, 'conversa encerrada', 'conversas encerradas'));
  if (failures.length > 0) throw failures[0];
  selected.value = undefined;
}
