import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import * as fc from 'fast-check';
import { connect, type Db } from '../../db/connection.ts';
import { applyFunctions, functionFiles, readFunctionFile } from '../../db/functions.ts';
import { rowsOf } from '../../db/rows-of.ts';
import { assertDefined } from '../support/assert-defined.ts';

/*
 * The statements of some actors in every order, each order from a seed.
 *
 * An actor runs functions of the product, on a connection of its own. Each statement, and each point that a test names, waits at the
 * gate until the schedule chooses the actor.
 *
 *   at the gate --chosen--> moving --> at the gate | ended
 *                             └──> waits for a lock of another --freed--> moving
 *
 * The next is chosen when no actor moves: so the choices alone decide. An actor may be killed at the gate: its transaction is
 * rolled back, as by the end of its session, and it sends no more statements. Not fast-check's own scheduler, which makes no order smaller, and waits for the end of what it chose: a
 * statement may wait for a lock of one that it has yet to choose.
 */

export interface Actor {
  readonly db: Db;
  /** A point that is no statement. */
  pause(label: string): Promise<void>;
}

/** The work of an actor, which is killed at its point of this number. */
export interface Part {
  readonly diesAt: number | null;
  play(actor: Actor): Promise<unknown>;
}

/** A change of statements, or of a function of the database, that a test has to notice. */
interface Bug {
  readonly name: string;
  readonly text: string | RegExp;
  readonly becomes: string;
}

/** By their names: the text of each, and what it becomes. */
export function bugsOf(changes: Readonly<Record<string, readonly [string | RegExp, string]>>): Bug[] {
  return Object.entries(changes).map(([name, [text, becomes]]) => ({ name, text, becomes }));
}

/** The part of pg between knex and the database. */
interface Connection {
  readonly processID: number;
  query(statement: Statement, done: (error: QueryError | null, result?: unknown) => void): void;
  __knex__disposed?: unknown;
}
type QueryError = Error & { readonly code?: string };
type Statement = { readonly text: string; readonly name?: string | undefined };

class KilledError extends Error {}

class Player implements Actor {
  readonly db: Db;
  readonly #bug: Bug | undefined;
  readonly #stir: () => void;
  #connection: Connection | undefined;
  #part: Part | undefined;
  #points = 0;
  #isDead = false;
  #rollBack = async () => {};
  /** While it is at the gate. */
  point: { readonly label: string; pass(): void; refuse(error: Error): void } | undefined;
  failure: Error | undefined;
  hasSentBug = false;
  /** Of the database, which cannot run what it was sent: wrong syntax, or a missing name. */
  invalid: QueryError | undefined;

  constructor(url: string, bug: Bug | undefined, stir: () => void) {
    this.#bug = bug;
    this.#stir = stir;
    this.db = connect(url, { max: 1, acquireWithinMs: 60_000, applicationName: 'parley-schedule' });
    const connector: { acquireRawConnection(): Promise<Connection> } = this.db.client;
    const open = connector.acquireRawConnection.bind(connector);
    connector.acquireRawConnection = async () => this.#withGate(await open());
  }

  #withGate(connection: Connection): Connection {
    const query = connection.query.bind(connection);
    this.#connection = connection;
    this.#rollBack = () => new Promise(done => query({ text: 'rollback' }, () => done()));
    // A transaction sends its first statement behind BEGIN: one stands at the gate at a time.
    let passed: Promise<unknown> = Promise.resolve();
    connection.query = (statement, done) => {
      const changed = changedBy(this.#bug, statement);
      if (changed !== statement) this.hasSentBug = true;
      const end: typeof done = (error, result) => {
        if (error?.code?.startsWith('42')) this.invalid ??= error;
        done(error, result);
      };
      const passing = passed.then(() => this.pause(statement.text));
      passed = passing.catch(() => {});
      passing.then(() => query(changed, end), done);
    };
    return connection;
  }

  get isMoving(): boolean {
    return this.#part !== undefined && this.point === undefined;
  }

