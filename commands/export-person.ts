import { createWriteStream } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Command } from 'commander';
import { makeFileReader } from '../api/documents/read-file.ts';
import type { Db } from '../db/connection.ts';
import { exportPerson } from '../db/person/export-person.ts';
import { readConfig } from '../platform/config.ts';
import { makeFileSeal } from '../platform/file-seal.ts';
import { makeObjectStore } from '../platform/object-store.ts';
import { findHostId, findSecretKey, leftText, withDatabase } from './with-database.ts';

interface ExportOptions {
  readonly host: string;
  readonly contact: string;
  readonly file: string;
}

const options = new Command('export-person')
  .description('Writes all that is kept of a person as JSON (LGPD, article 18), without changing anything.')
  .requiredOption('--host <slug>', 'slug of the host')
  .requiredOption('--contact <who>', 'id, e-mail or phone of the contact')
  .requiredOption('--file <path>', 'a new file, readable by its owner only')
  .parse()
  .opts<ExportOptions>();

await withDatabase(db => write(db, options));

async function write(db: Db, { host, contact, file }: ExportOptions): Promise<void> {
  const { tables, leftConversations } = await exportPerson(db, await findHostId(db, host), contact);
  const counts = Object.entries(tables).map(([table, rows]) => `${table}\t${rows.length}`);
  if (counts.length === 0) {
    console.log(`Nothing to export: host "${host}" has no data of that contact.`);
  } else {
    const content = { host, contact, exportedAt: new Date().toISOString(), tables, leftConversations };
    await writeFile(file, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
    await writeFiles(db, `${file}.files`, (tables['files'] ?? []) as readonly FileRow[]);
    console.log([`Written to ${file}.`, 'table\trows', ...counts].join('\n'));
  }
  if (leftConversations.length > 0) console.log(leftText(leftConversations));
}

interface FileRow {
  readonly host_id: string;
  readonly id: string;
  readonly name: string | null;
}

/** Writes the bytes of files beside the export, which names them by their ids. */
async function writeFiles(db: Db, folder: string, rows: readonly FileRow[]): Promise<void> {
  if (rows.length === 0) return;
  const config = readConfig();
  const keys = { secretKey: await findSecretKey(config), secretKeyPrevious: config.secretKeyPrevious };
  const outage = { noteFailure() {}, noteSuccess() {} };
  const places = { files: makeFileSeal(keys), objects: makeObjectStore(config, outage) };
  const reader = makeFileReader(db, places, outage);
  await mkdir(folder, { mode: 0o700 });
  for (const { host_id: hostId, id, name } of rows) {
    const ref = { hostId, id };
    const stored = await reader.find(ref);
    if (!stored) continue;
    const bytes = Readable.from(reader.read(ref, stored, { from: 0, to: stored.size }));
    const path = join(folder, [id, ...(name === null ? [] : [storableName(name)])].join('-'));
    await pipeline(bytes, createWriteStream(path, { mode: 0o600, flags: 'wx' }));
  }
}

/** A name says nothing of folders. */
function storableName(name: string): string {
  return name.replaceAll(/[^\p{L}\p{N}.-]/gu, '_').slice(-80);
}
