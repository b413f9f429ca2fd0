import { Plus } from 'lucide';
import { useState } from 'preact/hooks';
import type { DataOf } from '../../../queues/contract/operations/index.ts';
import { Badge } from '../../components/badge.tsx';
import { confirmAction } from '../../components/dialogs.tsx';
import { Drawer } from '../../components/drawer.tsx';
import { CheckField, Field } from '../../components/field.tsx';
import { Icon } from '../../components/icon.tsx';
import { ListRow } from '../../components/list-row.tsx';
import { Menu } from '../../components/menu.tsx';
import { ActionNote, EmptyState } from '../../components/states.tsx';
import { showToast } from '../../components/toast.tsx';
import { formatCount } from '../../format.ts';
import { call, type FailingCase } from '../../service.ts';
import { useAction } from '../../use-action.ts';

export type Case = DataOf<'listEvaluationCases'>['cases'][number];

interface CasesOptions {
  readonly hostId: string;
  readonly avatarId: string;
  readonly cases: readonly Case[];
  readonly onSaved: (cases: readonly Case[]) => void;
}

/** The stored cases: questions, and what their answers must have. The service checks them before a change is saved. */
export function CasesPart({
  failing,
  onRehearse,
  ...options
}: CasesOptions & {
  /** The cases for which a change was refused. */
  readonly failing: readonly FailingCase[];
  readonly onRehearse: (question: string) => void;
}) {
  const { cases } = options;
  const [isNew, setNew] = useState(false);
  const storing = useAction();
  const remove = async (gone: Case) => {
    const confirmation = {
      title: 'Excluir este caso?',
      text: 'Mudanças não são mais conferidas com ele.',
      action: 'Excluir caso',
    };
    if (!(await confirmAction(confirmation))) return;
    await storeCases(options, stored => dropCase(stored, gone));
    showToast('Caso excluído');
  };
  const add = (
    <button type="button" class="quiet slim with-icon" onClick={() => setNew(true)}>
      <Icon of={Plus} size={16} /> Novo caso
    </button>
  );
  return (
    <div class="stack">
      {cases.length === 0 ? (
        <EmptyState
          title="Nenhum caso guardado"
          text="Um caso é uma pergunta e o que a resposta precisa ter. Antes de salvar, o assistente responde a todos: uma mudança que estraga um deles não é salva."
        >
          {add}
        </EmptyState>
      ) : (
        <>
          <div class="buttons">{add}</div>
          <ul class="list">
            {cases.map((each, at) => (
              <CaseRow
                key={at}
                asked={each}
                failing={failing.find(({ case: name }) => name === nameOf(each))}
                onRehearse={onRehearse}
                onRemove={() => storing.run(() => remove(each))}
              />
            ))}
          </ul>
        </>
      )}
      <ActionNote of={storing} />
      {isNew && (
        <Drawer title="Novo caso" onClose={() => setNew(false)}>
          <CaseForm {...options} onDone={() => setNew(false)} />
        </Drawer>
      )}
    </div>
  );
}

function CaseRow({
  asked,
  failing,
  onRehearse,
  onRemove,
}: {
  readonly asked: Case;
  readonly failing: FailingCase | undefined;
  readonly onRehearse: (question: string) => void;
  readonly onRemove: () => void;
}) {
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
      action={
        <Menu
          label={`Ações do caso ${nameOf(asked)}`}
          actions={[
            { text: 'Ensaiar', onChoose: () => onRehearse(asked.question) },
            { text: 'Excluir', onChoose: onRemove, isDangerous: true },
          ]}
        />
      }
    />
  );
}

