import { useState } from 'preact/hooks';
import { Drawer } from '../../components/drawer.tsx';
import { CheckField, Field, SelectField } from '../../components/field.tsx';
import { PassageText } from '../../components/passage-text.tsx';
import { ActionNote } from '../../components/states.tsx';
import { showToast } from '../../components/toast.tsx';
import { formatCount } from '../../format.ts';
import { call } from '../../service.ts';
import type { Avatar } from '../../shell/session.ts';
import { useAction } from '../../use-action.ts';
import type { Case } from './case-words.ts';

interface CasePlace {
  readonly hostId: string;
  readonly avatarId: string;
}

/** The content of a case made from something that happened. */
export interface CaseBegin {
  readonly question: string;
  /** The messages before the question. */
  readonly dialogue?: NonNullable<Case['dialogue']>;
  /** Ids of the chunks that the answer came from. */
  readonly sources?: readonly string[];
  /** The answer that was given, shown for comparison. */
  readonly answer?: string;
}

/** The service accepts no longer ones. */
const MAX_QUESTION = 2_000;

/** Makes a case for an assistant, which the person chooses where there are several. */
export function NewCaseDrawer(props: {
  readonly hostId: string;
  readonly avatars: readonly Pick<Avatar, 'avatar_id' | 'avatar_name'>[];
  readonly begin: CaseBegin;
  readonly onClose: () => void;
}) {
  const { hostId, avatars, begin, onClose } = props;
  const [avatarId, setAvatarId] = useState(avatars[0]?.avatar_id ?? '');
  return (
    <Drawer title="Novo caso" onClose={onClose}>
      {avatars.length > 1 && (
        <SelectField
          label="Assistente"
          value={avatarId}
          choices={avatars.map(({ avatar_id, avatar_name }) => [avatar_id, avatar_name] as const)}
          onChange={setAvatarId}
        />
      )}
      <CaseForm hostId={hostId} avatarId={avatarId} begin={begin} onStored={onClose} />
    </Drawer>
  );
}

interface CaseDraft {
  readonly question: string;
  readonly hasDialogue: boolean;
  readonly contains: string;
  readonly notContains: string;
  readonly hasSources: boolean;
  readonly isSupported: boolean;
}

/** Builds the case in the form that the service expects. */
function toCase(draft: CaseDraft, { dialogue = [], sources = [] }: CaseBegin): Case {
  const [needed, unwanted] = [splitLines(draft.contains), splitLines(draft.notContains)];
  const expect = {
    ...(needed.length > 0 && { contains: needed }),
    ...(unwanted.length > 0 && { notContains: unwanted }),
    ...(draft.hasSources && { sources: [...sources] }),
    ...(draft.isSupported && { unsupported: 0 }),
  };
  return { question: draft.question.trim(), ...(draft.hasDialogue && { dialogue }), expect };
}

export function CaseForm(
  props: CasePlace & {
    readonly begin?: CaseBegin;
    readonly onStored: (cases: readonly Case[]) => void;
  },
) {
  const { begin = { question: '' }, onStored, ...place } = props;
  const { sources = [], answer } = begin;
  const [draft, setDraft] = useState<CaseDraft>({
    question: begin.question,
    hasDialogue: false,
    contains: '',
    notContains: '',
    hasSources: sources.length > 0,
    isSupported: true,
  });
  const change = (changed: Partial<CaseDraft>) => setDraft({ ...draft, ...changed });
  const storing = useAction();
  const store = async () => {
    const cases = await changeCases(place, stored => [...stored, toCase(draft, begin)]);
    showToast('Caso guardado');
    onStored(cases);
  };
  return (
    <form
      class="stack"
      onSubmit={event => {
        event.preventDefault();
        storing.run(store);
      }}
    >
      <QuestionFields draft={draft} begin={begin} onChange={change} />
      {answer && (
        <section class="stack passage-text" aria-label="O que foi respondido">
          <h3>O que foi respondido</h3>
          <PassageText content={answer} />
        </section>
      )}
      <ExpectationFields draft={draft} hasAnySource={sources.length > 0} onChange={change} />
      <ActionNote of={storing} />
      <div class="buttons">
        <button type="submit" aria-busy={storing.isBusy}>
          Guardar caso
        </button>
      </div>
    </form>
  );
}

interface FieldsProps {
  readonly draft: CaseDraft;
  readonly onChange: (changed: Partial<CaseDraft>) => void;
}

function QuestionFields(props: FieldsProps & { readonly begin: CaseBegin }) {
  const { begin, onChange } = props;
  const { question, hasDialogue } = props.draft;
  const { dialogue = [] } = begin;
  const isOfPerson = begin.question !== '';
  return (
    <>
      <Lines
        label="Pergunta"
        {...(isOfPerson
          ? {
              hint: 'Tire o que diz quem é a pessoa: o caso, com o que foi dito antes, fica até ser excluído, também quando os dados dela são apagados.',
            }
          : {})}
        isRequired
        value={question}
        onInput={value => onChange({ question: value })}
      />
      {dialogue.length > 0 && (
        <CheckField
          label={`Com o que foi dito antes: ${formatCount(dialogue.length, 'mensagem', 'mensagens')}`}
          isChecked={hasDialogue}
          onChange={value => onChange({ hasDialogue: value })}
        />
      )}
    </>
  );
}

function ExpectationFields(props: FieldsProps & { readonly hasAnySource: boolean }) {
  const { hasAnySource, onChange } = props;
  const { contains, notContains, hasSources, isSupported } = props.draft;
  return (
    <>
      <Lines
        label="A resposta precisa ter"
        hint={LINES}
        value={contains}
        onInput={value => onChange({ contains: value })}
      />
      <Lines
        label="A resposta não pode ter"
        hint={LINES}
        value={notContains}
        onInput={value => onChange({ notContains: value })}
      />
      {hasAnySource && (
        <CheckField
          label="Usa as mesmas passagens que esta resposta"
          isChecked={hasSources}
          onChange={value => onChange({ hasSources: value })}
        />
      )}
      <CheckField
        label="Nenhum número sem fonte"
        isChecked={isSupported}
        onChange={value => onChange({ isSupported: value })}
      />
    </>
  );
}

const LINES = 'Um texto por linha; maiúsculas e acentos não importam.';

function Lines(props: {
  readonly label: string;
  readonly hint?: string;
  readonly isRequired?: boolean;
  readonly value: string;
  readonly onInput: (value: string) => void;
}) {
  const { label, hint, isRequired = false, value, onInput } = props;
  return (
    <Field label={label} {...(hint ? { hint } : {})}>
      {field => (
        <textarea
          {...field}
          required={isRequired}
          rows={2}
          maxLength={MAX_QUESTION}
          value={value}
          onInput={event => onInput(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}

/** Reads the cases again before it stores them: they are stored as a whole, and another person may have changed them. */
export async function changeCases(
  place: CasePlace,
  change: (stored: readonly Case[]) => Case[],
): Promise<readonly Case[]> {
  const stored = await call('listEvaluationCases', place);
  const cases = change(stored.cases);
  await call('saveEvaluationCases', { ...place, cases });
  return cases;
}

const splitLines = (text: string): string[] =>
  text
    .split('\n')
    .map(line => line.trim())
    .filter(Boolean);
