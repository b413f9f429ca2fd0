import type { ComponentType } from 'preact';
import type { TokenScope } from '../../../queues/contract/operation.ts';
import { Page, Tabs } from '../../components/page.tsx';
import { EmptyState } from '../../components/states.tsx';
import { getSession } from '../../service.ts';
import { linkTo, route } from '../../shell/route.ts';
import type { SessionContext } from '../../shell/session.ts';
import { Contracts } from '../operation/contracts.tsx';
import { Hosts } from '../operation/hosts.tsx';
import { Mappings } from '../operation/mappings.tsx';
import { Tokens } from '../operation/tokens.tsx';
import { Agents } from './agents.tsx';
import { Audit } from './audit.tsx';
import { BudgetsPart } from './budgets.tsx';
import { BusinessHours } from './business-hours.tsx';
import { RefusedRecords } from './refused-records.tsx';
import { RestTools } from './rest-tools.tsx';
import { Servers } from './servers.tsx';
import { SiteChats } from './site-chats.tsx';

interface PartProps {
  readonly hostId: string;
  readonly context: SessionContext;
}

interface Part {
  /** Its name in the address. */
  readonly name: string;
  readonly title: string;
  readonly about: string;
  readonly needs: readonly TokenScope[];
  /** Whether the service allows it to operators only. */
  readonly isForOperators?: true;
  readonly part: ComponentType<PartProps>;
}

const integrations: readonly Part[] = [
  {
    name: 'recusados',
    title: 'Registros recusados',
    about: 'O que o CRM enviou e não entrou: veja por quê e, depois de corrigir, processe de novo.',
    needs: ['intake'],
    part: RefusedRecords,
  },
  {
    name: 'servidores',
    title: 'Servidores MCP',
    about: 'As ferramentas que os assistentes podem chamar: adicione, teste, pause.',
    needs: ['reason'],
    part: Servers,
  },
  {
    name: 'rest',
    title: 'Ferramentas REST',
    about: 'As funções de outros sistemas que os assistentes podem chamar por HTTP.',
    needs: ['reason'],
    part: RestTools,
  },
  {
    name: 'site',
    title: 'Chat no site',
    about:
      'O chat nas páginas da instituição: os visitantes perguntam, e a equipe os atende na caixa de entrada.',
    needs: ['manage'],
    part: SiteChats,
  },
  {
    name: 'agentes',
    title: 'Agentes',
    about:
      'As tarefas que os fluxos deixam os assistentes fazer: o que pedem, onde são usadas, e as últimas vezes.',
    needs: ['reason'],
    part: Agents,
  },
];

const settings: readonly Part[] = [
  {
    name: 'auditoria',
    title: 'Auditoria',
    about: 'Quem mudou o quê, e quando.',
    needs: ['admin'],
    part: Audit,
  },
  {
    name: 'orcamentos',
    title: 'Orçamentos',
    about: 'Quanto os modelos podem custar por dia e por mês, e quanto já custaram.',
    needs: ['admin', 'report'],
    isForOperators: true,
    part: BudgetsPart,
  },
  {
    name: 'horario',
    title: 'Horário',
    about: 'Quando a equipe atende: o assistente sabe, e os relatórios contam o que fica fora.',
    needs: ['admin'],
    isForOperators: true,
    part: BusinessHours,
  },
];

const ofOperators = { needs: ['admin'], isForOperators: true } as const;

const operation: readonly Part[] = [
  {
    ...ofOperators,
    name: 'instituicoes',
    title: 'Instituições',
    about: 'Todas as instituições desta instalação, e os limites de cada uma.',
    part: Hosts,
  },
  {
    ...ofOperators,
    name: 'tokens',
    title: 'Tokens',
    about: 'Com que os sistemas desta instituição chamam o Parley.',
    part: Tokens,
  },
  {
    ...ofOperators,
    name: 'contratos',
    title: 'Contratos',
    about: 'O preço de um serviço desta instituição, e desde quando.',
    part: Contracts,
  },
  {
    ...ofOperators,
    name: 'mapeamentos',
    title: 'Mapeamentos',
    about: 'Como se lê o que o CRM desta instituição envia.',
    part: Mappings,
  },
];

/** Connections of the host to other systems: #integracoes/<part> */
export function IntegrationsPage({ context }: { readonly context: SessionContext }) {
  return <Parts page="integracoes" title="Integrações" parts={integrations} context={context} />;
}

/** Settings of the whole host: #configuracoes/<part> */
export function SettingsPage({ context }: { readonly context: SessionContext }) {
  return <Parts page="configuracoes" title="Configurações" parts={settings} context={context} />;
}

/** For those who run Parley: #operacao/<part> */
export function OperationPage({ context }: { readonly context: SessionContext }) {
  return <Parts page="operacao" title="Operação" parts={operation} context={context} />;
}

/** The parts that the session may see, one of them open. */
function Parts(props: {
  readonly page: string;
  readonly title: string;
  readonly parts: readonly Part[];
  readonly context: SessionContext;
}) {
  const { page, title, parts, context } = props;
  const hostId = getSession()?.host.host_id;
  const { scopes, isOperator } = context;
  const shown = parts.filter(
    ({ needs, isForOperators }) =>
      needs.every(scope => scopes.includes(scope)) && (isOperator || !isForOperators),
  );
  const open = shown.find(({ name }) => name === route.value.parts[0]) ?? shown[0];
  if (!open || hostId === undefined)
    return <EmptyState title="Sem acesso" text="Este acesso não permite ver esta parte." />;
  const tabs = shown.map(part => ({
    text: part.title,
    href: linkTo(page, [part.name]),
    isOpen: part === open,
  }));
  return (
    <Page title={title} about={open.about}>
      <Tabs label={`Partes de ${title}`} tabs={tabs} />
      <open.part key={open.name} hostId={hostId} context={context} />
    </Page>
  );
}
