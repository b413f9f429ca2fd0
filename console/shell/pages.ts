import {
  Activity,
  BadgeCheck,
  BarChart3,
  BookOpen,
  Bot,
  FlaskConical,
  type IconNode,
  Inbox,
  Plug,
  Rocket,
  Search,
  ServerCog,
  Settings,
  Users,
  UsersRound,
  Webhook,
} from 'lucide';
import type { ComponentType } from 'preact';
import type { TokenScope } from '../../queues/contract/operation.ts';
import { AssistantsPage } from '../pages/assistants/assistants-page.tsx';
import { AttendancePage } from '../pages/attendance-page.tsx';
import { BeginPage } from '../pages/begin/begin-page.tsx';
import { ChatPage } from '../pages/chat/chat-page.tsx';
import { InboxPage } from '../pages/inbox/inbox-page.tsx';
import { IndexPage } from '../pages/index-page.tsx';
import { KnowledgePage } from '../pages/knowledge/knowledge-page.tsx';
import { QuestionsPage } from '../pages/questions-page.tsx';
import { ReportsPage } from '../pages/reports.tsx';
import { SearchPage } from '../pages/search.tsx';
import { IntegrationsPage, OperationPage, SettingsPage } from '../pages/settings/settings-page.tsx';
import { TeamPage } from '../pages/team.tsx';
import { WebhooksPage } from '../pages/webhooks/webhooks-page.tsx';
import type { SessionContext } from './session.ts';

interface PageEntry {
  readonly title: string;
  /** Its group in the rail. */
  readonly group: 'Atender' | 'Ensinar' | 'Acompanhar' | 'Ajustes';
  readonly icon: IconNode;
  /** Scopes that the page cannot do without. */
  readonly needs: readonly TokenScope[];
  /** Whether the service allows it to operators only. */
  readonly isForOperators?: true;
  readonly page: ComponentType<{ readonly context: SessionContext }>;
}

export const groups = ['Atender', 'Ensinar', 'Acompanhar', 'Ajustes'] as const;

/** The key is the name in the address; the rail has the same order. */
export const pages: Readonly<Record<string, PageEntry>> = {
  atendimento: {
    title: 'Atendimento',
    group: 'Atender',
    icon: Inbox,
    needs: ['reason'],
    page: InboxPage,
  },
  busca: { title: 'Busca', group: 'Atender', icon: Search, needs: ['search'], page: SearchPage },
  comecar: {
    title: 'Começar',
    group: 'Ensinar',
    icon: Rocket,
    needs: ['reason', 'manage'],
    page: BeginPage,
  },
  conhecimento: {
    title: 'Conhecimento',
    group: 'Ensinar',
    icon: BookOpen,
    needs: ['reason', 'manage'],
    page: KnowledgePage,
  },
  assistentes: {
    title: 'Assistentes',
    group: 'Ensinar',
    icon: Bot,
    needs: ['reason', 'manage'],
    page: AssistantsPage,
  },
  perguntas: {
    title: 'Perguntas',
    group: 'Ensinar',
    icon: BadgeCheck,
    needs: ['reason', 'manage', 'report'],
    page: QuestionsPage,
  },
  testar: { title: 'Testar', group: 'Ensinar', icon: FlaskConical, needs: ['reason'], page: ChatPage },
  relatorios: {
    title: 'Relatórios',
    group: 'Acompanhar',
    icon: BarChart3,
    needs: ['report'],
    page: ReportsPage,
  },
  equipe: { title: 'Equipe', group: 'Ajustes', icon: Users, needs: ['admin'], page: TeamPage },
  equipes: {
    title: 'Equipes e etiquetas',
    group: 'Ajustes',
    icon: UsersRound,
    needs: ['reason', 'manage'],
    page: AttendancePage,
  },
  webhooks: {
    title: 'Webhooks',
    group: 'Ajustes',
    icon: Webhook,
    needs: ['reason', 'manage'],
    page: WebhooksPage,
  },
  integracoes: {
    title: 'Integrações',
    group: 'Ajustes',
    icon: Plug,
    needs: ['manage'],
    page: IntegrationsPage,
  },
  configuracoes: {
    title: 'Configurações',
    group: 'Ajustes',
    icon: Settings,
    needs: ['admin'],
    page: SettingsPage,
  },
  operacao: {
    title: 'Operação',
    group: 'Ajustes',
    icon: ServerCog,
    needs: ['admin'],
    isForOperators: true,
    page: OperationPage,
  },
  indice: { title: 'Índice', group: 'Ajustes', icon: Activity, needs: ['admin'], page: IndexPage },
};

export function listPages({ scopes, isOperator }: SessionContext): string[] {
  return Object.entries(pages).flatMap(([name, { needs, isForOperators }]) =>
    needs.every(scope => scopes.includes(scope)) && (isOperator || !isForOperators) ? [name] : [],
  );
}
