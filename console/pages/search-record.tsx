import type { DataOf } from '../../queues/contract/operations/index.ts';
import { isCpf } from '../../text/check-digits.ts';
import { CPF_IN_TEXT, readDigits } from '../../text/contact.ts';
import { Badge } from '../components/badge.tsx';
import { Drawer } from '../components/drawer.tsx';
import { EmptyState, ErrorNote, Skeleton } from '../components/states.tsx';
import { formatMoment } from '../format.ts';
import { call } from '../service.ts';
import { linkTo } from '../shell/route.ts';
import type { SessionContext } from '../shell/session.ts';
import { useLoad } from '../use-load.ts';

type Lead = DataOf<'listLeads'>['items'][number];
type RecordTicket = DataOf<'listTickets'>['items'][number];
type Field = readonly [label: string, value: string];

/** A lead or a ticket with its fields, over the results. */
export function RecordDrawer(props: {
  readonly kind: 'leads' | 'tickets';
  readonly id: string;
  readonly context: SessionContext;
  readonly onClose: () => void;
}) {
  const { kind, id, onClose } = props;
  const { host, scopes } = props.context;
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

const characterByName: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', amp: '&' };

/** Markup of a model for bold, headings and code, and the ends of a passage that was cut. */
const MARKDOWN = /\*\*|__|`+|^#{1,6} /gm;

/**
 * A highlight is escaped text with matches in <mark>. Only <mark> is interpreted: any other markup stays text. The text has every
 * indexed field of a record, so only parts with a match are shown.
 */
export function Highlight({ text }: { readonly text: string }) {
  const parts = text.split(' | ');
  const found = parts.filter(part => part.includes('<mark>'));
  const shown = (found.length > 0 ? found : parts.slice(0, 2)).join(' · ').replaceAll(MARKDOWN, '');
  return (
    <>
      {shown.split(/(<mark>[^<]*<\/mark>)/).map((part, at) => {
        const [, marked] = /^<mark>([^<]*)<\/mark>$/.exec(part) ?? [];
        return marked === undefined ? (
          maskCpf(unescapeText(part))
        ) : (
          <mark key={at}>{maskCpf(unescapeText(marked))}</mark>
        );
      })}
    </>
  );
}

/** Hides the digits by which somebody could identify a person: `***.982.247-**`. A telephone may have eleven digits, too. */
export function maskCpf(text: string): string {
  return text.replaceAll(CPF_IN_TEXT, (whole, at: number) => {
    const digits = readDigits(whole);
    const isMasked = text[at - 1] !== '+' && isCpf(Uint8Array.from(digits, Number), 0);
    return isMasked ? `***.${digits.slice(3, 6)}.${digits.slice(6, 9)}-**` : whole;
  });
}

function unescapeText(text: string): string {
  return text.replaceAll(/&(?:#(\d{1,6})|(lt|gt|quot|amp));/g, (_, code, name) =>
    name ? (characterByName[name] ?? '') : String.fromCodePoint(Number(code)),
  );
}
