import { expect } from 'chai';
import * as fc from 'fast-check';
import { type FieldError, fieldError, MAX_FIELD_ERRORS } from '../../platform/field-error.ts';
import { NIL_UUID } from '../../platform/uuid.ts';
import { checkBody } from '../../queues/contract/check-body.ts';
import { type OperationName, operationNames, operationOf } from '../../queues/contract/operations/index.ts';
import {
  anyValue,
  dateTime,
  integer,
  list,
  mapOf,
  nullable,
  number,
  object,
  oneOf,
  openObject,
  optional,
  partOf,
  type Shape,
  spellingOf,
  text,
  uuid,
} from '../../queues/contract/shape.ts';
import { type Fields, pathsIn, withField } from '../support/operation-calls.ts';
import { declaredLengths, longTexts } from './declared-lengths.ts';

const MAX_LIST_LENGTH = 1_000;
const bodies = operationNames.map(name => ({ name, ...operationOf(name) }));

describe('the check of a body', () => {
  it('knows for each list and map of each operation how long it may be, and none may be long', () => {
    const lengths = bodies.flatMap(({ name, body }) =>
      declaredLengths(body).map(({ path, max }) => ({ name, path, max })),
    );
    expect(lengths.length).to.be.above(8);
    expect(lengths.filter(({ max }) => !(max <= MAX_LIST_LENGTH))).to.deep.equal([]);
  });

  it('looks at no item of a list or map that is too long', () => {
    for (const { name, body } of bodies) {
      for (const { path, kind, max, bodyWith } of declaredLengths(body)) {
        const untouchable = { enumerable: true, get: () => expect.fail(`${name}: ${path} was looked into`) };
        const value = kind === 'list' ? Array.from({ length: max + 1 }) : {};
        for (let at = 0; at <= max; at += 1) Object.defineProperty(value, `${at}`, untouchable);
        expect(checkBody(body, bodyWith(value)).errors.map(field => field.path)).to.include(path);
      }
    }
  });

  it('names at most 20 wrong fields, and looks at nothing after the twentieth', () => {
    const last = {
      get id() {
        return expect.fail('the last item was looked at');
      },
    };
    const items = [...Array.from({ length: 99 }, () => ({ id: 1 })), last];
    const { errors } = checkBody(list(object({ id: uuid() }), { max: 100 }), items);
    expect(errors).to.have.length(MAX_FIELD_ERRORS);
    expect(errors.at(-1)).to.deep.include({ path: '[19].id', message: 'must be a UUID' });
  });

  it('lets through what the published shape lets through, and nothing else', () => {
    const awkward = fc.oneof(
      fc.constantFrom(0, -1, 1.5, 1e21, true, {}, [], [[]], [{}], ['x'], '', 'x', '2026-03-02', '\0'),
      fc.uuid(),
      fc.jsonValue({ maxDepth: 3 }),
    );
    const options = { convert: false, stripUnknown: { objects: true } };
    for (const { name, body, example } of bodies) {
      const paths = pathsIn(example.body);
      if (paths.length === 0) continue;
      const changed = fc
        .array(fc.tuple(fc.constantFrom(...paths), awkward), { minLength: 1, maxLength: 2 })
        .map(changes =>
          changes.reduce((made, [path, value]) => withField(made, path, value), { ...Object(example.body) }),
        )
        // Joi removes a field without a name from a map, we keep it.
        .filter(made => !/null|"":/.test(JSON.stringify(made)))
        // As received in JSON, where zero has no sign.
        .map(made => JSON.parse(JSON.stringify(made)));
      fc.assert(
        fc.property(changed, made => {
          const { error, value } = body.validate(made, options);
          const seen = checkBody(body, made);
          expect(seen.errors.length === 0, `${name}: ${error?.message}`).to.equal(error === undefined);
          if (!error) expect(seen.value).to.deep.equal(value);
        }),
        { numRuns: 60 },
      );
    }
  });

  it('quotes no text that is wrong', () => {
    for (const { body, example } of bodies) {
      for (const path of pathsIn(example.body)) {
        for (const text of longTexts) {
          const sent = withField({ ...Object(example.body) }, path, text);
          const { errors } = checkBody(body, sent);
          expect(JSON.stringify(errors).length, path).to.be.below(2_000);
        }
      }
    }
  });

  it('counts code points, as JSON Schema does', () => {
    const name = object({ name: text({ max: 9 }) });
    for (const right of ['🙂'.repeat(9), 'é'.repeat(9)])
      expect(checkBody(name, { name: right }).errors).to.deep.equal([]);
    for (const wrong of ['🙂'.repeat(10), 'x'.repeat(10), ''])
      expect(checkBody(name, { name: wrong }).errors).to.have.length(1);
  });

  it('takes null for a field that is not given, unless null is one of its values', () => {
    const shape = object({
      must: text(),
      may: optional(text()),
      nothing: optional(nullable(text())),
      deep: optional(object({ may: optional(list(text(), { max: 1 })) })),
      map: optional(mapOf(object({ may: optional(uuid()) }), { max: 2 })),
    });
    const sent = { must: 'x', may: null, nothing: null, deep: { may: null }, map: { a: { may: null } } };
    expect(checkBody(shape, sent)).to.deep.equal({
      value: { must: 'x', nothing: null, deep: {}, map: { a: {} } },
      errors: [],
      ignored: [],
    });
    const open = openObject({ may: optional(uuid()), deep: optional(object({ may: optional(uuid()) })) });
    expect(checkBody(open, { may: null, deep: { may: null }, other: null }).value).to.deep.equal({
      deep: {},
      other: null,
    });
    expect(checkBody(shape, { must: null }).errors.map(({ path }) => path)).to.deep.equal(['must']);
  });

  it('takes every field of every operation in any spelling, and in one only where it is told so', () => {
    const spellings = [
      (name: string) => name.replaceAll('_', '').toUpperCase(),
      (name: string) => name.replaceAll(/(?<=.)[A-Z]/g, letter => `_${letter.toLowerCase()}`),
      (name: string) => name.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase()),
    ];
    for (const { name, body, example, takesRecords } of bodies) {
      if (takesRecords) continue;
      const exact = checkBody(body, example.body).value;
      for (const spell of spellings) {
        const respelled = respell(body, example.body, spell);
        const seen = checkBody(body, respelled, { mayRespell: true });
        expect(seen, name).to.deep.equal({ value: exact, errors: [], ignored: [] });
      }
    }
    const shape = object({ host_id: text() });
    expect(checkBody(shape, { hostId: 'x' }).errors.map(({ path }) => path)).to.deep.equal(['host_id']);
  });

  it('takes the id of an object under the name that answers give it', () => {
    const ids: [OperationName, string, ...string[]][] = [
      ['saveMcpConfig', 'id', 'mcpId', 'mcp_id'],
      ['savePerson', 'id', 'personId'],
      ['invitePerson', 'personId', 'id'],
      ['endSessions', 'personId', 'id'],
      ['saveWebhook', 'id', 'webhookId', 'webhook_id'],
      ['testWebhook', 'webhookId', 'id'],
      ['saveFlow', 'id', 'flowId', 'flow_id'],
      ['listFlowVersions', 'id', 'flowId'],
      ['restoreFlowVersion', 'id', 'flowId'],
      ['editDataset', 'id', 'dataset_id', 'datasetId'],
      ['editChunk', 'id', 'chunk_id', 'chunkId'],
      ['deleteDocument', 'id', 'documentId', 'document_id'],
      ['saveHost', 'hostId', 'id'],
      ['reason', 'conversationId', 'sessionId', 'id'],
      ['getConversationInformation', 'conversationId', 'id'],
      ['updateConversation', 'conversationId', 'id'],
      ['appendMessage', 'conversationId', 'id'],
      ['listMessages', 'conversationId', 'id'],
    ];
    for (const [name, own, ...others] of ids)
      for (const other of others) {
        const { body, example } = operationOf(name);
        const { [own]: id, ...rest } = Object(example.body);
        const { value, errors, ignored } = checkBody<unknown>(
          body,
          { ...rest, [other]: id },
          { mayRespell: true },
        );
        expect([value, errors, ignored], `${name} ${other}`).to.deep.equal([example.body, [], []]);
      }
  });

  it('has no two fields in one object that are the same in another spelling', () => {
    for (const { name, body } of bodies)
      for (const names of namesIn(body)) {
        const spelled = names.map(spellingOf);
        expect(spelled, name).to.deep.equal([...new Set(spelled)]);
      }
  });

  it('takes two spellings of a field that are equal, and names both where they are not', () => {
    const shape = object({
      host_id: optional(uuid()),
      deep: optional(object({ cases: list(object({ theName: text() }), { max: 2 }) })),
      set: optional(object({ a: text() })),
      no_value: optional(nullable(text())),
    });
    const check = (body: unknown) => checkBody(shape, body, { mayRespell: true });
    const id = '7f3b5a0e-52a1-4c8e-9a35-0d7a4d1c6b21';
    for (const equal of [
      { host_id: id, hostId: id.toUpperCase() },
      { host_id: null, hostId: id },
      { hostId: id, HOSTID: id, host_id: null },
    ])
      expect(check(equal)).to.deep.include({ errors: [] });
    expect(check({ host_id: null, hostId: id }).value).to.deep.equal({ host_id: id });
    expect(check({ noValue: null }).value).to.deep.equal({ no_value: null });
    expect(check({ hostId: null, HOSTID: null })).to.deep.equal({ value: {}, errors: [], ignored: [] });
    expect(check({ set: { a: 'x' }, Set: { a: 'x' } }).errors).to.deep.equal([]);
    const unlike = { hostId: id, HOST_ID: NIL_UUID, set: { a: 'x' }, SET: { a: 'y' } };
    expect(check(unlike).errors).to.deep.equal([
      fieldError('HOST_ID', 'both-given', { values: ['hostId'] }),
      fieldError('SET', 'both-given', { values: ['set'] }),
    ]);
    const inner = { Deep: { cases: [{ the_name: 'x' }, { the_name: 'x', THENAME: 'y', theName: 5 }] } };
    expect(check(inner).errors.map(({ path }) => path)).to.deep.equal([
      'Deep.cases[1].theName',
      'Deep.cases[1].the_name',
      'Deep.cases[1].THENAME',
    ]);
  });

  it('leaves the names of free objects alone', () => {
    const shape = object({
      userData: openObject({ externalId: optional(text()) }),
      item: openObject({ createdAt: optional(text()) }, { mayRespell: true }),
      map: mapOf(text(), { max: 2 }),
    });
    const sent = {
      user_data: { external_id: 'a', externalId: 'b', Other: 1 },
      item: { created_at: 'x', other_name: 1 },
      map: { aName: 'x', a_name: 'y' },
    };
    expect(checkBody(shape, sent, { mayRespell: true })).to.deep.equal({
      value: { userData: sent.user_data, item: { createdAt: 'x', other_name: 1 }, map: sent.map },
      errors: [],
      ignored: [],
    });
  });

  it('names the first ten fields that it does not know, those of the items of a list once', () => {
    const shape = object({ cases: list(object({ name: text() }), { max: 9 }) });
    const cases = Array.from({ length: 9 }, () => ({ name: 'x', note: 1 }));
    const more = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`more${at}`, {}]));
    const { ignored } = checkBody(shape, { cases, other: { cases } }, { mayRespell: true });
    expect(ignored).to.deep.equal(['other', 'cases.note']);
    expect(checkBody(shape, { cases, ...more }, { mayRespell: true }).ignored).to.have.length(10);
  });

  it('says of each wrong value of each operation what the field is like, whatever is wrong with it', () => {
    const wrong = ['§ §', '', 'x'.repeat(1e6), -1, 0.5, 1e300, true, [], {}];
    const seen = new Set<string>();
    for (const { name, body } of bodies)
      for (const shape of valuesIn(body)) {
        const messages = wrong.flatMap(value => checkBody(shape, value).errors.map(({ message }) => message));
        const forms = messages.filter(message => !/^is not allowed to be empty$|^is required$/.test(message));
        // A value of the kind of one alternative is told of this one alone.
        const [whole = '', ...others] = forms.toSorted((one, other) => other.length - one.length);
        for (const form of others) expect(whole, name).to.include(form.replace('must be ', ''));
        for (const form of forms) expect(form, name).to.match(/^must be (?!a (?:string|number|date)$)/);
        seen.add(whole);
      }
    expect([...seen]).to.include.members([
      'must be true or false',
      'must be a UUID',
      'must be a whole number from 1 to 100',
      'must be a date or a date-time in ISO 8601, such as 2026-03-02 or 2026-03-02T14:30:00Z',
      'must be a text of 1 to 200 characters',
      'must be a decimal number such as `100.00`, without a currency, or empty',
    ]);
    const { errors } = checkBody(operationOf('createSubAvatar').body, { sub_slug: 'Vestibular 2026' });
    const slug = 'must be 2 to 63 lower-case letters, digits and hyphens, a letter or digit first';
    expect(errors).to.deep.include(fieldError('sub_slug', 'format', slug));
  });

  it('names the rule that a value breaks, with the limit or the values that it has there', () => {
    const cases: [shape: Shape<unknown>, value: unknown, expected: Partial<FieldError>][] = [
      [text({ max: 9 }), 'x'.repeat(10), { rule: 'max-length', limit: 9 }],
      [text({ min: 2 }), 'x', { rule: 'min-length', limit: 2 }],
      [text(), '', { rule: 'not-empty' }],
      [text(), 1, { rule: 'type', values: ['string'] }],
      [nullable(list(text(), { max: 1 })), 1, { rule: 'type', values: ['array', 'null'] }],
      [object({ id: uuid() }), {}, { rule: 'required' }],
      [list(text(), { max: 1 }), ['x', 'y'], { rule: 'max-items', limit: 1 }],
      [list(text(), { min: 1, max: 1 }), [], { rule: 'min-items', limit: 1 }],
      [mapOf(text(), { max: 1 }), { a: 'x', b: 'y' }, { rule: 'max-items', limit: 1 }],
      [integer({ min: 1, max: 5 }), 6, { rule: 'max', limit: 5 }],
      [integer({ min: 1, max: 5 }), 0, { rule: 'min', limit: 1 }],
      [integer(), 'x', { rule: 'integer' }],
      [integer(), 1.5, { rule: 'integer' }],
      [number({ min: 0, max: 1 }), 'x', { rule: 'type', values: ['number'] }],
      [oneOf('a', 'b'), 'c', { rule: 'one-of', values: ['a', 'b'] }],
      [dateTime(), 'x', { rule: 'date' }],
      [uuid(), 'x', { rule: 'format' }],
    ];
    for (const [shape, value, expected] of cases) {
      const [{ path: _path, message: _message, ...found } = {}] = checkBody(shape, value).errors;
      expect(found, JSON.stringify(value)).to.deep.equal(expected);
    }
  });
});

