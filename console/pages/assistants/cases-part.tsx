import { Plus } from 'lucide';
import { useState } from 'preact/hooks';
import { Badge } from '../../components/badge.tsx';
import { confirmAction } from '../../components/dialogs.tsx';
import { Drawer } from '../../components/drawer.tsx';
import { Icon } from '../../components/icon.tsx';
import { ListRow } from '../../components/list-row.tsx';
import { Menu } from '../../components/menu.tsx';
import { PassageText } from '../../components/passage-text.tsx';
import { SmallButton } from '../../components/small-button.tsx';
import { ActionNote, EmptyState } from '../../components/states.tsx';
import { showToast } from '../../components/toast.tsx';
import { formatCount, formatMoment } from '../../format.ts';
import type { FailingCase } from '../../service.ts';
import { useAction } from '../../use-action.ts';
import { CaseForm, changeCases } from './case-form.tsx';
import type { CaseRuns, Verdict } from './case-run.ts';
import { type Case, describeExpectation, describeFailing, nameOf } from './case-words.ts';

interface CasesOptions {
  readonly hostId: string;
  readonly avatarId: string;
  readonly cases: readonly Case[];
  readonly onSaved: (cases: readonly Case[]) => void;
}

/** The stored cases: questions, and what their answers must have. The service checks them before a change is saved. */
export function CasesPart(
  props: CasesOptions & {
    /** Cases that made the service refuse a change. */
    readonly failing: readonly FailingCase[];
    readonly runs: CaseRuns;
    readonly onRehearse: (question: string) => void;
  },
) {
  const { failing, runs, onRehearse, ...options } = props;
  const { hostId, avatarId, cases, onSaved } = options;
  const [open, setOpen] = useState<'new' | Case>();
  const storing = useAction();
  const close = () => setOpen(undefined);
  const remove = async (gone: Case) => {
    const confirmation = {
      title: 'Excluir este caso?',
      text: 'Mudanças não são mais conferidas com ele.',
      action: 'Excluir caso',
    };
    if (!(await confirmAction(confirmation))) return;
    onSaved(await changeCases({ hostId, avatarId }, stored => dropCase(stored, gone)));
    showToast('Caso excluído');
  };
  const store = (stored: readonly Case[]) => {
    onSaved(stored);
    close();
  };
  return (
    <div class="stack">
      {cases.length === 0 ? (
        <NoCases onAdd={() => setOpen('new')} />
      ) : (
        <>
          <CasesHead cases={cases} runs={runs} onAdd={() => setOpen('new')} />
          <ul class="list" aria-label="Casos">
            {cases.map((each, at) => (
              <CaseRow
                key={at}
                asked={each}
                failing={failing.find(({ case: name }) => name === nameOf(each))}
                runs={runs}
                onOpen={() => setOpen(each)}
                onRehearse={onRehearse}
                onRemove={() => storing.run(() => remove(each))}
              />
            ))}
          </ul>
        </>
      )}
      <ActionNote of={storing} />
      {open === 'new' && (
        <Drawer title="Novo caso" onClose={close}>
          <CaseForm hostId={hostId} avatarId={avatarId} onStored={store} />
        </Drawer>
      )}
      {typeof open === 'object' && <CaseDrawer asked={open} runs={runs} onClose={close} />}
    </div>
  );
}

function CasesHead(props: {
  readonly cases: readonly Case[];
  readonly runs: CaseRuns;
  readonly onAdd: () => void;
}) {
  const { cases, runs, onAdd } = props;
  return (
    <>
      <div class="buttons">
        <AddButton onAdd={onAdd} />
        <SmallButton text="Rodar todos" isBusy={runs.action.isBusy} onClick={() => runs.run(cases)} />
        <span class="small" role="status">
          {describeRuns(cases, runs)}
        </span>
      </div>
      <ActionNote of={runs.action} undone="Nem todos os casos foram respondidos" />
    </>
  );
}

function AddButton({ onAdd }: { readonly onAdd: () => void }) {
  return (
    <button type="button" class="quiet slim with-icon" onClick={onAdd}>
      <Icon of={Plus} size={16} /> Novo caso
    </button>
  );
}

function NoCases({ onAdd }: { readonly onAdd: () => void }) {
  return (
    <EmptyState
      title="Nenhum caso guardado"
      text="Um caso é uma pergunta e o que a resposta precisa ter. Antes de salvar, o assistente responde a todos: uma mudança que estraga um deles não é salva."
    >
      <AddButton onAdd={onAdd} />
    </EmptyState>
  );
}

