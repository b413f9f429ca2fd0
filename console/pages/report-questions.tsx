import { useState } from 'preact/hooks';
import type { DataOf } from '../../queues/contract/operations/index.ts';
import { DataTable } from '../components/data-table.tsx';
import { EmptyState } from '../components/states.tsx';
import { formatCount, formatMoment, formatShortly } from '../format.ts';
import type { SessionContext } from '../shell/session.ts';
import { QuestionActions } from './question-actions.tsx';
import { ConversationsDrawer } from './report-conversations.tsx';

const FEW = 5;
const HOW =
  'Perguntas parecidas nas palavras, entre as 5.000 mensagens mais novas do período. CPF, e-mail e telefone não aparecem.';
type Question = NonNullable<DataOf<'getOutcomes'>['questions']>[number];

/** The questions of most conversations, answered or not. */
export function MostAsked(props: {
  readonly questions: readonly Question[];
  /** Whether the session may read conversations. */
  readonly maySee: boolean;
  /** Each can get an answer, a passage or a case. */
  readonly context: SessionContext;
  readonly onApproved?: () => void;
}) {
  const { questions, maySee, context, onApproved } = props;
  const [seen, see] = useState<Question>();
  if (questions.length === 0) return <NothingAsked />;
  return (
    <>
      <ul class="list">
        {questions.slice(0, FEW).map((each, at) => (
          <li key={at} class="gap">
            <div class="list-row-text">
              <strong>{each.question}</strong>
              <span class="small">
                {formatCount(each.count, 'conversa', 'conversas')} · a última:{' '}
                {formatShortly(each.lastAskedAt)}
              </span>
            </div>
            <div class="buttons">
              {maySee && (
                <button type="button" class="quiet slim" onClick={() => see(each)}>
                  {each.count > each.conversations.length
                    ? `Ver as últimas ${each.conversations.length}`
                    : 'Ver conversas'}
                </button>
              )}
              <QuestionActions
                asked={{ gapId: each.question, question: each.question }}
                context={context}
                onApproved={onApproved}
              />
            </div>
          </li>
        ))}
      </ul>
      <p class="small">{HOW}</p>
      <QuestionTable questions={questions} />
      {seen && (
        <ConversationsDrawer
          title={seen.question}
          first={{ conversations: seen.conversations, nextCursor: null }}
          readMore={async () => ({ conversations: [], nextCursor: null })}
          onClose={() => see(undefined)}
        />
      )}
    </>
  );
}

const NothingAsked = () => (
  <EmptyState
    title="Nenhuma pergunta se repetiu neste período"
    text="Aqui aparece o que foi perguntado em pelo menos duas conversas."
  />
);

function QuestionTable({ questions }: { readonly questions: readonly Question[] }) {
  return (
    <details>
      <summary>{questions.length > FEW ? `Ver as ${questions.length} em tabela` : 'Ver em tabela'}</summary>
      <DataTable
        title="Perguntas mais feitas"
        rows={questions}
        columns={[
          { head: 'Pergunta', of: ({ question }: Question) => question },
          { head: 'Conversas', of: ({ count }) => count },
          { head: 'Última vez', of: ({ lastAskedAt }) => formatMoment(lastAskedAt) },
        ]}
      />
    </details>
  );
}
