import type { Db } from '../db/connection.ts';
import { isJsonObject } from '../platform/json-object.ts';
import { isFailure } from '../queues/contract/failure.ts';
import { type OperationName, operationOf } from '../queues/contract/operations/index.ts';
import { fieldsOf, readJson, readText, type Words, wordsOf } from './call-fields.ts';
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
  /** Flags whose word is the path of a file: with the whole body, one field as JSON, or one as text. */
  readonly reads?: Readonly<Record<string, 'body' | 'json' | 'text'>>;
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
  const body = fieldsOf(
    operationOf(operation).body,
    { first: [], flags: new Map(Object.entries(flags)) },
    bodyOf(command, words),
  );
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

function bodyOf({ reads = {} }: OldCommand, { flags }: Words): Fields {
  const [path] = [...flags].flatMap(([flag, words]) => (reads[flag] === 'body' ? words : []));
  const body = path === undefined ? {} : readJson(path);
  if (isJsonObject(body)) return body;
  throw new Error(`${path} contains no JSON object.`);
}

function flagsOf({ names = {}, lists = [], adds = {}, reads = {} }: OldCommand, { first, flags }: Words) {
  const given = [...(first.length > 0 ? [['', first] as const] : []), ...flags];
  const renamed = given.flatMap(([flag, words]): [string, readonly string[]][] => {
    const read = reads[flag];
    if (read === 'body') return [];
    return [[names[flag] ?? flag, words.flatMap(word => wordsIn(word, read, lists.includes(flag)))]];
  });
  return new Map([...Object.entries(adds), ...renamed]);
}

function wordsIn(word: string, read: 'json' | 'text' | undefined, isList: boolean): string[] {
  if (read === 'text') return [readText(word).trim()];
  if (read === 'json') return [word === '-' ? word : `@${word}`];
  return isList ? word.split(/[\s,]+/).filter(Boolean) : [word];
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
