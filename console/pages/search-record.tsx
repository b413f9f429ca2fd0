import type { DataOf } from '../../queues/contract/operations/index.ts';
import { Badge } from '../components/badge.tsx';
import { Drawer } from '../components/drawer.tsx';
import { EmptyState, ErrorNote, Skeleton } from '../components/states.tsx';
import { formatMoment } from '../format.ts';
import { call } from '../service.ts';
import { linkTo } from '../shell/route.ts';
import type { SessionContext } from '../shell/session.ts';
import { useLoad } from '../use-load.ts';
import { maskCpf } from './search-highlight.tsx';

type Lead = DataOf<'listLeads'>['items'][number];
type RecordTicket = DataOf<'listTickets'>['items'][number];
type Field = readonly [label: string, value: string];

/** A lead or a ticket with its fields, over the results. */
export function RecordDrawer({
  kind,
  id,
  context: { host, scopes },
  onClose,
}: {
  readonly kind: 'leads' | 'tickets';
  readonly id: string;
  readonly context: SessionContext;
  readonly onClose: () => void;
}) {
  const hostId = host?.host_id;
  const maySee = hostId !== undefined && scopes.includes('manage');
  const { data, error, reload } = useLoad(
    () => (maySee ? readRecord(kind, hostId, id) : Promise.resolve(undefined)),
    [kind, id],
  );
  return (
    <Drawer title={data?.title ?? (kind === 'leads' ? 'Lead' : 'Chamado')} onClose={onClose}>
      {!maySee && (
        <EmptyState
          title="Seu acesso não mostra os campos"
          text="Peça a quem administra a instituição um acesso de gestão."
        />
      )}
      {error !== undefined && <ErrorNote error={error} onRetry={reload} />}
      {maySee && data === undefined && error === undefined && <Skeleton label="Carregando" />}
      {data === null && (
        <EmptyState title="Não está mais aqui" text="Foi apagado depois da última atualização da busca." />
      )}
      {data && (
        <>
          {data.isSolved !== undefined && (
            <p>
              <Badge tone={data.isSolved ? 'good' : 'warn'}>{data.isSolved ? 'Resolvido' : 'Aberto'}</Badge>
            </p>
          )}
          <dl class="field-list">
            {data.fields
              .filter(([, value]) => value !== '')
              .map(([label, value]) => [<dt key={label}>{label}</dt>, <dd key={value}>{maskCpf(value)}</dd>])}
          </dl>
          {data.conversationId && <a href={linkTo('atendimento', [data.conversationId])}>Abrir a conversa</a>}
        </>
      )}
    </Drawer>
  );
}

/** Null if the record is gone. */
async function readRecord(kind: 'leads' | 'tickets', hostId: string, id: string) {
  if (kind === 'leads') {
    const [lead] = (await call('listLeads', { hostId, leadId: id })).items;
    return lead ? describeLead(lead) : null;
  }
  const [ticket] = (await call('listTickets', { hostId, ticketId: id })).items;
  return ticket ? describeTicket(ticket) : null;
}

const nameOf = ({ firstname, lastname }: Lead | RecordTicket): string => `${firstname} ${lastname}`.trim();

/** Writes a field of a CRM as people read it: `campus_horizonte` is “Campus horizonte”. */
function nameField(field: string): string {
  const words = field.replaceAll('_', ' ').trim();
  return words.slice(0, 1).toUpperCase() + words.slice(1);
}

function listEnd({ stage, interData, createdAt, updatedAt }: Lead | RecordTicket): Field[] {
  return [
    ['Etapa no CRM', stage],
    ...interData.map(
      ({ field, value }): Field => [
        nameField(field),
        typeof value === 'string' ? value : JSON.stringify(value),
      ],
    ),
    ['Criado', formatMoment(createdAt)],
    ['Mudou', formatMoment(updatedAt)],
  ];
}

function describeLead(lead: Lead) {
  const fields: Field[] = [
    ['Negócio', lead.dealname],
    ['E-mail', lead.email],
    ['Telefone', lead.mobilephone],
    ['CPF', lead.cpf],
    ['Nascimento', lead.date_of_birth?.split('-').toReversed().join('/') ?? ''],
    ['Endereço', [lead.rua, lead.numero_endereco, lead.complemento, lead.bairro].filter(Boolean).join(', ')],
    ['Cidade', [lead.cidade, lead.estado].filter(Boolean).join(' - ')],
    ['Unidade', lead.unidade],
    ['Ingresso', lead.tipo_ingresso],
    ['Local da prova', lead.local_da_prova],
    ['Modalidade', lead.modalidade_de_ensino],
    ['Observações', lead.generalinstructions],
    ...listEnd(lead),
  ];
  return {
    title: nameOf(lead) || lead.dealname || 'Lead',
    fields,
    conversationId: null,
    isSolved: undefined,
  };
}

function describeTicket(ticket: RecordTicket) {
  const fields: Field[] = [
    ['Mensagem', ticket.content],
    ['Nome', nameOf(ticket)],
    ['E-mail', ticket.email],
    ['Telefone', ticket.mobilephone],
    ['Aberto', formatMoment(ticket.openedAt)],
    ['Resolvido', ticket.solvedAt ? formatMoment(ticket.solvedAt) : ''],
    ...Object.entries(ticket.campus).map(([field, value]): Field => [nameField(field), value]),
    ...listEnd(ticket),
  ];
  const { conversationId, solvedAt } = ticket;
  return { title: ticket.subject || 'Chamado', fields, conversationId, isSolved: solvedAt !== null };
}
