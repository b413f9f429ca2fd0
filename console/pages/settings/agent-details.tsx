import type { DataOf } from '../../../queues/contract/operations/index.ts';
import { Badge } from '../../components/badge.tsx';
import { Drawer } from '../../components/drawer.tsx';
import { CheckField, Field } from '../../components/field.tsx';
import { ErrorNote, Skeleton } from '../../components/states.tsx';
import { formatMoment } from '../../format.ts';
import { call } from '../../service.ts';
import { linkTo } from '../../shell/route.ts';
import type { Avatar } from '../../shell/session.ts';
import { useLoad } from '../../use-load.ts';
import { type Agent, titleOf } from './read-agents.ts';

interface DetailsProps {
  readonly hostId: string;
  readonly avatars: readonly Avatar[];
  readonly agent: Agent;
  readonly onClose: () => void;
}

/** The form of an agent as people see it, the flows that run it, and its last runs. */
export function AgentDetails({ hostId, avatars, agent, onClose }: DetailsProps) {
  const { data, error, reload } = useLoad(() => call('readAgent', { hostId, id: agent.id }), [agent.id]);
  const nameOf = (id: string) => avatars.find(({ avatar_id }) => avatar_id === id)?.avatar_name ?? '';
  return (
    <Drawer title={titleOf(agent)} onClose={onClose}>
      <FormPreview form={agent.frontSchema} />
      <section class="stack" aria-label="Fluxos">
        <h3>Fluxos</h3>
        {agent.flows.length === 0 && <p class="small">Nenhum fluxo o roda ainda.</p>}
        <ul>
          {agent.flows.map(({ id, avatarId, decisionName, active }) => (
            <li key={id}>
              <a href={linkTo('assistentes', [avatarId, 'fluxo'])}>{decisionName}</a>, {nameOf(avatarId)}{' '}
              {!active && <Badge tone="warn">Pausado</Badge>}
            </li>
          ))}
        </ul>
      </section>
      <section class="stack" aria-label="Últimas vezes">
        <h3>Últimas vezes</h3>
        {error !== undefined && <ErrorNote error={error} onRetry={reload} />}
        {!data && error === undefined && <Skeleton rows={2} label="Carregando as últimas vezes" />}
        {data?.runs.length === 0 && <p class="small">Nenhuma nas últimas respostas.</p>}
        <ul>
          {data?.runs.map(({ startedAt, status, avatarId, conversationId, error: why }, at) => (
            <li key={at}>
              <a href={linkTo('atendimento', [conversationId])}>{formatMoment(startedAt)}</a>,{' '}
              {nameOf(avatarId)}{' '}
              <Badge tone={status === 'done' ? 'good' : 'bad'}>
                {status === 'done' ? 'Rodou' : 'Falhou'}
              </Badge>{' '}
              {why && <span class="small">{why}</span>}
            </li>
          ))}
        </ul>
      </section>
    </Drawer>
  );
}

/** Shows what it asks for; nobody fills it in here. */
function FormPreview({ form }: { readonly form: DataOf<'listAgents'>['agents'][number]['frontSchema'] }) {
  const { title, description, properties, required } = form;
  return (
    <fieldset disabled>
      <legend>{title}</legend>
      {description && <p class="small">{description}</p>}
      {Object.entries(properties).map(([name, property]) => {
        const label = `${property.description || name}${required.includes(name) ? '' : ' (se houver)'}`;
        if (property.type === 'boolean')
          return (
            <CheckField
              key={name}
              label={label}
              isChecked={property.default === true}
              onChange={() => undefined}
            />
          );
        return (
          <Field key={name} label={label}>
            {field => <input {...field} value={shownOf(property.default)} />}
          </Field>
        );
      })}
    </fieldset>
  );
}

function shownOf(value: unknown): string {
  if (typeof value === 'string') return value;
  const isEmpty = value === 0 || JSON.stringify(value) === '[]' || JSON.stringify(value) === '{}';
  return isEmpty ? '' : JSON.stringify(value);
}
