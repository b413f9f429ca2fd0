import type { Logger } from 'pino';
import { type Agent, type AgentSchema, listAgents as agentsOf, listSchemas } from '../db/agents.ts';
import { failure } from '../queues/contract/failure.ts';
import type { BodyOf, DataOf } from '../queues/contract/operations/index.ts';
import { type FormField, formSchemaOf, readForm } from './domain/form-answer.ts';
import { frontSchemaOf, isOfType } from './domain/front-schema.ts';
import { oneLineOf } from './domain/one-line.ts';
import type { PromptMessage } from './domain/prompt.ts';
import type { Problem } from './domain/schema-problems.ts';
import type { Model, ModelCall } from './model/model.ts';
import type { Handler } from './runtime/job.ts';

export const listAgents: Handler<'listAgents'> = job =>
  job.read(async scope => {
    const agents = await agentsOf(scope);
    const schemas = await listSchemas(scope);
    return { code: 200, data: { agents: agents.map(agentEntryOf), schemas: schemas.map(schemaEntryOf) } };
  });

function agentEntryOf(agent: Agent) {
  const { id, createdAt, updatedAt, name, description } = agent;
  const { schemaName, schemaId, lucideIcon, frontName, advanced } = agent;
  return {
    id,
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
    agentName: name,
    description,
    frontSchema: frontSchemaOf(agent),
    schemaName,
    schemaId,
    lucideIcon,
    frontName,
    advanced,
  };
}

function schemaEntryOf({ id, createdAt, updatedAt, name, description, deleted }: AgentSchema) {
  return {
    id,
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
    schemaName: name,
    description,
    deleted,
  };
}

type GivenAgent = BodyOf<'generateAgent'>['agent'];
type Fields = Readonly<Record<string, FormField>>;

const TRIES = 2;
const LONGEST_LINE = 2_000;

/** Has a model fill in an agent's form. An answer that is wrong is sent back once, with what is wrong in it. */
export function generateAgent({ model, log }: { model: Model; log: Logger }): Handler<'generateAgent'> {
  return async job => {
    const { agent, instructions } = job.body;
    const fields = agent.frontSchema.properties as Fields;
    // Nothing to fill in: nobody has to be asked.
    if (Object.keys(fields).length === 0) return { code: 200, data: fillForm(agent, {}) };
    const calls: ModelCall[] = [];
    const answerSchema = { name: 'agent_form', schema: formSchemaOf(fields) };
    const { signal, remainingMs } = job;
    const options = { purpose: 'agent', signal, remainingMs, calls, answerSchema } as const;
    let messages = promptOf(agent, instructions);
    let problems: readonly Problem[] = [];
    for (let tries = 0; tries < TRIES; tries += 1) {
      const answer = await model.complete(undefined, messages, options);
      if (!answer) break;
      const read = readForm(fields, answer.text);
      if ('values' in read) return { code: 200, data: fillForm(agent, read.values) };
      problems = read.problems;
      messages = [...messages, ...repairOf(answer.text, problems)];
    }
    const { requestId, jobId } = job;
    log.warn({ requestId, jobId, calls, problems: problems.length }, 'the model filled in no usable form');
    return failure('model-unavailable');
  };
}

function promptOf(agent: GivenAgent, instructions: string): PromptMessage[] {
  const { title, description } = formOf(agent);
  const task = [
    'Você preenche o formulário de um agente de atendimento conforme as instruções recebidas.',
    'Responda somente com JSON no esquema pedido, com um valor para cada campo.',
    'Use apenas o que as instruções dizem; o que elas não disserem fica vazio ou com o valor padrão.',
    `Agente: ${toPromptLine(title)}${description ? ` (${toPromptLine(description)})` : ''}`,
    'Campos:',
    ...Object.entries(agent.frontSchema.properties).map(fieldLineOf),
  ];
  return [
    { role: 'system', content: task.join('\n') },
    { role: 'user', content: instructions },
  ];
}

function fieldLineOf([name, { type, description, default: usual }]: [string, FormField]): string {
  const padding = isOfType(type, usual) ? `; padrão: ${toPromptLine(JSON.stringify(usual))}` : '';
  return `- ${toPromptLine(name)} (${type}${padding})${description ? `: ${toPromptLine(description)}` : ''}`;
}

/** What others wrote stays on its own line of the task. */
function toPromptLine(text: string): string {
  return oneLineOf(text, LONGEST_LINE);
}

function repairOf(answer: string, problems: readonly Problem[]): PromptMessage[] {
  const list = problems.map(({ path, message }) => `- ${path || '/'}: ${message}`);
  const request = ['A resposta não serve:', ...list, 'Responda outra vez, com o JSON inteiro e corrigido.'];
  return [
    { role: 'assistant', content: answer },
    { role: 'user', content: request.join('\n') },
  ];
}

function formOf({
  agentName = '',
  frontName = '',
  description = '',
  schemaName = '',
  frontSchema,
}: GivenAgent) {
  return frontSchemaOf({ name: agentName, frontName, description, schemaName, arguments: {}, frontSchema });
}

function fillForm(agent: GivenAgent, values: Readonly<Record<string, unknown>>): DataOf<'generateAgent'> {
  const form = formOf(agent);
  const properties = Object.entries(form.properties).map(([name, property]) => [
    name,
    { ...property, value: values[name] },
  ]);
  return { ...form, properties: Object.fromEntries(properties) };
}
