import { useState } from 'preact/hooks';
import type { DataOf } from '../../../queues/contract/operations/index.ts';
import { Drawer } from '../../components/drawer.tsx';
import { CheckField, Field, NameField, SelectField } from '../../components/field.tsx';
import { ActionNote } from '../../components/states.tsx';
import { call, ServiceError } from '../../service.ts';
import type { Avatar } from '../../shell/session.ts';
import { useAction } from '../../use-action.ts';

export type Server = DataOf<'listMcpConfigs'>[number];
type Transport = Server['transportType'];

const transports = [
  ['streamable', 'HTTP'],
  ['sse', 'HTTP com SSE, dos servidores antigos'],
  ['stdio', 'Um comando que o Parley roda'],
] as const;

/** The fields as typed; a list has a line for each of its items. */
interface Draft {
  readonly name: string;
  readonly avatarId: string;
  readonly transportType: Transport;
  readonly url: string;
  readonly headers: string;
  readonly command: string;
  readonly args: string;
  readonly controlConv: boolean;
  readonly unmasked: boolean;
}

export const addressOf = ({ config: { url, command } }: Server): string => String(url ?? command);

/** A server to change, or a new one. The values of its headers are never shown: `***` keeps them. */
export function ServerForm({
  hostId,
  avatars,
  server,
  onSaved,
  onClose,
}: {
  readonly hostId: string;
  readonly avatars: readonly Avatar[];
  /** Absent for a new one. */
  readonly server?: Server;
  readonly onSaved: () => void;
  readonly onClose: () => void;
}) {
  const [draft, setDraft] = useState(() => draftOf(server, avatars));
  const change = (changed: Partial<Draft>) => setDraft({ ...draft, ...changed });
  const saving = useAction();
  const save = async () => {
    const { name, avatarId, transportType, controlConv, unmasked } = draft;
    const config = configOf(draft);
    const fields = { hostId, name: name.trim(), avatarId, transportType, config, controlConv, unmasked };
    await call('saveMcpConfig', server ? { ...fields, id: server.mcpId } : fields);
    onSaved();
  };
  return (
    <Drawer title={server ? `Editar ${server.name}` : 'Novo servidor MCP'} onClose={onClose}>
      <form
        class="stack"
        onSubmit={event => {
          event.preventDefault();
          saving.run(save);
        }}
      >
        <UseFields draft={draft} avatars={avatars} onChange={change} />
        <ConnectionFields draft={draft} onChange={change} />
        <GivenFields draft={draft} onChange={change} />
        <ActionNote of={saving} />
        <div class="buttons">
          <button type="submit" aria-busy={saving.isBusy}>
            {server ? 'Salvar' : 'Criar servidor'}
          </button>
          <button type="button" class="quiet" onClick={onClose}>
            Cancelar
          </button>
        </div>
      </form>
    </Drawer>
  );
}

interface FieldsProps {
  readonly draft: Draft;
  readonly onChange: (changed: Partial<Draft>) => void;
}

function UseFields({
  draft: { name, avatarId, transportType },
  avatars,
  onChange,
}: FieldsProps & { readonly avatars: readonly Avatar[] }) {
  return (
    <>
      <NameField
        label="Nome"
        hint="O modelo o vê antes do nome de cada ferramenta."
        value={name}
        onInput={value => onChange({ name: value })}
      />
      <SelectField
        label="Assistente"
        value={avatarId}
        choices={avatars.map(({ avatar_id, avatar_name }) => [avatar_id, avatar_name] as const)}
        onChange={value => onChange({ avatarId: value })}
      />
      <SelectField
        label="Como se chega a ele"
        value={transportType}
        choices={transports}
        onChange={value => onChange({ transportType: value as Transport })}
      />
    </>
  );
}

/** The parts of a conversation that the server gets. */
function GivenFields({ draft: { controlConv, unmasked }, onChange }: FieldsProps) {
  return (
    <>
      <CheckField
        label="Recebe o número da conversa e o nome da pessoa"
        isChecked={controlConv}
        onChange={value => onChange({ controlConv: value })}
      />
      <CheckField
        label="Recebe CPF, telefone e e-mail, também onde a instituição os esconde"
        isChecked={unmasked}
        onChange={value => onChange({ unmasked: value })}
      />
    </>
  );
}

function ConnectionFields({ draft: { transportType, url, headers, command, args }, onChange }: FieldsProps) {
  if (transportType === 'stdio')
    return (
      <>
        <Field label="Comando" hint="Só roda o que quem instalou o Parley permite.">
          {field => (
            <input
              {...field}
              required
              value={command}
              onInput={event => onChange({ command: event.currentTarget.value })}
            />
          )}
        </Field>
        <Lines
          label="Argumentos"
          hint="Um por linha."
          value={args}
          onInput={value => onChange({ args: value })}
        />
      </>
    );
  return (
    <>
      <Field label="Endereço">
        {field => (
          <input
            {...field}
            type="url"
            required
            placeholder="https://"
            value={url}
            onInput={event => onChange({ url: event.currentTarget.value })}
          />
        )}
      </Field>
      <Lines
        label="Cabeçalhos"
        hint="Um por linha, como “Authorization: Bearer …”. O que está guardado aparece como ***, e fica se não for mudado."
        value={headers}
        onInput={value => onChange({ headers: value })}
      />
    </>
  );
}

function Lines({
  label,
  hint,
  value,
  onInput,
}: {
  readonly label: string;
  readonly hint: string;
  readonly value: string;
  readonly onInput: (value: string) => void;
}) {
  return (
    <Field label={label} hint={hint}>
      {field => (
        <textarea
          {...field}
          rows={3}
          spellcheck={false}
          autocomplete="off"
          value={value}
          onInput={event => onInput(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}

function draftOf(server: Server | undefined, avatars: readonly Avatar[]): Draft {
  const { url = '', headers = {}, command = '', args = [] } = server?.config ?? {};
  return {
    name: server?.name ?? '',
    avatarId: server?.avatarId ?? avatars[0]?.avatar_id ?? '',
    transportType: server?.transportType ?? 'streamable',
    url: String(url),
    headers: Object.entries(headers as Record<string, string>)
      .map(([name, value]) => `${name}: ${value}`)
      .join('\n'),
    command: String(command),
    args: (args as readonly string[]).join('\n'),
    controlConv: server?.controlConv ?? false,
    unmasked: server?.unmasked ?? false,
  };
}

function configOf({ transportType, url, headers, command, args }: Draft): Record<string, unknown> {
  if (transportType === 'stdio') return { command: command.trim(), args: linesOf(args) };
  return { url: url.trim(), headers: headersOf(linesOf(headers)) };
}

/**
 * Refuses what an object of headers cannot say: of two equal names the last would win, and a name alone would empty the stored
 * value.
 */
function headersOf(lines: readonly string[]): Record<string, string> {
  const named = new Map<string, string>();
  const refuse = (name: string, message: string) =>
    new ServiceError(400, '', { fields: [{ path: `config.headers.${name}`, message }] });
  for (const line of lines) {
    const [name = '', ...value] = line.split(':');
    const key = name.trim();
    if (value.length === 0) throw refuse(key, 'is required');
    if (named.has(key)) throw refuse(key, 'is there twice');
    named.set(key, value.join(':').trim());
  }
  return Object.fromEntries(named);
}

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map(line => line.trim())
    .filter(Boolean);
