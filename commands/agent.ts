import { readFile } from 'node:fs/promises';
import { Command } from 'commander';
import { type Agent, listAgents } from '../db/assistants/agents.ts';
import type { Db } from '../db/connection.ts';
import { type HostScope, withHost } from '../db/with-hosts.ts';
import { refusals } from '../queues/contract/failure.ts';
import { type AgentsToSave, saveAgents, type UnsavedAgents } from '../workers/assistants/agent-changes.ts';
import { parseAgentsFile } from './agents-file.ts';
import { commandActorOf, findHostId, withDatabase } from './with-database.ts';

const FILE_HELP = `
The file is JSON: {"schemas": [...], "agents": [...]}.
A schema: schemaName, schema (the JSON Schema of an agent's arguments); description, deleted.
An agent: agentName, schemaName; description (by which the model decides when to run it), frontName, lucideIcon,
advanced, deleted, frontSchema (what a page shows of the arguments; without it, all of the schema).`;

const HEADER = ['id', 'name', 'schema', 'front name', 'state'].join('\t');

const program = new Command('agent').description('Agents: an agent is a task that the assistant may run.');

program
  .command('set')
  .description('Creates or replaces the schemas and agents of a file; others stay unchanged.')
  .requiredOption('--host <slug>', 'slug of the host')
  .requiredOption('--file <path>', 'schemas and agents; - reads them from standard input')
  .addHelpText('after', FILE_HELP)
  .action(({ host, file }: { host: string; file: string }) => withDatabase(db => set(db, host, file)));

program
  .command('list')
  .description('Lists the agents of a host that are not deleted.')
  .requiredOption('--host <slug>', 'slug of the host')
  .action(({ host }: { host: string }) => withDatabase(db => list(db, host)));

await program.parseAsync();

async function set(db: Db, slug: string, path: string): Promise<void> {
  const content = parseAgentsFile(await readFile(path === '-' ? '/dev/stdin' : path, 'utf8'));
  const hostId = await findHostId(db, slug);
  const store = async (scope: HostScope) => {
    const saved = await saveAgents(scope, content);
    if ('refusal' in saved) throw new Error(describeRefusal(saved, slug, content));
    return saved;
  };
  const saved = await withHost(db, hostId, store, commandActorOf('agent set'));
  console.log(
    `Agents of host "${slug}" set: ${countOf(content.schemas.length, 'schema')}, ${countOf(saved.length, 'agent')}.`,
  );
  if (saved.length > 0) console.log([HEADER, ...saved.map(lineOf)].join('\n'));
}

function describeRefusal(unsaved: UnsavedAgents, slug: string, { agents }: AgentsToSave): string {
  if (unsaved.refusal === 'host-full') return refusals['host-full'][1];
  return `/agents/${unsaved.at}/schemaName: "${slug}" has no schema "${agents[unsaved.at]?.schemaName}"`;
}

async function list(db: Db, slug: string): Promise<void> {
  const agents = await withHost(db, await findHostId(db, slug), listAgents);
  console.log([HEADER, ...agents.map(lineOf)].join('\n'));
}

function lineOf({ id, agentName, schemaName, frontName, deleted }: Agent): string {
  return [id, agentName, schemaName, frontName, deleted ? 'deleted' : 'in use'].join('\t');
}

function countOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
