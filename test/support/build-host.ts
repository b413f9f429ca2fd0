import { randomBytes, randomUUID } from 'node:crypto';
import { setAgent, setSchema } from '../../db/assistants/agents.ts';
import { insertAvatar } from '../../db/assistants/avatars.ts';
import { insertFlow } from '../../db/assistants/flows.ts';
import { upsertMcpConfig } from '../../db/assistants/mcp-configs.ts';
import type { Db } from '../../db/connection.ts';
import { upsertContact } from '../../db/conversations/contacts.ts';
import { insertConversation } from '../../db/conversations/conversations.ts';
import { addNote, appendMessage } from '../../db/conversations/messages.ts';
import { claimTurn, markStepsDone } from '../../db/conversations/turns.ts';
import { setContract } from '../../db/hosts/contracts.ts';
import { createHost } from '../../db/hosts/hosts.ts';
import { recordSpend, reserveSpend } from '../../db/hosts/spend.ts';
import { insertSource } from '../../db/intake/crm-sources.ts';
import { storeMessages } from '../../db/intake/signed-messages.ts';
import { openTicket } from '../../db/intake/tickets.ts';
import { insertChunk } from '../../db/knowledge/chunks.ts';
import { insertDataset, linkDataset } from '../../db/knowledge/datasets.ts';
import { insertReply } from '../../db/replies.ts';
import { rowsOf } from '../../db/rows-of.ts';
import { indexRecords } from '../../db/search/records.ts';
import { orderReindex } from '../../db/search/reindexes.ts';
import { type HostScope, withHost } from '../../db/with-hosts.ts';
import { assertDefined } from './assert-defined.ts';
import { runIn, table } from './statements.ts';

export interface BuiltHost {
  readonly hostId: string;
  readonly slug: string;
  readonly avatarId: string;
  readonly datasetId: string;
  readonly chunkId: string;
  readonly contactId: string;
  readonly conversationId: string;
  /** Does this with the rows of the host. */
  inHost<T>(work: (scope: HostScope) => Promise<T>): Promise<T>;
}

