import { Plug } from 'lucide';
import type { DataOf } from '../../../queues/contract/operations/index.ts';
import { confirmAction } from '../../components/dialogs.tsx';
import { ListRow } from '../../components/list-row.tsx';
import { Menu } from '../../components/menu.tsx';
import { ActionNote } from '../../components/states.tsx';
import { showToast } from '../../components/toast.tsx';
import { call } from '../../service.ts';
import { useAction } from '../../use-action.ts';

type Servers = DataOf<'listMcpConfigs'>;

/** The MCP servers whose tools the assistant may call; they are added by the API. */
export function ServersPart({
  hostId,
  servers,
  onChanged,
}: {
  readonly hostId: string;
  readonly servers: Servers;
  readonly onChanged: (servers: Servers) => void;
}) {
  const deleting = useAction();
  const remove = async ({ mcpId, name }: Servers[number]) => {
    if (!(await confirmAction(deletionOf(name)))) return;
    await call('saveMcpConfig', { hostId, id: mcpId, deleted: true });
    onChanged(servers.filter(server => server.mcpId !== mcpId));
    showToast('Servidor excluído');
  };
  if (servers.length === 0) return null;
  return (
    <section class="stack" aria-label="Servidores MCP">
      <h2>Servidores MCP</h2>
      <ul class="list">
        {servers.map(server => (
          <ListRow
            key={server.mcpId}
            icon={Plug}
            title={server.name}
            detail={server.enabled ? addressOf(server) : `${addressOf(server)} · desativado`}
            action={
              <Menu
                label={`Ações de ${server.name}`}
                actions={[
                  {
                    text: 'Excluir servidor',
                    isDangerous: true,
                    onChoose: () => deleting.run(() => remove(server)),
                  },
                ]}
              />
            }
          />
        ))}
      </ul>
      <ActionNote of={deleting} />
    </section>
  );
}

const addressOf = ({ config: { url, command } }: Servers[number]): string => String(url ?? command);

const deletionOf = (name: string) => ({
  title: `Excluir “${name}”?`,
  text: 'O assistente não usa mais as ferramentas dele a partir da próxima pergunta, e as chaves de acesso são apagadas.',
  action: 'Excluir servidor',
});
