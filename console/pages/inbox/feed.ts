import { computed, effect, type Signal, signal } from '@preact/signals';
import type { BodyOf } from '../../../queues/contract/operations/index.ts';
import { call, readServiceClock, ServiceError } from '../../service.ts';
import { waiting } from '../../shell/waiting.ts';
import { type Conversation, isWaiting, TRIAL_PLATFORM } from './conversation.ts';

/*
 * The conversations of a host, kept up to date from the sign-in on: the first pages are read once, and then whatever changed
 * since. A list of changes is read to its end: where that takes several looks, or one fails, the next goes on at the page
 * that is due.
 *
 *   reading --ok--> waiting (1 s; 5 s behind other pages; 10 s in a hidden tab) --> reading
 *   reading --error--> waiting longer each time
 */

const EVERY_MS = 1_000;
const BEHIND_MS = 5_000;
const HIDDEN_MS = 10_000;
const MAX_WAIT_MS = 15_000;
/** A message shows when its transaction is committed, which is a moment after the time that it carries. */
const OVERLAP_MS = 5_000;
/** Of one look: the page shows what it has before it asks for more. */
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
  /** Those of the pages that were read so far, without what only an address has named. */
  readonly conversations = computed(
    () => new Map([...this.#all.value].filter(([, { last_message }]) => last_message !== null)),
  );
  /** Whether somebody looks at them. */
  #isWatched = false;
  #since = readServiceClock() - OVERLAP_MS;
  /** The list of changes that is not read to its end. */
  #changes: { readonly updatedSince: string; readonly startedAt: number; cursor?: string } | undefined;
  #failures = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #reading: Promise<void> | undefined;
  readonly #readingLists = new Map<ListName, Promise<void>>();
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

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
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
      .catch(error => this.#showError(error))
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
    this.#reading ??= this.#readChanges()
      .then(() => {
        this.#failures = 0;
        this.error.value = undefined;
        if (!this.isRead) void this.readFirst();
      })
      .catch(error => {
        this.#failures += 1;
        // A cursor that is refused, as one is after hours, would be refused for ever.
        if (error instanceof ServiceError && error.status === 400) this.#changes = undefined;
        this.#showError(error);
      })
      .finally(() => {
        this.#reading = undefined;
        if (this.#isStopped) return;
        const wait = Math.min(MAX_WAIT_MS, this.#usualWait * 2 ** this.#failures);
        this.#timer = setTimeout(() => void this.refresh(), wait);
      });
    return this.#reading;
  }

  get #usualWait(): number {
    if (document.hidden) return HIDDEN_MS;
    return this.#isWatched ? EVERY_MS : BEHIND_MS;
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
    const { items, nextCursor } = await call('listConversations', page);
    this.merge(items);
    return nextCursor;
  }
}

/** Of the session; undefined while nobody is signed in who may attend. */
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
  const onVisible = () => void (document.hidden || started.refresh());
  document.addEventListener('visibilitychange', onVisible);
  void started.readFirst().then(() => started.refresh());
  return () => {
    started.stop();
    endCount();
    document.removeEventListener('visibilitychange', onVisible);
    feed.value = undefined;
  };
}
