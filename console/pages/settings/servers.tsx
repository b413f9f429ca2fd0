import { Plug } from 'lucide';
import { useState } from 'preact/hooks';
import { Badge } from '../../components/badge.tsx';
import { confirmAction } from '../../components/dialogs.tsx';
import { ListRow } from '../../components/list-row.tsx';
import { Menu } from '../../components/menu.tsx';
import { ActionNote, EmptyState, ErrorNote, Skeleton } from '../../components/states.tsx';
import { showToast } from '../../components/toast.tsx';
import { call } from '../../service.ts';
import type { Avatar, SessionContext } from '../../shell/session.ts';
import { type Action, useAction } from '../../use-action.ts';
import { useLoad } from '../../use-load.ts';
import { addressOf, type Server, ServerForm } from './server-form.tsx';
import { ServerTrial } from './server-trial.tsx';

interface ServersProps {
  readonly hostId: string;
  readonly context: SessionContext;
}

/** The MCP servers whose tools the assistants may call. */
export function Servers({ hostId, context: { host, avatars } }: ServersProps) {
  const { data, error, reload } = useLoad(() => call('listMcpConfigs', { hostId }), [hostId]);
  const [edited, edit] = useState<Server | 'new'>();
  const [tried, setTried] = useState<Server>();
  const work = useAction();
  const begin = (
    <button type="button" onClick={() => edit('new')}>
      Novo servidor
    </button>
  );
  if (avatars.length === 0 || !host)
    return <EmptyState title="Ainda não há um assistente" text="Um servidor é usado por um assistente." />;
  return (
    <div class="stack">
      {error !== undefined && <ErrorNote error={error} onRetry={reload} />}
      {!data && error === undefined && <Skeleton rows={2} label="Carregando os servidores" />}
      {data?.length === 0 && (
        <EmptyState
          title="Nenhum servidor MCP ainda"
          text="Um servidor MCP dá ferramentas a um assistente: ver uma matrícula, abrir um chamado, marcar um horário."
        >
          {begin}
        </EmptyState>
      )}
      {data && data.length > 0 && (
        <>
          <div class="buttons">{begin}</div>
          <ServerList
            servers={data}
            avatars={avatars}
            work={work}
            onEdit={edit}
            onTry={setTried}
            onChanged={reload}
          />
        </>
      )}
      <ActionNote of={work} />
      {edited && (
        <ServerForm
          hostId={hostId}
          avatars={avatars}
          {...(edited === 'new' ? {} : { server: edited })}
          onSaved={() => {
            edit(undefined);
            reload();
          }}
          onClose={() => edit(undefined)}
        />
      )}
      {tried && (
        <ServerTrial host={host} avatars={avatars} server={tried} onClose={() => setTried(undefined)} />
      )}
    </div>
  );
}

interface ListProps {
  readonly avatars: readonly Avatar[];
  readonly work: Action;
  readonly onEdit: (server: Server) => void;
  readonly onTry: (server: Server) => void;
  readonly onChanged: () => void;
}

function ServerList({ servers, ...props }: ListProps & { readonly servers: readonly Server[] }) {
  return (
    <ul class="list" aria-label="Servidores MCP">
      {servers.map(server => (
        <ServerRow key={server.mcpId} server={server} {...props} />
      ))}
    </ul>
  );
}

function ServerRow({
  server,
  avatars,
  work,
  onEdit,
  onTry,
  onChanged,
}: ListProps & { readonly server: Server }) {
  const { hostId, mcpId: id, name, enabled, avatarId } = server;
  const pause = async () => {
    await call('saveMcpConfig', { hostId, id, enabled: !enabled });
    onChanged();
  };
  const remove = async () => {
    if (!(await confirmAction(deletionOf(name)))) return;
    await call('saveMcpConfig', { hostId, id, deleted: true });
    showToast('Servidor excluído');
    onChanged();
  };
  return (
    <ListRow
      icon={Plug}
      title={name}
      detail={
        <>
          <code>{addressOf(server)}</code>
          <br />
          {avatars.find(({ avatar_id }) => avatar_id === avatarId)?.avatar_name}
        </>
      }
      aside={<Badge tone={enabled ? 'good' : 'warn'}>{enabled ? 'Ativo' : 'Pausado'}</Badge>}
      action={
        <>
          <button type="button" class="quiet slim" disabled={!enabled} onClick={() => onTry(server)}>
            Testar
          </button>
          <Menu
            label={`Ações de ${name}`}
            actions={[
              { text: 'Editar', onChoose: () => onEdit(server) },
              { text: enabled ? 'Pausar' : 'Retomar', onChoose: () => work.run(pause) },
              { text: 'Excluir servidor', isDangerous: true, onChoose: () => work.run(remove) },
            ]}
          />
        </>
      }
    />
  );
}

const deletionOf = (name: string) => ({
  title: `Excluir “${name}”?`,
  text: 'O assistente não usa mais as ferramentas dele a partir da próxima pergunta, e as chaves de acesso são apagadas.',
  action: 'Excluir servidor',
});
