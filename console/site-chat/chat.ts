import { type Calls, makeCalls, type Question, RefusedError, type Visit } from './calls.ts';
import { native } from './native.ts';
import { Panel } from './panel.ts';
import { makeStore, type Store } from './stored.ts';
import { refusalOf, type Words, wordsOf } from './words.ts';

/*
 * The chat of a site, as the page loads it: <script src="https://…/site-chat/chat.js" data-key="chat_…" async></script>
 *
 *   at rest --a question--> asking --its answer--> at rest
 *                           asking --not reached--> waiting --the connection is back, or a while--> asking, with the same key
 *                           asking --refused--> at rest, with the reason; it can be asked again
 *
 * A page that is loaded again while it was asking goes on with the same key, and so joins the answer that is being made.
 */

/** The service keeps an answer by its key for ten minutes. */
const SAME_ANSWER_MS = 540_000;
const READ_OPEN_MS = 4_000;
const READ_CLOSED_MS = 20_000;
const LONGEST_PAUSE_MS = 30_000;

interface ChatParts {
  readonly calls: Calls;
  readonly store: Store;
  readonly words: Words;
  readonly visit: Visit;
  readonly theme: string | undefined;
}

class Chat {
  readonly #parts: ChatParts;
  readonly #panel: Panel;
  #visitor: string;
  #after: string | undefined;
  #asking: Question | undefined;
  #unread = 0;
  /** Reads come one after the other, so that no message is shown twice. */
  #read: Promise<void> = native.Promise.resolve();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(parts: ChatParts) {
    const { calls, store, words, visit, theme } = parts;
    this.#parts = parts;
    this.#visitor = visit.visitor;
    // Nothing is kept of who only looks.
    if (store.value.visitor !== undefined) store.change({ visitor: visit.visitor });
    this.#panel = new Panel({
      ...visit,
      words,
      theme,
      addressOf: calls.addressOf,
      onAsk: (text, choice) => this.#ask({ key: randomKey(), text, choice, at: Date.now() }),
      onToggle: () => this.#noteToggle(),
    });
    document.addEventListener('visibilitychange', () => this.#readAfter(0));
  }

  /** Goes on where the page was left, if the visitor has asked before. */
  async begin(): Promise<void> {
    const { visitor, pending, isOpen } = this.#parts.store.value;
    if (visitor === undefined) return;
    if (isOpen) this.#panel.show(true);
    await this.#readNow();
    if (pending && Date.now() - pending.at < SAME_ANSWER_MS) this.#ask(pending);
    else this.#readAfter(READ_CLOSED_MS);
  }

  #noteToggle(): void {
    const { isOpen } = this.#panel;
    if (this.#parts.store.value.visitor !== undefined) this.#parts.store.change({ isOpen });
    if (isOpen) this.#setUnread(0);
    this.#readAfter(isOpen ? 0 : READ_CLOSED_MS);
  }

  /** False while another question is being asked. */
  #ask(question: Question): boolean {
    if (this.#asking) return false;
    this.#asking = question;
    this.#parts.store.change({ visitor: this.#visitor, pending: question, isOpen: this.#panel.isOpen });
    this.#panel.setStatus('');
    this.#panel.setAsked(question.text);
    this.#panel.setDraft('');
    void this.#answer(question);
    return true;
  }

  async #answer(question: Question): Promise<void> {
    const { calls, words } = this.#parts;
    for (let pause = 1_000; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
      try {
        const answer = await calls.ask(this.#visitor, question, text => this.#panel.setDraft(text));
        this.#panel.setStatus('');
        await this.#end();
        if (answer.choices) this.#panel.setChoices(answer.choices);
        return;
      } catch (error) {
        if (error instanceof RefusedError && error.reason === 'visitor-invalid') {
          if (await this.#becomeAnother()) continue;
        }
        const isOver = Date.now() - question.at > SAME_ANSWER_MS;
        if (isOver || (error instanceof RefusedError && !error.mayPass)) {
          const reason = error instanceof RefusedError ? error.reason : undefined;
          return this.#fail(question, refusalOf(words, reason));
        }
        this.#panel.setDraft('');
        this.#panel.setStatus(error instanceof RefusedError ? '' : words.offline);
        await connectionBack(pause);
      }
    }
  }

  /** What the service has stored takes the place of what was shown meanwhile. */
  async #end(): Promise<void> {
    this.#parts.store.change({ pending: undefined });
    await this.#readNow();
    this.#asking = undefined;
    this.#panel.setAsked(undefined);
    this.#panel.setDraft(undefined);
    this.#readAfter(READ_OPEN_MS);
  }

  #fail(question: Question, why: string): void {
    this.#parts.store.change({ pending: undefined });
    this.#asking = undefined;
    this.#panel.setDraft(undefined);
    this.#panel.setStatus(why, () => void this.#ask({ ...question, key: randomKey(), at: Date.now() }));
    this.#readAfter(READ_OPEN_MS);
  }

  /** A visitor whose time is over begins anew; the former conversation stays with the institution. */
  async #becomeAnother(): Promise<boolean> {
    const visit = await this.#parts.calls.visit(undefined).catch(() => undefined);
    if (!visit || visit.visitor === this.#visitor) return false;
    this.#visitor = visit.visitor;
    this.#after = undefined;
    this.#parts.store.change({ visitor: visit.visitor });
    return true;
  }

  #readNow(): Promise<void> {
    const read = async () => {
      const { words, calls } = this.#parts;
      const found = await calls.read(this.#visitor, this.#after).catch(() => undefined);
      if (!found) return;
      const { messages, staff } = found;
      this.#after = messages.at(-1)?.id ?? this.#after;
      this.#panel.addMessages(messages);
      const isNew = messages.filter(({ from }) => from === 'staff').length;
      if (!this.#panel.isOpen) this.#setUnread(this.#unread + isNew);
      if (!this.#asking && staff !== 'none') this.#panel.setStatus(words[staff]);
    };
    this.#read = this.#read.then(read);
    return this.#read;
  }

  /** Pages that nobody looks at ask for nothing, and those without a conversation have nothing to ask for. */
  #readAfter(pause: number): void {
    clearTimeout(this.#timer);
    if (document.hidden || this.#parts.store.value.visitor === undefined) return;
    this.#timer = setTimeout(() => {
      void this.#readNow().then(() => this.#readAfter(this.#panel.isOpen ? READ_OPEN_MS : READ_CLOSED_MS));
    }, pause);
  }

  #setUnread(count: number): void {
    this.#unread = count;
    this.#panel.setUnread(count);
  }
}

