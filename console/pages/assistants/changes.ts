import { useLayoutEffect, useState } from 'preact/hooks';
import type { BodyOf, DataOf } from '../../../queues/contract/operations/index.ts';
import { confirmAction } from '../../components/dialogs.tsx';
import { dropDraft, readDraft, storeDraft } from '../../drafts.ts';
import { call } from '../../service.ts';

type SavedAvatar = DataOf<'readAvatar'>;
export type Flow = DataOf<'listFlows'>[number];
export type Step = Flow['chainJson'][number];

const names = [
  'avatar_name',
  'avatar_picture',
  'prompt_envelop',
  'model',
  'answer_mode',
  'on_unsupported',
  'on_failure',
  'failure_text',
  'idle_after_minutes',
  'rewrite',
  'language',
] as const;
export type Fields = Pick<SavedAvatar, (typeof names)[number]>;

export interface FlowParts {
  readonly name: string;
  readonly active: boolean;
  readonly steps: readonly Step[];
}

/** Unsaved changes in the form that a rehearsal expects. */
export type UnsavedChanges = NonNullable<NonNullable<BodyOf<'reason'>['reasoningConfig']>['changes']>;

/** An assistant being edited: its saved state, and the changes that are kept until they are saved. */
export interface Editing {
  readonly avatar: SavedAvatar;
  readonly fields: Fields;
  readonly setField: (changes: Partial<Fields>) => void;
  /** Undefined where it has no flow yet. */
  readonly flow: Flow | undefined;
  readonly parts: FlowParts | undefined;
  readonly setParts: (parts: FlowParts) => void;
  readonly showFlow: (flow: Flow) => void;
  readonly changes: UnsavedChanges | undefined;
  readonly discard: () => void;
  /** Resolves to whether it was saved. With `evaluate`, the stored cases are rehearsed first. */
  readonly save: (evaluate: boolean) => Promise<boolean>;
}

export function useEditing(hostId: string, loaded: { avatar: SavedAvatar; flow: Flow | undefined }): Editing {
  const [avatar, setAvatar] = useState(loaded.avatar);
  const [flow, showFlow] = useState(loaded.flow);
  const { avatar_id: avatarId } = avatar;
  const [changed, setChanged] = useStoredDraft<Partial<Fields>>(`assistant:${avatarId}`);
  const [drawn, setDrawn] = useStoredDraft<FlowParts>(`flow:${avatarId}`);
  const savedParts = flow && readParts(flow);
  const isFlowChanged = drawn !== undefined && JSON.stringify(drawn) !== JSON.stringify(savedParts);
  const fieldChanges = keepChanged(avatar, changed);
  // A change that equals the saved state is no draft. This comes before the next key, which may change more.
  useLayoutEffect(() => setChanged(keepChanged(avatar, changed)), [avatar]);
  useLayoutEffect(() => {
    if (!isFlowChanged) setDrawn(undefined);
  }, [flow, isFlowChanged]);

  const saveFields = async (evaluate: boolean) => {
    const target = { host_id: hostId, avatar_id: avatarId };
    const present = await call('readAvatar', target);
    const isChangedElsewhere = names.some(name => present[name] !== avatar[name]);
    if (isChangedElsewhere && !(await confirmAction(overwriting))) return false;
    const saved = await call('editAvatar', { ...target, ...fieldChanges, evaluate });
    setAvatar({ ...present, ...saved });
    return true;
  };
  const saveFlow = async ({ name, active, steps }: FlowParts, evaluate: boolean) => {
    const target = flow ? { id: flow.id, expectedUpdatedAt: flow.updatedAt } : { avatarId };
    const body = { hostId, ...target, decisionName: name.trim(), chainJson: [...steps], active, evaluate };
    const saved = await call('saveFlow', body);
    // What was changed while it was being saved stays a draft.
    setDrawn(known => (known === drawn ? undefined : known));
    showFlow(saved);
  };
  return {
    avatar,
    fields: { ...avatar, ...fieldChanges },
    setField: changes => setChanged(keepChanged(avatar, { ...changed, ...changes })),
    flow,
    parts: drawn ?? savedParts,
    setParts: setDrawn,
    showFlow: next => {
      setDrawn(undefined);
      showFlow(next);
    },
    changes:
      fieldChanges || isFlowChanged
        ? {
            ...(fieldChanges && { avatar: fieldChanges }),
            ...(isFlowChanged && { flow: { chainJson: [...drawn.steps] } }),
          }
        : undefined,
    discard: () => {
      setChanged(undefined);
      setDrawn(undefined);
    },
    save: async evaluate => {
      if (fieldChanges && !(await saveFields(evaluate))) return false;
      if (isFlowChanged) await saveFlow(drawn, evaluate);
      return true;
    },
  };
}

const overwriting = {
  title: 'Outra pessoa mudou este assistente',
  text: 'Ele foi salvo por outra pessoa depois que você abriu esta página. Os campos que você mudou substituem os dela.',
  action: 'Salvar mesmo assim',
};

const readParts = ({ decisionName, active, chainJson }: Flow): FlowParts => ({
  name: decisionName,
  active,
  steps: chainJson,
});

function keepChanged(avatar: SavedAvatar, fields: Partial<Fields> = {}): Partial<Fields> | undefined {
  const changed = names.filter(name => fields[name] !== undefined && fields[name] !== avatar[name]);
  return changed.length > 0 ? Object.fromEntries(changed.map(name => [name, fields[name]])) : undefined;
}

/** Returns the active flow that was saved last, which is the one that runs; where none is active, the last saved flow. */
export function findShownFlow(flows: readonly Flow[]): Flow | undefined {
  const byTime = flows.toSorted((a, b) => b.updatedAt.localeCompare(a.updatedAt));
  return byTime.find(({ active }) => active) ?? byTime[0];
}

/** Keeps a draft that is not only text; undefined if there is none. */
function useStoredDraft<Value>(key: string) {
  const [value, setValue] = useState<Value | undefined>(() => {
    const stored = readDraft(key);
    return stored === undefined ? undefined : JSON.parse(stored);
  });
  useLayoutEffect(() => {
    if (value === undefined) dropDraft(key);
    else storeDraft(key, JSON.stringify(value));
  }, [key, value]);
  return [value, setValue] as const;
}
