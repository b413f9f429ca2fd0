import type { DataOf } from '../../../queues/contract/operations/index.ts';
import type { FormOfItem } from '../../components/noun-list.tsx';
import { OperationForm } from '../../components/operation-form.tsx';
import { call, ServiceError } from '../../service.ts';
import type { Avatar } from '../../shell/session.ts';

export type Server = DataOf<'listMcpConfigs'>[number];

export const addressOf = ({ config: { url, command } }: Server): string => String(url ?? command);

/** A server to change, or a new one. The values of its headers are never shown: `***` keeps them. */
export function ServerForm(
  props: FormOfItem<Server> & { readonly hostId: string; readonly avatars: readonly Avatar[] },
) {
  const { hostId, avatars, item: server } = props;
  const save = async ({ name, avatarId, transportType, controlConv, unmasked, ...typed }: Draft) => {
    const config = transportType === 'stdio' ? commandOf(typed) : addressedOf(typed);
    const fields = { hostId, name, avatarId, transportType, config, controlConv, unmasked };
    await call('saveMcpConfig', server ? { ...fields, id: server.mcpId } : fields);
    props.onSaved();
  };
  return (
    <OperationForm
      of="saveMcpConfig"
      begin={draftOf(server, avatars)}
      choices={{ avatarId: avatars.map(({ avatar_id, avatar_name }) => [avatar_id, avatar_name] as const) }}
      isShown={(field, { transportType }) => transports[field]?.includes(transportType) ?? true}
      text={server ? 'Salvar' : 'Criar servidor'}
      save={save}
      onCancel={props.onClose}
    />
  );
}

/** Fields that only some transports have. */
const transports: Readonly<Partial<Record<keyof Draft, readonly Server['transportType'][]>>> = {
  'config.url': ['streamable', 'sse'],
  'config.headers': ['streamable', 'sse'],
  'config.command': ['stdio'],
  'config.args': ['stdio'],
};

function draftOf(server: Server | undefined, avatars: readonly Avatar[]) {
  const { url = '', headers = {}, command = '', args = [] } = server?.config ?? {};
  return {
    name: server?.name ?? '',
    avatarId: server?.avatarId ?? avatars[0]?.avatar_id ?? '',
    transportType: server?.transportType ?? 'streamable',
    'config.url': String(url),
    'config.headers': Object.entries(headers as Record<string, string>)
      .map(([name, value]) => `${name}: ${value}`)
      .join('\n'),
    'config.command': String(command),
    'config.args': (args as readonly string[]).join('\n'),
    controlConv: server?.controlConv ?? false,
    unmasked: server?.unmasked ?? false,
  };
}

type Draft = ReturnType<typeof draftOf>;

const commandOf = (typed: Pick<Draft, 'config.command' | 'config.args'>) => ({
  command: typed['config.command'],
  args: linesOf(typed['config.args']),
});

const addressedOf = (typed: Pick<Draft, 'config.url' | 'config.headers'>) => ({
  url: typed['config.url'],
  headers: headersOf(linesOf(typed['config.headers'])),
});

/**
 * Refuses what an object of headers cannot say: of two equal names the last would win, and a name alone would empty the stored
 * value.
 */
function headersOf(lines: readonly string[]): Record<string, string> {
  const named = new Map<string, string>();
  const refuse = (name: string, rule: 'required' | 'twice') =>
    new ServiceError(400, '', {
      reason: 'body-invalid',
      fields: [{ path: `config.headers.${name}`, message: '', rule }],
    });
  for (const line of lines) {
    const [name = '', ...value] = line.split(':');
    const key = name.trim();
    if (value.length === 0) throw refuse(key, 'required');
    if (named.has(key)) throw refuse(key, 'twice');
    named.set(key, value.join(':').trim());
  }
  return Object.fromEntries(named);
}

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map(line => line.trim())
    .filter(Boolean);
