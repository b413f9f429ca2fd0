import { useLayoutEffect, useRef } from 'preact/hooks';
import { Badge } from '../../components/badge.tsx';
import { MessageItem } from '../../components/message-item.tsx';
import { DemoModelNote, EmptyState, ErrorNote } from '../../components/states.tsx';
import { WhatsappText } from '../../components/whatsapp-text.tsx';
import { formatCount } from '../../format.ts';
import type { SessionContext } from '../../shell/session.ts';
import { Sources } from '../inbox/sources.tsx';
import type { Answer } from './stored-chats.ts';
import type { OpenChat } from './use-chat.ts';

/** The questions and answers, and the answer that is being written. */
export function ChatLog(props: {
  readonly open: OpenChat;
  readonly name: string;
  readonly context: SessionContext;
}) {
  const { open, name, context } = props;
  const { chat, written, isBusy, error, retry } = open;
  const log = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (log.current) log.current.scrollTop = log.current.scrollHeight;
  }, [chat, written, error]);
  const used = chat.entries.flatMap(entry => ('turn' in entry ? entry.turn.tokensControl : []));
  return (
    <div class="log" role="log" aria-label="Mensagens" aria-busy={isBusy} tabIndex={0} ref={log}>
      {chat.entries.length === 0 && (
        <EmptyState
          title="Escreva para começar a conversa."
          text={`${name} responde como responderia a uma pessoa no WhatsApp.`}
        />
      )}
      <DemoModelNote used={used} />
      {chat.entries.map((entry, at) =>
        'turn' in entry ? (
          <AnswerBubbles key={at} answer={entry} name={name} context={context} />
        ) : (
          <div key={at} class="bubble ours">
            <WhatsappText text={entry.question} />
          </div>
        ),
      )}
      {isBusy && written === '' && (
        <div class="bubble theirs waiting" role="status">
          {name} está digitando…
        </div>
      )}
      {/* Read aloud once, as a whole, when the answer replaces it. */}
      {isBusy && written !== '' && (
        <div class="bubble theirs" role="none">
          {written}
        </div>
      )}
      {error !== undefined && <ErrorNote error={error} {...(retry && { onRetry: retry })} />}
    </div>
  );
}

/** An answer as the person sees it, with its sources and its cost. */
function AnswerBubbles(props: {
  readonly answer: Answer;
  readonly name: string;
  readonly context: SessionContext;
}) {
  const { answer, name, context } = props;
  const { assistantResponse, sources, unsupported } = answer.turn;
  const items = assistantResponse.wppParsed;
  if (items.length === 0)
    return <p class="small note receipt">Sem resposta: uma pessoa da equipe atende esta conversa.</p>;
  return (
    <>
      <span class="small who">{name}</span>
      {items.map((item, at) => (
        <div key={at} class="bubble theirs">
          <MessageItem item={item} />
        </div>
      ))}
      {sources.length > 0 && <Sources message={{ sources }} context={context} />}
      {unsupported.length > 0 && (
        <p class="unsupported">
          <Badge tone="warn">Sem fonte: {unsupported.map(({ text }) => text).join(', ')}</Badge>
        </p>
      )}
      <Receipt answer={answer} />
    </>
  );
}

function Receipt({ answer: { turn, tookMs } }: { readonly answer: Answer }) {
  const seconds = (tookMs / 1_000).toLocaleString('pt-BR', { maximumFractionDigits: 1 });
  const used = turn.tokensControl.map(
    ({ model, tokens }) => `${model}: ${formatCount(tokens, 'token', 'tokens')}`,
  );
  return (
    <details class="small receipt">
      <summary>Respondeu em {seconds} s</summary>
      {used.join(' · ') || 'Sem uso de modelo'}
    </details>
  );
}
