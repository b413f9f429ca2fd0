import Joi from 'joi';

/** A setting with a JSON value. Errors do not quote the value, because it may hold keys. */
export function jsonSetting<T>(schema: Joi.AnySchema<T>, what: string): Joi.AnySchema<T> {
  return Joi.any<T>()
    .custom((text: string, helpers) => {
      const read = parseJson(text);
      if (!read) return helpers.error('json', { errors: 'invalid JSON' });
      const { value, error } = schema.label('value').validate(read.value, { abortEarly: false });
      return error ? helpers.error('json', { errors: errorsOf(error) }) : value;
    })
    .messages({ json: `{{#label}} must be a JSON ${what}: {{#errors}}` });
}

function parseJson(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

function errorsOf({ details }: Joi.ValidationError): string {
  return details.map(({ message }) => message).join(', ');
}
