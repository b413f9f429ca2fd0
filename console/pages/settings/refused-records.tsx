import { useState } from 'preact/hooks';
import type { DataOf } from '../../../queues/contract/operations/index.ts';
import { Choices } from '../../components/choices.tsx';
import { Drawer } from '../../components/drawer.tsx';
import { ListRow } from '../../components/list-row.tsx';
import { SmallButton } from '../../components/small-button.tsx';
import { ActionNote, EmptyState, ErrorNote, Skeleton } from '../../components/states.tsx';
import { describeField } from '../../error-texts.ts';
import { formatCount, formatMoment } from '../../format.ts';
import { readPages } from '../../read-all.ts';
import { call } from '../../service.ts';
import { replaceRoute, route } from '../../shell/route.ts';
import { type Action, useAction } from '../../use-action.ts';
import { useLoad } from '../../use-load.ts';

type Received = DataOf<'listIntakeRecords'>['items'][number];
type Kind = Received['kind'];
type Replayed = DataOf<'replayRecords'>['items'];

const fates = [
  ['refused', 'Recusados'],
  ['failed', 'Com erro interno'],
  ['received', 'À espera'],
] as const;
const kinds = [
  ['all', 'Todos'],
  ['tickets', 'Chamados'],
  ['deals', 'Negócios'],
  ['objects', 'Objetos'],
] as const;
const kindNames: Readonly<Record<Kind, string>> = {
  tickets: 'Chamado',
  deals: 'Negócio',
  objects: 'Objeto',
};

const REPLAYED_AT_ONCE = 100;

/** Records of a CRM that were refused, and the reasons: #integracoes/recusados?tipo=deals */
export function RefusedRecords({ hostId }: { readonly hostId: string }) {
  const { tipo, destino } = route.value.query;
  const kind = kinds.find(([each]) => each === tipo)?.[0] ?? 'all';
  const fate = fates.find(([each]) => each === destino)?.[0] ?? 'refused';
  const show = (query: Record<string, string>) =>
    replaceRoute('integracoes', ['recusados'], { tipo: kind, destino: fate, ...query });
  return (
    <div class="stack">
      <Choices label="Situação" value={fate} choices={fates} onChoose={value => show({ destino: value })} />
      <Choices label="Tipo" value={kind} choices={kinds} onChoose={value => show({ tipo: value })} />
      <Records key={`${fate} ${kind}`} filter={{ hostId, fate, ...(kind === 'all' ? {} : { kind }) }} />
    </div>
  );
}

interface Filter {
  readonly hostId: string;
  readonly fate: Received['fate'];
  readonly kind?: Kind;
}

function Records({ filter }: { readonly filter: Filter }) {
  const { hostId, kind } = filter;
  const [pages, setPages] = useState(1);
  const [open, setOpen] = useState<Received>();
  const [told, tell] = useState('');
  const work = useAction();
  const { data, error, isLoading, reload } = useLoad(
    () => readPages(of => call('listIntakeRecords', { ...filter, limit: 25, ...of }), pages),
    [pages],
  );
  const finish = (replayed: Replayed) => {
    setOpen(undefined);
    tell(describeReplay(replayed));
    reload();
  };
  const replayOne = async ({ recordId }: Received) =>
    finish((await call('replayRecords', { hostId, recordIds: [recordId] })).items);
  const replayAll = async () => finish(await replayEach(filter));
  return (
    <>
      <p role="status">{told}</p>
      <ActionNote of={work} />
      {error !== undefined && <ErrorNote error={error} onRetry={reload} />}
      {!data && error === undefined && <Skeleton label="Carregando os registros" />}
      {data?.items.length === 0 && (
        <EmptyState
          title="Nenhum registro aqui"
          text="O que o CRM envia e não entra aparece aqui, com o motivo."
        />
      )}
      {data && data.items.length > 0 && (
        <>
          <div class="buttons">
            <SmallButton
              text={kind ? 'Processar todos deste tipo de novo' : 'Processar todos de novo'}
              isBusy={work.isBusy}
              onClick={() => work.run(replayAll)}
            />
          </div>
          <RecordList records={data.items} onOpen={setOpen} />
        </>
      )}
      {data?.hasMore && (
        <SmallButton text="Mais registros" isBusy={isLoading} onClick={() => setPages(pages + 1)} />
      )}
      {open && (
        <RecordDrawer
          record={open}
          work={work}
          onReplay={() => work.run(() => replayOne(open))}
          onClose={() => setOpen(undefined)}
        />
      )}
    </>
  );
}

