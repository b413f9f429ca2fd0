import {
  Activity,
  BarChart3,
  BookOpen,
  Bot,
  FlaskConical,
  type IconNode,
  Inbox,
  Search,
  Webhook,
} from 'lucide';
import type { ComponentType } from 'preact';
import type { TokenScope } from '../../queues/contract/operation.ts';
import { makeAssistantsView } from '../old/assistants.js';
import { makeIndexView } from '../old/index-health.js';
import { makeKnowledgeView } from '../old/knowledge.js';
import { makeEventsView } from '../old/webhooks.js';
import { ChatPage } from '../pages/chat/chat-page.tsx';
import { ComponentsPage } from '../pages/components.tsx';
import { InboxPage } from '../pages/inbox/inbox-page.tsx';
import { ReportsPage } from '../pages/reports.tsx';
import { SearchPage } from '../pages/search.tsx';
import type { SessionContext } from './session.ts';

interface PageEntry {
  readonly title: string;
  /** Of the rail; a page without one is opened by its address only. */
  readonly group?: 'Atender' | 'Ensinar' | 'Acompanhar' | 'Ajustes';
  readonly icon: IconNode;
  /** All the scopes without which the page would be an error. */
  readonly needs: readonly TokenScope[];
  /** The page; or, of those that are not ported yet, what makes its element. */
  readonly page?: ComponentType<{ readonly context: SessionContext }>;
  readonly make?: (context: SessionContext) => HTMLElement;
}

export const groups = ['Atender', 'Ensinar', 'Acompanhar', 'Ajustes'] as const;

/** By the name in the address, in the order of the rail. */
export const pages: Readonly<Record<string, PageEntry>> = {
  atendimento: {
    title: 'Atendimento',
    group: 'Atender',
    icon: Inbox,
    needs: ['reason'],
    page: InboxPage,
  },
  busca: { title: 'Busca', group: 'Atender', icon: Search, needs: ['search'], page: SearchPage },
  conhecimento: {
    title: 'Conhecimento',
    group: 'Ensinar',
    icon: BookOpen,
    needs: ['reason', 'manage'],
    make: makeKnowledgeView,
  },
  assistentes: {
    title: 'Assistentes',
    group: 'Ensinar',
    icon: Bot,
    needs: ['reason', 'manage'],
    make: makeAssistantsView,
  },
  testar: { title: 'Testar', group: 'Ensinar', icon: FlaskConical, needs: ['reason'], page: ChatPage },
  relatorios: {
    title: 'Relatórios',
    group: 'Acompanhar',
    icon: BarChart3,
    needs: ['report'],
    page: ReportsPage,
  },
  webhooks: {
    title: 'Webhooks',
    group: 'Ajustes',
    icon: Webhook,
    needs: ['reason', 'manage'],
    make: makeEventsView,
  },
  indice: { title: 'Índice', group: 'Ajustes', icon: Activity, needs: ['admin'], make: makeIndexView },
  componentes: { title: 'Componentes', icon: FlaskConical, needs: [], page: ComponentsPage },
};

/** The pages in the rail of this session, and those that only an address opens. */
export function listPages({ scopes }: SessionContext): string[] {
  return Object.keys(pages).filter(name => pages[name]?.needs.every(scope => scopes.includes(scope)));
}
