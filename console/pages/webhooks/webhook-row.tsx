import { Webhook as WebhookIcon } from 'lucide';
import { Badge } from '../../components/badge.tsx';
import { confirmAction } from '../../components/dialogs.tsx';
import { ListRow } from '../../components/list-row.tsx';
import { Menu } from '../../components/menu.tsx';
import { showToast } from '../../components/toast.tsx';
import { call } from '../../service.ts';
import type { Action } from '../../use-action.ts';
import { eventLabel, type Webhook } from './event-types.ts';

interface WebhookRowProps {
  readonly webhook: Webhook;
  readonly hostId: string;
  readonly work: Action;
  readonly onEdit: () => void;
  readonly onChanged: () => void;
  readonly onSecret: (webhook: Webhook) => void;
  readonly onTested: () => void;
}

/** A webhook and its actions. */
export function WebhookRow(props: WebhookRowProps) {
  const { webhook, hostId, work, onEdit, onChanged, onSecret, onTested } = props;
  const { webhookId, name, url, events, enabled } = webhook;
  const save = (change: object) => call('saveWebhook', { hostId, id: webhookId, ...change });
  const test = async () => {
    await call('testWebhook', { hostId, webhookId });
    showToast('Teste enviado: veja a entrega abaixo');
    onTested();
  };
  const pause = async () => {
    await save({ enabled: !enabled });
    onChanged();
  };
  const rotate = async () => {
    if (await confirmAction(rotationOf(name))) onSecret(await save({ rotateSecret: true }));
  };
  const remove = async () => {
    if (!(await confirmAction(deletionOf(name)))) return;
    await save({ deleted: true });
    showToast('Webhook excluído');
    onChanged();
  };
  const wanted = events.map(eventLabel).join(', ') || 'Só avisos de trabalhos e testes';
  return (
    <ListRow
      icon={WebhookIcon}
      title={name}
      detail={
        <>
          <code>{url}</code>
          <br />
          {wanted}
        </>
      }
      aside={<Badge tone={enabled ? 'good' : 'warn'}>{enabled ? 'Ativo' : 'Pausado'}</Badge>}
      action={
        <>
          <button
            type="button"
            class="quiet slim"
            disabled={!enabled}
            aria-busy={work.isBusy}
            onClick={() => work.run(test)}
          >
            Enviar teste
          </button>
          <Menu
            label={`Ações de ${name}`}
            actions={[
              { text: 'Editar', onChoose: onEdit },
              { text: enabled ? 'Pausar' : 'Retomar', onChoose: () => work.run(pause) },
              { text: 'Trocar segredo', onChoose: () => work.run(rotate) },
              { text: 'Excluir webhook', isDangerous: true, onChoose: () => work.run(remove) },
            ]}
          />
        </>
      }
    />
  );
}

const rotationOf = (name: string) => ({
  title: `Trocar o segredo de “${name}”?`,
  text: 'O segredo de agora vale por mais 24 horas. O novo é mostrado uma vez.',
  action: 'Trocar',
});

const deletionOf = (name: string) => ({
  title: `Excluir “${name}”?`,
  text: 'As entregas dele também são excluídas, e o que ainda espera não é enviado.',
  action: 'Excluir webhook',
});
