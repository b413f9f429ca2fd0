import { expect } from 'chai';
import { hostTables } from '../../db/access/declared-access.ts';
import { rowsOf } from '../../db/rows-of.ts';
import { type OperationName, operationNames, operationOf } from '../../queues/contract/operations/index.ts';
import { openContract } from '../support/contract.ts';
import { openOnce } from '../support/opened.ts';
import { type Fields, send } from '../support/operation-calls.ts';
import { readSettledRows, readStoredRows } from '../support/stored-rows.ts';

/** Derived from other rows, or the end of a job: no change of the configuration. */
const DERIVED = `
  audit_entries replies chunk_words chunk_embeddings flow_versions events deliveries webhook_lanes budget_alerts
  spend_days spend_deltas spend_reservations document_imports document_uploads`
  .trim()
  .split(/\s+/);
/** They commit nothing but what webhooks are told, once more. */
const TELLING: readonly OperationName[] = ['testWebhook', 'replayDeliveries'];
/** What persons say and send, and the state of work on it. */
const OF_PERSONS = `
  contacts conversations flow_steps_done gap_months gap_questions gaps insight_pauses insights_due intake_records leads messages notes person_sessions report_days report_deltas
  search_host_words search_outbox search_reconciled search_records search_reindexes search_repairs
  service_changes service_days services signed_messages tickets turn_attachments turns`;

interface Entry extends Fields {
  readonly table: string;
  readonly operation: string;
}

describe('the audit', () => {
  const contract = openOnce(openContract);

  const ask = (name: OperationName, body: Fields = {}, token?: string) =>
    send(
      contract.service,
      name,
      { ...contract.samples[name], ...body },
      token === undefined ? {} : { token },
    );
  const newest = async (count: number, hostId = contract.demo.hostId): Promise<Entry[]> => {
    const { service } = contract;
    const body = { hostId, choosenHostId: hostId, limit: count };
    return (await send(service, 'listAudit', body, { token: service.operatorToken })).body.data.items;
  };
  const countEntries = async () => Number((await contract.service.db('audit_entries').count())[0]?.['count']);
  /** The audit rows that `work` made, the newest first. */
  const entriesOf = async (work: () => Promise<unknown>): Promise<Entry[]> => {
    const before = await countEntries();
    await work();
    const made = (await countEntries()) - before;
    return made > 0 ? newest(made) : [];
  };

  it('has a row for each table that an operation that configures commits to', async () => {
    const { service } = contract;
    const [own] = await service
      .db('tokens')
      .where({ name: 'test' })
      .whereRaw(
        `? = any (array(
      select host_id from token_hosts where token_id = id))`,
        [contract.demo.hostId],
      )
      .select('id');
    const committed: OperationName[] = [];
    // The link of the sample exists: it changes when it was removed.
    const { datasetId } = contract.samples.linkDatasetAvatar;
    await service.db('dataset_avatars').where({ dataset_id: datasetId }).update({ deleted: true });
    let before = await readSettledRows(service.db);
    for (const name of operationNames.filter(each => isConfiguring(each))) {
      const entries = await entriesOf(async () => {
        expect((await ask(name)).status, name).to.equal(operationOf(name).status);
      });
      const after = await readStoredRows(service.db);
      const written = Object.keys(after).filter(table => after[table] !== before[table]);
      const isCommitted = written.includes('replies');
      if (isCommitted) committed.push(name);
      const audited = [...new Set(entries.map(({ table }) => table))];
      const expected = TELLING.includes(name)
        ? ['deliveries']
        : written.filter(table => !DERIVED.includes(table));
      expect(audited, name).to.have.members(expected);
      for (const { operation, tokenId, actorKind } of entries) {
        expect([operation, actorKind]).to.deep.equal([name, 'token']);
        if (!operationOf(name).isForOperators) expect(tokenId).to.equal(own.id);
      }
      if (isCommitted) expect(entries, name).to.not.deep.equal([]);
      // An import goes on after its answer.
      before = operationOf(name).status === 202 ? await readSettledRows(service.db) : after;
    }
    expect(committed).to.have.members([
      'editAvatar',
      'createSubAvatar',
      'createDataset',
      'editDataset',
      'linkDatasetAvatar',
      'unlinkDatasetAvatar',
      'createChunk',
      'editChunk',
      'importDocument',
      'deleteDocument',
      'saveFlow',
      'saveEvaluationCases',
      'restoreFlowVersion',
      'saveAgent',
      'deleteAgent',
      'saveMcpConfig',
      'saveHost',
      'saveSavedReply',
      'savePerson',
      'invitePerson',
      'endSessions',
      'saveWebhook',
      'saveHostProvider',
      ...TELLING,
    ]);
  });

  it('is written for every table of hosts that is neither derived nor about persons', async () => {
    const audited = await rowsOf<{ name: string }>(contract.service.db)`
      select tgrelid::regclass::text as name from pg_trigger where tgname in ('note_change', 'note_token') order by 1`;
    const others = [...DERIVED, ...OF_PERSONS.trim().split(/\s+/)];
    const expected = Object.keys(hostTables).filter(name => !others.includes(name));
    expect(audited.map(({ name }) => name)).to.have.members([...expected, 'tokens']);
  });
});

function isConfiguring(name: OperationName): boolean {
  const { scope } = operationOf(name);
  return scope === 'manage' || scope === 'admin' || name === 'saveSavedReply';
}
