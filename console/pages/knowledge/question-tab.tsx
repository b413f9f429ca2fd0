import { useState } from 'preact/hooks';
import type { DataOf } from '../../../queues/contract/operations/index.ts';
import { Field, SelectField } from '../../components/field.tsx';
import { MessageItem } from '../../components/message-item.tsx';
import { PassageText } from '../../components/passage-text.tsx';
import { ActionNote, EmptyState } from '../../components/states.tsx';
import { WhatsappText } from '../../components/whatsapp-text.tsx';
import { formatCount } from '../../format.ts';
import { nameDocument } from '../../passage.ts';
import { askWhileGenerated, call, createConversation } from '../../service.ts';
import { goTo, linkTo } from '../../shell/route.ts';
import type { Avatar } from '../../shell/session.ts';
import { useAction } from '../../use-action.ts';
import { TRIAL_PLATFORM } from '../inbox/conversation.ts';
import { findPassage } from '../inbox/sources.tsx';
import { type OpenDataset, type Passage, placeOf } from './open-dataset.ts';
import { NEW } from './passages-tab.tsx';

interface Trial {
  readonly question: string;
  readonly turn: DataOf<'reason'>;
  /** The passages that support the answer. */
  readonly used: readonly Passage[];
  /** Others that were read for it, best first. */
  readonly others: readonly Passage[];
}

/** Asks a question as a person would, and shows the answer with its passages. No report counts it. */
export function QuestionTab({ open }: { readonly open: OpenDataset }) {
  const { dataset, readers } = open;
  const [readerId, setReaderId] = useState(readers[0]?.avatar_id ?? '');
  const [written, setWritten] = useState('');
  const [trial, setTrial] = useState<Trial>();
  const asking = useAction();
  const reader = readers.find(({ avatar_id }) => avatar_id === readerId);
  if (!reader)
    return (
      <EmptyState
        title="Nenhum assistente lê esta base"
        text="Só um assistente que a lê pode responder com ela."
      >
        <a href={linkTo(...placeOf(dataset, 'ajustes'))}>Escolher os assistentes</a>
      </EmptyState>
    );
  const ask = async (question: string) => {
    setTrial(undefined);
    setWritten('');
    setTrial(await tryQuestion(open, reader, question, setWritten));
  };
  return (
    <>
      <AskForm
        readers={readers}
        readerId={readerId}
        onReader={setReaderId}
        isBusy={asking.isBusy}
        onAsk={question => asking.run(() => ask(question))}
      />
      <ActionNote of={asking} />
      {asking.isBusy && (
        <section class="card" aria-label="Resposta">
          <div class="bubble ours waiting" role="status">
            {written ? <WhatsappText text={written} /> : `${reader.avatar_name} está respondendo…`}
          </div>
        </section>
      )}
      {trial && <TrialResult trial={trial} reader={reader} open={open} />}
    </>
  );
}

function AskForm(props: {
  readonly readers: readonly Avatar[];
  readonly readerId: string;
  readonly onReader: (id: string) => void;
  readonly isBusy: boolean;
  readonly onAsk: (question: string) => void;
}) {
  const { readers, readerId, onReader, isBusy, onAsk } = props;
  const [question, setQuestion] = useState('');
  return (
    <form
      class="card question-form"
      onSubmit={event => {
        event.preventDefault();
        if (question.trim()) onAsk(question.trim());
      }}
    >
      <Field label="Pergunta">
        {field => (
          <input
            {...field}
            type="search"
            required
            maxLength={1_000}
            placeholder="Pergunte como uma pessoa"
            value={question}
            onInput={event => setQuestion(event.currentTarget.value)}
          />
        )}
      </Field>
      {readers.length > 1 && (
        <SelectField
          label="A quem"
          value={readerId}
          choices={readers.map(({ avatar_id, avatar_name }) => [avatar_id, avatar_name] as const)}
          onChange={onReader}
        />
      )}
      <button type="submit" aria-busy={isBusy}>
        Testar
      </button>
    </form>
  );
}

async function tryQuestion(
  { host, avatars }: OpenDataset,
  reader: Avatar,
  question: string,
  onText: (text: string) => void,
): Promise<Trial> {
  const hostId = host.host_id;
  const conversationId = await createConversation(host, TRIAL_PLATFORM);
  const reasoningConfig = { rehearsal: true };
  const body = { hostId, conversationId, subSlug: reader.sub_slug, question, reasoningConfig };
  const dataset_ids = reader.datasets.map(({ dataset_id }) => dataset_id);
  const [turn, ranked] = await Promise.all([
    askWhileGenerated(body, {}, onText),
    call('readChunks', { hostId, avatar_id: reader.avatar_id, dataset_ids, question }),
  ]);
  const context = { host, avatars: [...avatars], scopes: [], isOperator: false };
  const found = await Promise.all(
    turn.sources.map(
      async source =>
        ranked.find(({ chunk_id }) => chunk_id === source.chunkId) ?? findPassage(source, context),
    ),
  );
  const used = found.filter(passage => passage !== undefined);
  const ids = new Set(used.map(({ chunk_id }) => chunk_id));
  return { question, turn, used, others: ranked.filter(({ chunk_id }) => !ids.has(chunk_id)) };
}

function TrialResult(props: { readonly trial: Trial; readonly reader: Avatar; readonly open: OpenDataset }) {
  const { reader } = props;
  const { question, turn, used, others } = props.trial;
  const { dataset } = props.open;
  const write = () => goTo(...placeOf(dataset, 'passagens'), { passagem: NEW, titulo: question });
  return (
    <>
      <section class="card stack" aria-label="Resposta">
        <h2>{reader.avatar_name} responde</h2>
        <div class="trial-answer">
          {turn.assistantResponse.wppParsed.map((item, at) => (
            <div key={at} class="bubble ours">
              <MessageItem item={item} />
            </div>
          ))}
          {turn.askHumanHelp && <p class="small">Pediu uma pessoa da equipe.</p>}
        </div>
      </section>
      <section class="stack" aria-label="Passagens usadas">
        <h2>Com estas passagens</h2>
        {used.length === 0 && (
          <EmptyState
            title="Nenhuma passagem sustenta a resposta"
            text="Se a resposta devia estar no conhecimento, escreva a passagem que falta."
          >
            <button type="button" onClick={write}>
              Escrever passagem
            </button>
          </EmptyState>
        )}
        {used.map(passage => (
          <FoundPassage key={passage.chunk_id} passage={passage} question={question} />
        ))}
        {others.length > 0 && (
          <details>
            <summary>
              {formatCount(others.length, 'outra passagem que ele leu', 'outras passagens que ele leu')}
            </summary>
            <div class="stack">
              {others.map(passage => (
                <FoundPassage key={passage.chunk_id} passage={passage} question={question} />
              ))}
            </div>
          </details>
        )}
      </section>
    </>
  );
}

function FoundPassage({ passage, question }: { readonly passage: Passage; readonly question: string }) {
  const { content, chunk_id, dataset_id, dataset_name, document_title = '' } = passage;
  return (
    <article class="card passage-text">
      <PassageText content={content} question={question} />
      <p class="small">
        {[dataset_name, nameDocument(document_title)].filter(Boolean).join(' · ')} ·{' '}
        <a href={linkTo('conhecimento', [dataset_id, 'passagens'], { passagem: chunk_id })}>Abrir</a>
      </p>
    </article>
  );
}
