import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { DataOf } from '../../../queues/contract/operations/index.ts';
import { confirmAction } from '../../components/dialogs.tsx';
import { CheckField } from '../../components/field.tsx';
import { Menu } from '../../components/menu.tsx';
import { Page, Tabs } from '../../components/page.tsx';
import { ActionNote, ErrorNote, Skeleton } from '../../components/states.tsx';
import { showToast } from '../../components/toast.tsx';
import { formatCount } from '../../format.ts';
import { call, type Host, ServiceError } from '../../service.ts';
import { goTo, linkTo, route } from '../../shell/route.ts';
import { type Avatar, readAvatarsAgain, type SessionContext } from '../../shell/session.ts';
import { type Action, useAction } from '../../use-action.ts';
import { useLoad } from '../../use-load.ts';
import { useCaseRuns } from './case-run.ts';
import { type Case, describeFailing } from './case-words.ts';
import { CasesPart } from './cases-part.tsx';
import { type Editing, findShownFlow, useEditing } from './changes.ts';
import { FlowPart } from './flow-part.tsx';
import { IdentityPart } from './identity-part.tsx';
import { ReadsPart } from './reads-part.tsx';
import { Rehearsal } from './rehearsal.tsx';

export interface Loaded {
  readonly avatar: DataOf<'readAvatar'>;
  readonly models: DataOf<'listModels'>;
  readonly flows: DataOf<'listFlows'>;
  readonly agents: DataOf<'listAgents'>['agents'];
  readonly datasets: DataOf<'listDatasets'>;
  readonly cases: readonly Case[];
}

const parts = [
  ['identidade', 'Instruções'],
  ['fluxo', 'Fluxo'],
  ['leitura', 'Conhecimento'],
  ['casos', 'Casos'],
] as const;

interface EditorOptions {
  readonly host: Host;
  readonly listed: Avatar;
  readonly context: SessionContext;
  readonly add: ComponentChildren;
}

/** One assistant: its settings at the left, and a rehearsal at the right. */
export function AssistantEditor(options: EditorOptions) {
  const { host, listed, context, add } = options;
  const { data, error, reload } = useLoad(() => readAll(host, listed), []);
  const deleting = useAction();
  const remove = async () => {
    if (!(await confirmAction(deletionOf(listed)))) return;
    await call('editAvatar', { host_id: host.host_id, avatar_id: listed.avatar_id, deleted: true });
    goTo('assistentes');
    showToast('Assistente excluído');
    await readAvatarsAgain();
  };
  const actions = [{ text: 'Excluir assistente', isDangerous: true, onChoose: () => deleting.run(remove) }];
  const frame = {
    title: listed.avatar_name,
    about: `Identificador: ${listed.sub_slug}`,
    action: (
      <div class="buttons">
        {add}
        <Menu label={`Ações de ${listed.avatar_name}`} actions={actions} />
      </div>
    ),
    ...(context.avatars.length > 1 && { back: { text: 'Assistentes', href: linkTo('assistentes') } }),
  };
  if (error !== undefined || !data)
    return (
      <Page {...frame}>
        {error === undefined ? (
          <Skeleton label="Carregando o assistente" />
        ) : (
          <ErrorNote error={error} onRetry={reload} />
        )}
      </Page>
    );
  return (
    <Page {...frame}>
      <ActionNote of={deleting} />
      <Workbench {...options} loaded={data} />
    </Page>
  );
}

const deletionOf = ({ avatar_name: name, sub_slug: slug }: Avatar) => ({
  title: `Excluir “${name}”?`,
  text: `Ele não responde mais a ninguém, e não pode ser recuperado. As conversas e os relatórios dele ficam, e o identificador “${slug}” pode ser usado de novo.`,
  action: 'Excluir assistente',
});

