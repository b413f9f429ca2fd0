import {
  BookOpen,
  Bot,
  FileText,
  Globe,
  type IconNode,
  Inbox,
  KeyRound,
  MessageCircle,
  Plug,
  Receipt,
  Search,
  Ticket,
  UserPlus,
  UserRound,
  Users,
} from 'lucide';
import { useState } from 'preact/hooks';
import { NounList, type Row } from '../../components/noun-list.tsx';
import { formatCount } from '../../format.ts';
import { call } from '../../service.ts';
import type { SessionContext } from '../../shell/session.ts';
import { useLoad } from '../../use-load.ts';
import { AgentDetails } from './agent-details.tsx';
import { AgentForm } from './agent-form.tsx';
import { type Agent, readAgents, titleOf } from './read-agents.ts';

/** Icons by their names on lucide.dev; the page cannot have all of them. */
const icons: Readonly<Record<string, IconNode>> = {
  'book-open': BookOpen,
  'file-text': FileText,
  globe: Globe,
  inbox: Inbox,
  'key-round': KeyRound,
  'message-circle': MessageCircle,
  plug: Plug,
  receipt: Receipt,
  search: Search,
  ticket: Ticket,
  'user-plus': UserPlus,
  'user-round': UserRound,
  users: Users,
};

/** The tasks that flows let the assistants run. */
export function Agents(props: { readonly hostId: string; readonly context: SessionContext }) {
  const { hostId, context } = props;
  const { data, ...loaded } = useLoad(() => readAgents(hostId), [hostId]);
  const [shown, show] = useState<Agent>();
  const rowOf = (agent: Agent): Row => ({
    id: agent.id,
    icon: icons[agent.lucideIcon] ?? Bot,
    title: titleOf(agent),
    detail: (
      <>
        <code>{agent.agentName}</code>
        <br />
        {agent.description}
      </>
    ),
    aside: formatCount(agent.flows.length, 'fluxo', 'fluxos'),
    button: { text: 'Ver', run: () => show(agent) },
    menu: [
      {
        text: 'Excluir agente',
        isDangerous: true,
        question: deletionOf(agent),
        run: () => call('deleteAgent', { hostId, id: agent.id }),
        done: 'Agente excluído',
      },
    ],
  });
  return (
    <NounList
      loaded={{ data: data?.agents, ...loaded }}
      label="Agentes"
      begin={{ text: 'Novo agente' }}
      empty={noAgents}
      rowOf={rowOf}
      form={form => (
        <AgentForm hostId={hostId} taken={data?.taken ?? []} all={data?.agents ?? []} {...form} />
      )}
    >
      {shown && (
        <AgentDetails
          hostId={hostId}
          avatars={context.avatars}
          agent={shown}
          onClose={() => show(undefined)}
        />
      )}
    </NounList>
  );
}

const noAgents = {
  title: 'Nenhum agente ainda',
  text: 'Um agente é uma tarefa que um fluxo deixa o assistente fazer, com os dados que ele pede à pessoa.',
};

const deletionOf = (agent: Agent) => ({
  title: `Excluir “${titleOf(agent)}”?`,
  text: 'Nenhuma conversa o roda mais a partir da próxima pergunta; os passos que o citam são pulados.',
  action: 'Excluir agente',
});
