import type { Db } from '../db/connection.ts';
import { isJsonObject } from '../platform/json-object.ts';
import { isFailure } from '../queues/contract/failure.ts';
import { type OperationName, operationOf } from '../queues/contract/operations/index.ts';
import { fieldsOf, type Words, wordsOf } from './call-fields.ts';
import { describeOperation } from './call-help.ts';
import { describeFailure } from './call-operation.ts';
import { type Fields, runOperation } from './run-operation.ts';
import { withDatabase } from './with-database.ts';

/*
 * The commands that were there before `npm run call`, such as `host set`. They keep their names for one version: each is an
 * operation, with other names for some of its fields, and prints lines in place of JSON.
 */

export interface OldCommand {
  readonly operation: OperationName;
  /** The fields of flags that have other names, and of the first word. */
  readonly names?: Readonly<Record<string, string>>;
  /** Flags whose words are lists with commas or blanks. */
  readonly lists?: readonly string[];
  /** Flags that the command adds where they are not given. */
  readonly adds?: Readonly<Record<string, readonly string[]>>;
  /** Of the answer, or of the items of its page; a list is printed as lines of columns. */
  readonly print?: (data: never) => unknown;
}

export async function runOldCommand(
  name: string,
  commands: Readonly<Record<string, OldCommand | ((args: readonly string[]) => Promise<void>)>>,
): Promise<void> {
  const [word = '', ...args] = process.argv.slice(2);
  const command = Object.hasOwn(commands, word) ? commands[word] : undefined;
  if (!command) {
    const lines = Object.entries(commands).map(
      ([each, named]) =>
        `npm run ${name} -- ${each}${'operation' in named ? `\tnpm run call -- ${named.operation}` : ''}`,
    );
    process.stderr.write(`${[`The commands of ${name}:`, ...lines].join('\n')}\n`);
    if (word !== '--help') process.exitCode = 1;
    return;
  }
  if (typeof command === 'function') return command(args);
  const words = wordsOf(args);
  if (words.flags.has('help')) console.log(describeOperation(command.operation));
  else await run(command, words);
}

function run(command: OldCommand, words: Words): Promise<void> {
  return withDatabase(async db => printTable(await readItems(db, command, words)));
}

/** What the command prints of the answer, and of those to all further pages if the words have no limit. */
export async function readItems(db: Db, command: OldCommand, words: Words): Promise<unknown[]> {
  const { operation, print = (data: unknown) => data } = command;
  const { host, ...flags } = Object.fromEntries(flagsOf(command, words));
  const { body: shape } = operationOf(operation);
  const body = fieldsOf(shape, { first: [], flags: new Map(Object.entries(flags)) }, {});
  const items: unknown[] = [];
  for (let cursor: unknown; cursor !== null; ) {
    const fields = cursor === undefined ? body : { ...body, cursor };
    const outcome = await runOperation(db, operation, fields, host);
    if (isFailure(outcome)) throw new Error(describeFailure(outcome));
    const data = outcome.data as { readonly items?: unknown[]; readonly nextCursor?: string | null };
    items.push(...[print((data.nextCursor === undefined ? data : data.items) as never)].flat());
    cursor = words.flags.has('limit') ? null : (data.nextCursor ?? null);
  }
  return items;
}

function flagsOf({ names = {}, lists = [], adds = {} }: OldCommand, { first, flags }: Words) {
  const given = [...(first.length > 0 ? [['', first] as const] : []), ...flags];
  const wordsIn = (flag: string, word: string) =>
    lists.includes(flag) ? word.split(/[\s,]+/).filter(Boolean) : [word];
  const renamed = given.map(
    ([flag, words]) => [names[flag] ?? flag, words.flatMap(word => wordsIn(flag, word))] as const,
  );
  return new Map([...Object.entries(adds), ...renamed]);
}

export function printTable(items: readonly unknown[]): void {
  const [only] = items;
  if (typeof only === 'string') console.log(items.join('\n'));
  else if (items.length > 0) console.log(tableOf(items.filter(isJsonObject)));
  else process.stderr.write('There are none.\n');
}

/** Lines of columns under the names of their fields. */
function tableOf(rows: readonly Fields[]): string {
  const names = [...new Set(rows.flatMap(row => Object.keys(row)))];
  return [names, ...rows.map(row => names.map(name => cellOf(row[name])))]
    .map(cells => cells.join('\t'))
    .join('\n');
}

function cellOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value) && value.every(each => typeof each === 'string')) return value.join(',');
  return (typeof value === 'string' ? value : JSON.stringify(value)).replaceAll(/[\t\n\r]/g, ' ');
}