function CaseForm({ onDone, ...options }: CasesOptions & { readonly onDone: () => void }) {
  const [question, setQuestion] = useState('');
  const [contains, setContains] = useState('');
  const [notContains, setNotContains] = useState('');
  const [isSupported, setSupported] = useState(true);
  const storing = useAction();
  const [needed, unwanted] = [splitLines(contains), splitLines(notContains)];
  const store = async () => {
    const expect = {
      ...(needed.length > 0 && { contains: needed }),
      ...(unwanted.length > 0 && { notContains: unwanted }),
      ...(isSupported && { unsupported: 0 }),
    };
    await storeCases(options, stored => [...stored, { question: question.trim(), expect }]);
    showToast('Caso guardado');
    onDone();
  };
  return (
    <form
      class="stack"
      onSubmit={event => {
        event.preventDefault();
        storing.run(store);
      }}
    >
      <Field label="Pergunta">
        {field => (
          <textarea
            {...field}
            required
            rows={2}
            maxLength={2_000}
            value={question}
            onInput={event => setQuestion(event.currentTarget.value)}
          />
        )}
      </Field>
      <Lines label="A resposta precisa ter" value={contains} onInput={setContains} />
      <Lines label="A resposta não pode ter" value={notContains} onInput={setNotContains} />
      <CheckField label="Nenhum número sem fonte" isChecked={isSupported} onChange={setSupported} />
      <ActionNote of={storing} />
      <div class="buttons">
        <button type="submit" aria-busy={storing.isBusy}>
          Guardar caso
        </button>
      </div>
    </form>
  );
}

function Lines({
  label,
  value,
  onInput,
}: {
  readonly label: string;
  readonly value: string;
  readonly onInput: (value: string) => void;
}) {
  return (
    <Field label={label} hint="Um texto por linha; maiúsculas e acentos não importam.">
      {field => (
        <textarea
          {...field}
          rows={2}
          maxLength={2_000}
          value={value}
          onInput={event => onInput(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}

/** They are stored as a whole, so what others have stored meanwhile is read before. */
async function storeCases(
  { hostId, avatarId, onSaved }: CasesOptions,
  change: (stored: readonly Case[]) => Case[],
): Promise<void> {
  const stored = await call('listEvaluationCases', { hostId, avatarId });
  const cases = change(stored.cases);
  await call('saveEvaluationCases', { hostId, avatarId, cases });
  onSaved(cases);
}

/** The service may give the fields of a case in another order. */
function dropCase(stored: readonly Case[], gone: Case): Case[] {
  const at = stored.findIndex(({ name, question }) => name === gone.name && question === gone.question);
  return at < 0 ? [...stored] : stored.toSpliced(at, 1);
}

const nameOf = ({ name, question }: Case): string => name ?? question;

const splitLines = (text: string): string[] =>
  text
    .split('\n')
    .map(line => line.trim())
    .filter(Boolean);

const listTexts = (texts: string | readonly string[] = []): string =>
  [texts]
    .flat()
    .map(text => `“${text}”`)
    .join(', ');

function describeExpectation(expect: Case['expect']): string {
  const { contains, notContains, sources, unsupported, askHumanHelp, agent, item } = expect;
  const parts = [
    contains && `tem ${listTexts(contains)}`,
    notContains && `não tem ${listTexts(notContains)}`,
    sources && `usa ${formatCount(sources.length, 'passagem certa', 'passagens certas')}`,
    unsupported !== undefined &&
      (unsupported === 0 ? 'nenhum número sem fonte' : `até ${unsupported} números sem fonte`),
    askHumanHelp !== undefined && (askHumanHelp ? 'chama uma pessoa' : 'não chama uma pessoa'),
    agent && `roda ${agent}`,
    item && `traz uma mensagem do tipo ${item}`,
  ];
  return parts.filter(Boolean).join(' · ') || 'qualquer resposta';
}

const failedTexts = new Map([
  ['contains', 'falta um texto'],
  ['notContains', 'tem um texto que não pode ter'],
  ['sources', 'não usa as passagens certas'],
  ['unsupported', 'tem um número sem fonte'],
  ['askHumanHelp', 'chama, ou não chama, uma pessoa'],
  ['agent', 'não roda o agente'],
  ['item', 'não traz a mensagem do tipo certo'],
]);

export const describeFailing = ({ failed }: FailingCase): string =>
  failed.map(check => failedTexts.get(check) ?? check).join(', ');