function CaseRow(props: {
  readonly asked: Case;
  readonly failing: FailingCase | undefined;
  readonly runs: CaseRuns;
  readonly onOpen: () => void;
  readonly onRehearse: (question: string) => void;
  readonly onRemove: () => void;
}) {
  const { asked, failing, runs, onOpen, onRehearse, onRemove } = props;
  return (
    <ListRow
      title={nameOf(asked)}
      detail={
        failing ? (
          <Badge tone="bad">Deixaria de passar: {describeFailing(failing)}</Badge>
        ) : (
          describeExpectation(asked.expect)
        )
      }
      aside={<VerdictBadge asked={asked} runs={runs} />}
      onOpen={onOpen}
      action={
        <Menu
          label={`Ações do caso ${nameOf(asked)}`}
          actions={[
            { text: 'Rodar agora', onChoose: () => runs.run([asked]) },
            { text: 'Ensaiar', onChoose: () => onRehearse(asked.question) },
            { text: 'Excluir', onChoose: onRemove, isDangerous: true },
          ]}
        />
      }
    />
  );
}

function VerdictBadge({ asked, runs }: { readonly asked: Case; readonly runs: CaseRuns }) {
  const verdict = runs.verdicts.get(nameOf(asked));
  if (runs.waiting.includes(nameOf(asked))) return <Badge>Rodando…</Badge>;
  if (!verdict) return null;
  return verdict.failed.length === 0 ? (
    <Badge tone="good">Passou</Badge>
  ) : (
    <Badge tone="bad">Não passou</Badge>
  );
}

/** Shows what the case expects, and how its last run ended. */
function CaseDrawer(props: { readonly asked: Case; readonly runs: CaseRuns; readonly onClose: () => void }) {
  const { asked, runs, onClose } = props;
  const verdict = runs.verdicts.get(nameOf(asked));
  return (
    <Drawer title={nameOf(asked)} onClose={onClose}>
      <dl class="field-list">
        {(asked.dialogue ?? []).map(({ role, content }, at) => [
          <dt key={at}>{at === 0 ? 'Antes dela' : ''}</dt>,
          <dd key={`${at} text`}>
            {roles[role]}: {content}
          </dd>,
        ])}
        <dt>Pergunta</dt>
        <dd>{asked.question}</dd>
        <dt>A resposta</dt>
        <dd>{describeExpectation(asked.expect)}</dd>
      </dl>
      <section class="stack" aria-label="Última vez">
        <h3>Última vez</h3>
        <div role="status">
          <VerdictBadge asked={asked} runs={runs} />
        </div>
        {verdict ? (
          <LastRun verdict={verdict} />
        ) : (
          <p class="small">Ainda não foi rodado nesta janela. O assistente responde como está salvo.</p>
        )}
      </section>
      <ActionNote of={runs.action} />
      <div class="buttons">
        <button type="button" aria-busy={runs.action.isBusy} onClick={() => runs.run([asked])}>
          Rodar agora
        </button>
      </div>
    </Drawer>
  );
}

const roles = { user: 'Pessoa', assistant: 'Assistente', human: 'Equipe' } as const;

function LastRun({ verdict }: { readonly verdict: Verdict }) {
  return (
    <>
      <p class="small">
        {formatMoment(verdict.at)}
        {verdict.failed.length > 0 && ` · ${describeFailing(verdict)}`}
      </p>
      <div class="passage-text">
        <PassageText content={verdict.answer || 'Sem texto.'} />
      </div>
    </>
  );
}

/** Compares field by field: the service may return the fields of a case in another order. */
function dropCase(stored: readonly Case[], gone: Case): Case[] {
  const at = stored.findIndex(({ name, question }) => name === gone.name && question === gone.question);
  return at < 0 ? [...stored] : stored.toSpliced(at, 1);
}

function describeRuns(cases: readonly Case[], { verdicts, waiting }: CaseRuns): string {
  if (waiting.length > 0) return `Faltam ${waiting.length.toLocaleString('pt-BR')}`;
  const run = cases.flatMap(each => verdicts.get(nameOf(each)) ?? []);
  const passed = run.filter(({ failed }) => failed.length === 0).length;
  return run.length === 0 ? '' : `${passed} de ${formatCount(run.length, 'caso passou', 'casos passaram')}`;
}