/** A host with at least one row in every table that belongs to hosts. */
export async function buildHost(db: Db): Promise<BuiltHost> {
  const slug = `host-${randomBytes(4).toString('hex')}`;
  const hostId = assertDefined(await createHost(db, { slug, name: `Host ${slug}` })).id;
  const ids = await withHost(db, hostId, async scope => {
    const avatarId = assertDefined(
      await insertAvatar(scope, { sub_slug: 'main', avatar_name: 'Ana' }),
    ).avatar_id;
    const datasetId = (await insertDataset(scope, { name: 'Manual' })).id;
    assertDefined(await linkDataset(scope, { datasetId, avatarId }));
    const content = `A secretaria de ${slug} abre às 8h.`;
    const chunkId = assertDefined(await insertChunk(scope, { datasetId, content, tokenCount: 9 }));
    await setSchema(scope, { schemaName: 'form', arguments: { type: 'object', properties: {} } });
    assertDefined(
      await setAgent(scope, { agentName: 'fill_form', schemaName: 'form', frontSchema: { properties: {} } }),
    );
    const steps = [{ type: 'message', content: 'Olá!', description: '' }];
    const flow = assertDefined(
      await insertFlow(scope, { avatarId, decisionName: 'Recepção', chainJson: steps, savedBy: null }),
    );
    assertDefined(
      await upsertMcpConfig(scope, {
        id: randomUUID(),
        avatarId,
        name: 'biblioteca',
        transportType: 'streamable',
        config: { url: `https://${slug}.example/mcp` },
        sealedHeaders: {},
        controlConv: false,
        version: '1.0.0',
        enabled: true,
        unmasked: false,
      }),
    );
    const contactId = assertDefined(
      await upsertContact(scope, { name: 'Rui', email: `rui@${slug}.example` }),
    );
    const conversationId = await insertConversation(scope);
    assertDefined(await appendMessage(scope, { conversationId, author: 'human', content: 'Bom dia' }));
    await addNote(scope, { conversationId, content: 'Já ligou ontem.' });
    await markStepsDone(scope, { conversationId, flowId: flow.id, turnId: `k${slug}` }, ['greeting']);
    await runIn(
      scope.tx,
      table('turn_attachments').insert({
        host_id: hostId,
        conversation_id: conversationId,
        transcript: 'Oi',
      }),
    );
    const file = { id: randomUUID(), place: 0, size: 2, sealed_key: 'AAAA', content: Buffer.from('Oi') };
    await runIn(
      scope.tx,
      table('files').insert({
        ...file,
        host_id: hostId,
        conversation_id: conversationId,
        turn_id: `k${slug}`,
      }),
    );
    await runIn(
      scope.tx,
      table('file_objects').insert({ host_id: hostId, object_id: randomUUID(), due_at: new Date() }),
    );
    const times = { arrivedAt: Date.now(), remainingMs: () => 60_000, leaseMs: 60_000 };
    const other = await insertConversation(scope);
    await claimTurn(scope, { ...times, turnId: `k${slug}`, conversationId: other, question: 'Oi?' });
    const outcome = { code: 200, message: 'Success' };
    await insertReply(
      { tx: scope.tx, hostIds: [hostId] },
      { jobId: `r${slug}`, operation: 'reason', isFinal: true, outcome },
    );
    await openTicket(scope, { conversationId, contactId, subject: 'Boleto', content: 'Pede a segunda via.' });
    const arrival = { host_id: hostId, kind: 'deals', arrived_at: new Date() };
    await runIn(scope.tx, table('leads').insert({ ...arrival, external_id: '1' }));
    await runIn(scope.tx, table('intake_records').insert({ ...arrival, job_id: `i${slug}`, body: {} }));
    const ofConversation = { host_id: hostId, conversation_id: conversationId };
    await runIn(scope.tx, table('insights_due').insert({ ...ofConversation, due_at: new Date() }));
    const said = {
      version: '1',
      text_digest: 'x',
      channel: 'whatsapp',
      withdrawn: false,
      said_at: new Date(),
    };
    await runIn(scope.tx, table('consents').insert({ host_id: hostId, contact_id: contactId, ...said }));
    const waiting = { key: slug, name: 'rest:erp:pagar', arguments: '{}', asked_turn: `k${slug}` };
    await runIn(scope.tx, table('tool_confirmations').insert({ ...ofConversation, ...waiting }));
    const step = { flow_id: randomUUID(), step_key: 'x', turn_id: `k${slug}` };
    await runIn(scope.tx, table('flow_steps_done').insert({ ...ofConversation, ...step }));
    await runIn(
      scope.tx,
      table('crm_mappings').insert({ host_id: hostId, kind: 'objects', version: 1, mapping: {} }),
    );
    const source = {
      id: randomUUID(),
      name: slug,
      address: slug,
      kind: 'deals',
      scheme: 'standard',
    } as const;
    const sealed = { settings: {}, ack: 'late', enabled: true, sealedSecret: 'sealed' } as const;
    await insertSource(scope, { ...source, ...sealed });
    await storeMessages(scope, [{ sourceId: source.id, message: 'digest 0', jobId: `i${slug}` }]);
    await orderReindex(
      { ...scope, hostIds: [hostId] },
      {
        id: `x${slug}`,
        tables: ['leads'],
        mode: 'missing',
        since: null,
        batchSize: 100,
        confirmOrphans: false,
      },
    );
    return { avatarId, datasetId, chunkId, contactId, conversationId };
  });
  await indexRecords(db, [{ hostId, originTable: 'conversations', originId: ids.conversationId }]);
  await setContract(db, hostId, { startsOn: '2026-01-01', price: '1.80', services: 100 });
  await db('report_days').insert({ host_id: hostId, ...aDayOfReports });
  await spendSome(db, hostId);
  await tellSome(db, hostId);
  await connectSome(db, hostId);
  await employSome(db, hostId);
  await teachSome(db, hostId, ids);
  await countSome(db, hostId, ids);
  await db('search_reconciled').insert({ host_id: hostId, origin_table: 'leads', ...noneReconciled });
  await db('search_repairs').insert({
    host_id: hostId,
    origin_table: 'leads',
    origin_id: hostId,
    what: 'stale',
  });
  return { hostId, slug, ...ids, inHost: work => withHost(db, hostId, work) };
}

