import { BookmarkPlus, SendHorizontal, Slash, Sparkles } from 'lucide';
import { useRef, useState } from 'preact/hooks';
import { Icon } from '../../components/icon.tsx';
import { ErrorNote } from '../../components/states.tsx';
import { showToast } from '../../components/toast.tsx';
import { dropDraft, readDraft, storeDraft } from '../../drafts.ts';
import { isWorthRetrying } from '../../errors.ts';
import { makeKey } from '../../keys.ts';
import { call } from '../../service.ts';
import { readPersonName } from '../../shell/person-name.ts';
import { type Action, useAction } from '../../use-action.ts';
import { useGrowth } from '../../use-growth.ts';
import type { Attending } from './attending.ts';
import { CannedReplies, findReplies, readReplies, storeReplies } from './canned-replies.tsx';
import type { Feed } from './feed.ts';

const MAX_LENGTH = 16_000;
const OPENS_REPLIES = '/';

interface ComposerOptions {
  readonly feed: Feed;
  readonly conversationId: string;
  readonly attending: Attending;
  /** What the assistant would answer; undefined where there is no question. */
  readonly suggest: (() => Promise<string>) | undefined;
}

/**
 * Where a person answers. What is typed stays until the service has accepted it, and the same text is sent with the same key,
 * so that it is stored once, however often it is tried.
 */
export function Composer(options: ComposerOptions) {
  const { text, setText, canned, found, field, sending, suggesting, write, submit, writeSuggestion } =
    useComposer(options);
  const { suggest } = options;
  const onKeyDown = (event: KeyboardEvent) =>
    onComposerKey(event, { found, clear: () => setText(''), submit });
  return (
    <form
      class="composer"
      onSubmit={event => {
        event.preventDefault();
        submit();
      }}
    >
      <Troubles of={[sending, suggesting]} />
      {found && (
        <CannedReplies
          replies={canned.replies}
          found={found}
          onChoose={write}
          onDelete={canned.remove}
          onClose={() => write('')}
        />
      )}
      <textarea
        ref={field}
        rows={1}
        maxLength={MAX_LENGTH}
        aria-label="Sua resposta"
        placeholder="Escreva à pessoa, ou / para respostas prontas"
        value={text}
        onInput={event => setText(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <ComposerTools
        text={found ? '' : text}
        isSending={sending.isBusy}
        isSuggesting={suggesting.isBusy}
        onReplies={() => write(found ? '' : OPENS_REPLIES)}
        onKeep={() => canned.add(text.trim())}
        onSuggest={suggest && (() => suggesting.run(() => suggest().then(writeSuggestion)))}
      />
    </form>
  );
}

function useComposer({ feed, conversationId, attending }: ComposerOptions) {
  const { hostId } = feed;
  const draft = useDraft(conversationId);
  const { text, setText } = draft;
  const canned = useReplies(hostId);
  const field = useRef<HTMLTextAreaElement>(null);
  const sending = useAction();
  const suggesting = useAction();
  useGrowth(field, text);

  const found = text.startsWith(OPENS_REPLIES) ? findReplies(canned.replies, text.slice(1)) : undefined;
  const write = (next: string) => {
    setText(next);
    field.current?.focus();
  };
  const send = async () => {
    const content = text.trim();
    if (content === '' || !(await attending.takeOverIfFree())) return;
    const body = { hostId, conversationId, content, author: 'human', name: readPersonName() ?? '' } as const;
    await call('appendMessage', body, { 'idempotency-key': draft.takeKey() });
    draft.dropSent(content);
    await feed.refresh();
  };
  const writeSuggestion = (suggestion: string) => {
    if (suggestion) write(suggestion);
    else showToast('O assistente não tem sugestão', 'plain');
  };
  const submit = () => {
    if (found?.[0] !== undefined) write(found[0]);
    else sending.run(send);
  };
  return { text, setText, canned, found, field, sending, suggesting, write, submit, writeSuggestion };
}

function Troubles({ of }: { readonly of: readonly Action[] }) {
  return (
    <>
      {of.map(
        ({ error, retry }, at) =>
          error !== undefined && (
            <ErrorNote key={at} error={error} {...(isWorthRetrying(error) ? { onRetry: retry } : {})} />
          ),
      )}
    </>
  );
}

/** Ctrl-Enter sends; among canned replies, Enter takes the first, the arrow leads to them and Escape ends. */
function onComposerKey(
  event: KeyboardEvent,
  {
    found,
    clear,
    submit,
  }: {
    readonly found: readonly string[] | undefined;
    readonly clear: () => void;
    readonly submit: () => void;
  },
): void {
  if (event.isComposing) return;
  if (event.key === 'Escape' && found) return clear();
  if (event.key === 'ArrowDown' && found?.length) {
    event.preventDefault();
    const { form } = event.currentTarget as HTMLTextAreaElement;
    form?.querySelector<HTMLElement>('.canned-reply')?.focus();
  }
  if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey || found)) return;
  event.preventDefault();
  submit();
}

function ComposerTools({
  text,
  isSending,
  isSuggesting,
  onReplies,
  onKeep,
  onSuggest,
}: {
  readonly text: string;
  readonly isSending: boolean;
  readonly isSuggesting: boolean;
  readonly onReplies: () => void;
  readonly onKeep: () => void;
  readonly onSuggest: (() => void) | undefined;
}) {
  const isEmpty = text.trim() === '';
  return (
    <div class="composer-tools">
      <button type="button" class="tool" onClick={isEmpty ? onReplies : onKeep}>
        <Icon of={isEmpty ? Slash : BookmarkPlus} size={16} />
        {isEmpty ? 'Respostas prontas' : 'Guardar como pronta'}
      </button>
      {onSuggest && isEmpty && (
        <button type="button" class="tool" aria-busy={isSuggesting} onClick={onSuggest}>
          <Icon of={Sparkles} size={16} /> {isSuggesting ? 'Pensando…' : 'Sugerir resposta'}
        </button>
      )}
      <span class="small composer-hint">Ctrl-Enter envia</span>
      <button type="submit" aria-busy={isSending}>
        Enviar <Icon of={SendHorizontal} size={16} />
      </button>
    </div>
  );
}

/** The replies of this browser, and what changes them. */
function useReplies(hostId: string) {
  const [replies, setReplies] = useState(() => readReplies(hostId));
  const keep = (next: readonly string[], said: string) => {
    if (!storeReplies(hostId, next)) return showToast('O navegador não tem mais lugar', 'bad');
    setReplies(readReplies(hostId));
    showToast(said);
  };
  return {
    replies,
    add: (reply: string) => keep([...replies, reply], 'Guardada: escreva / para usá-la'),
    remove: (reply: string) =>
      keep(
        replies.filter(each => each !== reply),
        'Resposta pronta excluída',
      ),
  };
}

/** What is typed to one conversation, and the key under which it is sent. */
function useDraft(conversationId: string) {
  const [textKey, sentKey] = [`answer:${conversationId}`, `answer-key:${conversationId}`];
  const [text, show] = useState(() => readDraft(textKey) ?? '');
  const setText = (next: string) => {
    show(next);
    dropDraft(sentKey);
    if (next === '') dropDraft(textKey);
    else storeDraft(textKey, next);
  };
  const takeKey = () => {
    const key = readDraft(sentKey) ?? makeKey();
    storeDraft(sentKey, key);
    return key;
  };
  /** What was typed meanwhile is the next answer. */
  const dropSent = (content: string) => {
    dropDraft(sentKey);
    if (readDraft(textKey)?.trim() !== content) return;
    dropDraft(textKey);
    show('');
  };
  return { text, setText, takeKey, dropSent };
}