/** Resolves when the browser says so, or after the pause: it does not always know. */
function connectionBack(pause: number): Promise<void> {
  return new native.Promise(resolve => {
    const go = () => {
      clearTimeout(timer);
      removeEventListener('online', go);
      resolve();
    };
    const timer = setTimeout(go, pause);
    addEventListener('online', go);
  });
}

/** `randomUUID` is missing on pages without https. */
function randomKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))]
    .map(each => each.toString(16).padStart(2, '0'))
    .join('');
}

async function start({ src, dataset }: HTMLScriptElement): Promise<void> {
  const { key = '', theme } = dataset;
  const { origin } = globalThis;
  if (origin === 'null')
    return warn(
      'a page without an origin has no chat (a frame with sandbox needs allow-same-origin, a file a server)',
    );
  const calls = makeCalls(new native.URL(src).origin, key);
  const store = makeStore(key);
  const words = wordsOf(document.documentElement.lang, navigator.language);
  for (let pause = 2_000; ; pause *= 2) {
    try {
      const visit = await calls.visit(store.value.visitor);
      return await new Chat({ calls, store, words, visit, theme }).begin();
    } catch (error) {
      if (error instanceof RefusedError && !error.mayPass) return warn(`${src} refuses: ${error.reason}`);
      if (pause === 2_000)
        warn(`${src} cannot be reached; is ${origin} among the origins of the chat ${key}?`);
      // A page of another origin looks like a page without a connection.
      if (pause > LONGEST_PAUSE_MS) return;
      await connectionBack(pause);
    }
  }
}

/** Tells who builds the page why it has no chat. */
function warn(why: string): void {
  // oxlint-disable-next-line no-console
  console.warn(`Parley chat: ${why}`);
}

const script = document.currentScript;
if (script instanceof HTMLScriptElement) {
  const begin = () => void start(script);
  if (document.body) begin();
  else addEventListener('DOMContentLoaded', begin, { once: true });
}
