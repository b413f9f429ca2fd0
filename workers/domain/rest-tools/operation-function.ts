import { type FieldError, fieldError } from '../../../platform/field-error.ts';
import { isJsonObject, type JsonObject } from '../../../platform/json-object.ts';
import { oneLineOf } from '../../../text/lines.ts';
import { headerNameErrorOf, isSameHeader } from '../header-rules.ts';
import { toolNameOf } from '../prompts/offered-tool.ts';
import { type OfferedSchema, offeredSchemaOf } from '../schemas/offered-schema.ts';
import { schemaErrorsOf } from '../schemas/schema-errors.ts';
import type { AuthProposal } from './described-access.ts';
import { definitionsOf, LEADS_NOWHERE, pointerTo, resolved } from './description-text.ts';
import { bodyOf, type DescribedBody } from './operation-body.ts';
import type { ArgumentPlace, RestFunction } from './rest-function.ts';
import { placesIn } from './rest-path.ts';

export interface DescribedOperation {
  readonly place: string;
  readonly method: RestFunction['method'];
  readonly path: string;
  readonly operation: JsonObject;
  /** Of its path, then its own. */
  readonly parameters: readonly unknown[];
  readonly servers: unknown;
}

interface Surroundings {
  /** The names of the functions before, to which this one is added. */
  readonly names: Set<string>;
  /** The ids that are names as they are: no other operation gets one of them. */
  readonly ownNames: ReadonlySet<string>;
  readonly auth: readonly AuthProposal[];
}

const MAX_DESCRIPTION = 1_000;

/** Returns the function, or why a function cannot be made of it. */
export function functionOf(
  description: JsonObject,
  described: DescribedOperation,
  { names, ownNames, auth }: Surroundings,
): RestFunction | FieldError {
  const { place, method, path, operation } = described;
  if (/[?\s]/.test(path)) return fieldError(place, 'unsupported', 'has a path with a query, or with a space');
  const parameters = parametersOf(description, described, auth);
  if ('rule' in parameters) return parameters;
  const body = bodyOf(description, described.operation['requestBody'], `${place}/requestBody`, method);
  if (body && 'rule' in body) return body;
  const named = nameArguments(parameters, body);
  const schema = argumentsOf(description, named, body);
  if (!schema) return fieldError(place, 'too-large', 'has arguments with too many parts');
  const [wrong] = schemaErrorsOf(schema);
  if (wrong) return { ...wrong, path: place };
  const { operationId, summary, description: words } = operation;
  const id = typeof operationId === 'string' ? operationId : '';
  const plain = `${method.toLowerCase()}${path.replaceAll(/[{}]/g, '')}`;
  const isTaken = (each: string) => names.has(each) || (each !== id && ownNames.has(each));
  const name = toolNameOf(id || plain, isTaken);
  names.add(name);
  const said = [summary, words].filter(each => typeof each === 'string' && each !== '');
  return {
    name,
    description: oneLineOf([...new Set(said)].join(' – '), MAX_DESCRIPTION),
    method,
    path: pathOf(path, named),
    ...placesOf(named),
    ...(body && { body: body.kind }),
    arguments: schema,
  };
}

type Where = 'path' | 'query' | 'header' | 'cookie';

interface Parameter {
  readonly name: string;
  readonly where: Where;
  readonly isRequired: boolean;
  readonly schema: JsonObject;
  readonly style?: string;
  readonly explode?: boolean;
}

type NamedParameter = Parameter & { readonly argument: string };

/** Returns them in order, the last of those that are the same; and a text for each place of the path that has none. */
function parametersOf(
  description: JsonObject,
  { place, path, parameters }: DescribedOperation,
  auth: readonly AuthProposal[],
): Parameter[] | FieldError {
  const found = new Map<string, Parameter>();
  const places = placesIn(path);
  for (const [at, sent] of parameters.entries()) {
    const parameter = resolved(description, sent);
    const { in: where, name } = parameter ?? {};
    if (!parameter || typeof name !== 'string' || !isWhere(where))
      return fieldError(`${place}${pointerTo('parameters', at)}`, 'unknown', LEADS_NOWHERE);
    if (isSecret(where, name, auth) || (where === 'path' && !places.includes(name))) continue;
    const read = readParameter(description, parameter, where, name);
    if (read) found.set(`${where} ${name}`, read);
    else if (parameter['required'] === true)
      return fieldError(
        `${place}${pointerTo('parameters', at)}`,
        'unsupported',
        'has a form that cannot be sent',
      );
  }
  const untold = places.filter(name => !found.has(`path ${name}`));
  for (const name of untold)
    found.set(`path ${name}`, { name, where: 'path', isRequired: true, schema: { type: 'string' } });
  return [...found.values()];
}

function isWhere(where: unknown): where is Where {
  return where === 'path' || where === 'query' || where === 'header' || where === 'cookie';
}