type Spell = (name: string) => string;

/** The value with the names that its shape declares in another spelling. */
function respell(shape: Shape<unknown>, value: unknown, spell: Spell): unknown {
  const part = partOf(shape);
  const entries = (make: (name: string, inner: unknown) => [string, unknown]) =>
    Object.fromEntries(Object.entries(value as Fields).map(([name, inner]) => make(name, inner)));
  switch (part.kind) {
    case 'object':
      return entries((name, inner) => {
        const field = part.fields.find(each => each.name === name);
        const isOwn = !field || part.spellings.size === 0;
        return isOwn ? [name, inner] : [spell(name), respell(field.shape, inner, spell)];
      });
    case 'map':
      return entries((name, inner) => [name, respell(part.value, inner, spell)]);
    case 'list':
      return (value as unknown[]).map(item => respell(part.item, item, spell));
    case 'choice':
      return respell(
        part.among.find(each => checkBody(each, value).errors.length === 0) ?? anyValue(),
        value,
        spell,
      );
    case 'value':
      return value;
  }
}

/** The shapes of its single values, and the choices among some. */
function valuesIn(shape: Shape<unknown>): Shape<unknown>[] {
  const part = partOf(shape);
  if (part.kind === 'list') return valuesIn(part.item);
  if (part.kind === 'map') return valuesIn(part.value);
  if (part.kind === 'object') return part.fields.flatMap(field => valuesIn(field.shape));
  if (part.kind === 'value') return [shape];
  const isValue = part.among.every(each => partOf(each).kind === 'value');
  return [...(isValue ? [shape] : []), ...part.among.flatMap(valuesIn)];
}

/** The names of each object in it. */
function namesIn(shape: Shape<unknown>): string[][] {
  const part = partOf(shape);
  if (part.kind === 'choice') return part.among.flatMap(namesIn);
  if (part.kind === 'list') return namesIn(part.item);
  if (part.kind === 'map') return namesIn(part.value);
  if (part.kind === 'value') return [];
  const own = part.fields.map(field => [field.name, ...aliasesOf(field.shape)]).flat();
  return [own, ...part.fields.flatMap(field => namesIn(field.shape))];
}

function aliasesOf(shape: Shape<unknown>): readonly string[] {
  const part = partOf(shape);
  return (part.kind === 'value' ? part.aliases : undefined) ?? [];
}
