import { RotateCcw } from 'lucide';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { DataOf } from '../../../queues/contract/operations/index.ts';
import { Icon } from '../../components/icon.tsx';
import { MessageItem } from '../../components/message-item.tsx';
import { QuestionForm } from '../../components/question-form.tsx';
import { DemoModelNote, EmptyState, ErrorNote } from '../../components/states.tsx';
import { WhatsappText } from '../../components/whatsapp-text.tsx';
import { isWorthRetrying } from '../../errors.ts';
import { formatCount } from '../../format.ts';
import { askWhileGenerated, createConversation, type Host } from '../../service.ts';
import type { Avatar, SessionContext } from '../../shell/session.ts';
import { TRIAL_PLATFORM } from '../inbox/conversation.ts';
import { Sources } from '../inbox/sources.tsx';
import type { UnsavedChanges } from './changes.ts';
import { compareAnswers, type Marks } from './difference.ts';

type Turn = DataOf<'reason'>;

/** One of the two answers: its text so far, and how it ended. */
interface Reply {
  readonly written: string;
  readonly turn?: Turn;
  readonly error?: unknown;
}

type Side = 'saved' | 'changed';

interface Exchange {
  readonly question: string;
  /** The id of the button that was pressed. */
  readonly choice: string | undefined;
  /** The changes that were not saved when it was asked; undefined if nothing was changed. */
  readonly changes: UnsavedChanges | undefined;
  readonly saved: Reply;
  /** Undefined if nothing was changed. */
  readonly changed: Reply | undefined;
}

const begun: Reply = { written: '' };

/** Asks both the assistant as it is saved, and the assistant with the unsaved changes. */
export function Rehearsal(props: {
  readonly host: Host;
  readonly listed: Avatar;
  readonly context: SessionContext;
  readonly changes: UnsavedChanges | undefined;
  /** A question that another part of the page asked. */
  readonly asked: string | undefined;
}) {
  const { host, listed, context, changes, asked } = props;
  const { exchanges, isBusy, ask, retry, restart } = useRehearsal(host, listed.sub_slug, changes);
  const log = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (log.current) log.current.scrollTop = log.current.scrollHeight;
  }, [exchanges]);
  useEffect(() => {
    if (asked !== undefined) ask(asked);
  }, [asked]);
  return (
    <section class="card rehearsal" aria-label="Ensaio">
      <header>
        <h2>Ensaio</h2>
        <button type="button" class="quiet slim with-icon" onClick={restart}>
          <Icon of={RotateCcw} size={16} /> Recomeçar
        </button>
      </header>
      <div class="log" role="log" aria-label="Perguntas e respostas do ensaio" tabIndex={0} ref={log}>
        {exchanges.length === 0 && (
          <EmptyState
            title="Pergunte antes de salvar"
            text="Com mudanças ainda não salvas, você vê as duas respostas, com as diferenças marcadas. Não conta como atendimento."
          />
        )}
        <DemoModelNote used={exchanges.flatMap(listUsed)} />
        {exchanges.map((exchange, at) => (
          <ExchangeView
            key={at}
            exchange={exchange}
            context={context}
            onRetry={at === exchanges.length - 1 ? retry : undefined}
            onChoose={at === exchanges.length - 1 && !isBusy ? ask : undefined}
          />
        ))}
      </div>
      <QuestionForm
        label="Pergunta de ensaio"
        placeholder="Pergunte como uma pessoa"
        action="Ensaiar"
        draft={`trial:${listed.avatar_id}`}
        isBusy={isBusy}
        keepsText
        onAsk={ask}
      />
    </section>
  );
}

const listUsed = ({ saved, changed }: Exchange) =>
  [saved, changed].flatMap(reply => reply?.turn?.tokensControl ?? []);

