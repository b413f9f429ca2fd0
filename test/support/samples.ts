import { randomBytes, randomUUID } from 'node:crypto';
import { setAgent, setSchema } from '../../db/assistants/agents.ts';
import { upsertApproved } from '../../db/assistants/approved-answers.ts';
import { insertAvatar } from '../../db/assistants/avatars.ts';
import { insertFlow } from '../../db/assistants/flows.ts';
import { upsertMcpConfig } from '../../db/assistants/mcp-configs.ts';
import { upsertRestTool } from '../../db/assistants/rest-tools.ts';
import { upsertSiteChat } from '../../db/assistants/site-chats.ts';
import type { Db } from '../../db/connection.ts';
import { upsertContact } from '../../db/conversations/contacts.ts';
import { insertConversation, setConversation } from '../../db/conversations/conversations.ts';
import { appendMessage } from '../../db/conversations/messages.ts';
import { upsertWebhook } from '../../db/events/webhooks.ts';
import { changeHost } from '../../db/hosts/hosts.ts';
import { upsertPerson } from '../../db/hosts/people.ts';
import { upsertSavedReply } from '../../db/hosts/saved-replies.ts';
import { upsertTeam } from '../../db/hosts/teams.ts';
import { makeToken } from '../../db/hosts/token-text.ts';
import { insertToken } from '../../db/hosts/tokens.ts';
import { setMapping } from '../../db/intake/crm-mappings.ts';
import { openTicket } from '../../db/intake/tickets.ts';
import { insertChunk } from '../../db/knowledge/chunks.ts';
import { insertDataset, linkDataset } from '../../db/knowledge/datasets.ts';
import { insertReply } from '../../db/replies.ts';
import { type HostScope, withHost } from '../../db/with-hosts.ts';
import {
  AGENT_ID,
  APPROVED_ID,
  AVATAR_ID,
  CHUNK_ID,
  CONTACT_ID,
  CONTRADICTION_ID,
  CONVERSATION_ID,
  DATASET_ID,
  DELIVERY_ID,
  DOCUMENT_ID,
  FLOW_ID,
  INTAKE_ID,
  JOB_ID,
  MCP_ID,
  PERSON_ID,
  REPLY_ID,
  RESPONSE_ID,
  REST_TOOL_ID,
  SITE_CHAT_ID,
  TEAM_ID,
  WEBHOOK_ID,
} from '../../queues/contract/operations/example-ids.ts';
import { type OperationName, operationNames, operationOf } from '../../queues/contract/operations/index.ts';
import { siteChatDefaults } from '../../queues/contract/operations/site-chats.ts';
import { exampleReceipt } from '../../queues/contract/operations/turn-receipt.ts';
import { responseIdOf } from '../../queues/contract/response-form.ts';
import { assertDefined } from './assert-defined.ts';
import { bodySchemaOf, type Fields, type Tenant } from './operation-calls.ts';
import { runIn, table } from './statements.ts';

/** An id of the examples, and the id of the object which stands for it. */
type MadeId = readonly [exampleId: string, id: string];

/** Objects of the examples that belong together; other ids than these name nothing in a request. */
const families: readonly {
  readonly ids: readonly string[];
  readonly make: (scope: HostScope, made: ReadonlyMap<string, string>) => Promise<readonly MadeId[]>;
}[] = [
  {
    ids: [
      AVATAR_ID,
      DATASET_ID,
      CHUNK_ID,
      DOCUMENT_ID,
      FLOW_ID,
      MCP_ID,
      REST_TOOL_ID,
      APPROVED_ID,
      SITE_CHAT_ID,
    ],
    make: makeAssistant,
  },
  { ids: [CONTRADICTION_ID], make: makeContradiction },
  { ids: [CONVERSATION_ID, CONTACT_ID, RESPONSE_ID], make: makePerson },
  { ids: [WEBHOOK_ID, DELIVERY_ID], make: makeReceiver },
  { ids: [PERSON_ID, TEAM_ID], make: makeStaff },
  { ids: [REPLY_ID], make: makeReply },
  { ids: [AGENT_ID], make: makeAgent },
  { ids: [INTAKE_ID], make: makeIntakeRecord },
  { ids: [JOB_ID], make: makeEndedJob },
];

/** The text with ids of new objects of the host in place of the ids of the examples. */
async function withObjects(scope: HostScope, text: string): Promise<string> {
  const made = new Map<string, string>();
  for (const { ids, make } of families)
    if (ids.some(id => text.includes(id)))
      for (const [exampleId, id] of await make(scope, made)) made.set(exampleId, id);
  return [...made].reduce((filled, [exampleId, id]) => filled.replaceAll(exampleId, id), text);
}

