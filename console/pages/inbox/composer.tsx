import { BookmarkPlus, SendHorizontal, Slash, Sparkles, StickyNote } from 'lucide';
import { useRef, useState } from 'preact/hooks';
import type { BodyOf } from '../../../queues/contract/operations/index.ts';
import { useGrowth } from '../../components/field.tsx';
import { Icon } from '../../components/icon.tsx';
import { ActionNote } from '../../components/states.tsx';
import { showToast } from '../../components/toast.tsx';
import { dropDraft, readDraft, storeDraft } from '../../drafts.ts';
import { makeKey } from '../../keys.ts';
import { call, callWithProgress, ServiceError } from '../../service.ts';
import { ensurePersonName, readPersonName } from '../../shell/person-name.ts';
import { useAction } from '../../use-action.ts';
import type { Attending } from './attending.ts';
import { CannedReplies, fillReply, useReplies } from './canned-replies.tsx';
import { AttachButton, type ComposerFiles, FileList, readFiles, useFiles } from './composer-files.tsx';
import type { Feed } from './feed.ts';
import { type EditedReply, ReplyForm, type SavedReply } from './reply-form.tsx';
import type { Suggestion } from './suggestion.ts';
import { tellTyping } from './typing.tsx';
import { TemplateForm } from './window.tsx';

const MAX_LENGTH = 16_000;
const OPENS_REPLIES = '/';
const ANSWER_UNSENT = 'A resposta não foi enviada, e continua aqui';
const NOTE_UNKEPT = 'A nota não foi guardada, e continua aqui';

interface ComposerOptions {
  readonly feed: Feed;
  readonly conversationId: string;
  readonly attending: Attending;
  readonly isClosed: boolean;
  /** Why no text of one's own can be sent now; a template can. Undefined: it can. */
  readonly windowClosed: string | undefined;
  /** Drafts the answer of the assistant; undefined where there is no question. */
  readonly suggest: (() => Promise<Suggestion>) | undefined;
}

/**
 * Here a person answers, or writes a note for the team; the choice stays. The text stays until the service has accepted it, and
 * the same text is sent with the same key, so it is stored once, however often it is tried.
 */
export function Composer(options: ComposerOptions) {
  const composer = useComposer(options);
  const { canned, edited, edit, draft } = composer;
  return (
    <>
      {options.windowClosed && !draft.isNote && <TemplateForm {...options} />}
      <ComposerForm {...options} composer={composer} />
      {edited && (
        <ReplyForm
          hostId={options.feed.hostId}
          reply={edited}
          onSaved={() => {
            edit(undefined);
            canned?.loaded.reload();
          }}
          onClose={() => edit(undefined)}
        />
      )}
    </>
  );
}

interface ComposerPart extends ComposerOptions {
  readonly composer: ReturnType<typeof useComposer>;
}

function ComposerForm({ composer, ...options }: ComposerPart) {
  const { draft, files, canned, edit, choose, field, sending, suggesting, write, submit, writeSuggestion } =
    composer;
  const { text, isNote, setNote } = draft;
  const { suggest } = options;
  return (
    <form
      class={isNote ? 'composer is-note' : 'composer'}
      onSubmit={event => {
        event.preventDefault();
        submit();
      }}
      onDragOver={event => event.preventDefault()}
      onDrop={event => {
        event.preventDefault();
        if (!isNote) files.add(event.dataTransfer?.files);
      }}
    >
      <ActionNote of={sending} undone={isNote ? NOTE_UNKEPT : ANSWER_UNSENT} />
      <ActionNote of={suggesting} />
      {canned && (
        <CannedReplies
          hostId={options.feed.hostId}
          open={canned}
          onChoose={choose}
          onEdit={reply => edit(reply ?? { text: '' })}
          onClose={() => write('')}
        />
      )}
      {!isNote && <FileList of={files} />}
      <ComposerText {...options} composer={composer} />
      <ComposerTools
        text={canned ? '' : text}
        isNote={isNote}
        onFiles={files.add}
        onNote={() => {
          setNote(!isNote);
          field.current?.focus();
        }}
        isSending={sending.isBusy}
        isShut={options.windowClosed !== undefined && !isNote}
        isSuggesting={suggesting.isBusy}
        onReplies={() => write(canned ? '' : OPENS_REPLIES)}
        onKeep={() => edit({ text: text.trim() })}
        onSuggest={
          isNote ? undefined : suggest && (() => suggesting.run(() => suggest().then(writeSuggestion)))
        }
      />
    </form>
  );
}

