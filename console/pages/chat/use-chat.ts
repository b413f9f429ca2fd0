import { type Dispatch, type StateUpdater, useEffect, useState } from 'preact/hooks';
import { isWorthRetrying } from '../../errors.ts';
import { makeKey } from '../../keys.ts';
import { askWhileGenerated, call, createConversation, type Host } from '../../service.ts';
import { keepTried } from '../../shell/first-steps.tsx';
import { type Action, useAction } from '../../use-action.ts';
import { type Chat, type Pending, readChat, storeChat } from './stored-chats.ts';

export interface OpenChat {
  readonly chat: Chat;
  readonly isBusy: boolean;
  readonly written: string;
  readonly error: unknown;
  /** Undefined if a repetition cannot help. */
  readonly retry: (() => void) | undefined;
  readonly ask: (question: string, userData: Readonly<Record<string, string>>) => void;
  readonly restart: () => void;
  readonly giveBack: () => void;
  readonly givingBack: Action;
}

/**
 * The conversation with one assistant: one question at a time. A pending question is asked when the page is opened again; the
 * answer to a question that the person has left is not awaited.
 */
export function useChat(host: Host, subSlug: string): OpenChat {
  const { host_id: hostId } = host;
  const [chat, setChat] = useState(() => readChat(hostId, subSlug));
  const { written, error, retry } = useAnswer({ host, subSlug, chat, setChat });
  const givingBack = useAction();
  const { pending, conversationId } = chat;
  useEffect(() => storeChat(hostId, subSlug, chat), [chat]);
  return {
    chat,
    isBusy: pending !== undefined && error === undefined,
    written,
    error,
    retry: isWorthRetrying(error) ? retry : undefined,
    ask: (question, userData) => {
      keepTried(hostId);
      const next = { question, key: makeKey(), userData };
      setChat({ ...chat, entries: [...chat.entries, { question }], pending: next });
    },
    restart: () => setChat({ entries: [] }),
    giveBack: () => {
      if (!conversationId) return;
      givingBack.run(async () => {
        await call('updateConversation', { hostId, conversationId, ask_human_help: false });
        setChat(known => ({ ...known, awaitsPerson: false }));
      });
    },
    givingBack,
  };
}

/** Asks the pending question, and adds the answer to the conversation. */
function useAnswer({
  host,
  subSlug,
  chat,
  setChat,
}: {
  readonly host: Host;
  readonly subSlug: string;
  readonly chat: Chat;
  readonly setChat: Dispatch<StateUpdater<Chat>>;
}) {
  const [written, setWritten] = useState('');
  const [error, setError] = useState<unknown>();
  const [tries, setTries] = useState(0);
  const { pending } = chat;
  useEffect(() => {
    // A new conversation does not show the error of the one before.
    if (chat.entries.length === 0) setError(undefined);
    if (!pending) return undefined;
    let isOpen = true;
    const change = (changes: Partial<Chat>) => isOpen && setChat(known => ({ ...known, ...changes }));
    setError(undefined);
    ask({ host, subSlug, chat, pending }, text => isOpen && setWritten(text), change)
      .catch((trouble: unknown) => {
        if (!isOpen) return;
        setError(trouble);
        if (!isWorthRetrying(trouble)) change({ pending: undefined });
      })
      .finally(() => isOpen && setWritten(''));
    return () => {
      isOpen = false;
      setWritten('');
    };
  }, [pending, tries, chat.entries.length === 0]);
  return { written, error, retry: () => setTries(tries + 1) };
}

async function ask(
  {
    host,
    subSlug,
    chat,
    pending: { question, key, userData },
  }: { readonly host: Host; readonly subSlug: string; readonly chat: Chat; readonly pending: Pending },
  onText: (text: string) => void,
  change: (changes: Partial<Chat>) => void,
): Promise<void> {
  const startedAt = performance.now();
  const conversationId = chat.conversationId ?? (await createConversation(host));
  change({ conversationId });
  const target = { hostId: host.host_id, conversationId, subSlug, question };
  const body = { ...target, userData, reasoningConfig: { rehearsal: true } };
  const turn = await askWhileGenerated(body, { 'idempotency-key': key }, onText);
  const { assistantResponse, sources, unsupported, tokensControl, askHumanHelp: awaitsPerson } = turn;
  const answer = {
    turn: { assistantResponse, sources, unsupported, tokensControl },
    tookMs: performance.now() - startedAt,
  };
  change({ entries: [...chat.entries, answer], awaitsPerson, pending: undefined });
}
