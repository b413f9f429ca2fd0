import { expect } from 'chai';
import * as fc from 'fast-check';
import { MAX_FIELD_ERRORS } from '../../platform/field-error.ts';
import { checkBody } from '../../queues/contract/check-body.ts';
import { operationNames, operationOf } from '../../queues/contract/operations/index.ts';
import {
  list,
  mapOf,
  nullable,
  object,
  openObject,
  optional,
  text,
  uuid,
} from '../../queues/contract/shape.ts';
import { pathsIn, withField } from '../support/operation-calls.ts';
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
    expect(errors.at(-1)).to.deep.equal({ path: '[19].id', message: 'must be a string' });
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
    for (const right of ['🙂'.repeat(9), 'é'.repeat(9)]) {
      expect(checkBody(name, { name: right }).errors).to.deep.equal([]);
    }
    for (const wrong of ['🙂'.repeat(10), 'x'.repeat(10), '']) {
      expect(checkBody(name, { name: wrong }).errors).to.have.length(1);
    }
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
    });
    const open = openObject({ may: optional(uuid()), deep: optional(object({ may: optional(uuid()) })) });
    expect(checkBody(open, { may: null, deep: { may: null }, other: null }).value).to.deep.equal({
      deep: {},
      other: null,
    });
    expect(checkBody(shape, { must: null }).errors.map(({ path }) => path)).to.deep.equal(['must']);
  });
});