/** A second avatar of the host, so that it changes no answer to a turn. */
async function makeAssistant(scope: HostScope): Promise<MadeId[]> {
  const { tx, hostId } = scope;
  const subSlug = `ana-${randomBytes(6).toString('hex')}`;
  const avatarId = assertDefined(
    await insertAvatar(scope, { sub_slug: subSlug, avatar_name: 'Ana' }),
  ).avatar_id;
  const datasetId = (await insertDataset(scope, { name: 'Manual' })).id;
  assertDefined(await linkDataset(scope, { datasetId, avatarId }));
  const passage = { datasetId, content: 'A biblioteca abre às 8h.', tokenCount: 9 };
  const chunkId = assertDefined(await insertChunk(scope, passage));
  const ofDataset = { host_id: hostId, dataset_id: datasetId, media_type: 'text/plain' };
  const [first, documentId] = [randomUUID(), randomUUID()];
  await runIn(
    tx,
    table('documents').insert([first, documentId].map(id => ({ ...ofDataset, id, name: 'Guia' }))),
  );
  const steps = [{ type: 'message', content: 'Olá!', description: '' }];
  const flow = assertDefined(
    await insertFlow(scope, { avatarId, decisionName: 'Recepção', chainJson: steps, savedBy: null }),
  );
  const mcpId = randomUUID();
  const server = { transportType: 'streamable', config: { url: 'https://mcp.example/mcp' } } as const;
  const flags = { controlConv: false, enabled: true, unmasked: false };
  const named = { id: mcpId, avatarId, name: 'acervo', version: '1', sealedHeaders: {} };
  assertDefined(await upsertMcpConfig(scope, { ...named, ...server, ...flags }));
  const restToolId = randomUUID();
  const called = { name: 'boletos', description: '', path: '/boletos', arguments: { type: 'object' } };
  // An address that is refused at once: a try of it ends without a network.
  const system = { baseURL: 'http://10.0.0.1', auth: { kind: 'none' } } as const;
  const rest = { id: restToolId, avatarId, name: 'financeiro', config: system, sealedSecrets: {} };
  const functions = [{ ...called, method: 'GET' as const }];
  assertDefined(await upsertRestTool(scope, { ...rest, functions, enabled: true, unmasked: false }));
  const approvedId = randomUUID();
  await upsertApproved(
    scope,
    {
      id: approvedId,
      avatarIds: [avatarId],
      questions: ['Tem muro?'],
      answer: 'Não.',
      dataset_id: null,
      expires: null,
      enabled: true,
    },
    { keys: [], reader: 1 },
  );
  const siteChat = { chatId: randomUUID(), publicKey: `chat_${randomBytes(16).toString('base64url')}` };
  const shown = { avatarId, origins: ['https://www.exemplo.edu.br'], title: 'Atendimento' };
  assertDefined(await upsertSiteChat(scope, siteChat, { ...siteChatDefaults, ...shown }));
  const cases = JSON.stringify([{ question: 'Oi?', expect: {} }]);
  await runIn(tx, table('evaluation_cases').insert({ host_id: hostId, avatar_id: avatarId, cases }));
  return [
    [AVATAR_ID, avatarId],
    [DATASET_ID, datasetId],
    [CHUNK_ID, chunkId],
    [DOCUMENT_ID, documentId],
    [FLOW_ID, flow.id],
    [MCP_ID, mcpId],
    [REST_TOOL_ID, restToolId],
    [APPROVED_ID, approvedId],
    [SITE_CHAT_ID, siteChat.chatId],
  ];
}

