import type { Knex } from 'knex';
import { setAgent, setSchema } from './assistants/agents.ts';
import { insertAvatar } from './assistants/avatars.ts';
import { insertFlow } from './assistants/flows.ts';
import type { Db } from './connection.ts';
import { setActor } from './hosts/actor.ts';
import { setContract } from './hosts/contracts.ts';
import { createHost } from './hosts/hosts.ts';
import { insertChunk } from './knowledge/chunks.ts';
import { insertDataset, linkDataset } from './knowledge/datasets.ts';
import { rowsOf } from './rows-of.ts';
import { enrollmentChunks, paymentChunks, studyChunks } from './seed/chunks.ts';
import { demoAgents, demoFlow, demoSchemas } from './seed/flow.ts';
import type { HostScope } from './with-hosts.ts';

type Transaction = Knex.Transaction;

export interface SeededHost {
  readonly hostId: string;
  readonly slug: string;
  readonly avatarId: string;
  readonly chunks: number;
}

const demoPrompt = `Você é a Lia, assistente virtual da Universidade Horizonte.
Responda em português do Brasil, com cordialidade e em poucas frases.
Use somente as informações que recebeu: nunca invente prazos, valores, telefones ou endereços.
Se a informação não estiver no material, diga que não a encontrou e ofereça o contato da secretaria.
Trate a pessoa pelo nome quando o souber.`;

/**
 * Inserts two hosts into an empty database: `demo`, with the knowledge, agents and flow of an imaginary university, and `acme`,
 * empty. `addPast` gives `demo` a past. Does nothing if a host exists.
 */
export async function seed(
  db: Db,
  addPast: (demo: HostScope) => Promise<void> = async () => {},
): Promise<SeededHost[]> {
  return db.transaction(async tx => {
    await rowsOf(tx)`lock table hosts in share row exclusive mode`;
    const taken = await rowsOf(tx)`select id from hosts limit 1`;
    if (taken.length > 0) return [];
    await setActor(tx, { kind: 'command', name: 'parley', operation: 'seed' });
    const demo = await seedUniversity(tx, 'demo');
    await addPast({ tx, hostId: demo.hostId });
    return [demo, await seedEmptyHost(tx, 'acme')];
  });
}

/** Inserts a host with the knowledge, agents and flow of an imaginary university. */
export async function seedUniversity(tx: Transaction, slug: string): Promise<SeededHost> {
  const { scope, avatarId } = await makeHost(tx, slug, 'Universidade Horizonte', 'Lia', demoPrompt);
  const chunks = await insertChunks(scope, avatarId, [...studyChunks, ...paymentChunks, ...enrollmentChunks]);
  for (const schema of demoSchemas) await setSchema(scope, schema);
  for (const agent of demoAgents) await setAgent(scope, agent);
  await insertFlow(scope, { ...demoFlow, avatarId, savedBy: null });
  await setContract(tx, scope.hostId, { startsOn: '2020-01-01', price: '1.80', services: 1_000 });
  return { hostId: scope.hostId, slug, avatarId, chunks };
}

/** Inserts a host with an avatar that knows nothing. */
export async function seedEmptyHost(tx: Transaction, slug: string): Promise<SeededHost> {
  const { scope, avatarId } = await makeHost(tx, slug, 'Acme', 'Ana', '');
  return { hostId: scope.hostId, slug, avatarId, chunks: 0 };
}

async function makeHost(
  tx: Transaction,
  slug: string,
  name: string,
  avatarName: string,
  promptEnvelop: string,
): Promise<{ scope: HostScope; avatarId: string }> {
  const host = await createHost(tx, { slug, name });
  if (!host) throw new Error(`The host ${slug} was created concurrently.`);
  const scope = { tx, hostId: host.id };
  const avatar = await insertAvatar(scope, {
    sub_slug: 'principal',
    avatar_name: avatarName,
    prompt_envelop: promptEnvelop,
  });
  if (!avatar) throw new Error(`The avatar of ${slug} was created concurrently.`);
  return { scope, avatarId: avatar.avatar_id };
}

async function insertChunks(
  scope: HostScope,
  avatarId: string,
  contents: readonly string[],
): Promise<number> {
  // The tokenizer is loaded on demand: its tables are large, and nothing else in this folder counts tokens.
  const { countTokens } = await import('gpt-tokenizer/encoding/o200k_base');
  const dataset = await insertDataset(scope, { name: 'Guia do aluno' });
  await linkDataset(scope, { datasetId: dataset.id, avatarId });
  for (const content of contents) {
    await insertChunk(scope, { datasetId: dataset.id, content, tokenCount: countTokens(content) });
  }
  return contents.length;
}
