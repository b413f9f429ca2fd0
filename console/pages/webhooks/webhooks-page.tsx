import { Webhook as WebhookIcon } from 'lucide';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { copyText } from '../../clipboard.ts';
import { Badge } from '../../components/badge.tsx';
import { confirmAction } from '../../components/dialogs.tsx';
import { Drawer } from '../../components/drawer.tsx';
import { ListRow } from '../../components/list-row.tsx';
import { Menu } from '../../components/menu.tsx';
import { Page } from '../../components/page.tsx';
import { ActionNote, EmptyState, ErrorNote, Skeleton } from '../../components/states.tsx';
import { showToast } from '../../components/toast.tsx';
import { call } from '../../service.ts';
import type { SessionContext } from '../../shell/session.ts';
import { type Action, useAction } from '../../use-action.ts';
import { useLoad } from '../../use-load.ts';
import { eventNames } from '../../words.ts';
import { Deliveries } from './deliveries.tsx';
import { type Webhook, WebhookForm } from './webhook-form.tsx';

/** The systems that are told of events, and their deliveries: #webhooks?mostrar=dead */
export function WebhooksPage({ context: { host } }: { readonly context: SessionContext }) {
  if (!host) return <EmptyState title="Sem acesso" text="Este acesso não permite ver webhooks." />;
  return <Webhooks hostId={host.host_id} />;
}

function Webhooks({ hostId }: { readonly hostId: string }) {
  const { data, error, reload } = useLoad(() => call('listWebhooks', { hostId }), [hostId]);
  const [edited, edit] = useState<Webhook | 'new'>();
  const [secret, showSecret] = useState<Webhook>();
  const [tests, setTests] = useState(0);
  const work = useAction();
  const begin = (
    <button type="button" onClick={() => edit('new')}>
      {data?.length === 0 ? 'Criar o primeiro webhook' : 'Novo webhook'}
    </button>
  );
  const onSaved = (saved: Webhook) => {
    edit(undefined);
    if (saved.secret !== '***') showSecret(saved);
    reload();
  };
  return (
    <Page
      title="Webhooks"
      about="Avisam os seus sistemas, com assinatura, quando algo acontece."
      action={data && data.length > 0 && begin}
    >
      {error !== undefined && <ErrorNote error={error} onRetry={reload} />}
      {!data && error === undefined && <Skeleton rows={2} label="Carregando os webhooks" />}
      {data?.length === 0 && <NoWebhooks>{begin}</NoWebhooks>}
      {data && data.length > 0 && (
        <ul class="list">
          {data.map(webhook => (
            <WebhookRow
              key={webhook.webhookId}
              webhook={webhook}
              hostId={hostId}
              work={work}
              onEdit={() => edit(webhook)}
              onChanged={reload}
              onSecret={showSecret}
              onTested={() => setTests(tests + 1)}
            />
          ))}
        </ul>
      )}
      <ActionNote of={work} />
      {data && <Deliveries hostId={hostId} webhooks={data} tests={tests} />}
      {edited && (
        <WebhookForm
          hostId={hostId}
          {...(edited === 'new' ? {} : { webhook: edited })}
          onSaved={onSaved}
          onClose={() => edit(undefined)}
        />
      )}
      {secret && <SecretDialog webhook={secret} onClose={() => showSecret(undefined)} />}
    </Page>
  );
}

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
function WebhookRow(props: WebhookRowProps) {
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
  const wanted = events.map(type => eventNames[type]).join(', ') || 'Só avisos de trabalhos e testes';
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

function NoWebhooks({ children }: { readonly children: ComponentChildren }) {
  return (
    <EmptyState
      title="Nenhum webhook ainda"
      text="Um webhook avisa os seus sistemas quando um chamado é aberto, quando uma conversa espera por uma pessoa e em outros casos."
    >
      {children}
    </EmptyState>
  );
}

/** Shows the secret of a webhook, only once. */
function SecretDialog({
  webhook: { name, secret },
  onClose,
}: {
  readonly webhook: Webhook;
  readonly onClose: () => void;
}) {
  const [status, setStatus] = useState('');
  const copy = async () =>
    setStatus(
      (await copyText(secret)) ? 'Copiado' : 'O navegador não deixou copiar: selecione o segredo acima',
    );
  return (
    <Drawer title={`Segredo de “${name}”`} onClose={onClose}>
      <p>Com ele o seu sistema confere a assinatura. Guarde agora: ele não é mostrado de novo.</p>
      <code class="card">{secret}</code>
      <div class="buttons">
        <button type="button" onClick={() => void copy()}>
          Copiar segredo
        </button>
        <button type="button" class="quiet" onClick={onClose}>
          Já guardei
        </button>
        <span class="small" role="status">
          {status}
        </span>
      </div>
    </Drawer>
  );
}