const aDayOfReports = { day: '2026-01-01', kind: 'user', platform: '', total: 1, after_hours: 0 };
const noneReconciled = { source: 0, indexed: 0, missing: 0, stale: 0, orphans: 0, repaired: 0, removed: 0 };

type BuiltIds = Pick<BuiltHost, 'avatarId' | 'datasetId' | 'chunkId' | 'conversationId'>;

/** A document that is being imported, and a case for the avatar. */
async function teachSome(db: Db, hostId: string, { avatarId, datasetId, chunkId }: BuiltIds): Promise<void> {
  const documentId = randomUUID();
  const named = { host_id: hostId, name: 'Guia', media_type: 'text/plain' };
  await db('documents').insert({ ...named, id: documentId, dataset_id: datasetId });
  await db('document_uploads').insert({ host_id: hostId, content: Buffer.from('Guia') });
  const order = { id: `d${hostId}`, document_id: documentId, token_id: randomUUID(), token_name: 'CRM' };
  await db('document_imports').insert({ ...named, ...order });
  const ofDocument = { host_id: hostId, document_id: documentId };
  await db('document_refreshes').insert({ ...ofDocument, due_at: '2999-01-01T00:00:00Z' });
  const nothing = { automatic: false, added: 0, kept: 0, removed: 0 };
  await db('document_changes').insert({ ...ofDocument, ...nothing, reason: 'unreachable' });
  await db('scanned_pages').insert({ ...ofDocument, page: 1, hash: documentId, text: 'Edital' });
  const ofChunk = { host_id: hostId, chunk_id: chunkId };
  await db('people_words').insert({ ...ofChunk, words: 'bandejão' });
  await db('people_stems').insert({ ...ofChunk, stem: 'bandejao' });
  const other = randomUUID();
  await db('chunks').insert({
    host_id: hostId,
    id: other,
    dataset_id: datasetId,
    content: 'Às 9h.',
    token_count: 4,
  });
  const pair = { chunk_id: chunkId, other_chunk_id: other, places: '[]', pairs: 1 };
  await db('contradictions').insert({ host_id: hostId, kind: 'time', texts_hash: other, ...pair });
  const tool = { name: 'erp', config: '{}', functions: '[]', avatar_id: avatarId };
  await db('rest_tools').insert({ host_id: hostId, id: randomUUID(), ...tool });
  const chat = { host_id: hostId, id: randomUUID() };
  const limits = { visitor_questions_per_hour: 1, address_questions_per_hour: 1, questions_per_day: 1 };
  const shown = { origins: ['https://a.example'], title: 'Chat', greeting: '', colour: '#1a4fa3' };
  const site = { public_key: chat.id, enabled: true, show_sources: true, avatar_id: avatarId };
  await db('site_chats').insert({ ...chat, ...shown, ...limits, ...site });
  const counted = { asker: 'chat', count: 1, last_key: 'k', ends_at: db.fn.now() };
  await db('site_chat_counts').insert({ host_id: hostId, chat_id: chat.id, ...counted });
  const cases = JSON.stringify([{ question: 'Oi?', expect: {} }]);
  await db('evaluation_cases').insert({ host_id: hostId, avatar_id: avatarId, cases });
}

