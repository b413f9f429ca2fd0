import { useEffect, useState } from 'preact/hooks';
import type { DataOf } from '../../../queues/contract/operations/index.ts';
import { Badge, type Tone } from '../../components/badge.tsx';
import { Choices } from '../../components/choices.tsx';
import { ListRow } from '../../components/list-row.tsx';
import { SmallButton } from '../../components/small-button.tsx';
import { ActionNote, EmptyState, ErrorNote, Skeleton } from '../../components/states.tsx';
import { showToast } from '../../components/toast.tsx';
import { formatCount, formatMoment } from '../../format.ts';
import { readPages } from '../../read-all.ts';
import { call, readServiceClock } from '../../service.ts';
import { replaceRoute, route } from '../../shell/route.ts';
import { useAction } from '../../use-action.ts';
import { useLoad } from '../../use-load.ts';
import { eventNames } from './event-names.ts';

export type Webhook = DataOf<'listWebhooks'>[number];
type Delivery = DataOf<'listDeliveries'>['items'][number];
type State = Delivery['state'];

const KEPT_MS = 30 * 86_400_000;
/** How often the page looks whether a new delivery has arrived. */
const LOOK_EVERY_MS = 1_500;
const JUST_MS = 60_000;

const filters = [
  ['all', 'Todas'],
  ['pending', 'À espera'],
  ['dead', 'Não chegaram'],
  ['delivered', 'Entregues'],
] as const;

const states: Readonly<Record<State, readonly [label: string, tone: Tone]>> = {
  pending: ['À espera', 'warn'],
  delivered: ['Entregue', 'good'],
  dead: ['Não chegou', 'bad'],
};

/** The deliveries to the webhooks, newest first, and those that wait. */
export function Deliveries(props: { readonly hostId: string; readonly webhooks: readonly Webhook[] }) {
  const { hostId, webhooks } = props;
  const filter = filters.find(([each]) => each === route.value.query['mostrar'])?.[0] ?? 'all';
  const [pages, setPages] = useState(1);
  const { data, error, isLoading, reload } = useLoad(
    () =>
      readPages(of => {
        const state = filter === 'all' ? {} : { state: filter };
        return call('listDeliveries', { hostId, limit: 25, ...state, ...of });
      }, pages),
    [webhooks, filter, pages],
  );
  const work = useAction();
  useFreshOnes(data?.items, reload);
  const replay = async (body: { deliveryIds: string[] } | { since: string }) => {
    // One call sends at most this many again.
    const { replayed } = await call('replayDeliveries', { hostId, ...body });
    if ('since' in body && replayed > 0) return replay(body);
    showToast('Enviado de novo');
    reload();
  };
  const replayDead = () => replay({ since: new Date(readServiceClock() - KEPT_MS).toISOString() });
  return (
    <section class="stack" aria-label="Entregas">
      <div class="head">
        <h2>Entregas</h2>
        <div class="buttons">
          {filter === 'dead' && data && data.items.length > 0 && (
            <SmallButton
              text="Enviar todas de novo"
              isBusy={work.isBusy}
              onClick={() => work.run(replayDead)}
            />
          )}
          <SmallButton text="Atualizar" isBusy={isLoading} onClick={reload} />
        </div>
      </div>
      <Choices
        label="Mostrar"
        value={filter}
        choices={filters}
        onChoose={mostrar => replaceRoute('webhooks', [], mostrar === 'all' ? {} : { mostrar })}
      />
      <ActionNote of={work} />
      {error !== undefined && <ErrorNote error={error} onRetry={reload} />}
      {!data && error === undefined && <Skeleton rows={2} label="Carregando as entregas" />}
      {data && (
        <DeliveryList
          deliveries={data.items}
          webhooks={webhooks}
          onReplay={id => work.run(() => replay({ deliveryIds: [id] }))}
        />
      )}
      {data?.hasMore && (
        <SmallButton text="Mais entregas" isBusy={isLoading} onClick={() => setPages(pages + 1)} />
      )}
    </section>
  );
}

/** Reads again while a new delivery waits for its first attempt. */
function useFreshOnes(deliveries: readonly Delivery[] | undefined, reload: () => void): void {
  useEffect(() => {
    const since = readServiceClock() - JUST_MS;
    const isFresh = ({ state, attempts, createdAt }: Delivery) =>
      state === 'pending' && attempts === 0 && Date.parse(createdAt) > since;
    if (!deliveries?.some(isFresh)) return undefined;
    const timer = setTimeout(reload, LOOK_EVERY_MS);
    return () => clearTimeout(timer);
  }, [deliveries]);
}

function DeliveryList(props: {
  readonly deliveries: readonly Delivery[];
  readonly webhooks: readonly Webhook[];
  readonly onReplay: (id: string) => void;
}) {
  const { deliveries, webhooks, onReplay } = props;
  if (deliveries.length === 0)
    return (
      <EmptyState
        title="Nenhuma entrega"
        text="O que for enviado aparece aqui por 30 dias, com cada tentativa."
      />
    );
  return (
    <ul class="list">
      {deliveries.map(delivery => {
        const { deliveryId, webhookId, type, state, createdAt } = delivery;
        const [label, tone] = states[state];
        const name = webhooks.find(webhook => webhook.webhookId === webhookId)?.name;
        const about = [name, formatMoment(createdAt), describeAttempts(delivery)];
        return (
          <ListRow
            key={deliveryId}
            title={eventNames[type]}
            detail={about.filter(Boolean).join(' · ')}
            aside={<Badge tone={tone}>{label}</Badge>}
            action={
              state !== 'pending' && (
                <button type="button" class="quiet slim" onClick={() => onReplay(deliveryId)}>
                  Enviar de novo
                </button>
              )
            }
          />
        );
      })}
    </ul>
  );
}

function describeAttempts({ state, attempts, nextAttemptAt, lastStatus, lastError }: Delivery): string {
  const tries = attempts > 0 ? formatCount(attempts, 'tentativa', 'tentativas') : 'Ainda sem tentativa';
  const refusal =
    lastError === 'the address is not allowed' ? 'o endereço não é permitido' : 'sem conexão ou resposta';
  const failure = lastStatus === null ? refusal : `o sistema respondeu ${lastStatus}`;
  const next = state === 'pending' && nextAttemptAt ? `próxima em ${formatMoment(nextAttemptAt)}` : '';
  return [tries, lastError && failure, next].filter(Boolean).join(' · ');
}
