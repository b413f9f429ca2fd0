import { BookmarkPlus, SendHorizontal, Slash, Sparkles, StickyNote } from 'lucide';
import { useRef, useState } from 'preact/hooks';
import { Icon } from '../../components/icon.tsx';
import { ActionNote } from '../../components/states.tsx';
import { showToast } from '../../components/toast.tsx';
import { dropDraft, readDraft, storeDraft } from '../../drafts.ts';
import { makeKey } from '../../keys.ts';
import { call } from '../../service.ts';
import { ensurePersonName, readPersonName } from '../../shell/person-name.ts';
import { useAction } from '../../use-action.ts';
import { useGrowth } from '../../use-growth.ts';
import type { Attending } from './attending.ts';
import { CannedReplies, findReplies, readReplies, storeReplies } from './canned-replies.tsx';
import type { Feed } from './feed.ts';
import type { Suggestion } from './suggestion.ts';
import { tellTyping } from './typing.tsx';

const MAX_LENGTH = 16_000;
const OPENS_REPLIES = '/';

interface ComposerOptions {
  readonly feed: Feed;
  readonly conversationId: string;
  readonly attending: Attending;
  readonly isClosed: boolean;
  /** What the assistant would answer; undefined where there is no question. */
  readonly suggest: (() => Promise<Suggestion>) | undefined;
}

/**
 * Where a person answers, or writes a note for the team, which stays chosen until the answer is chosen again. What is typed stays until the service has accepted it, and the same text is sent with the same key,
 * so that it is stored once, however often it is tried.
 */
export function Composer(options: ComposerOptions) {
  const { draft, canned, found, field, sending, suggesting, write, submit, writeSuggestion } =
    useComposer(options);
  const { text, setText, isNote, setNote } = draft;
  const { suggest } = options;
  const onKeyDown = (event: KeyboardEvent) =>
    onComposerKey(event, { found, clear: () => setText(''), submit });
  return (
    <form
      class={isNote ? 'composer is-note' : 'composer'}
      onSubmit={event => {
        event.preventDefault();
        submit();
      }}
    >
      <ActionNote of={sending} />
      <ActionNote of={suggesting} />
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
        aria-label={isNote ? 'Sua nota interna' : 'Sua resposta'}
        placeholder={placeholderOf(isNote, options.isClosed)}
        value={text}
        onInput={event => {
          setText(event.currentTarget.value);
          tellTyping(options.conversationId);
        }}
        onKeyDown={onKeyDown}
      />
      <ComposerTools
        text={found ? '' : text}
        isNote={isNote}
        onNote={() => {
          setNote(!isNote);
          field.current?.focus();
        }}
        isSending={sending.isBusy}
        isSuggesting={suggesting.isBusy}
        onReplies={() => write(found ? '' : OPENS_REPLIES)}
        onKeep={() => canned.add(text.trim())}
        onSuggest={
          isNote ? undefined : suggest && (() => suggesting.run(() => suggest().then(writeSuggestion)))
        }
      />
    </form>
  );
}

function placeholderOf(isNote: boolean, isClosed: boolean): string {
  if (isNote) return 'Escreva à equipe: a pessoa não vê';
  return isClosed
    ? 'Escrever à pessoa reabre a conversa, com você'
    : 'Escreva à pessoa, ou / para respostas prontas';
}

function useComposer({ feed, conversationId, attending }: ComposerOptions) {
  const { hostId } = feed;
  const draft = useDraft(conversationId);
  const { text, setText, isNote } = draft;
  const canned = useReplies(hostId);
  const field = useRef<HTMLTextAreaElement>(null);
  const sending = useAction();
  const suggesting = useAction();
  useGrowth(field, text);

  const found =
    !isNote && text.startsWith(OPENS_REPLIES) ? findReplies(canned.replies, text.slice(1)) : undefined;
  const write = (next: string) => {
    setText(next);
    field.current?.focus();
  };
  const send = async () => {
    const content = text.trim();
    if (content === '') return;
    // A note takes nothing over.
    if (!(await (isNote ? ensurePersonName() : attending.takeOverIfFree()))) return;
    const author = isNote ? 'note' : 'human';
    const body = { hostId, conversationId, content, author, name: readPersonName() ?? '' } as const;
    await call('appendMessage', body, { 'idempotency-key': draft.takeKey() });
    draft.dropSent(content);
    // The next message may be sent before the list is read.
    void feed.refresh();
  };
  const writeSuggestion = ({ text: suggestion, hasSource }: Suggestion) => {
    if (suggestion && hasSource) return write(suggestion);
    showToast('O assistente não tem sugestão: nada no conhecimento responde', 'plain');
  };
  const submit = () => {
    if (found?.[0] !== undefined) write(found[0]);
    else sending.run(send);
  };
  return { draft, canned, found, field, sending, suggesting, write, submit, writeSuggestion };
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
  isNote,
  isSending,
  isSuggesting,
  onNote,
  onReplies,
  onKeep,
  onSuggest,
}: {
  readonly text: string;
  readonly isNote: boolean;
  readonly isSending: boolean;
  readonly isSuggesting: boolean;
  readonly onNote: () => void;
  readonly onReplies: () => void;
  readonly onKeep: () => void;
  readonly onSuggest: (() => void) | undefined;
}) {
  const isEmpty = text.trim() === '';
  return (
    <div class="composer-tools">
      <button type="button" class="tool" aria-pressed={isNote} onClick={onNote}>
        <Icon of={StickyNote} size={16} /> Nota interna
      </button>
      {!isNote && (
        <button type="button" class="tool" onClick={isEmpty ? onReplies : onKeep}>
          <Icon of={isEmpty ? Slash : BookmarkPlus} size={16} />
          {isEmpty ? 'Respostas prontas' : 'Guardar como pronta'}
        </button>
      )}
      {onSuggest && isEmpty && (
        <button type="button" class="tool" aria-busy={isSuggesting} onClick={onSuggest}>
          <Icon of={Sparkles} size={16} /> {isSuggesting ? 'Pensando…' : 'Sugerir resposta'}
        </button>
      )}
      <span class="small composer-hint">Ctrl-Enter envia</span>
      <button type="submit" aria-busy={isSending}>
        {isNote ? 'Anotar' : 'Enviar'} <Icon of={isNote ? StickyNote : SendHorizontal} size={16} />
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

/** What is typed to one conversation, whether it is a note, and the key under which it is sent. */
function useDraft(conversationId: string) {
  const [textKey, sentKey] = [`answer:${conversationId}`, `answer-key:${conversationId}`];
  const noteKey = `answer-is-note:${conversationId}`;
  const [isNote, showNote] = useState(() => readDraft(noteKey) !== undefined);
  const setNote = (next: boolean) => {
    showNote(next);
    dropDraft(sentKey);
    if (next) storeDraft(noteKey, 'true');
    else dropDraft(noteKey);
  };
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
  return { text, setText, isNote, setNote, takeKey, dropSent };
}
