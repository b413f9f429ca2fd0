import { randomUUID } from 'node:crypto';
import { setAgent, setSchema } from '../../db/agents.ts';
import { withHost } from '../../db/with-hosts.ts';
import type { BodyOf, OperationName } from '../../queues/contract/operations/index.ts';
import { SVC } from '../../queues/contract/operations/paths.ts';
import { encodeCursor } from '../../workers/runtime/page.ts';
import { agentSamples } from './agent-samples.ts';
import { avatarSamples } from './avatar-samples.ts';
import { conversationListSamples, conversationOf } from './conversation-samples.ts';
import { documentSamples } from './document-samples.ts';
import { eventSamples } from './event-samples.ts';
import { flowSamples } from './flow-samples.ts';
import { intakeSamples } from './intake-samples.ts';
import { knowledgeSamples } from './knowledge-samples.ts';
import { recordSamples } from './record-samples.ts';
import { PUBLIC, type Service } from './service.ts';
import type { Tenant } from './tenant.ts';

type Sample<N extends OperationName> = (service: Service, tenant: Tenant) => Promise<BodyOf<N>>;

/**
 * A body with which each operation succeeds, with objects of that tenant, which are created if missing. All ids that
 * a body may hold are set, for tests that replace them with ids of another tenant.
 */
export const sampleBodies: { readonly [N in OperationName]: Sample<N> } = {
  reason: async (service, tenant) => ({
    hostId: tenant.hostId,
    hostSlug: tenant.slug,
    choosenHostId: tenant.hostId,
    conversationId: await conversationOf(service, tenant),
    question: 'Qual é o horário da secretaria?',
    contextData: 'Hoje é feriado.',
    returnDialogue: true,
    reasoningConfig: { svcCompleteLog: true },
    userData: { name: 'Rui', email: 'rui@example.com', phone: '11 98765-4321' },
    globalData: { platform: 'whatsapp' },
  }),
  createConversation: async (_service, { hostId, slug }) => ({
    hostId,
    hostSlug: slug,
    choosenHostId: hostId,
    globalData: { platform: 'whatsapp' },
  }),
  getConversationInformation: async (service, tenant) => ({
    conversationId: await conversationOf(service, tenant),
    hostId: tenant.hostId,
    choosenHostId: tenant.hostId,
  }),
  updateConversation: async (service, tenant) => ({
    conversationId: await conversationOf(service, tenant),
    hostId: tenant.hostId,
    choosenHostId: tenant.hostId,
    archived: true,
    closed: true,
    ask_human_help: true,
    assigned_to: 'Bia',
    external_id: 'x9',
    wpp_id: '+55 11 98765-4321',
  }),
  appendMessage: async (service, tenant) => ({
    conversationId: await conversationOf(service, tenant),
    hostId: tenant.hostId,
    choosenHostId: tenant.hostId,
    content: 'Oi, aqui é a Bia.',
    author: 'human',
    name: 'Bia',
  }),
  ...conversationListSamples,
  ...avatarSamples,
  ...documentSamples,
  saveMcpConfig: async (service, tenant) => {
    const sample = {
      hostId: tenant.hostId,
      choosenHostId: tenant.hostId,
      avatarId: await avatarOf(service, tenant),
      name: 'biblioteca',
      config: { url: 'https://mcp.example/mcp', headers: { Authorization: 'Bearer segredo' } },
      enabled: false,
      controlConv: true,
      transportType: 'sse' as const,
      version: '1.2.0',
    };
    const { body } = await service.call(`${SVC}/saveMCPConfigHelper`, sample, { token: tenant.token });
    return { ...sample, id: body.data.mcpId };
  },
  listMcpConfigs: async (service, tenant) => ({
    hostId: tenant.hostId,
    choosenHostId: tenant.hostId,
    avatarId: await avatarOf(service, tenant),
  }),
  saveHost: async (_service, { hostId }) => ({
    hostId,
    choosenHostId: hostId,
    name: 'Universidade',
    picture: 'https://a.example/logo.png',
    timeZone: 'America/Manaus',
    businessHours: [{ days: [1, 2], from: '08:00', to: '24:00' }],
    maxChunks: 10,
    chunkSizeLimit: 8_000,
    share: 1,
    modelFallbacks: [],
    bursts: 'each' as const,
    mask: false,
  }),
  listHosts: async () => ({ limit: 1, cursor: encodeCursor({ slug: 'a' }) }),
  listAudit: async (_service, { hostId }) => ({
    hostId,
    choosenHostId: hostId,
    limit: 5,
    cursor: encodeCursor({ at: Date.parse('2100-01-01'), id: '1' }),
    since: '2020-01-01T00:00:00Z',
    until: '2100-01-01T00:00:00Z',
    operation: 'editAvatar',
  }),
  listModels: async () => ({}),
  listChatModels: async () => ({}),
  listAgents: async (_service, { hostId }) => ({ hostId, choosenHostId: hostId }),
  generateAgent: async (service, tenant) => ({
    agent: await agentOf(service, tenant),
    instructions: 'A pessoa quer saber do curso de Direito.',
    hostId: tenant.hostId,
    choosenHostId: tenant.hostId,
  }),
  ...knowledgeSamples,
  ...flowSamples,
  ...intakeSamples,
  ...eventSamples,
  ...recordSamples,
  ...agentSamples,
  conversationalStats: async (service, tenant) => periodOf(service, tenant),
  financialStats: async (service, tenant) => periodOf(service, tenant),
  getSpend: async (service, tenant) => periodOf(service, tenant),
  getKnowledgeGaps: async (service, tenant) => ({
    ...(await periodOf(service, tenant)),
    limit: 5,
    cursor: encodeCursor({ gapId: randomUUID(), at: 1, seq: '1' }),
  }),
  getOutcomes: async (service, tenant) => ({
    ...(await periodOf(service, tenant)),
    cursor: encodeCursor({ outcome: 'open', at: 1, id: randomUUID() }),
  }),
  findJob: async (service, tenant) => ({ jobId: await endedJobOf(service, tenant) }),
  searchFulltext: async (_service, { hostId }) => ({
    query: 'matrícula',
    limit: 5,
    offset: 0,
    choosenHostId: hostId,
  }),
  searchHybrid: async (_service, { hostId }) => ({
    query: 'matrícula',
    limit: 5,
    offset: 0,
    choosenHostId: hostId,
  }),
  searchUnified: async (_service, { hostId }) => ({
    query: 'matrícula',
    types: ['fts', 'hybrid', 'similarity'],
    options: { fts: { limit: 5 }, hybrid: { limit: 5 }, similarity: { limit: 5, threshold: 0.4 } },
    choosenHostId: hostId,
  }),
  searchPhone: async (_service, { hostId }) => ({
    phone: '11987654321',
    search_type: 'suffix',
    limit: 5,
    offset: 0,
    choosenHostId: hostId,
  }),
  queueSearchEvents: async (service, tenant) => ({
    origin_table: 'conversations',
    origin_id: await conversationOf(service, tenant),
    operation: 'UPDATE',
  }),
  searchEventsHealth: async () => ({}),
  searchStats: async () => ({}),
  // For a table without records: it ends at once, so that the next one may start.
  reindex: async (_service, { hostId }) => ({
    tables: ['leads'],
    mode: 'missing',
    since: '2999-01-01T00:00:00.000Z',
    batch_size: 50,
    confirm_orphans: false,
    choosenHostId: hostId,
  }),
  searchHealth: async () => ({}),
};