  get processId(): string {
    return String(this.#connection?.processID ?? 0);
  }

  begin(part: Part): void {
    // The connection of one that was killed is well.
    if (this.#connection) this.#connection.__knex__disposed = undefined;
    [this.failure, this.#part, this.#points, this.#isDead] = [undefined, part, 0, false];
    const end = (failure?: Error) => {
      if (!this.#isDead) this.failure = failure;
      this.#part = undefined;
      this.#stir();
    };
    part.play(this).then(() => end(), end);
  }

  /** Outside of a part it waits for nobody. */
  async pause(label: string): Promise<void> {
    if (this.#isDead) throw new KilledError();
    if (!this.#part) return;
    await new Promise<void>((pass, refuse) => {
      this.point = { label: label.replaceAll(/\s+/g, ' ').trim().slice(0, 50), pass, refuse };
      this.#stir();
    });
  }

  /** Passes the gate, or dies there; returns which. */
  async move(): Promise<string> {
    const { label, pass, refuse } = assertDefined(this.point);
    this.point = undefined;
    this.#points += 1;
    if (this.#part?.diesAt !== this.#points) {
      pass();
      return label;
    }
    this.#isDead = true;
    await this.#rollBack();
    refuse(new KilledError());
    return `killed at ${label}`;
  }
}

function changedBy(bug: Bug | undefined, statement: Statement): Statement {
  const text = bug ? statement.text.replace(bug.text, bug.becomes) : statement.text;
  // A name belongs to one text.
  return text === statement.text ? statement : { ...statement, text, name: undefined };
}

/** Half of the choices stay with the last actor; smaller orders have more of these. */
const [CHOICES, STAYS] = [12, 6];

/** Which of those at the gate is next. */
export function chooseNext<A>(ready: readonly A[], choice = 0, last?: A): A {
  const stays = choice < STAYS && last !== undefined && ready.includes(last);
  return assertDefined(stays ? last : ready[choice % ready.length]);
}

const [LOOK_AFTER_MS, DEADLOCK_MS] = [2, 20];

/** Some actors, for one schedule after another. */
export class Stage {
  /** With the bug, and without the gate. */
  readonly db: Db;
  readonly #players: readonly Player[];
  readonly #control: Db;
  #stirs = 0;
  #wake = () => {};

  private constructor(url: string, size: number, control: Db, bug: Bug | undefined) {
    const stir = () => {
      this.#stirs += 1;
      this.#wake();
    };
    this.#control = control;
    this.#players = Array.from({ length: size + 1 }, () => new Player(url, bug, stir));
    this.db = assertDefined(this.#players.at(-1)).db;
  }

  /** With a bug it rejects, whatever `use` has found, where the bug was nowhere, or where the database cannot run it. */
  static async with<T>(url: string, size: number, bug: Bug | undefined, use: (stage: Stage) => Promise<T>) {
    const control = connect(url, { max: 1, applicationName: 'parley-schedule-control' });
    await control.raw(
      `alter database ${new URL(url).pathname.slice(1)} set deadlock_timeout = ${DEADLOCK_MS}`,
    );
    const changed = bug ? await changeFunctions(control, bug) : [];
    const stage = new Stage(url, size, control, bug);
    try {
      const used = await use(stage);
      if (bug) stage.#checkBug(bug, changed.length > 0);
      return used;
    } finally {
      await Promise.all(stage.#players.map(({ db }) => db.destroy()));
      for (const name of changed) await rowsOf(control)`delete from function_files where name = ${name}`;
      await control.transaction(tx => applyFunctions(tx, changed));
      await control.destroy();
    }
  }

  /** Rejects, with the points in their order, where a part does other than by its death, or the check at the end. */
  async play(parts: readonly Part[], choices: readonly number[], check: () => Promise<void>): Promise<void> {
    const players = this.#players.slice(0, parts.length);
    const trace: string[] = [];
    players.forEach((player, at) => player.begin(assertDefined(parts[at])));
    let last: Player | undefined;
    for (;;) {
      await this.#settle(players);
      const ready = players.filter(({ point }) => point !== undefined);
      if (ready.length > 0) {
        last = chooseNext(ready, choices[trace.length], last);
        trace.push(`${players.indexOf(last) + 1}: ${await last.move()}`);
      } else if (players.some(({ isMoving }) => isMoving)) {
        // All wait for each other, which the database ends.
        await this.#nextStir();
      } else break;
    }
    if (trace.length === 0) throw new Error('No statement came to the gate.');
    const failures = players.flatMap(({ failure }) => failure?.message ?? []);
    if (failures.length === 0) await check().catch((error: Error) => failures.push(error.message));
    if (failures.length > 0) throw new Error([...failures, ...trace].join('\n'));
  }

  #checkBug(bug: Bug, isInFunction: boolean): void {
    const invalid = this.#players.find(player => player.invalid)?.invalid;
    if (invalid) throw new Error(`The bug is not valid SQL: ${bug.name}`, { cause: invalid });
    if (!isInFunction && !this.#players.some(({ hasSentBug }) => hasSentBug))
      throw new Error(`The text of the bug is in no function and no statement that was sent: ${bug.name}`);
  }

  #nextStir(): Promise<void> {
    return new Promise(resolve => (this.#wake = resolve));
  }

  /** Resolves when no actor moves but those that wait for a lock. */
  async #settle(players: readonly Player[]): Promise<void> {
    while (players.some(({ isMoving }) => isMoving)) {
      await Promise.race([this.#nextStir(), delay(LOOK_AFTER_MS)]);
      const moving = players.filter(({ isMoving }) => isMoving);
      if (moving.length === 0) return;
      const before = this.#stirs;
      const waiting = await rowsOf(this.#control)`
        select from unnest(${moving.map(({ processId }) => processId)}::integer[]) id
        where pg_blocking_pids(id) <> '{}'`;
      if (waiting.length === moving.length && before === this.#stirs) return;
    }
  }
}

/** Returns the files whose functions have the text. */
async function changeFunctions(
  control: Db,
  { text, becomes }: Bug,
): Promise<(typeof functionFiles)[number][]> {
  const changed: (typeof functionFiles)[number][] = [];
  for (const name of functionFiles) {
    const sql = await readFunctionFile(name);
    if (sql.replace(text, becomes) === sql) continue;
    await control.raw(sql.replace(text, becomes).replaceAll('?', '\\?'));
    changed.push(name);
  }
  return changed;
}

const runs = process.env['RUNS'];
/** Also looks for each bug, which takes minutes. */
export const isLongRun = runs !== undefined;
/** Each thing's part of the 300 schedules of `npm test`; `npm run test:long` has a thousand for each of its runs. */
const SCHEDULES = runs === undefined ? 75 : 1_000 * Number(runs);
/** So many find each bug. */
const SCHEDULES_FOR_BUG = 400;

/** Mostly null: it is not killed. */
export function mayDie(most: number): fc.Arbitrary<number | null> {
  const at = { arbitrary: fc.integer({ min: 1, max: most }), weight: 1 };
  return fc.oneof({ withCrossShrink: true }, { arbitrary: fc.constant(null), weight: 3 }, at);
}

/** Plays a world in one order, and rejects where what has happened is wrong. */
type Play<World> = (world: World, choices: readonly number[]) => Promise<void>;

const choices = fc.array(fc.nat(CHOICES - 1), { maxLength: 80, size: 'max' });

/** Rejects with the smallest failure, and with the command that repeats it. */
export async function explore<W>(file: string, world: fc.Arbitrary<W>, play: Play<W>): Promise<void> {
  const path = process.env['SCHEDULE'];
  const limits = { numRuns: SCHEDULES, ...(path === undefined ? {} : { path }) };
  const seen = await fc.check(fc.asyncProperty(world, choices, play), limits);
  if (!seen.failed) return;
  const command = `SEED=${seen.seed} SCHEDULE=${seen.counterexamplePath} npx mocha ${file}`;
  const [smallest, reason] = [fc.stringify(seen.counterexample), String(seen.errorInstance)];
  throw new Error(`${smallest}\n${reason}\nRepeat it: ${command}`);
}

/** Returns what the first schedule fails with that shows a bug; undefined where none does. */
export async function findBug<W>(world: fc.Arbitrary<W>, play: Play<W>): Promise<string | undefined> {
  const limits = { numRuns: SCHEDULES_FOR_BUG, endOnFailure: true };
  const seen = await fc.check(fc.asyncProperty(world, choices, play), limits);
  return seen.failed ? `schedule ${seen.numRuns}: ${String(seen.errorInstance)}` : undefined;
}

/** So many actors play at most. */
const ACTORS = 4;

interface Explored<W> {
  readonly file: string;
  readonly database: { readonly url: string };
  readonly world: fc.Arbitrary<W>;
  readonly bugs: readonly Bug[];
  readonly play: (stage: Stage, world: W, choices: readonly number[]) => Promise<void>;
}

/** One test of the statements as they are, and in a long run one of each bug. */
export function itInEveryOrder<W>(title: string, { file, database, world, bugs, play }: Explored<W>): void {
  const playOn = (stage: Stage) => play.bind(undefined, stage);
  it(title, () =>
    Stage.with(database.url, ACTORS, undefined, stage => explore(file, world, playOn(stage))),
  ).timeout(0);
  for (const bug of isLongRun ? bugs : [])
    it(`show it where ${bug.name}`, async () => {
      const find = (stage: Stage) => findBug(world, playOn(stage));
      expect(await Stage.with(database.url, ACTORS, bug, find)).to.be.a('string');
    });
}