/** A contact with a lead, a ticket, and a conversation that waits for a staff member; and another conversation. */
async function makePerson(scope: HostScope): Promise<MadeId[]> {
  const email = `rui.${randomBytes(6).toString('hex')}@example.com`;
  const contactId = assertDefined(await upsertContact(scope, { name: 'Rui', email }));
  const waiting = await insertConversation(scope, { platform: 'whatsapp' });
  await setConversation(scope, waiting, { contactId, askHumanHelp: true, assigned: { name: 'Bia' } });
  await openTicket(scope, { conversationId: waiting, contactId, subject: 'Boleto', content: 'Pede.' });
  const lead = { host_id: scope.hostId, kind: 'deals', arrived_at: new Date(), external_id: email };
  await runIn(scope.tx, table('leads').insert({ ...lead, contact_id: contactId }));
  const conversationId = await insertConversation(scope);
  const now = new Date();
  const times = { arrived_at: now, deadline: now, lease_until: now, finished_at: now };
  const jobId = `k${conversationId.replaceAll('-', '')}`;
  const turn = {
    host_id: scope.hostId,
    conversation_id: conversationId,
    id: jobId,
    state: 'answered',
    receipt: JSON.stringify(exampleReceipt),
  };
  await runIn(scope.tx, table('turns').insert({ ...turn, ...times }));
  // An answer that cites every passage that there is.
  const passages = await runIn(scope.tx, table('chunks').where({ host_id: scope.hostId }));
  const sources = JSON.stringify(
    passages.map(({ id, dataset_id }) => ({ chunkId: id, datasetId: dataset_id, sentences: [] })),
  );
  const answer = {
    host_id: scope.hostId,
    conversation_id: conversationId,
    author: 'assistant',
    sources,
    turn_id: jobId,
  };
  await runIn(scope.tx, table('messages').insert({ ...answer, content: 'Às 8h.' }));
  assertDefined(await appendMessage(scope, { conversationId, author: 'user', content: 'Bom dia' }));
  return [
    [CONVERSATION_ID, conversationId],
    [CONTACT_ID, contactId],
    [RESPONSE_ID, responseIdOf('resp', { conversationId, jobId })],
  ];
}

/** A passage that contradicts the one of the example. */
async function makeContradiction(scope: HostScope, made: ReadonlyMap<string, string>): Promise<MadeId[]> {
  const { tx, hostId } = scope;
  const datasetId = assertDefined(made.get(DATASET_ID));
  const otherId = await insertChunk(scope, { datasetId, content: 'Às 9h.', tokenCount: 4 });
  const [id, other] = [randomUUID(), assertDefined(otherId)];
  const pair = {
    chunk_id: assertDefined(made.get(CHUNK_ID)),
    other_chunk_id: other,
    places: '[]',
    pairs: 1,
    texts_hash: id,
  };
  await runIn(tx, table('contradictions').insert({ host_id: hostId, id, kind: 'time', ...pair }));
  return [[CONTRADICTION_ID, id]];
}

/** A webhook, and a delivery that failed. */
async function makeReceiver(scope: HostScope): Promise<MadeId[]> {
  const [webhookId, eventId, deliveryId] = [randomUUID(), randomUUID(), randomUUID()];
  const { tx, hostId } = scope;
  const origin = 'https://crm.example';
  const wanted = { name: 'ERP', url: `${origin}/in`, origin, events: [], enabled: true, secrets: [] };
  await upsertWebhook(scope, { id: webhookId, ...wanted });
  await runIn(tx, table('events').insert({ host_id: hostId, id: eventId, type: 'ticket.opened', data: {} }));
  const delivery = { event_id: eventId, webhook_id: webhookId, state: 'dead', attempts: 11 };
  await runIn(tx, table('deliveries').insert({ host_id: hostId, id: deliveryId, ...delivery }));
  return [
    [WEBHOOK_ID, webhookId],
    [DELIVERY_ID, deliveryId],
  ];
}

async function makeStaff(scope: HostScope): Promise<MadeId[]> {
  const id = randomUUID();
  const email = `${id}@horizonte.example`;
  await upsertPerson(scope, { id, name: 'Bia', email, role: 'agent', disabled: false });
  const teamId = randomUUID();
  assertDefined(
    await upsertTeam(scope, teamId, { name: `Equipe ${teamId}`, description: '', personIds: [id] }),
  );
  return [
    [PERSON_ID, id],
    [TEAM_ID, teamId],
  ];
}

async function makeReply(scope: HostScope): Promise<MadeId[]> {
  const id = randomUUID();
  await upsertSavedReply(scope, { id, name: 'Boas-vindas', text: 'Olá, {nome}!', owner: null });
  return [[REPLY_ID, id]];
}

async function makeAgent(scope: HostScope): Promise<MadeId[]> {
  await setSchema(scope, { schemaName: 'form', arguments: { type: 'object', properties: {} } });
  const agent = { agentName: 'fill_form', schemaName: 'form', frontSchema: { properties: {} } };
  return [[AGENT_ID, assertDefined(await setAgent(scope, agent)).id]];
}

