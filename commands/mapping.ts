import { readFile } from 'node:fs/promises';
import { Command, Option } from 'commander';
import { quoteLargeIntegers } from '../api/guards/json-bounds.ts';
import type { Db } from '../db/connection.ts';
import { findHost } from '../db/hosts/hosts.ts';
import { findMapping, setMapping } from '../db/intake/crm-mappings.ts';
import { type HostScope, withHost } from '../db/with-hosts.ts';
import { mapRecord, missingFieldErrorsOf, targetOf } from '../workers/domain/crm/field-mapping.ts';
import { type Mapping, type RecordKind, recordKinds } from '../workers/domain/crm/mapping.ts';
import { fileOf, parseMapping } from '../workers/domain/crm/mapping-file.ts';
import type { MappingTime } from '../workers/domain/crm/parse-value.ts';
import { listRecords, readFields } from '../workers/domain/crm/record-fields.ts';
import { mappingOf } from '../workers/intake/map-arrival.ts';
import { mappingPresets } from './mapping-presets.ts';
import { addSourceCommands } from './mapping-sources.ts';
import { commandActorOf, findHostId, withDatabase } from './with-database.ts';

interface MappingOptions {
  readonly host: string;
  readonly kind: RecordKind;
  readonly file?: string;
  readonly preset?: keyof typeof mappingPresets;
  readonly record?: string;
}

const program = new Command('mapping').description(
  'Mappings: the columns for the fields of CRM records, for each host; and who may send signed records.',
);

addKindOptions(program.command('set').description('Stores a mapping as the next version.'))
  .option('--file <path>', 'JSON: {target, records, fields, required, solvedStages, campus}')
  .addOption(presetOption())
  .action((options: MappingOptions) => withDatabase(db => set(db, options)));

addKindOptions(program.command('show').description('Prints the current mapping.')).action(
  (options: MappingOptions) => withDatabase(db => show(db, options)),
);

addKindOptions(program.command('check').description('Checks a record against a mapping; writes nothing.'))
  .requiredOption('--record <path>', 'the record in the form of the CRM')
  .option('--file <path>', 'a mapping to try; default: the current one')
  .addOption(presetOption())
  .action((options: MappingOptions) => withDatabase(db => check(db, options)));

addSourceCommands(program);

await program.parseAsync();

function addKindOptions(command: Command): Command {
  return command
    .requiredOption('--host <slug>', 'slug of the host')
    .addOption(new Option('--kind <kind>', 'kind of record').choices(recordKinds).makeOptionMandatory());
}

function presetOption(): Option {
  const presets = Object.keys(mappingPresets);
  return new Option('--preset <name>', 'a mapping for the webhooks of a CRM')
    .choices(presets)
    .conflicts('file');
}

async function set(db: Db, options: MappingOptions): Promise<void> {
  const { host, kind } = options;
  const mapping = await readGivenMapping(options);
  if (!mapping) throw new Error('Give the mapping: --file, or --preset.');
  const store = (scope: HostScope) => setMapping(scope, kind, mapping);
  const version = await withHost(db, await findHostId(db, host), store, commandActorOf('mapping set'));
  console.log(`Mapping of ${kind} of host "${host}" set: version ${version} is current.`);
}

async function show(db: Db, options: MappingOptions): Promise<void> {
  const { version, mapping } = await readCurrentMapping(db, options);
  console.log(JSON.stringify({ version, ...fileOf(mapping) }, null, 2));
}

async function check(db: Db, options: MappingOptions): Promise<void> {
  const { host, record = '' } = options;
  const mapping = (await readGivenMapping(options)) ?? (await readCurrentMapping(db, options)).mapping;
  const body = await readJson(record);
  if (body === null || typeof body !== 'object' || Array.isArray(body)) {
    throw new Error(`${record} contains no JSON object.`);
  }
  const found = await withHost(db, await findHostId(db, host), findHost);
  const at = { now: new Date(), timeZone: found?.timeZone ?? 'UTC' };
  console.log(['result', 'field', 'detail'].join('\t'));
  const { path, bodies, error } = listRecords(body, mapping) ?? { bodies: [body] };
  if (error !== undefined) throw new Error(`${record}: ${path} ${error.message}.`);
  for (const each of bodies) for (const line of linesOf(each ?? {}, mapping, at)) console.log(line);
}

function linesOf(body: object, mapping: Mapping, at: MappingTime): string[] {
  const { fields: sent, around } = readFields(body, mapping);
  const unmapped = (name: string) => `unmapped\t${name}\t`;
  const fields = Array.from(sent.keys(), name => {
    const to = targetOf(name, mapping)?.to;
    return to === undefined ? unmapped(name) : `mapped\t${name}\t${to}`;
  });
  const { record, errors, missing } = mapRecord(body, mapping, at);
  const lines = (what: string, found: readonly { path: string; message: string }[]) =>
    found.map(({ path, message }) => `${what}\t${path}\t${message}`);
  const errorLines = [...lines('missing', missingFieldErrorsOf(missing)), ...lines('wrong', errors)];
  if (errorLines.length > 0) process.exitCode = 1;
  const warnings = record.warnings.map(({ field, message }) => `warning\t${field}\t${message}`);
  return [...fields, ...Array.from(around.keys(), unmapped), ...errorLines, ...warnings];
}

async function readCurrentMapping(db: Db, { host, kind }: MappingOptions) {
  const own = await withHost(db, await findHostId(db, host), scope => findMapping(scope, kind));
  const { version, mapping } = mappingOf(kind, own ?? null);
  if (!mapping) throw new Error(`Host "${host}" has no mapping for ${kind}: make one with "mapping set".`);
  return { version, mapping };
}

async function readGivenMapping({ kind, file, preset }: MappingOptions): Promise<Mapping | undefined> {
  if (file === undefined && preset === undefined) return undefined;
  const written = preset ? mappingPresets[preset] : await readJson(file ?? '');
  const { mapping, errors } = parseMapping(kind, written);
  if (errors) throw new Error(errors.map(error => `${preset ?? file}: ${error}`).join('\n'));
  return mapping;
}

async function readJson(path: string): Promise<unknown> {
  const text = await readFile(path, 'utf8').catch(() => {
    throw new Error(`${path} cannot be read.`);
  });
  // `npm run` prints lines before the output of a command, which are skipped.
  const json = text.replace(/^\s*(?:> [^\n]*\n\s*)+/, '');
  try {
    JSON.parse(json);
  } catch {
    throw new Error(`${path} is not JSON.`);
  }
  return JSON.parse(quoteLargeIntegers(json) ?? json);
}
