import { field, flag, mapOf, object, text, uuid } from '../shape.ts';
import {
  exampleCurso,
  exampleForm,
  form,
  formProperties,
  frontSchema,
  property,
  propertyLimit,
  words,
} from './agent-form-shape.ts';
import { AGENT_ID, SCHEMA_ID } from './example-ids.ts';
import { createdAt, updatedAt } from './fields.ts';

export const agentFields = {
  id: field('Id of the agent.', uuid()),
  createdAt,
  updatedAt,
  agentName: field('Name by which the model calls the agent and flows refer to it.', text()),
  description: field('What the agent does; tells the model when to run it.', words),
  schemaName: field('Name of the schema of the agent’s values.', text()),
  schemaId: field('Id of that schema, as in `schemas` of agentsListHelper.', uuid()),
  lucideIcon: field('Name of the Lucide icon to show beside the agent; may be empty.', words),
  frontName: field('Name of the agent as people see it.', words),
  advanced: field(
    'Whether the agent is meant for experienced flow editors; does not change how it runs.',
    flag(),
  ),
};

export const agent = object({
  ...agentFields,
  frontSchema: field(
    frontSchema,
    object({ ...form, properties: field(formProperties, mapOf(object(property), propertyLimit)) }),
  ),
});

export const exampleAgent = {
  id: AGENT_ID,
  createdAt: '2026-01-12T12:00:00.000Z',
  updatedAt: '2026-01-12T12:00:00.000Z',
  agentName: 'registrar_interesse',
  description: 'Registra o interesse de uma pessoa em um curso.',
  frontSchema: { ...exampleForm, properties: { curso: exampleCurso } },
  schemaName: 'interesse',
  schemaId: SCHEMA_ID,
  lucideIcon: 'user-plus',
  frontName: 'Registrar interesse',
  advanced: false,
};
