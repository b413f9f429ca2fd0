import { stat } from 'node:fs/promises';
import { expect } from 'chai';
import { foldServices } from '../../db/reports/services.ts';
import { makeLog } from '../../platform/log.ts';
import { type OperationName, operationOf } from '../../queues/contract/operations/index.ts';
import { type Indexer, startIndexer } from '../../workers/indexer/start.ts';
import { listMessageTexts } from '../support/conversation-records.ts';
import { CRM } from '../support/crm.ts';
import { eventually } from '../support/eventually.ts';
import { openEach, openOnce } from '../support/opened.ts';
import { runCommand } from '../support/run-command.ts';
import { borrowService } from '../support/service.ts';
import { textOfDatabase } from '../support/stored-rows.ts';
import { makeFolder } from '../support/temp-folder.ts';

const EMAIL = 'canario.zenobio@exemplo.test';
const PHONE = '+55 11 98877-6655';
const person = { name: 'Zenóbia Quaresmeira', email: EMAIL, phone: PHONE, cpf: '111.444.777-35' };
const SECRET = 'papagaioverde';
const traces = /111\.?444\.?777-?35|98877-?6655|canario|zen[oó]bi|quaresmeira|papagaioverde/i;

describe('npm run erase', () => {
  const service = openEach(() => borrowService());
  const { demo, acme, db } = service;
  let indexer: Indexer | undefined;
  const folder = openOnce(makeFolder);
  beforeEach(async () => {
    const { databaseUrl } = service.settings;
    const settings = { databaseUrl, appEnv: 'production', pipelineLimits: { flushMs: 200 } } as const;
    indexer ??= await startIndexer(settings, makeLog('test', 'silent'));
    service.model.say(`Anotado: ${SECRET}, ${EMAIL}.`);
  });
  after(() => indexer?.close());

  const run = (name: string, contact: string, ...more: string[]) =>
    runCommand(name, ['--host', demo.slug, '--contact', contact, ...more], {
      DATABASE_URL: service.settings.databaseUrl,
      SECRET_KEY: 's'.repeat(32),
    });
  const erase = (contact: string) => run('erase', contact);
  const exportTo = (file: string) => run('export-person', EMAIL, '--file', folder.pathOf(file));
  const linesOf = (out: string) =>
    out
      .trim()
      .split('\n')
      .map(line => line.split('\t'));
  const nothingTo = (verb: string) =>
    `Nothing to ${verb}: host "${demo.slug}" has no data of that contact.\n`;
  const tracesLeft = async () =>
    (await textOfDatabase(db)).filter(line => traces.test(line) && !line.includes(acme.hostId));
  const indexed = () =>
    eventually(
      async () => [
        await db('search_outbox').whereNull('not_before'),
        await db('search_records').where('host_id', demo.hostId),
      ],
      ([waiting, records]) => waiting?.length === 0 && (records?.length ?? 0) >= 3,
    );
  /** No worker counts services between what is compared. */
  const counted = () =>
    eventually(() => db.transaction(tx => foldServices({ tx, hostId: demo.hostId })), 'done');
  /** With its example, unless it is a message. */
  const ok = async (name: OperationName, fields: object) => {
    const example = name === 'appendMessage' ? {} : (operationOf(name).example.body as object);
    const { status, body } = await demo.call(name, { ...example, ...fields });
    expect(status, JSON.stringify(body)).to.be.oneOf([200, 201]);
  };
  /**
   * Everything that the service may store about a person: question, answer, CRM record, refused record, index entry,
   * reply under a key.
   */
  const meet = async () => {
    const headers = { 'idempotency-key': 'chave' };
    const turn = await service.ask(`Sou ${person.name}, ${SECRET}`, { userData: person }, { headers });
    expect(turn.status).to.equal(200);
    const { conversationId, userId } = turn.body.data;
    const said = { conversationId, author: 'human', content: `Ligue ${PHONE}`, name: person.name };
    await ok('appendMessage', said);
    const fields = { email: EMAIL, mobilephone: PHONE, firstname: 'Zenóbia', lastname: 'Quaresmeira' };
    await ok('receiveTicket', { ...fields, content: SECRET });
    await ok('receiveDeal', { ...fields, cpf: person.cpf, dealname: SECRET });
    const refused = await service.call(`${CRM}/deals`, { nested: [{ contato: `e ${EMAIL.toUpperCase()}` }] });
    expect(refused.status).to.equal(400);
    return { conversationId, userId };
  };

  it('leaves nothing of a person in any table, says what it took, and does no harm twice', async () => {
    const { userId } = await meet();
    const userData = { email: 'outra@exemplo.test', phone: PHONE };
    const others = await service.ask('Outra pessoa?', { userData });
    const elsewhere = await acme.ask('Oi?', { userData: { email: EMAIL, phone: PHONE } });
    expect(elsewhere.status).to.equal(200);
    await indexed();
    expect((await tracesLeft()).length).to.be.above(10);

    const first = await erase(userId);
    expect(first.err).to.equal('');
    expect(first.out).to.match(new RegExp(`^Contact erased from host "${demo.slug}".\ntable\trows\n`));
    const took = Object.fromEntries(linesOf(first.out));
    expect(took).to.include({ contacts: '1', conversations: '1', messages: '3', turns: '1' });
    expect(took).to.include({ leads: '1', tickets: '1', intake_records: '3', search_records: '3' });
    expect(Number(took['search_host_words'])).to.be.above(0);

    const kept = await db('contacts').where({ id: others.body.data.userId });
    expect(kept.map(({ email }) => email)).to.deep.equal(['outra@exemplo.test']);
    expect((await listMessageTexts(db, others.body.data.conversationId)).length).to.equal(2);
    expect((await erase(userId)).out).to.equal(nothingTo('erase'));
    const inAcme = await db('contacts').where({ host_id: acme.hostId, email: EMAIL });
    expect(inAcme).to.have.length(1);
    expect(await db('conversations').where({ host_id: acme.hostId })).to.have.length(1);
  });

  it('is preceded by an export of the same rows, of every table but the search index, and of nobody else', async () => {
    await meet();
    await service.ask('Outra pessoa?', { userData: { email: 'outra@exemplo.test', phone: PHONE } });
    await indexed();
    await counted();
    const file = 'person.json';
    const exported = await exportTo(file);
    expect(exported.err).to.equal('');
    const { tables } = JSON.parse(await folder.read(file)) as { tables: Record<string, object[]> };
    expect((await stat(folder.pathOf(file))).mode & 0o077).to.equal(0);
    const counts = Object.entries(tables).map(([table, rows]) => [table, String(rows.length)]);
    const erased = linesOf((await erase(EMAIL)).out).slice(2);
    const kept = erased.filter(([table = '', rows]) => !table.startsWith('search_') && rows !== '0');
    expect(counts).to.have.deep.members(kept);
    expect(JSON.stringify(tables)).to.match(traces).and.not.include('outra@exemplo.test');
    expect((await exportTo(file)).out).to.equal(nothingTo('export'));
  });

  it('finds nothing of them afterwards whatever is indexed anew, by e-mail and by phone alike', async () => {
    await meet();
    await indexed();
    expect((await erase(EMAIL.toUpperCase())).code).to.equal(0);
    expect(await tracesLeft()).to.deep.equal([]);
    const due = () => db('search_outbox');
    await eventually(due, { length: 0 });
    expect(await tracesLeft()).to.deep.equal([]);
  });

  it('finds who only wrote who they are, in a conversation of /v1, which the export has too', async () => {
    const { data } = await service.call('/v1/models').then(({ body }) => body);
    const messages = [{ role: 'user', content: `Sou Zenóbia, ${EMAIL}. Que horas abre?` }];
    const { status } = await service.call('/v1/chat/completions', { model: data[0].id, messages });
    expect(status).to.equal(200);
    expect((await tracesLeft()).length).to.be.above(1);
    const file = 'zenobia.json';
    await exportTo(file);
    const { tables } = JSON.parse(await folder.read(file));
    expect(tables.messages).to.have.length(2);
    expect((await erase(EMAIL)).out).to.match(/conversations\t1\n/);
    expect(await tracesLeft()).to.deep.equal([]);
  });

  it('names the conversations that it leaves because they name another e-mail', async () => {
    const rows = [{ telefone: PHONE, email: 'outra@exemplo.test' }, { telefone: PHONE }];
    const [kept] = await service
      .db('conversations')
      .insert(rows.map(global_data => ({ host_id: demo.hostId, global_data })))
      .returning('id');
    const told = `1 conversation with an identifier of theirs was left, because it names another e-mail: ${kept.id}\n`;
    const first = await erase(PHONE);
    expect(first.out)
      .to.include('\nconversations\t1\n')
      .and.satisfy((out: string) => out.endsWith(told));
    expect((await erase(PHONE)).out).to.equal(`${nothingTo('erase')}${told}`);
  });

  it('takes nobody where a phone is that of several, and names them', async () => {
    for (const email of ['a@exemplo.test', 'b@exemplo.test'])
      await service.ask('Oi?', { userData: { email, phone: PHONE } });
    const { code, err } = await erase('11 8877-6655');
    expect(code).to.equal(1);
    expect(err).to.match(
      /^2 contacts have that e-mail or phone: give the id of one of them \([0-9a-f-]{36}, [0-9a-f-]{36}\)\.\n$/,
    );
    expect((await erase('ninguém')).err).to.equal('Give the id, the e-mail or the phone of a contact.\n');
  });
});