/** Each of both assistants continues its own conversation, until the person begins a new rehearsal. */
function useRehearsal(host: Host, subSlug: string, changes: UnsavedChanges | undefined) {
  const [exchanges, setExchanges] = useState<readonly Exchange[]>([]);
  const [round, setRound] = useState(0);
  const isBusy = exchanges.some(({ saved, changed }) =>
    [saved, changed].some(reply => reply && !reply.turn && reply.error === undefined),
  );
  const conversations = useRef<{ saved?: Promise<string>; changed?: Promise<string> }>({});
  const current = useRef(round);
  const askOne = async (
    side: Side,
    at: number,
    { question, choice, changes }: Pick<Exchange, 'question' | 'choice' | 'changes'>,
  ) => {
    const mine = current.current;
    const update = (reply: Reply) =>
      mine === current.current &&
      setExchanges(known => known.map((each, place) => (place === at ? { ...each, [side]: reply } : each)));
    update(begun);
    try {
      const conversationId = await (conversations.current[side] ??= createConversation(host, TRIAL_PLATFORM));
      const reasoningConfig = { rehearsal: true, ...(side === 'changed' && changes && { changes }) };
      const said = { question, ...(choice === undefined ? {} : { choice }) };
      const body = { hostId: host.host_id, conversationId, subSlug, ...said, reasoningConfig };
      const turn = await askWhileGenerated(body, {}, written => update({ written }));
      update({ written: '', turn });
    } catch (error) {
      delete conversations.current[side];
      update({ written: '', error });
    }
  };
  return {
    exchanges,
    isBusy,
    ask: (question: string, choice?: string) => {
      if (isBusy) return;
      const at = exchanges.length;
      const asked = { question, choice, changes };
      setExchanges([...exchanges, { ...asked, saved: begun, changed: changes && begun }]);
      void askOne('saved', at, asked);
      if (changes) void askOne('changed', at, asked);
    },
    /** Asks the last question again: what came after an earlier one would not be asked. */
    retry: (side: Side) => {
      const last = exchanges.at(-1);
      if (last) void askOne(side, exchanges.length - 1, last);
    },
    restart: () => {
      current.current = round + 1;
      setRound(round + 1);
      conversations.current = {};
      setExchanges([]);
    },
  };
}

function ExchangeView(props: {
  readonly exchange: Exchange;
  readonly context: SessionContext;
  readonly onRetry: ((side: Side) => void) | undefined;
  readonly onChoose: ((title: string, id: string) => void) | undefined;
}) {
  const { context, onRetry, onChoose } = props;
  const { question, saved, changed } = props.exchange;
  const retryOf = (side: Side, { error }: Reply) =>
    onRetry && isWorthRetrying(error) ? { onRetry: () => onRetry(side) } : {};
  const difference =
    saved.turn && changed?.turn
      ? compareAnswers(saved.turn.assistantResponse.wppParsed, changed.turn.assistantResponse.wppParsed)
      : undefined;
  return (
    <>
      <div class="bubble ours">
        <WhatsappText text={question} />
      </div>
      <ReplyView
        title="Como está salvo"
        reply={saved}
        context={context}
        marks={difference?.saved}
        {...retryOf('saved', saved)}
      />
      {changed && (
        <ReplyView
          title="Com as suas mudanças"
          reply={changed}
          context={context}
          marks={difference?.changed}
          {...retryOf('changed', changed)}
        />
      )}
      <ChoiceButtons choices={(changed ?? saved).turn?.choices} onChoose={onChoose} />
      {difference && (
        <p class="small note">
          {difference.isNone ? 'As duas respostas são iguais.' : 'O que difere está marcado.'}
        </p>
      )}
    </>
  );
}

/** What the person may answer with, as buttons of the channel. */
function ChoiceButtons(props: {
  readonly choices: Turn['choices'];
  readonly onChoose: ((title: string, id: string) => void) | undefined;
}) {
  const { choices = [], onChoose } = props;
  if (choices.length === 0 || !onChoose) return null;
  return (
    <div class="choice-chips" role="group" aria-label="Opções da pergunta">
      {choices.map(({ id, title }) => (
        <button key={id} type="button" class="chip" onClick={() => onChoose(title, id)}>
          {title}
        </button>
      ))}
    </div>
  );
}

function ReplyView(props: {
  readonly title: string;
  readonly reply: Reply;
  readonly context: SessionContext;
  readonly marks: Marks | undefined;
  readonly onRetry?: () => void;
}) {
  const { title, context, marks, onRetry } = props;
  const { written, turn, error } = props.reply;
  const items = turn?.assistantResponse.wppParsed ?? [];
  const notes = turn && describeTurn(turn);
  return (
    <section class="reply" aria-label={title}>
      <h3 class="small">{title}</h3>
      {items.map((item, at) => (
        <div key={at} class="bubble theirs">
          {item.type === 'text' ? (
            <div class="item item-text">
              <WhatsappText text={item.content} {...(marks?.[at] && { marked: marks[at] })} />
            </div>
          ) : (
            <MessageItem item={item} />
          )}
        </div>
      ))}
      {!turn && error === undefined && (
        <div class={written ? 'bubble theirs' : 'bubble theirs waiting'} role="none">
          {written || 'Respondendo…'}
        </div>
      )}
      {error !== undefined && <ErrorNote error={error} {...(onRetry && { onRetry })} />}
      {turn && turn.sources.length > 0 && <Sources message={{ sources: turn.sources }} context={context} />}
      {notes && <p class="small receipt">{notes}</p>}
    </section>
  );
}

function describeTurn({ sources, unsupported, askHumanHelp }: Turn): string {
  const notes = [
    sources.length === 0 && 'sem passagem do conhecimento',
    unsupported.length > 0 && formatCount(unsupported.length, 'número sem fonte', 'números sem fonte'),
    askHumanHelp && 'pediu uma pessoa da equipe',
  ];
  return notes.filter(Boolean).join(' · ');
}
