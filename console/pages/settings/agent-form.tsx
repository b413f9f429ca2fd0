import type { FormOfItem } from '../../components/noun-list.tsx';
import { OperationForm } from '../../components/operation-form.tsx';
import { ErrorNote, Skeleton } from '../../components/states.tsx';
import { readObject } from '../../read-object.ts';
import { call, ServiceError } from '../../service.ts';
import { useLoad } from '../../use-load.ts';
import type { Agent } from './read-agents.ts';

interface FormProps extends FormOfItem<Agent> {
  readonly hostId: string;
  readonly all: readonly Agent[];
  /** Names that a new one must not have. */
  readonly taken: readonly string[];
}

/** An agent to change, whose schema is read first, or a new one. */
export function AgentForm(props: FormProps) {
  const { hostId, item: agent } = props;
  const { data, error, reload } = useLoad(
    async () => (agent ? (await call('readAgent', { hostId, id: agent.id, limit: 1 })).schema : begun),
    [],
  );
  if (error !== undefined) return <ErrorNote error={error} onRetry={reload} />;
  if (!data) return <Skeleton label="Carregando o agente" />;
  return <Fields {...props} schemaText={JSON.stringify(data, null, 2)} />;
}

function Fields(props: FormProps & { readonly schemaText: string }) {
  const { hostId, item: agent, all, taken, schemaText } = props;
  const others = all.filter(each => each.schemaName === agent?.schemaName && each.id !== agent.id);
  return (
    <OperationForm
      of="saveAgent"
      begin={{
        agentName: agent?.agentName ?? '',
        frontName: agent?.frontName ?? '',
        description: agent?.description ?? '',
        lucideIcon: agent?.lucideIcon ?? '',
        'schema.text': schemaText,
      }}
      isShown={field => field !== 'agentName' || !agent}
      hints={
        others.length > 0
          ? { 'schema.text': `Muda também: ${others.map(({ agentName }) => agentName).join(', ')}.` }
          : {}
      }
      text={agent ? 'Salvar' : 'Criar agente'}
      save={async ({ 'schema.text': text, ...fields }) => {
        if (!agent && taken.includes(fields.agentName)) throw takenName;
        const schema = agent && text === schemaText ? {} : { schema: readObject('schema.text', text) };
        await call('saveAgent', {
          hostId,
          ...fields,
          ...schema,
          ...(!agent && { schemaName: fields.agentName }),
        });
        props.onSaved();
      }}
      onCancel={props.onClose}
    />
  );
}

/** The service would change the agent, or the schema, that has the name. */
const takenName = new ServiceError(400, '', {
  reason: 'body-invalid',
  fields: [{ path: 'agentName', rule: 'taken', message: '' }],
});

/** What the schema of a new one begins with. */
const begun = {
  type: 'object',
  required: ['nome'],
  properties: { nome: { type: 'string', description: 'Nome da pessoa' } },
};
