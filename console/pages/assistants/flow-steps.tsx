import { GripVertical, Plus } from 'lucide';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { DataOf } from '../../../queues/contract/operations/index.ts';
import { CheckField, Field, SelectField } from '../../components/field.tsx';
import { Icon } from '../../components/icon.tsx';
import { Menu } from '../../components/menu.tsx';
import { call, getSession } from '../../service.ts';
import { useLoad } from '../../use-load.ts';
import { AskFields, keepTargets, labelOf, textOf, toType } from './ask-fields.tsx';
import type { Step } from './changes.ts';

type Agents = DataOf<'listAgents'>['agents'];

const kinds = [
  ['notification-conversation', 'Orientar o assistente'],
  ['notification-trigger', 'Quando algo acontecer, orientar e agir'],
  ['message', 'Enviar uma mensagem pronta'],
  ['ask', 'Perguntar e guardar a resposta'],
  ['when', 'Seguir por outro passo, conforme a resposta'],
  ['agent', 'Rodar um agente'],
  ['handoff', 'Passar a uma pessoa da equipe'],
  ['end', 'Encerrar a conversa'],
] as const;
const contentLabels = new Map([
  ['message', 'Mensagem'],
  ['ask', 'Pergunta'],
  ['notification-conversation', 'Orientação'],
]);

export const newStep: Step = { type: 'notification-conversation', content: '', description: '' };

/** The steps of a flow in their order. Fields of a step that this page does not show are kept. */
export function FlowSteps(props: {
  readonly steps: readonly Step[];
  readonly agents: Agents;
  readonly onChange: (steps: readonly Step[]) => void;
}) {
  const { steps, agents, onChange } = props;
  const change = (next: readonly Step[]) => onChange(keepTargets(steps, next));
  const { list, keys, dragged, move, remove, add, onGrip } = useReordering(steps, change);
  const [added, setAdded] = useState<number>();
  return (
    <>
      <ol class="steps" ref={list}>
        {steps.map((step, at) => (
          <li key={keys[at]} class={at === dragged ? 'step is-dragged' : 'step'}>
            <button
              type="button"
              class="icon-button grip"
              aria-label={`Mover o passo ${at + 1}: arraste, ou use as setas`}
              onPointerDown={event => onGrip(event, at)}
              onKeyDown={event => {
                const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
                if (by === undefined) return;
                event.preventDefault();
                move(at, at + by);
              }}
            >
              <Icon of={GripVertical} />
            </button>
            <StepFields
              step={step}
              place={at + 1}
              steps={steps}
              agents={agents}
              isNew={keys[at] === added}
              onChange={next => onChange(steps.with(at, next))}
            />
            <Menu
              label={`Ações do passo ${at + 1}`}
              actions={[
                { text: 'Subir', onChoose: () => move(at, at - 1) },
                { text: 'Descer', onChoose: () => move(at, at + 1) },
                { text: 'Remover', onChoose: () => remove(at), isDangerous: true },
              ]}
            />
          </li>
        ))}
      </ol>
      <div class="buttons">
        <button type="button" class="quiet slim with-icon" onClick={() => setAdded(add(newStep))}>
          <Icon of={Plus} size={16} /> Acrescentar passo
        </button>
      </div>
    </>
  );
}

function StepFields(props: {
  readonly step: Step;
  readonly place: number;
  readonly steps: readonly Step[];
  readonly agents: Agents;
  readonly isNew: boolean;
  readonly onChange: (step: Step) => void;
}) {
  const { step, place, steps, agents, isNew, onChange } = props;
  const whole = useRef<HTMLDetailsElement>(null);
  useLayoutEffect(() => {
    if (!isNew || !whole.current) return;
    whole.current.open = true;
    whole.current.querySelector('select')?.focus();
  }, []);
  const choices = kinds.some(([each]) => each === step.type)
    ? kinds
    : ([[step.type, step.type], ...kinds] as const);
  return (
    <details ref={whole}>
      <StepSummary step={step} place={place} />
      <div class="stack">
        <SelectField
          label="Passo"
          value={step.type}
          choices={choices}
          onChange={type => onChange(toType(step, type))}
        />
        <ContentField step={step} onChange={onChange} />
        <AskFields key={step.type} step={step} place={place} steps={steps} onChange={onChange} />
        <Field label={labelOf('description')}>
          {field => (
            <input
              {...field}
              maxLength={20_000}
              value={step.description}
              onInput={event => onChange({ ...step, description: event.currentTarget.value })}
            />
          )}
        </Field>
        {step.type === 'handoff' && <StepTeam step={step} onChange={onChange} />}
        <StepAgents step={step} agents={agents} onChange={onChange} />
      </div>
    </details>
  );
}

function ContentField({ step, onChange }: { readonly step: Step; readonly onChange: (step: Step) => void }) {
  if (step.type === 'when') return null;
  return (
    <Field label={contentLabels.get(step.type) ?? 'Condição, em palavras'}>
      {field => (
        <textarea
          {...field}
          rows={3}
          maxLength={20_000}
          value={step.content}
          onInput={event => onChange({ ...step, content: event.currentTarget.value })}
        />
      )}
    </Field>
  );
}

