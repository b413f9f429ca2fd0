import { Webhook as WebhookIcon } from 'lucide';
import { useState } from 'preact/hooks';
import { EnabledBadge, NounList, type Row } from '../../components/noun-list.tsx';
import { OperationForm } from '../../components/operation-form.tsx';
import { SecretDrawer } from '../../components/secret-drawer.tsx';
import { EmptyState } from '../../components/states.tsx';
import { call } from '../../service.ts';
import type { SessionContext } from '../../shell/session.ts';
import { useLoad } from '../../use-load.ts';
import { Deliveries, type Webhook } from './deliveries.tsx';
import { eventNames } from './event-names.ts';

/** The systems that are told of events, and their deliveries: #webhooks?mostrar=dead */
export function WebhooksPage({ context: { host } }: { readonly context: SessionContext }) {
  if (!host) return <EmptyState title="Sem acesso" text="Este acesso não permite ver webhooks." />;
  return <Webhooks hostId={host.host_id} />;
}

function Webhooks({ hostId }: { readonly hostId: string }) {
  const loaded = useLoad(() => call('listWebhooks', { hostId }), [hostId]);
  const [secret, showSecret] = useState<Webhook>();
  return (
    <NounList
      loaded={loaded}
      label="Webhooks"
      page={{ title: 'Webhooks', about: 'Avisam os seus sistemas, com assinatura, quando algo acontece.' }}
      begin={{ text: 'Novo webhook', first: 'Criar o primeiro webhook' }}
      empty={noWebhooks}
      rowOf={webhook => rowOf(webhook, showSecret)}
      form={({ item, onSaved, onClose }) => (
        <OperationForm
          of="saveWebhook"
          begin={{ name: item?.name ?? '', url: item?.url ?? '', events: item?.events ?? [] }}
          text={item ? 'Salvar' : 'Criar webhook'}
          save={async fields => {
            const id = item && { id: item.webhookId };
            const saved = await call('saveWebhook', { hostId, ...id, ...fields });
            onSaved();
            if (saved.secret !== '***') showSecret(saved);
          }}
          onCancel={onClose}
        />
      )}
    >
      {loaded.data && <Deliveries hostId={hostId} webhooks={loaded.data} />}
      {secret && (
        <SecretDrawer
          title={`Segredo de “${secret.name}”`}
          noun="segredo"
          secret={secret.secret}
          onClose={() => showSecret(undefined)}
        >
          Com ele o seu sistema confere a assinatura.
        </SecretDrawer>
      )}
    </NounList>
  );
}

function rowOf(webhook: Webhook, showSecret: (webhook: Webhook) => void): Row {
  const { hostId, webhookId, name, url, events, enabled } = webhook;
  const save = (change: object) => call('saveWebhook', { hostId, id: webhookId, ...change });
  return {
    id: webhookId,
    icon: WebhookIcon,
    title: name,
    detail: (
      <>
        <code>{url}</code>
        <br />
        {events.map(type => eventNames[type]).join(', ') || 'Só avisos de trabalhos e testes'}
      </>
    ),
    aside: <EnabledBadge enabled={enabled} />,
    button: {
      text: 'Enviar teste',
      isDisabled: !enabled,
      run: () => call('testWebhook', { hostId, webhookId }),
      done: 'Teste enviado: veja a entrega abaixo',
    },
    menu: [
      { text: enabled ? 'Pausar' : 'Retomar', run: () => save({ enabled: !enabled }) },
      {
        text: 'Trocar segredo',
        question: rotationOf(name),
        run: async () => showSecret(await save({ rotateSecret: true })),
      },
      {
        text: 'Excluir webhook',
        isDangerous: true,
        question: deletionOf(name),
        run: () => save({ deleted: true }),
        done: 'Webhook excluído',
      },
    ],
  };
}

const noWebhooks = {
  title: 'Nenhum webhook ainda',
  text: 'Um webhook avisa os seus sistemas quando um chamado é aberto, quando uma conversa espera por uma pessoa e em outros casos.',
};

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
