import { expect } from 'chai';
import { insertConversation } from '../../db/conversations/conversations.ts';
import { createHost } from '../../db/hosts/hosts.ts';
import { erasePerson } from '../../db/person/erase-person.ts';
import { withHost } from '../../db/with-hosts.ts';
import { makeDatabase } from '../support/database.ts';
import { openEach } from '../support/opened.ts';

const EMAIL = 'ana@escola.example';
const PHONE = '+55 11 99999-0000';
const CPF = '11144477735';

/** These name the person; `neighbours` only contain the same characters. */
const theirs: readonly unknown[] = [
  EMAIL,
  'Ana@Escola.Example',
  `Ana <${EMAIL}>`,
  `fale com ${EMAIL}.`,
  `fale com ${EMAIL}... ou não`,
  `mailto:${EMAIL}?subject=oi`,
  `"${EMAIL}"`,
  `“${EMAIL}”`,
  `a@x.example;${EMAIL};b@x.example`,
  `linha\n${EMAIL}\noutra`,
  JSON.stringify({ texto: `linha\n${EMAIL}\t`, email: EMAIL }),
  JSON.stringify(JSON.stringify({ texto: `linha\n${EMAIL}` })),
  `linha\\u000a${EMAIL}`,
  { [EMAIL]: true },
  CPF,
  11_144_477_735,
  '111.444.777-35',
  '111 444 777 35',
  '111.444.777 - 35',
  'CPF 111444777-35, rua 5',
  'Rua 5, 111.444.777-35.',
  `12,${CPF},34`,
  `CPF:${CPF}\n2026`,
  JSON.stringify({ texto: `\u00a0${CPF}` }).replace('\u00a0', '\\u00a0'),
];
const neighbours: readonly unknown[] = [
  `mari${EMAIL}`,
  `MARI${EMAIL.toUpperCase()}`,
  `juli-${EMAIL}`,
  `maria.${EMAIL}`,
  `luci_${EMAIL}`,
  `turma+${EMAIL}`,
  `7${EMAIL}`,
  `luçã${EMAIL}`,
  `${EMAIL}.br`,
  `${EMAIL}s`,
  `${EMAIL}-online.example`,
  `${EMAIL}2`,
  { [`mari${EMAIL}`]: true },
  `texto\nmari${EMAIL}`,
  `${CPF}9`,
  `9${CPF}`,
  `23790.${CPF.slice(0, 5)} ${CPF.slice(5)}.535000 1 99990000012345`,
  `23790.12345 12345.${CPF.slice(0, 6)} ${CPF.slice(6)}.535000 1 99990000012345`,
  `237901234${CPF}5350001999900000123`,
  '9.111.444.777-35',
  '111.444.777-35-9',
  '11.144.477/7351-00',
  '8 111 444 777 35',
  '111 444 777 35 8',
  '1.11, 4.44, 7.77, 3.5',
  '+551199999000012',
  '1+5511999990000',
  5_511_999_990_000_123,
];

describe('what erasing a person takes for theirs', () => {
  const { db } = openEach(makeDatabase);
  let host_id: string;
  beforeEach(async () => {
    host_id = (await createHost(db, { slug: 'own', name: 'Own' }))?.id ?? '';
    await db('contacts').insert({ host_id, email: EMAIL, phone: PHONE, cpf: CPF });
    // A record of somebody else, which no body belongs to.
    const record = { host_id, arrived_at: new Date(), email: 'bia@escola.example', external_id: 'of Bia' };
    await db('tickets').insert({ ...record, kind: 'tickets' });
    await db('leads').insert({ ...record, kind: 'deals' });
  });

  const soon = new Date(Date.now() + 600_000);
  const insert = {
    conversations: (global_data: unknown) =>
      withHost(db, host_id, scope => insertConversation(scope, global_data as Record<string, unknown>)),
    intake_records: (body: unknown, job_id: string) =>
      db('intake_records').insert({ host_id, job_id, kind: 'deals', arrived_at: new Date(), body }),
    replies: (outcome: unknown, job_id: string) =>
      db('replies').insert({
        host_id,
        job_id,
        operation: 'reasoning',
        code: 200,
        kept: true,
        outcome,
        expires_at: soon,
      }),
  };
  const columns = { conversations: 'global_data', intake_records: 'body', replies: 'outcome' } as const;
  const sorted = (values: readonly unknown[]) => values.map(value => JSON.stringify(value)).toSorted();
  const left = async (table: keyof typeof columns) =>
    sorted((await db(table).pluck(columns[table])).map(({ nota }) => nota));

  for (const table of ['conversations', 'intake_records', 'replies'] as const) {
    it(`are rows of ${table} that name them in any spelling, not those of longer addresses and numbers`, async () => {
      for (const [place, nota] of [...theirs, ...neighbours].entries())
        await insert[table]({ nota }, `job-${place}`);
      await erasePerson(db, host_id, EMAIL);
      expect(await left(table)).to.deep.equal(sorted(neighbours));
    });
  }
});
