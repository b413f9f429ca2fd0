import type { DataOf } from '../../../queues/contract/operations/index.ts';
import { Drawer } from '../../components/drawer.tsx';
import { OperationForm } from '../../components/operation-form.tsx';
import { call } from '../../service.ts';

export type Webhook = DataOf<'listWebhooks'>[number];

/** A webhook to change, or a new one. */
export function WebhookForm(props: {
  readonly hostId: string;
  /** Absent for a new one. */
  readonly webhook?: Webhook;
  readonly onSaved: (webhook: Webhook) => void;
  readonly onClose: () => void;
}) {
  const { hostId, webhook } = props;
  const id = webhook && { id: webhook.webhookId };
  return (
    <Drawer title={webhook ? `Editar ${webhook.name}` : 'Novo webhook'} onClose={props.onClose}>
      <OperationForm
        of="saveWebhook"
        begin={{ name: webhook?.name ?? '', url: webhook?.url ?? '', events: webhook?.events ?? [] }}
        text={webhook ? 'Salvar' : 'Criar webhook'}
        save={async fields => props.onSaved(await call('saveWebhook', { hostId, ...id, ...fields }))}
        onCancel={props.onClose}
      />
    </Drawer>
  );
}