function ComposerText({ composer, conversationId, isClosed, windowClosed }: ComposerPart) {
  const { draft, files, canned, field, submit } = composer;
  const { text, setText, isNote } = draft;
  const isShut = windowClosed !== undefined && !isNote;
  return (
    <textarea
      ref={field}
      rows={1}
      maxLength={MAX_LENGTH}
      aria-label={isNote ? 'Sua nota interna' : 'Sua resposta'}
      placeholder={isShut ? windowClosed : placeholderOf(isNote, isClosed)}
      disabled={isShut}
      value={text}
      onInput={event => {
        setText(event.currentTarget.value);
        tellTyping(conversationId);
      }}
      onPaste={event => {
        const pasted = event.clipboardData?.files;
        if (isNote || !pasted || pasted.length === 0) return;
        event.preventDefault();
        files.add(pasted);
      }}
      onKeyDown={event =>
        onComposerKey(event, { isChoosing: canned !== undefined, clear: () => setText(''), submit })
      }
    />
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
  const files = useFiles(draft.dropKey);
  const canned = useReplies(
    hostId,
    !isNote && text.startsWith(OPENS_REPLIES) ? text.slice(OPENS_REPLIES.length) : undefined,
  );
  const [edited, edit] = useState<EditedReply>();
  const field = useRef<HTMLTextAreaElement>(null);
  const sending = useAction();
  const suggesting = useAction();
  useGrowth(field, text);

  const write = (next: string) => {
    setText(next);
    field.current?.focus();
  };
  const choose = (reply: SavedReply) => {
    const { contact_name = '', user_name = '' } = feed.find(conversationId) ?? {};
    write(fillReply(reply.text, contact_name || user_name));
  };
  const send = () => sendDraft({ feed, conversationId, attending }, draft, files);
  const writeSuggestion = ({ text: suggestion, hasSource }: Suggestion) => {
    if (suggestion && hasSource) return write(suggestion);
    showToast('O assistente não tem sugestão: nada no conhecimento responde', 'plain');
  };
  const submit = () => {
    const [first] = canned?.found ?? [];
    if (first) choose(first);
    else if (!canned?.loaded.isLoading) sending.run(send);
  };
  return {
    draft,
    files,
    canned,
    edited,
    edit,
    choose,
    field,
    sending,
    suggesting,
    write,
    submit,
    writeSuggestion,
  };
}

async function sendDraft(
  { feed, conversationId, attending }: Pick<ComposerOptions, 'feed' | 'conversationId' | 'attending'>,
  draft: ReturnType<typeof useDraft>,
  files: ComposerFiles,
): Promise<void> {
  const { hostId } = feed;
  const { text, isNote } = draft;
  const content = text.trim();
  const attached = isNote ? [] : files.all;
  if (content === '' && attached.length === 0) return;
  // A note does not take the conversation over.
  if (!(await (isNote ? ensurePersonName() : attending.takeOverIfFree()))) return;
  const author = isNote ? 'note' : 'human';
  const written = { hostId, conversationId, author, name: readPersonName() ?? '' } as const;
  const body = content === '' ? written : { ...written, content };
  const headers = { 'idempotency-key': draft.takeKey() };
  const sending =
    attached.length === 0
      ? call('appendMessage', body, headers)
      : sendFiles(files, { ...body, attachments: await readFiles(attached) }, headers);
  await sending.catch(error => {
    // The refusal is kept for the key, but the person may write again.
    if (error instanceof ServiceError && error.reason === 'window-closed') draft.dropKey();
    throw error;
  });
  draft.dropSent(content);
  files.dropSent(attached);
  // The person may send the next message before the list is read.
  void feed.refresh();
}

async function sendFiles(
  { setProgress }: ComposerFiles,
  body: BodyOf<'appendMessage'>,
  headers: Record<string, string>,
): Promise<void> {
  setProgress(0);
  await callWithProgress('appendMessage', body, headers, setProgress).finally(() => setProgress(undefined));
}

/** Ctrl-Enter sends; among prepared replies, Enter takes the first, the arrow leads to them and Escape closes them. */
function onComposerKey(
  event: KeyboardEvent,
  {
    isChoosing,
    clear,
    submit,
  }: {
    readonly isChoosing: boolean;
    readonly clear: () => void;
    readonly submit: () => void;
  },
): void {
  if (event.isComposing) return;
  if (event.key === 'Escape' && isChoosing) return clear();
  const { form } = event.currentTarget as HTMLTextAreaElement;
  const first = isChoosing ? form?.querySelector<HTMLElement>('.canned-reply') : undefined;
  if (event.key === 'ArrowDown' && first) {
    event.preventDefault();
    first.focus();
  }
  const isSending = event.ctrlKey || event.metaKey;
  if (event.key !== 'Enter' || !(isSending || isChoosing)) return;
  event.preventDefault();
  // If no reply has the words, nothing is sent: the text may be a search, not a message.
  if (isSending || first) submit();
}

function ComposerTools(props: {
  readonly text: string;
  readonly isNote: boolean;
  readonly isSending: boolean;
  /** The channel takes no text. */
  readonly isShut: boolean;
  readonly isSuggesting: boolean;
  readonly onFiles: ComposerFiles['add'];
  readonly onNote: () => void;
  readonly onReplies: () => void;
  readonly onKeep: () => void;
  readonly onSuggest: (() => void) | undefined;
}) {
  const { text, isNote, isSending, isShut, isSuggesting, onFiles, onNote, onReplies, onKeep, onSuggest } =
    props;
  const isEmpty = text.trim() === '';
  return (
    <div class="composer-tools">
      <button type="button" class="tool" aria-pressed={isNote} onClick={onNote}>
        <Icon of={StickyNote} size={16} /> <span>Nota interna</span>
      </button>
      {!isNote && !isShut && <AttachButton onFiles={onFiles} />}
      {!isNote && !isShut && (
        <button type="button" class="tool" onClick={isEmpty ? onReplies : onKeep}>
          <Icon of={isEmpty ? Slash : BookmarkPlus} size={16} />
          <span>{isEmpty ? 'Respostas prontas' : 'Guardar como pronta'}</span>
        </button>
      )}
      {onSuggest && isEmpty && !isShut && (
        <button type="button" class="tool" aria-busy={isSuggesting} onClick={onSuggest}>
          <Icon of={Sparkles} size={16} /> <span>{isSuggesting ? 'Pensando…' : 'Sugerir resposta'}</span>
        </button>
      )}
      <span class="small composer-hint">Ctrl-Enter envia</span>
      <button type="submit" aria-busy={isSending} disabled={isShut}>
        {isNote ? 'Anotar' : 'Enviar'} <Icon of={isNote ? StickyNote : SendHorizontal} size={16} />
      </button>
    </div>
  );
}

/** The draft of one conversation: its text, whether it is a note, and the key under which it is sent. */
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
  /** Text that was typed meanwhile is the next answer. */
  const dropSent = (content: string) => {
    dropDraft(sentKey);
    if (readDraft(textKey)?.trim() !== content) return;
    dropDraft(textKey);
    show('');
  };
  return { text, setText, isNote, setNote, takeKey, dropKey: () => dropDraft(sentKey), dropSent };
}