function RecordList(props: {
  readonly records: readonly Received[];
  readonly onOpen: (record: Received) => void;
}) {
  const { records, onOpen } = props;
  return (
    <ul class="list" aria-label="Registros">
      {records.map(record => (
        <ListRow
          key={record.recordId}
          title={`${kindNames[record.kind]} ${nameOf(record)}`}
          detail={describeReasons(record).join(' · ')}
          aside={formatMoment(record.arrivedAt)}
          onOpen={() => onOpen(record)}
        />
      ))}
    </ul>
  );
}

function RecordDrawer(props: {
  readonly record: Received;
  readonly work: Action;
  readonly onReplay: () => void;
  readonly onClose: () => void;
}) {
  const { record, work, onReplay, onClose } = props;
  const { kind, body, arrivedAt, finishedAt } = record;
  const facts = [
    ['Chegou', formatMoment(arrivedAt)],
    ['Processado', finishedAt ? formatMoment(finishedAt) : 'Ainda não'],
  ];
  return (
    <Drawer title={`${kindNames[kind]} ${nameOf(record)}`} onClose={onClose}>
      <section class="stack" aria-label="Por quê">
        <h3>Por quê</h3>
        <ul>
          {describeReasons(record).map(text => (
            <li key={text}>{text}</li>
          ))}
        </ul>
        <p class="small">
          {facts.map(([label, text]) => `${label}: ${text}`).join(' · ')}. Corrija o registro no CRM e envie
          de novo, ou peça a quem cuida do mapeamento que o ajuste e processe este outra vez.
        </p>
      </section>
      <ActionNote of={work} />
      <div class="buttons">
        <button type="button" aria-busy={work.isBusy} onClick={onReplay}>
          Processar de novo
        </button>
      </div>
      <h3>Como chegou</h3>
      <dl class="field-list">
        {Object.entries(body).map(([name, value]) => [
          <dt key={name}>
            <code>{name}</code>
          </dt>,
          <dd key={`${name} value`}>{typeof value === 'string' ? value : JSON.stringify(value)}</dd>,
        ])}
      </dl>
    </Drawer>
  );
}

/** Sends the oldest first, in the order of their arrival: what a later record says must win. */
async function replayEach(filter: Filter): Promise<Replayed> {
  const { hostId } = filter;
  const { items } = await readPages(
    of => call('listIntakeRecords', { ...filter, limit: REPLAYED_AT_ONCE, ...of }),
    Number.POSITIVE_INFINITY,
  );
  const ids = items.map(({ recordId }) => recordId).toReversed();
  const replayed: Replayed = [];
  for (let from = 0; from < ids.length; from += REPLAYED_AT_ONCE) {
    const recordIds = ids.slice(from, from + REPLAYED_AT_ONCE);
    replayed.push(...(await call('replayRecords', { hostId, recordIds })).items);
  }
  return replayed;
}

function describeReplay(replayed: Replayed): string {
  const count = (result: Replayed[number]['result']) =>
    replayed.filter(each => each.result === result).length;
  const parts = [
    [count('done'), 'entrou', 'entraram'],
    [count('refused'), 'continua recusado', 'continuam recusados'],
    [count('failed'), 'falhou por um erro interno', 'falharam por um erro interno'],
    [count('skipped'), 'já está sendo processado', 'já estão sendo processados'],
  ] as const;
  const said = parts
    .filter(([number]) => number > 0)
    .map(([number, one, many]) => formatCount(number, one, many));
  return `${formatCount(replayed.length, 'registro processado', 'registros processados')} de novo: ${said.join(', ')}.`;
}

const idNames = ['external_id', 'id', 'objectId', 'hs_object_id', 'ticketId', 'dealId'];

/** Names the record as the CRM does, as far as that is known. */
function nameOf({ body, recordId }: Received): string {
  const id = idNames
    .map(name => body[name])
    .find(value => typeof value === 'string' || typeof value === 'number');
  return id === undefined ? recordId.slice(0, 8) : String(id);
}

function describeReasons({ fate, reasons }: Received): string[] {
  if (fate === 'received') return ['Espera pela vez de ser processado'];
  return [...new Set(reasons.map(describeField))];
}
