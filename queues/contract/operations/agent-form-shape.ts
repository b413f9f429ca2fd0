import { anyValue, field, list, oneOf, text } from '../shape.ts';

const MAX_PROPERTIES = 100;

export const propertyLimit = { max: MAX_PROPERTIES };
export const words = text({ min: 0, max: 8_000 });
export const property = {
  type: field('JSON type of the value.', oneOf('string', 'number', 'integer', 'boolean', 'array', 'object')),
  default: field('Default value, of any JSON type.', anyValue()),
  description: field('Meaning of the value; tells the model what to fill in.', words),
};
export const form = {
  id: field('Identifier of the form, chosen by its author; may be empty.', words),
  type: field('Always `object`: a form is a set of named values.', oneOf('object')),
  title: field('Title of the form, shown to people.', words),
  schema: field('URI of the JSON Schema dialect of the form; may be empty.', words),
  required: field('Names of the required properties.', list(text(), propertyLimit)),
  description: field('Purpose of the form.', words),
};
export const formProperties = 'The fields of the form, by name.';

export const frontSchema = 'Form of the agent: a JSON Schema of the values that it takes.';

export const exampleForm = {
  id: 'interesse',
  type: 'object' as const,
  title: 'Registrar interesse',
  schema: 'https://json-schema.org/draft/2020-12/schema',
  required: ['curso'],
  description: 'Registra o interesse de uma pessoa em um curso.',
};

export const exampleCurso = {
  type: 'string' as const,
  default: '',
  description: 'Curso que interessa à pessoa',
};
