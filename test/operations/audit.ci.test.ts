import { expect } from 'chai';
import { hostTables } from '../../db/access/declared-access.ts';
import { rowsOf } from '../../db/rows-of.ts';
import { type OperationName, operationNames, operationOf } from '../../queues/contract/operations/index.ts';
import { expectAccepted, openContract } from '../support/contract.ts';
import { openOnce } from '../support/opened.ts';
import { type Fields, send } from '../support/operation-calls.ts';
import { readSettledRows, readStoredRows } from '../support/stored-rows.ts';

/** Derived from other rows, the end of a job, or in the audit of another row, as the hosts of a token are. */
const DERIVED = `
  audit_entries token_hosts replies chunk_words chunk_embeddings flow_versions events deliveries webhook_lanes budget_alerts
  spend_days spend_deltas spend_reservations document_changes document_imports document_refreshes document_uploads scanned_pages people_words people_stems site_chat_counts
  contradiction_checks contradictions file_objects`
  .trim()
  .split(/\s+/);
/** They commit nothing but what webhooks are told, once more. */
const TELLING: readonly OperationName[] = ['testWebhook', 'replayDeliveries'];
/** They change tokens, which belong to no host. */
const OF_TOKENS: readonly OperationName[] = ['issueToken', 'revokeToken'];
/** Tables of what persons say and send, and of the work on it. */
const OF_PERSONS = `
  consents contacts conversations feedback files flow_steps_done gap_months gap_questions gaps insight_pauses insights_due intake_records leads messages notes person_sessions report_days report_deltas
  search_host_words search_outbox search_reconciled search_records search_reindexes search_repairs
  service_changes service_days services signed_messages tickets tool_confirmations turn_attachments turns`;

interface Entry extends Fields {
  readonly table: string;
  readonly operation: string;
}

describe('the audit', () => {
  const contract = openOnce(openContract);

  const { service, samples } = contract;
  const { db } = service;

  /** Of all hosts: an operator may make one. */
  const newest = async (count: number): Promise<Entry[]> =>
    db('audit_entries').orderBy('id', 'desc').limit(count).select({
      table: 'table_name',
      operation: 'operation',
      tokenId: 'token_id',
      actorKind: 'actor_kind',
    });
  const countEntries = async () => Number((await db('audit_entries').count())[0]?.['count']);
  /** The audit rows that `work` made, the newest first. */
  const entriesOf = async (work: () => Promise<unknown>): Promise<Entry[]> => {
    const before = await countEntries();
    await work();
    const made = (await countEntries()) - before;
    return made > 0 ? newest(made) : [];
  };

  it('has a row for each table that an operation that configures commits to', async () => {
    const owns = db('token_hosts').where({ host_id: service.demo.hostId }).select('token_id');
    const [own] = await db('tokens').where({ name: 'test' }).whereIn('id', owns).select('id');
    const committed: OperationName[] = [];
    // The link of the sample exists: it changes when it was removed.
    const { datasetId } = samples.linkDatasetAvatar;
    await db('dataset_avatars').where({ dataset_id: datasetId }).update({ deleted: true });
    let before = await readSettledRows(db);
    for (const name of operationNames.filter(each => isConfiguring(each))) {
      const entries = await entriesOf(() => expectAccepted(name, send(service, name, samples[name])));
      const after = await readStoredRows(db);
      const written = Object.keys(after).filter(table => after[table] !== before[table]);
      const isCommitted = written.includes('replies');
      if (isCommitted) committed.push(name);
      const audited = [...new Set(entries.map(({ table }) => table))];
      const known = TELLING.includes(name)
        ? ['deliveries']
        : OF_TOKENS.includes(name)
          ? ['tokens']
          : undefined;
      const expected = known ?? written.filter(table => !DERIVED.includes(table));
      expect(audited, name).to.have.members(expected);
      for (const { operation, tokenId, actorKind } of entries) {
        expect([operation, actorKind]).to.deep.equal([name, 'token']);
        if (!operationOf(name).isForOperators) expect(tokenId).to.equal(own.id);
      }
      if (isCommitted) expect(entries, name).to.not.deep.equal([]);
      // An import goes on after its answer.
      before = operationOf(name).status === 202 ? await readSettledRows(db) : after;
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
      'resolveContradiction',
      'importDocument',
      'deleteDocument',
      'editDocument',
      'saveFlow',
      'saveEvaluationCases',
      'restoreFlowVersion',
      'saveAgent',
      'saveAgents',
      'deleteAgent',
      'saveMcpConfig',
      'saveRestTool',
      'saveSiteChat',
      'tryRestTool',
      'createHost',
      'saveHost',
      'saveContract',
      'issueToken',
      'revokeToken',
      'saveSavedReply',
      'savePerson',
      'saveApprovedAnswer',
      'saveTeam',
      'saveAttendance',
      'invitePerson',
      'endSessions',
      'saveWebhook',
      'saveHostProvider',
      'saveMapping',
      'saveSource',
      ...TELLING,
    ]);
  });

  it('is written for every table of hosts that is neither derived nor about persons', async () => {
    const audited = await rowsOf<{ name: string }>(db)`
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
