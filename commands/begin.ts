import { writeFile } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { Command } from 'commander';
import {
  type Call,
  type Progress,
  prepareSite,
  readContradictions,
} from '../console/pages/begin/begin-site.ts';
import { reportFile } from '../console/pages/begin/report-file.ts';
import type { Db } from '../db/connection.ts';
import { readConfig } from '../platform/config.ts';
import { isFailure } from '../queues/contract/failure.ts';
import type { UnreadableReason } from '../queues/contract/operations/document-shape.ts';
import type { DataOf, OperationName } from '../queues/contract/operations/index.ts';
import { describeFailure } from './call-operation.ts';
import { findDatabaseUrl } from './database-url.ts';
import { rehearseCases } from './rehearse-cases.ts';
import { type Fields, runOperation } from './run-operation.ts';
import { findSecretKey, withDatabase } from './with-database.ts';

/* From an address to an assistant, by the steps of `begin-site.ts`; then its cases, their verdicts and a file that shows them. */

interface BeginOptions {
  readonly host?: string;
  readonly avatar?: string;
  readonly out: string;
}

const AT_ONCE = 4;
const LOOK_EVERY_MS = 1_000;
/** Of looks at imports that nobody has begun. */
const LOOKS_UNTIL_HINT = 15;

/** Why an address cannot be read, and what to do. */
const reasons: Partial<Record<UnreadableReason, string>> = {
  unreachable:
    'it did not answer, refused, or has an invalid certificate. See whether a browser opens it, and try later.',
  gone: 'it answers that there is no such page (404). Check how it is written.',
  'no-text':
    'it has no text but in pictures, scripts or another site. Begin with the address of a page with text.',
  'wrong-kind': 'it is no page, and no document that can be read. Begin with another address.',
  'address-refused': 'it is an internal address: EGRESS_ALLOW has those that may be read.',
};
const TOO_MUCH =
  'it is more than is read at once, or took too long. Begin with the address of a part of the site.';
const reasonText = (reason: UnreadableReason) =>
  reasons[reason] ?? (reason.startsWith('too-') ? TOO_MUCH : `${reason} (docs/documents.md).`);

const command = new Command('begin')
  .description(
    'Reads a site, makes an assistant of it that nobody reaches by accident, asks it questions of the site, and writes a report. The service must run.',
  )
  .argument('<address>', 'such as https://www.exemplo.edu.br')
  .option('--host <slug>', 'slug of the host; not needed where there is one')
  .option('--avatar <sub_slug>', 'sub_slug of the avatar; by default made of the address')
  .option('--out <path>', 'where to write the report', 'report.html')
  .parse();

await withDatabase(db => begin(db, command.args[0] ?? '', command.opts<BeginOptions>()));

async function begin(db: Db, address: string, options: BeginOptions): Promise<void> {
  const run = makeRun(db, options.host);
  const call: Call = run;
  const pause = () => setTimeout(LOOK_EVERY_MS);
  const readHosted = async () => (await run('listAvatars', {})).avatarsAdminList;
  const site = await prepareSite(call, { readHosted, address, slug: options.avatar, onStep: tell, pause });
  if ('refused' in site)
    throw new Error(
      site.refused === 'unreadable'
        ? `${site.address} cannot be read: ${reasonText(site.reason)}`
        : `There is an assistant "${site.slug}" that does not read this site: choose another --avatar.`,
    );
  const { hostId, avatar, cases, found, documents } = site;
  for (const { url = '', reason } of documents) if (reason) say(`${url} was not read: ${reasonText(reason)}`);
  say(`${found.passages} passages. Asking ${cases.length} questions …`);
  const config = readConfig();
  const settings = {
    ...config,
    databaseUrl: await findDatabaseUrl(config),
    secretKey: await findSecretKey(config),
  };
  const verdicts = await rehearseCases(db, settings, { hostId, subSlug: avatar.subSlug }, cases, AT_ONCE);
  const contradictions = await readContradictions(call, site, pause);
  await writeFile(options.out, reportFile({ site, madeAt: new Date(), verdicts, contradictions }));
  say(`${options.out} says what is answered, from where, and what is missing.`);
  if (found.passages === 0) process.exitCode = 1;
}

function say(text: string): void {
  console.log(text);
}

function tell(progress: Progress): void {
  if (progress.step !== 'reading') return;
  const { documents, looks } = progress;
  if (looks === 1) for (const { url, state } of documents) if (state !== 'ready') say(`Reading ${url} …`);
  if (looks === LOOKS_UNTIL_HINT && documents.every(({ state }) => state === 'waiting'))
    say('Nobody has begun to read it: does the service run (npm start)?');
}

/** Runs operations for the host; a refusal is an error. */
function makeRun(db: Db, host: string | undefined) {
  return async <N extends OperationName>(name: N, fields: Fields): Promise<DataOf<N>> => {
    const outcome = await runOperation(db, name, fields, host === undefined ? undefined : [host]);
    if (isFailure(outcome)) throw new Error(describeFailure(outcome));
    return outcome.data;
  };
}
