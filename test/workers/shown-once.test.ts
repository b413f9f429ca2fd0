import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { connect, type Db } from '../../db/connection.ts';
import { hashOf, makeToken } from '../../db/hosts/token-text.ts';
import { insertToken, revokeToken } from '../../db/hosts/tokens.ts';
import type { OperationName } from '../../queues/contract/operations/index.ts';
import type { Job } from '../../queues/transport/consumer.ts';
import { makeSaveWebhook } from '../../workers/events/webhooks.ts';
import { invitePerson } from '../../workers/hosts/people.ts';
import { issueToken, makeListTokens } from '../../workers/hosts/tokens.ts';
import { type Handlers, MASK } from '../../workers/runtime/job.ts';
import { makeJobHandler } from '../../workers/runtime/job-handler.ts';
import { makeWebhookSeal, openSecrets } from '../../workers/tools/webhook-secrets.ts';
import { buildHost } from '../support/build-host.ts';
import { makeDatabase } from '../support/database.ts';
import { openOnce } from '../support/opened.ts';

const seal = makeWebhookSeal('the secret key of these tests');
const noOutage = { noteFailure: () => {}, noteSuccess: () => {} };

describe('a secret that a job shows once', () => {
  const database = openOnce(makeDatabase);
  const { db } = database;
  const host = openOnce(() => buildHost(db));

  /** The data of two runs of one job at a time, as where its worker froze and woke up. */
  const runTwice = (operation: OperationName, body: object) => runJob(operation, body, { runs: 2, on: db });

  async function runJob(
    operation: OperationName,
    body: object,
    {
      runs,
      on,
      tokenId = randomUUID(),
    }: { readonly runs: number; readonly on: Db; readonly tokenId?: string },
  ): Promise<Record<string, string>[]> {
    const saveWebhook = makeSaveWebhook({ seal, allowPrivate: true });
    const handlers = { saveWebhook, invitePerson, issueToken, listTokens: makeListTokens(on) };
    const { handle } = makeJobHandler(on, handlers as unknown as Handlers, noOutage);
    const run = {
      operation,
      queue: 'catalog',
      jobId: `k${randomUUID()}`,
      body: { hostId: host.hostId, ...body },
      caller: { hostIds: [host.hostId], tokenId, tokenName: 'CRM' },
      signal: new AbortController().signal,
      lendSlot: () => () => {},
    } as unknown as Job;
    const outcomes = await Promise.all(Array.from({ length: runs }, () => handle(run)));
    return outcomes.map(outcome => {
      expect(outcome.code).to.equal(200);
      return outcome.data as Record<string, string>;
    });
  }

  it('is that of the webhook which is stored, whichever run was first', async () => {
    const webhook = { name: 'CRM', url: 'https://crm.example/in', events: [] };
    const [one, other] = await runTwice('saveWebhook', webhook);
    expect(one?.['webhookId']).to.equal(other?.['webhookId']);
    const id = one?.['webhookId'] ?? '';
    const { secrets } = await db('webhooks').where({ id }).first();
    const stored = await openSecrets(seal, id, secrets, Date.now());
    expect([one?.['secret'], other?.['secret']]).to.have.members([...stored, MASK]);
  });

  it('is that of the link which is stored, whichever run was first', async () => {
    const { id: personId } = await db('people').where({ host_id: host.hostId }).first();
    const links = (await runTwice('invitePerson', { personId })).map(({ link }) => link ?? '');
    expect(links).to.include(MASK);
    const text = links.find(link => link !== MASK)?.split('=')[1] ?? '';
    const { link_hash: stored } = await db('people').where({ id: personId }).first();
    expect(hashOf(text)).to.deep.equal(stored);
  });

  it('is that of the token which is stored, whichever run was first, and no operator’s once revoked', async () => {
    const operator = {
      name: 'o',
      hash: makeToken().hash,
      scopes: ['admin'],
      expiresAt: null,
      hostIds: 'all',
    } as const;
    const tokenId = await insertToken(db, operator);
    const issued = await runJob('issueToken', { operator: true }, { runs: 2, on: db, tokenId });
    const texts = issued.map(({ token }) => token ?? '');
    expect(texts).to.include(MASK);
    const hash = hashOf(texts.find(text => text !== MASK) ?? '');
    expect(await db('tokens').where({ name: 'operator' }).pluck('hash')).to.deep.equal([hash]);
    await revokeToken(db, tokenId);
    for (const operation of ['issueToken', 'listTokens'] as const) {
      const asked = runJob(operation, { operator: true }, { runs: 1, on: db, tokenId });
      expect(await asked.catch((error: Error) => error.message)).to.include('403');
    }
  });

  it('is shown also where the commit of the only run was not answered', async () => {
    const { id: personId } = await db('people').where({ host_id: host.hostId }).first();
    const unreliable = connect(database.url, { max: 2 });
    loseAnswer(unreliable);
    const [invited] = await runJob('invitePerson', { personId }, { runs: 1, on: unreliable });
    await unreliable.destroy();
    const { link_hash: stored } = await db('people').where({ id: personId }).first();
    expect(hashOf(invited?.['link']?.split('=')[1] ?? '')).to.deep.equal(stored);
  });
});

/** The answer to the first commit is lost. */
function loseAnswer({ client }: Db): void {
  const start = client.transaction.bind(client);
  client.transaction = (...parts: unknown[]) => {
    const started = start(...parts);
    const answered = started.then.bind(started);
    const lost = Object.assign(new Error('Connection terminated unexpectedly'), { code: 'ECONNRESET' });
    // biome-ignore lint/suspicious/noThenProperty: the transaction of knex is a thenable.
    started.then = (resolve: () => unknown, reject: () => unknown) =>
      answered(() => Promise.reject(lost)).then(resolve, reject);
    client.transaction = start;
    return started;
  };
}
