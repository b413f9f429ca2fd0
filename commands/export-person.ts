import { writeFile } from 'node:fs/promises';
import { Command } from 'commander';
import type { Db } from '../db/connection.ts';
import { exportPerson } from '../db/person/export-person.ts';
import { findHostId, leftText, withDatabase } from './with-database.ts';

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
    console.log([`Written to ${file}.`, 'table\trows', ...counts].join('\n'));
  }
  if (leftConversations.length > 0) console.log(leftText(leftConversations));
}
