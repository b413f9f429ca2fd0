import { computed, effect, type Signal, signal } from '@preact/signals';
import type { BodyOf } from '../../../queues/contract/operations/index.ts';
import { call, isRefused, readServiceClock } from '../../service.ts';
import { type Change, followNotices, type NoticeReader } from '../../shell/notices.ts';
import { waiting } from '../../shell/waiting.ts';
import { type Conversation, isWaiting, TRIAL_PLATFORM } from './conversation.ts';
import { hideTyping, showTyping } from './typing.tsx';

/*
 * The conversations of a host, kept up to date from the sign-in on: the first pages are read once, and then whatever changed
 * since. A list of changes is read to its end: where that takes several looks, or one fails, the next goes on at the page
 * that is due.
 * The service tells when something changes. What it does not tell, or cannot, is found by asking now and then.
 *
 *   reading --ok, told of changes--> waiting (10 s, or until told) --> reading
 *           --ok, told of none--> waiting (1 s; 5 s behind other pages; 10 s in a hidden tab) --> reading
 *           --error--> waiting longer each time
 */

const EVERY_MS = 1_000;
const BEHIND_MS = 5_000;
const SELDOM_MS = 10_000;
const MAX_WAIT_MS = 15_000;
/** A question shows when a worker takes it, which nobody tells: until it is answered, or for so long, it is looked for. */
const ANSWERED_WITHIN_MS = 30_000;
/** A message shows when its transaction is committed, which is a moment after the time that it carries. */
const OVERLAP_MS = 5_000;
/** One look reads so many: the page shows what it has before it asks for more. */
const MAX_PAGES = 10;
const PAGE_SIZE = 100;

const filters = {
  waiting: { closed: false, ask_human_help: true },
  others: { closed: false, ask_human_help: false },
  closed: { closed: true },
} as const;
export type ListName = keyof typeof filters;