export function tenantsOf({ demo, acme }: Service): { readonly demo: Tenant; readonly acme: Tenant } {
  return { demo: { ...demo, slug: 'demo' }, acme: { ...acme, slug: 'acme' } };
}

/** Only hosts with a conversation have figures. */
async function periodOf(service: Service, tenant: Tenant) {
  await conversationOf(service, tenant);
  const { hostId } = tenant;
  return {
    hostId,
    choosenHostId: hostId,
    startDate: '2026-03-01T03:00:00Z',
    endDate: '2026-04-01T12:00:00Z',
  };
}

async function avatarOf(service: Service, { slug, token }: Tenant): Promise<string> {
  const { body } = await service.call(`${SVC}/avatarsListHelper`, { host_slug: slug }, { token });
  return body.data.avatarsAdminList.avatars[0].avatar_id;
}

async function agentOf(service: Service, { hostId, token }: Tenant) {
  const fields = { curso: { type: 'string', default: '', description: 'Curso' } };
  await withHost(service.db, hostId, async scope => {
    await setSchema(scope, { name: 'sample', arguments: { type: 'object', properties: fields } });
    await setAgent(scope, { name: 'sample', schemaName: 'sample' });
  });
  const { body } = await service.call(`${SVC}/agentsListHelper`, { hostId }, { token });
  return body.data.agents.find((agent: { agentName: string }) => agent.agentName === 'sample');
}

/** A finished async turn. */
async function endedJobOf(service: Service, { hostId, slug, token }: Tenant): Promise<string> {
  const conversationId = await conversationOf(service, { hostId, slug, token });
  const turn = { hostId, conversationId, question: 'Qual é o horário?' };
  const headers = { prefer: 'respond-async' };
  const { body } = await service.call(`${PUBLIC}/svcReasoning`, turn, { token, headers });
  for (;;) {
    const seen = await service.call(`/jobs/${body.data.jobId}`, undefined, { token });
    if (seen.body.data.state !== 'queued' && seen.body.data.state !== 'running') return body.data.jobId;
  }
}