/** Headers that OpenAPI says are none, and those that carry what a person has given. */
function isSecret(where: Where, name: string, auth: readonly AuthProposal[]): boolean {
  if (where === 'query') return auth.some(each => each.kind === 'query' && each.name === name);
  if (where !== 'header') return false;
  const others = [
    'accept',
    'authorization',
    ...auth.flatMap(each => (each.kind === 'header' && each.name) || []),
  ];
  return headerNameErrorOf(name) !== undefined || others.some(each => isSameHeader(each, name));
}

const STYLES: Readonly<Record<Where, readonly string[]>> = {
  path: ['simple'],
  query: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'],
  header: ['simple'],
  cookie: ['form'],
};

function readParameter(
  description: JsonObject,
  parameter: JsonObject,
  where: Where,
  name: string,
): Parameter | undefined {
  const { style = STYLES[where][0], explode, required, content } = parameter;
  if (typeof style !== 'string' || !STYLES[where].includes(style)) return undefined;
  // A path has no place for what explodes: only objects differ there.
  const [media] = isJsonObject(content) ? Object.values(content) : [];
  const { description: words, example } = parameter;
  const schema = isJsonObject(parameter['schema']) ? parameter['schema'] : {};
  const said = {
    ...(typeof words === 'string' && words !== '' && { description: oneLineOf(words, MAX_DESCRIPTION) }),
    ...(example !== undefined && { example }),
  };
  return {
    name,
    where,
    isRequired: required === true || where === 'path',
    schema: isJsonObject(media)
      ? { type: 'string', contentMediaType: 'application/json', ...jsonWords(description, media, said) }
      : { ...schema, ...said },
    ...(style !== STYLES[where][0] && { style }),
    ...(typeof explode === 'boolean' && explode !== (style === 'form') && { explode }),
  };
}

/** A value that is sent as JSON is an argument of text: names of its fields help to write it. */
function jsonWords(description: JsonObject, media: JsonObject, said: { readonly description?: string }) {
  const { properties } = resolved(description, media['schema']) ?? {};
  const fields = isJsonObject(properties) ? `: ${Object.keys(properties).join(', ')}` : '';
  return { ...said, description: oneLineOf(`${said.description ?? ''} (JSON${fields})`, MAX_DESCRIPTION) };
}

/** What is in the body keeps its names, since that is sent with them; a parameter with one of these gets its own. */
function nameArguments(parameters: readonly Parameter[], body: DescribedBody | undefined): NamedParameter[] {
  const taken = new Set(body?.names);
  return parameters.map(parameter => {
    const { name, where } = parameter;
    const plain = toolNameOf(name.replace(/\[\]$/, ''), () => false);
    const argument = taken.has(plain) ? toolNameOf(`${plain}_${where}`, each => taken.has(each)) : plain;
    taken.add(argument);
    return { ...parameter, argument };
  });
}

function argumentsOf(
  description: JsonObject,
  parameters: readonly NamedParameter[],
  body: DescribedBody | undefined,
): OfferedSchema | undefined {
  const properties = Object.fromEntries(parameters.map(({ argument, schema }) => [argument, schema]));
  const required = parameters.flatMap(({ argument, isRequired }) => (isRequired ? argument : []));
  const offered = offeredSchemaOf({
    ...definitionsOf(description),
    allOf: [...(body ? [body.schema] : []), { properties, required }],
  });
  const hidden = body?.hidden ?? [];
  if (!offered || hidden.length === 0) return offered;
  const isShown = (name: string) => !hidden.includes(name) || Object.hasOwn(properties, name);
  const shown = Object.entries(offered['properties'] as JsonObject).filter(([name]) => isShown(name));
  const needed = ((offered['required'] ?? []) as string[]).filter(isShown);
  return { ...offered, properties: Object.fromEntries(shown), required: needed };
}

function pathOf(path: string, parameters: readonly NamedParameter[]): string {
  const ofPath = new Map(
    parameters.flatMap(({ where, name, argument }) => (where === 'path' ? [[name, argument] as const] : [])),
  );
  return (path.split('#')[0] ?? '').replaceAll(
    /\{([^{}]*)\}/g,
    (_, name: string) => `{${ofPath.get(name) ?? name}}`,
  );
}

function placesOf(parameters: readonly NamedParameter[]): Partial<RestFunction> {
  const ofPlace = (wanted: Where): ArgumentPlace[] =>
    parameters.flatMap(({ where, name, argument, style, explode }) =>
      where === wanted
        ? {
            argument,
            ...(name !== argument && { name }),
            ...(style !== undefined && { style: style as NonNullable<ArgumentPlace['style']> }),
            ...(explode !== undefined && { explode }),
          }
        : [],
    );
  const places = { query: ofPlace('query'), headers: ofPlace('header'), cookies: ofPlace('cookie') };
  return Object.fromEntries(Object.entries(places).filter(([, each]) => each.length > 0));
}