function StepSummary({ step, place }: { readonly step: Step; readonly place: number }) {
  const kind = kinds.find(([each]) => each === step.type)?.[1] ?? step.type;
  return (
    <summary>
      <span class="step-kind">
        {place}. {kind}
      </span>
      <span class="small step-content">{textOf(step)}</span>
    </summary>
  );
}

/** The team that a handover names; nothing where the host has none. */
function StepTeam({ step, onChange }: { readonly step: Step; readonly onChange: (step: Step) => void }) {
  const hostId = getSession()?.host.host_id ?? '';
  const { data: teams = [] } = useLoad(() => call('listTeams', { hostId }), [hostId]);
  const { team = '', ...others } = step;
  const value = teams.find(({ teamId, name }) => teamId === team || name === team)?.teamId ?? team;
  if (teams.length === 0 && team === '') return null;
  const known = teams.map(({ teamId, name }) => [teamId, name] as const);
  const isGone = value !== '' && !known.some(([id]) => id === value);
  return (
    <SelectField
      label={labelOf('team')}
      value={value}
      choices={[
        ['', 'O assistente escolhe'],
        ...known,
        ...(isGone ? [[value, 'Equipe que foi excluída'] as const] : []),
      ]}
      onChange={next => onChange(next === '' ? others : { ...step, team: next })}
    />
  );
}

/** Offers also chosen agents that were deleted since. */
function StepAgents(props: {
  readonly step: Step;
  readonly agents: Agents;
  readonly onChange: (step: Step) => void;
}) {
  const { step, agents, onChange } = props;
  const chosen = step.agents ?? [];
  const [first] = useState(chosen);
  const isAmong = (all: typeof chosen, name: string) => all.some(({ agentName }) => agentName === name);
  const offered = [...first, ...agents.filter(({ agentName }) => !isAmong(first, agentName))];
  if (offered.length === 0) return null;
  return (
    <fieldset>
      <legend>{labelOf('agents')}</legend>
      {offered.map(({ agentName, schemaName }) => (
        <CheckField
          key={agentName}
          label={agentName}
          isChecked={isAmong(chosen, agentName)}
          onChange={isChecked => {
            const others = chosen.filter(each => each.agentName !== agentName);
            onChange({ ...step, agents: isChecked ? [...others, { agentName, schemaName }] : others });
          }}
        />
      ))}
    </fieldset>
  );
}

let lastKey = 0;
const makeKey = (): number => (lastKey += 1);

/** A list whose items people move by pointer or keyboard. Each item keeps its elements, and the moved one keeps the focus. */
function useReordering<Item>(items: readonly Item[], onChange: (items: readonly Item[]) => void) {
  const list = useRef<HTMLOListElement>(null);
  const [known, setKeys] = useState(() => items.map(makeKey));
  const [dragged, setDragged] = useState<number>();
  const focused = useRef<number>(undefined);
  // Items that were added from outside get keys that `makeKey` never returns.
  const keys = known.length === items.length ? known : items.map((_, at) => known[at] ?? -1 - at);
  const grips = () => [...(list.current?.querySelectorAll<HTMLElement>('.grip') ?? [])];
  useLayoutEffect(() => {
    if (focused.current !== undefined) grips()[focused.current]?.focus();
    focused.current = undefined;
  });
  const move = (from: number, to: number) => {
    if (to < 0 || to >= items.length) return;
    focused.current = to;
    setKeys(moveItem(keys, from, to));
    onChange(moveItem(items, from, to));
  };
  const latest = useRef(move);
  latest.current = move;
  // The window listens, because the element under the pointer changes its place.
  useEffect(() => {
    if (dragged === undefined) return undefined;
    const onMove = ({ clientX, clientY }: PointerEvent) => {
      const row = document.elementFromPoint(clientX, clientY)?.closest('li');
      const to = row ? [...(list.current?.children ?? [])].indexOf(row) : -1;
      if (to < 0 || to === dragged) return;
      latest.current(dragged, to);
      setDragged(to);
    };
    const onEnd = () => setDragged(undefined);
    addEventListener('pointermove', onMove);
    addEventListener('pointerup', onEnd);
    addEventListener('pointercancel', onEnd);
    return () => {
      removeEventListener('pointermove', onMove);
      removeEventListener('pointerup', onEnd);
      removeEventListener('pointercancel', onEnd);
    };
  }, [dragged]);
  return {
    list,
    keys,
    dragged,
    move,
    remove: (at: number) => {
      focused.current = Math.max(0, at - 1);
      setKeys(keys.toSpliced(at, 1));
      onChange(items.toSpliced(at, 1));
    },
    /** Returns the key of the new item. */
    add: (item: Item) => {
      const key = makeKey();
      setKeys([...keys, key]);
      onChange([...items, item]);
      return key;
    },
    onGrip: (event: PointerEvent, at: number) => {
      if (event.button === 0) setDragged(at);
    },
  };
}

function moveItem<Item>(items: readonly Item[], from: number, to: number): Item[] {
  const rest = items.toSpliced(from, 1);
  return rest.toSpliced(to, 0, ...items.slice(from, from + 1));
}
