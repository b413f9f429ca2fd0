import { useState } from 'preact/hooks';
import type { DataOf } from '../../../queues/contract/operations/index.ts';
import { Badge } from '../../components/badge.tsx';
import { confirmAction } from '../../components/dialogs.tsx';
import { CheckField, Field } from '../../components/field.tsx';
import { ActionNote, EmptyState, ErrorNote, Skeleton } from '../../components/states.tsx';
import { showToast } from '../../components/toast.tsx';
import { formatCount, formatMoment } from '../../format.ts';
import { call } from '../../service.ts';
import { linkTo } from '../../shell/route.ts';
import { useAction } from '../../use-action.ts';
import { useLoad } from '../../use-load.ts';
import type { Editing, Flow } from './changes.ts';
import { FlowSteps, newStep } from './flow-steps.tsx';

/** The flow of an assistant: the one that runs, or a new one. */
export function FlowPart(props: {
  readonly hostId: string;
  readonly editing: Editing;
  readonly agents: DataOf<'listAgents'>['agents'];
}) {
  const { hostId, editing, agents } = props;
  const { flow, parts, setParts, showFlow } = editing;
  if (!parts)
    return (
      <EmptyState
        title="Este assistente não tem fluxo"
        text="Um fluxo guia a conversa passo a passo. Sem ele, o assistente só segue as instruções."
      >
        <button
          type="button"
          class="quiet"
          onClick={() => setParts({ name: 'Atendimento', active: true, steps: [newStep] })}
        >
          Criar um fluxo
        </button>
      </EmptyState>
    );
  return (
    <div class="stack">
      <div class="flow-head">
        <Field label="Nome do fluxo">
          {field => (
            <input
              {...field}
              required
              maxLength={200}
              value={parts.name}
              onInput={event => setParts({ ...parts, name: event.currentTarget.value })}
            />
          )}
        </Field>
        <CheckField
          label="Ativo"
          isChecked={parts.active}
          onChange={active => setParts({ ...parts, active })}
        />
      </div>
      <FlowSteps steps={parts.steps} agents={agents} onChange={steps => setParts({ ...parts, steps })} />
      <p class="small">
        O que cada agente pede está em <a href={linkTo('integracoes', ['agentes'])}>Agentes</a>.
      </p>
      {flow && <Versions key={flow.updatedAt} hostId={hostId} flow={flow} onRestored={showFlow} />}
    </div>
  );
}

/** Earlier versions of the flow, read when a person asks for them. */
function Versions(options: {
  readonly hostId: string;
  readonly flow: Flow;
  readonly onRestored: (flow: Flow) => void;
}) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={event => setOpen(event.currentTarget.open)}>
      <summary class="small">Versões anteriores</summary>
      {isOpen && <VersionList {...options} />}
    </details>
  );
}

function VersionList(props: {
  readonly hostId: string;
  readonly flow: Flow;
  readonly onRestored: (flow: Flow) => void;
}) {
  const { hostId, flow, onRestored } = props;
  const { data, error, reload } = useLoad(() => call('listFlowVersions', { hostId, id: flow.id }), []);
  const restoring = useAction();
  const restore = async (version: number) => {
    const question = {
      title: 'Restaurar esta versão?',
      text: 'O fluxo volta a ser como era. A versão de agora fica na lista, e pode ser restaurada também.',
      action: 'Restaurar',
    };
    if (!(await confirmAction(question))) return;
    const body = { hostId, id: flow.id, version, expectedUpdatedAt: flow.updatedAt };
    onRestored(await call('restoreFlowVersion', body));
    showToast('Versão restaurada');
  };
  if (error !== undefined) return <ErrorNote error={error} onRetry={reload} />;
  if (!data) return <Skeleton label="Carregando as versões" rows={2} />;
  return (
    <>
      <ActionNote of={restoring} />
      <ul class="plain">
        {data.items.map(({ version, savedAt, decisionName, chainJson }, at) => (
          <li key={version}>
            <span>
              {formatMoment(savedAt)} · {decisionName} · {formatCount(chainJson.length, 'passo', 'passos')}
            </span>
            {at === 0 ? (
              <Badge>atual</Badge>
            ) : (
              <button type="button" class="quiet slim" onClick={() => restoring.run(() => restore(version))}>
                Restaurar
              </button>
            )}
          </li>
        ))}
      </ul>
    </>
  );
}
