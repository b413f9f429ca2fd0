import Joi from 'joi';

/** A setting that is JSON in one line. Its error names what is wrong in it and quotes nothing: it may hold keys. */
export function jsonSetting(schema: Joi.Schema, what: string): Joi.StringSchema {
  return Joi.string()
    .custom((text: string, helpers) => {
      const read = parseJson(text);
      if (!read) return helpers.error('json', { problems: 'this is no JSON' });
      const { value, error } = schema.label('value').validate(read.value, { abortEarly: false });
      return error ? helpers.error('json', { problems: problemsOf(error) }) : value;
    })
    .messages({ json: `{{#label}} must be a JSON ${what}: {{#problems}}` });
}

function parseJson(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

function problemsOf({ details }: Joi.ValidationError): string {
  return details.map(({ message }) => message).join(', ');
}