async function makeIntakeRecord({ tx, hostId }: HostScope): Promise<MadeId[]> {
  const id = randomUUID();
  const arrived = { host_id: hostId, id, kind: 'deals', job_id: id, arrived_at: new Date() };
  const body = JSON.stringify(operationOf('receiveDeal').example.body);
  await runIn(tx, table('intake_records').insert({ ...arrived, state: 'refused', body }));
  return [[INTAKE_ID, id]];
}

async function makeEndedJob({ tx, hostId }: HostScope): Promise<MadeId[]> {
  const jobId = `k${randomBytes(16).toString('hex')}`;
  const outcome = { code: 200, message: 'Success', data: operationOf('reason').example.data };
  await insertReply({ tx, hostIds: [hostId] }, { jobId, operation: 'reason', isFinal: true, outcome });
  return [[JOB_ID, jobId]];
}

export type Samples = Readonly<Record<OperationName, Fields>>;

/** For each operation a body with which it succeeds: its example, with objects of this tenant, new for each. */
export async function samplesOf({ db }: { readonly db: Db }, tenant: Tenant): Promise<Samples> {
  const samples = await withHost(db, tenant.hostId, async scope => {
    await prepareHost(scope);
    const made: [OperationName, Fields][] = [];
    for (const name of operationNames) made.push([name, await sampleOf(scope, name, tenant)]);
    return Object.fromEntries(made) as Samples;
  });
  const tokenId = await insertToken(db, { ...spare, hash: makeToken().hash, hostIds: [tenant.hostId] });
  const { issueToken, revokeToken } = samples;
  return {
    ...samples,
    // The role of hosts, which makes all other objects, knows no tokens.
    revokeToken: { ...revokeToken, tokenId },
    issueToken: { ...issueToken, hostIds: [tenant.hostId] },
  };
}

const spare = { name: 'spare', scopes: ['reason'], expiresAt: null };

/** Examples name these without an id. */
async function prepareHost(scope: HostScope): Promise<void> {
  await setSchema(scope, { schemaName: 'interesse', arguments: { type: 'object', properties: {} } });
  await setAgent(scope, { agentName: 'registrar_interesse', schemaName: 'interesse' });
  await changeHost(scope, { labels: ['Boleto'] });
  const fields = { external_id: { to: 'external_id' }, email: { to: 'email' }, curso: { to: 'dealname' } };
  const agreed = { target: 'leads', fields, required: [['external_id']], solvedStages: [], campus: false };
  await setMapping(scope, 'objects', agreed);
}

export async function sampleOf(scope: HostScope, name: OperationName, tenant: Tenant): Promise<Fields> {
  const example = operationOf(name).example.body as Fields;
  const filled = JSON.parse(await withObjects(scope, JSON.stringify(example)));
  const sample: Fields = { ...filled, ...hostFieldsOf(name, tenant) };
  return exceptions[name]?.(sample) ?? sample;
}

/** Each field that names a host, also those that an example leaves out. */
function hostFieldsOf(name: OperationName, { hostId, slug }: Tenant): Fields {
  const values = { hostId, host_id: hostId, choosenHostId: hostId, hostSlug: slug, host_slug: slug };
  const declared = bodySchemaOf(name).properties ?? {};
  return Object.fromEntries(Object.entries(values).filter(([field]) => field in declared));
}

const exceptions: Readonly<Partial<Record<OperationName, (sample: Fields) => Fields>>> = {
  // No two teams have the same name.
  saveTeam: sample => ({ ...sample, name: `Equipe ${String(sample['teamId'])}` }),
  // No two people have the same address.
  savePerson: sample => ({ ...sample, email: `${String(sample['id'])}@horizonte.example` }),
  // Others send the example of an object to the host.
  saveMapping: sample => ({
    ...sample,
    fields: { external_id: 'external_id', email: 'email', curso: 'dealname' },
    required: ['external_id'],
  }),
  createHost: sample => ({
    ...sample,
    get slug() {
      return `host-${randomBytes(6).toString('hex')}`;
    },
  }),
  createSubAvatar: sample => ({
    ...sample,
    // New at each read: a slug can be taken only once.
    get sub_slug() {
      return `sub-${randomBytes(6).toString('hex')}`;
    },
  }),
  // An address that is refused at once, without a network.
  findSiteSources: sample => ({ ...sample, url: 'http://10.0.0.1/' }),
  // Without records it ends at once, so that the next one may start.
  reindex: sample => ({ ...sample, since: '2999-01-01T00:00:00.000Z' }),
};