/** A question that found no answer, and a service. */
async function countSome(db: Db, hostId: string, { conversationId }: BuiltIds): Promise<void> {
  const [gapId, at] = [randomUUID(), '2026-01-01'];
  const ofConversation = { host_id: hostId, conversation_id: conversationId };
  await db('gaps').insert({ host_id: hostId, id: gapId, words: ['taxa'], last_asked_at: at });
  await db('gap_months').insert({ host_id: hostId, month: at, gap_id: gapId, times: 1 });
  // The question is of now: retention is tested by what is older.
  const question = { message_seq: 1, reason: 'not_found', asked_at: db.fn.now(), gap_id: gapId };
  await db('gap_questions').insert({ ...ofConversation, ...question });
  const feedback = {
    turn_id: 'turn',
    author: 'user',
    score: -1,
    text: 'Não.',
    message_seq: 1,
    sources: '[]',
  };
  await db('feedback').insert({ ...ofConversation, ...feedback });
  const service = { opened_at: at, last_at: at, outcome: 'assistant', ended: true, asked_help: false };
  await db('services').insert({ ...ofConversation, ...service });
  await db('service_days').insert({ host_id: hostId, day: at, outcome: 'assistant', total: 1 });
  await db('service_changes').insert(ofConversation);
}

/** A call of an earlier day, one of just now, and one that runs. */
async function spendSome(db: Db, hostId: string): Promise<void> {
  const usage = { input: 40, cached: 30, output: 2, cost: '0.0000462' };
  const call = { ...usage, hostId, model: 'm', avatarId: '', purpose: 'turn', ageMs: 0 };
  // Not `aggregateSpend`, which works for all hosts.
  await rowsOf(db)`
    insert into spend_days (host_id, day, model, avatar_id, purpose, calls, tokens, cost, estimated_cost)
    values (${hostId}, '2026-01-01', 'm', '', 'turn', 1, 42, 0.1, 0)`;
  await rowsOf(db)`
    insert into budget_alerts values (${hostId}, 'month', '2026-01-01', 80, 100)`;
  await recordSpend(db, [
    { ...call, callId: randomUUID(), isEstimated: false, isOwn: false, isBilled: true },
  ]);
  await reserveSpend(db, hostId, { amount: usage.cost, callId: randomUUID(), lastsMs: 60_000 });
}

async function employSome(db: Db, hostId: string): Promise<void> {
  const person = { host_id: hostId, id: randomUUID() };
  await db('people').insert({ ...person, name: 'Bia', email: 'bia@example.com', role: 'agent' });
  const team = { name: 'Financeiro', description: '', person_ids: [person.id] };
  await db('teams').insert({ host_id: hostId, ...team });
  await db('approved_answers').insert({
    host_id: hostId,
    id: randomUUID(),
    avatar_ids: [],
    questions: ['Posso trancar?'],
    asked_keys: [],
    reader: 1,
    answer: 'Sim.',
    enabled: true,
  });
  const session = { host_id: hostId, person_id: person.id, hash: randomBytes(32), expires_at: db.fn.now() };
  await db('person_sessions').insert(session);
  const reply = { name: 'Boas-vindas', text: 'Olá, {nome}!', owner_id: person.id };
  await db('saved_replies').insert({ host_id: hostId, ...reply });
}

/** A provider of its own, which gave no insight. */
async function connectSome(db: Db, hostId: string): Promise<void> {
  const provider = { name: 'nosso', base_url: 'https://model.example/v1', sealed_key: 'AAAA', models: ['m'] };
  await db('host_providers').insert({ host_id: hostId, ...provider });
  await db('insight_pauses').insert({ host_id: hostId, failures: 1, paused_until: db.fn.now() });
}

/** A webhook whose last attempt failed, and an event for it. */
async function tellSome(db: Db, hostId: string): Promise<void> {
  const id = randomUUID();
  await rowsOf(db)`
    insert into webhooks (host_id, id, name, url, origin, events, secrets)
    values (${hostId}, ${id}, 'CRM', 'https://crm.example/in', 'https://crm.example', '{turn.answered}', '[]')`;
  await rowsOf(db)`insert into webhook_lanes values (${hostId}, ${id}, 1, now())`;
  await rowsOf(
    db,
  )`insert into events (host_id, id, type, data) values (${hostId}, ${id}, 'turn.answered', '{}')`;
  await rowsOf(db)`insert into deliveries (host_id, event_id, webhook_id) values (${hostId}, ${id}, ${id})`;
}
