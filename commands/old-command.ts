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
  /** Flags that the command adds. */
  readonly adds?: Readonly<Record<string, readonly string[]>>;
  /** Of the answer; a list is printed as lines of columns. */
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
  return withDatabase(async db => {
    const { operation, print = (data: unknown) => data } = command;
    const { host, ...flags } = Object.fromEntries(flagsOf(command, words));
    const sent = fieldsOf(operationOf(operation).body, { first: [], flags: new Map(Object.entries(flags)) });
    const items: unknown[] = [];
    for (let cursor: unknown; cursor !== null; ) {
      const fields = cursor === undefined ? sent : { ...sent, cursor };
      const outcome = await runOperation(db, operation, fields, host);
      if (isFailure(outcome)) throw new Error(describeFailure(outcome));
      const data = outcome.data as { readonly items?: unknown[]; readonly nextCursor?: string | null };
      items.push(...[print((data.items ?? data) as never)].flat());
      cursor = data.nextCursor ?? null;
    }
    const [only] = items;
    if (typeof only === 'string') console.log(only);
    else if (items.length > 0) console.log(tableOf(items.filter(isJsonObject)));
    else process.stderr.write('There are none.\n');
  });
}

function flagsOf({ names = {}, lists = [], adds = {} }: OldCommand, { first, flags }: Words) {
  const given = new Map(first.length > 0 ? [['', first], ...flags] : flags);
  const renamed = [...given].map(([flag, words]): [string, readonly string[]] => [
    names[flag] ?? flag,
    lists.includes(flag) ? words.flatMap(word => word.split(/[\s,]+/).filter(Boolean)) : words,
  ]);
  return new Map([...renamed, ...Object.entries(adds)]);
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
