/** Where the time of a turn goes: it is at one of these at any moment, so that together they are the whole. */
export const turnStages = [
  /** In the queue, before a worker took it. */
  'queue',
  /** For earlier turns of its conversation, or for its host's share of the connections. */
  'wait',
  /** The database: the claim, and what the turn reads with it. */
  'read',
  /** Fetching, reading and hearing what is attached. */
  'attachments',
  /** The search for passages, with the models that it asks. */
  'knowledge',
  /** The model that answers, with its retries and fallbacks. */
  'model',
  /** Tools and agents, with the list of outside tools. */
  'tools',
  'check',
  /** The database: the commit of the answer. */
  'store',
] as const;

export type TurnStage = (typeof turnStages)[number];

/** A turn that has ended, however it did. */
export interface FinishedTurn {
  readonly hostId: string;
  readonly status: number;
  readonly ms: Readonly<Record<TurnStage, number>>;
}

/** The time of one turn by its stages, also of a turn that is stopped in one of them. */
export class TurnTime {
  /** The model that is asked, or was asked last; '' where none was. */
  model = '';
  /** How many functions the model has called. */
  tools = 0;
  readonly #ms = new Map<TurnStage, number>();
  #stage: TurnStage = 'wait';
  #since = performance.now();

  constructor(queueMs = 0) {
    this.#ms.set('queue', Math.max(queueMs, 0));
  }

  /** Counts the work as this stage. One stage may be a part of another, which goes on after it. */
  async during<T>(stage: TurnStage, work: () => Promise<T>): Promise<T> {
    const outer = this.#stage;
    this.#enter(stage);
    try {
      return await work();
    } finally {
      this.#enter(outer);
    }
  }

  /** Whole milliseconds so far. */
  read(): Record<TurnStage, number> {
    this.#enter(this.#stage);
    const msOf = (stage: TurnStage) => Math.round(this.#ms.get(stage) ?? 0);
    return Object.fromEntries(turnStages.map(stage => [stage, msOf(stage)])) as Record<TurnStage, number>;
  }

  #enter(stage: TurnStage): void {
    const now = performance.now();
    this.#ms.set(this.#stage, (this.#ms.get(this.#stage) ?? 0) + now - this.#since);
    this.#stage = stage;
    this.#since = now;
  }
}
