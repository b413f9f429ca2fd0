import { Command } from 'commander';
import type { Db } from '../db/connection.ts';
import { erasePerson } from '../db/person/erase-person.ts';
import { findHostId, leftText, withDatabase } from './with-database.ts';

interface EraseOptions {
  readonly host: string;
  readonly contact: string;
}

const options = new Command('erase')
  .description('Erases a person from every table and the search index of a host, permanently.')
  .requiredOption('--host <slug>', 'slug of the host')
  .requiredOption('--contact <who>', 'id, e-mail or phone of the contact')
  .parse()
  .opts<EraseOptions>();

await withDatabase(db => erase(db, options));

async function erase(db: Db, { host, contact }: EraseOptions): Promise<void> {
  const { rows, leftConversations } = await erasePerson(db, await findHostId(db, host), contact);
  if (Object.values(rows).every(count => count === 0)) {
    console.log(`Nothing to erase: host "${host}" has no data of that contact.`);
  } else {
    console.log(`Contact erased from host "${host}".`);
    console.log(['table\trows', ...Object.entries(rows).map(line => line.join('\t'))].join('\n'));
  }
  if (leftConversations.length > 0) console.log(leftText(leftConversations));
}