async function readAll({ host_id: hostId }: Host, { avatar_id: avatarId }: Avatar): Promise<Loaded> {
  const [avatar, models, flows, { agents }, datasets, { cases }] = await Promise.all([
    call('readAvatar', { host_id: hostId, avatar_id: avatarId }),
    call('listModels', {}),
    call('listFlows', { hostId, avatarIds: [avatarId] }),
    call('listAgents', { hostId }),
    call('listDatasets', { hostId }),
    call('listEvaluationCases', { hostId, avatarId }),
  ]);
  return { avatar, models, flows, agents, datasets, cases };
}

function Workbench({ host, listed, context, loaded }: EditorOptions & { readonly loaded: Loaded }) {
  const { host_id: hostId } = host;
  const { avatar_id: avatarId } = listed;
  const editing = useEditing(hostId, { avatar: loaded.avatar, flow: findShownFlow(loaded.flows) });
  const [cases, setCases] = useState(loaded.cases);
  const [asked, setAsked] = useState<string>();
  const runs = useCaseRuns(host, listed.sub_slug, avatarId);
  const saving = useAction();
  const part = parts.find(([each]) => each === route.value.parts[1])?.[0] ?? 'identidade';
  const tabs = parts.map(([each, text]) => ({
    text,
    href: linkTo('assistentes', [avatarId, each]),
    isOpen: each === part,
  }));
  return (
    <div class="assistant">
      <div class="assistant-parts">
        <Tabs label={`Partes de ${listed.avatar_name}`} tabs={tabs} />
        {part === 'identidade' && <IdentityPart editing={editing} models={loaded.models} />}
        {part === 'fluxo' && <FlowPart hostId={hostId} editing={editing} agents={loaded.agents} />}
        {part === 'leitura' && (
          <>
            <ReadsPart hostId={hostId} avatarId={avatarId} datasets={loaded.datasets} context={context} />
            <p class="small">
              As ferramentas que ele chama estão em{' '}
              <a href={linkTo('integracoes', ['servidores'])}>Servidores MCP</a>.
            </p>
          </>
        )}
        {part === 'casos' && (
          <CasesPart
            hostId={hostId}
            avatarId={avatarId}
            cases={cases}
            failing={saving.error instanceof ServiceError ? saving.error.cases : []}
            onSaved={setCases}
            runs={runs}
            onRehearse={setAsked}
          />
        )}
        {editing.changes && <SaveBar editing={editing} saving={saving} cases={cases.length} />}
      </div>
      <Rehearsal host={host} listed={listed} context={context} changes={editing.changes} asked={asked} />
    </div>
  );
}

/** Saves the changes of all parts together. */
function SaveBar(props: {
  readonly editing: Editing;
  readonly saving: Action;
  /** How many cases are stored. */
  readonly cases: number;
}) {
  const { editing, saving, cases } = props;
  const [isChecked, setChecked] = useState(true);
  const evaluates = isChecked && cases > 0;
  const save = async () => {
    if (!(await editing.save(evaluates))) return;
    const checked = evaluates ? ` ${formatCount(cases, 'caso conferido', 'casos conferidos')}.` : '';
    showToast(`Salvo.${checked} Vale a partir da próxima pergunta.`);
    void readAvatarsAgain();
  };
  const failing = saving.error instanceof ServiceError ? saving.error.cases : [];
  return (
    <div class="save-bar">
      {failing.length > 0 ? (
        <ErrorNote error={saving.error}>
          <ul>
            {failing.map(each => (
              <li key={each.case}>
                {each.case}: {describeFailing(each)}
              </li>
            ))}
          </ul>
        </ErrorNote>
      ) : (
        <ActionNote of={saving} />
      )}
      <div class="buttons">
        <span class="small" role="status">
          Há mudanças que ainda não foram salvas.
        </span>
        {cases > 0 && (
          <CheckField label="Conferir os casos antes" isChecked={isChecked} onChange={setChecked} />
        )}
        <button type="button" class="quiet" onClick={editing.discard}>
          Descartar
        </button>
        <button type="button" aria-busy={saving.isBusy} onClick={() => saving.run(save)}>
          {saving.isBusy && evaluates ? 'Conferindo…' : 'Salvar'}
        </button>
      </div>
    </div>
  );
}