export class Feed {
  readonly hostId: string;
  readonly error: Signal<unknown> = signal(undefined);
  /** The next page of each list: undefined before the first, null after the last. */
  readonly cursors = signal<Readonly<Record<ListName, string | null | undefined>>>({
    waiting: undefined,
    others: undefined,
    closed: undefined,
  });
  readonly #all = signal<ReadonlyMap<string, Conversation>>(new Map());
  /** The conversations of the pages that were read so far, without what only an address has named. */
  readonly conversations = computed(
    () => new Map([...this.#all.value].filter(([, { last_message }]) => last_message !== null)),
  );
  /** Whether somebody looks at them. */
  #isWatched = false;
  #since = readServiceClock() - OVERLAP_MS;
  /** The list of changes that is not read to its end. */
  #changes: { readonly updatedSince: string; readonly startedAt: number; cursor?: string } | undefined;
  #failures = 0;
  #isLive = false;
  /** The conversations with a question that is not answered, and until when it is looked for. */
  readonly #asked = new Map<string, number>();
  #readAt = 0;
  /** When the next look begins. */
  #dueAt = Number.POSITIVE_INFINITY;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #reading: Promise<void> | undefined;
  readonly #readingLists = new Map<ListName, Promise<void>>();
  /** When this page changed a conversation last: what was asked for before may be what it was. */
  readonly #changedAt = new Map<string, number>();
  #isStopped = false;

  constructor(hostId: string) {
    this.hostId = hostId;
  }

  /** Whether all that wait, and the first of the others, are read. */
  get isRead(): boolean {
    const { waiting, others } = this.cursors.value;
    return waiting === null && others !== undefined;
  }

  find(id: string): Conversation | undefined {
    return this.#all.value.get(id);
  }

  watch(isWatched: boolean): void {
    this.#isWatched = isWatched;
    if (isWatched) void this.refresh();
  }

  /** Whether changes are told from now on; those before were not. */
  setLive(isLive: boolean): void {
    this.#isLive = isLive;
    this.#lookBy(Date.now());
  }

  noteChange({ conversationId, kind }: Change): void {
    const now = Date.now();
    if (kind === 'asked') this.#asked.set(conversationId, now + ANSWERED_WITHIN_MS);
    else this.#asked.delete(conversationId);
    // However many changes are told, it looks no more often than if none were.
    if (kind === 'changed') this.#lookBy(Math.max(now, this.#readAt + this.#pollInterval));
    else if (this.#isWatched) this.#lookBy(now + EVERY_MS);
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  /** Shows what this page has changed. */
  show(changed: Conversation): void {
    this.#changedAt.set(changed.id, performance.now());
    this.merge([changed]);
  }

  merge(changed: readonly Conversation[]): void {
    const known = this.#all.peek();
    const isNew = (each: Conversation) => JSON.stringify(known.get(each.id)) !== JSON.stringify(each);
    const fresh = changed.filter(isNew).map(each => [each.id, each] as const);
    if (fresh.length > 0) this.#all.value = new Map([...known, ...fresh]);
  }

  /** The next page of a list, if there is one. Calls at the same time share one request. */
  readNext(name: ListName): Promise<void> {
    const cursor = this.cursors.peek()[name];
    if (cursor === null) return Promise.resolve();
    const begun = this.#readingLists.get(name);
    if (begun) return begun;
    const body = { archived: false, ...filters[name], ...(cursor ? { cursor } : {}) };
    const reading = this.#readPage(body)
      .then(next => {
        this.cursors.value = { ...this.cursors.peek(), [name]: next };
      })
      .catch(error => {
        if (isRefused(error)) this.cursors.value = { ...this.cursors.peek(), [name]: undefined };
        this.#showError(error);
      })
      .finally(() => this.#readingLists.delete(name));
    this.#readingLists.set(name, reading);
    return reading;
  }

  /** All that wait, because they are counted, and the first of the others. */
  async readFirst(): Promise<void> {
    const begun = [this.readNext('others')];
    do await this.readNext('waiting');
    while (this.cursors.peek().waiting && this.error.peek() === undefined && !this.#isStopped);
    await Promise.all(begun);
  }

  /** Reads what changed, at once. */
  refresh(): Promise<void> {
    clearTimeout(this.#timer);
    if (this.#reading) return this.#reading;
    this.#readAt = Date.now();
    this.#dueAt = Number.POSITIVE_INFINITY;
    this.#reading = this.#readChanges()
      .then(() => {
        this.#failures = 0;
        this.error.value = undefined;
        if (!this.isRead) void this.readFirst();
      })
      .catch(error => {
        this.#failures += 1;
        // A cursor that is refused, as one is after hours, would be refused for ever.
        if (isRefused(error)) this.#changes = undefined;
        this.#showError(error);
      })
      .finally(() => {
        this.#reading = undefined;
        // What was told meanwhile may be missing in what was read.
        const toldAt = this.#failures > 0 ? Number.POSITIVE_INFINITY : this.#dueAt;
        this.#dueAt = Number.POSITIVE_INFINITY;
        this.#lookBy(Math.min(toldAt, Date.now() + this.#wait));
      });
    return this.#reading;
  }

  /** Looks at this time, or before. */
  #lookBy(at: number): void {
    if (this.#isStopped || at >= this.#dueAt) return;
    this.#dueAt = at;
    // Its end plans the next.
    if (this.#reading) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.refresh(), Math.max(0, at - Date.now()));
  }

  get #wait(): number {
    if (this.#failures > 0) return Math.min(MAX_WAIT_MS, EVERY_MS * 2 ** this.#failures);
    if (document.hidden) return SELDOM_MS;
    // The list of changes is not read to its end.
    if (this.#changes) return EVERY_MS;
    if (this.#isLive && !(this.#isWatched && this.#isAsked)) return SELDOM_MS;
    return this.#pollInterval;
  }

  get #pollInterval(): number {
    return this.#isWatched ? EVERY_MS : BEHIND_MS;
  }

  get #isAsked(): boolean {
    for (const [id, until] of this.#asked) if (until < Date.now()) this.#asked.delete(id);
    return this.#asked.size > 0;
  }

  #showError(error: unknown): void {
    if (!this.#isStopped) this.error.value = error;
  }

  async #readChanges(): Promise<void> {
    this.#changes ??= { updatedSince: new Date(this.#since).toISOString(), startedAt: readServiceClock() };
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const { updatedSince, startedAt, cursor } = this.#changes;
      const next = await this.#readPage({ updatedSince, ...(cursor ? { cursor } : {}) });
      if (!next) {
        this.#since = startedAt - OVERLAP_MS;
        this.#changes = undefined;
        return;
      }
      this.#changes.cursor = next;
    }
  }

  async #readPage(body: Partial<BodyOf<'listConversations'>>): Promise<string | null> {
    const page = { hostId: this.hostId, limit: PAGE_SIZE, ...body };
    const askedAt = performance.now();
    const { items, nextCursor } = await call('listConversations', page);
    this.merge(items.filter(({ id }) => (this.#changedAt.get(id) ?? askedAt) <= askedAt));
    return nextCursor;
  }
}

/** The feed of the session; undefined while nobody is signed in who may attend. */
export const feed = signal<Feed | undefined>(undefined);

/** Keeps the conversations and the count of those that wait up to date; returns what ends that. */
export function startFeed(hostId: string): () => void {
  const started = new Feed(hostId);
  feed.value = started;
  const endCount = effect(() => {
    const all = [...started.conversations.value.values()];
    waiting.value = all.filter(
      each => isWaiting(each) && !each.archived && each.platform !== TRIAL_PLATFORM,
    ).length;
  });
  let endNotices = () => {};
  void started.readFirst().then(() => {
    if (feed.peek() === started) endNotices = followNotices(readerOf(started));
  });
  return () => {
    feed.value = undefined;
    started.stop();
    endCount();
    endNotices();
  };
}

function readerOf(feed: Feed): NoticeReader {
  return {
    onOpen: () => feed.setLive(true),
    onLost: () => feed.setLive(false),
    onChange(change) {
      feed.noteChange(change);
      if (change.kind === 'changed') hideTyping(change.conversationId);
    },
    onTyping: showTyping,
  };
}
