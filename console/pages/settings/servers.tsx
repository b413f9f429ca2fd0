import { Plug } from 'lucide';
import { useState } from 'preact/hooks';
import { EnabledBadge, NounList, type Row } from '../../components/noun-list.tsx';
import { EmptyState } from '../../components/states.tsx';
import { call } from '../../service.ts';
import type { SessionContext } from '../../shell/session.ts';
import { useLoad } from '../../use-load.ts';
import { addressOf, type Server, ServerForm } from './server-form.tsx';
import { ServerTrial } from './server-trial.tsx';

/** The MCP servers whose tools the assistants may call. */
export function Servers(props: { readonly hostId: string; readonly context: SessionContext }) {
  const { hostId } = props;
  const { host, avatars } = props.context;
  const loaded = useLoad(() => call('listMcpConfigs', { hostId }), [hostId]);
  const [tried, setTried] = useState<Server>();
  const rowOf = (server: Server): Row => {
    const { mcpId, name, enabled, avatarId } = server;
    const save = (change: object) => call('saveMcpConfig', { hostId, id: mcpId, ...change });
    return {
      id: mcpId,
      icon: Plug,
      title: name,
      detail: (
        <>
          <code>{addressOf(server)}</code>
          <br />
          {avatars.find(({ avatar_id }) => avatar_id === avatarId)?.avatar_name}
        </>
      ),
      aside: <EnabledBadge enabled={enabled} />,
      button: { text: 'Testar', isDisabled: !enabled, run: () => setTried(server) },
      menu: [
        { text: enabled ? 'Pausar' : 'Retomar', run: () => save({ enabled: !enabled }) },
        {
          text: 'Excluir servidor',
          isDangerous: true,
          question: deletionOf(name),
          run: () => save({ deleted: true }),
          done: 'Servidor excluído',
        },
      ],
    };
  };
  if (avatars.length === 0 || !host)
    return <EmptyState title="Ainda não há um assistente" text="Um servidor é usado por um assistente." />;
  return (
    <NounList
      loaded={loaded}
      label="Servidores MCP"
      begin={{ text: 'Novo servidor' }}
      empty={noServers}
      rowOf={rowOf}
      form={form => <ServerForm hostId={hostId} avatars={avatars} {...form} />}
    >
      {tried && (
        <ServerTrial host={host} avatars={avatars} server={tried} onClose={() => setTried(undefined)} />
      )}
    </NounList>
  );
}

const noServers = {
  title: 'Nenhum servidor MCP ainda',
  text: 'Um servidor MCP dá ferramentas a um assistente: ver uma matrícula, abrir um chamado, marcar um horário.',
};

const deletionOf = (name: string) => ({
  title: `Excluir “${name}”?`,
  text: 'O assistente não usa mais as ferramentas dele a partir da próxima pergunta, e as chaves de acesso são apagadas.',
  action: 'Excluir servidor',
});
