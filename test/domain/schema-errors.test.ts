import { expect } from 'chai';
import { fieldError } from '../../platform/field-error.ts';
import { argumentErrorsOf, schemaErrorsOf } from '../../workers/domain/schemas/schema-errors.ts';
import { isCollected } from '../support/is-collected.ts';

const schema = {
  type: 'object',
  additionalProperties: false,
  required: ['course', 'mode'],
  properties: {
    course: { type: 'string', minLength: 2 },
    mode: { enum: ['on-site', 'online'] },
    'a/b': { type: 'array', items: { type: 'integer' } },
  },
};

describe('problems of arguments', () => {
  it('are none where the schema is met', () => {
    expect(argumentErrorsOf(schema, { course: 'Law', mode: 'online', 'a/b': [1] })).to.deep.equal([]);
  });

  it('name each place by its JSON pointer, and what belongs there', () => {
    const wrong = { course: 'L', mode: 'secret', 'a/b': [1, 'two'], more: true };
    expect(argumentErrorsOf(schema, wrong)).to.have.deep.members([
      fieldError('', 'schema', 'must not have "more"'),
      fieldError('/course', 'schema', 'must NOT have fewer than 2 characters'),
      fieldError('/mode', 'schema', 'must be one of ["on-site","online"]'),
      fieldError('/a~1b/1', 'schema', 'must be integer'),
    ]);
    expect(argumentErrorsOf(schema, {})).to.deep.equal([
      fieldError('', 'schema', "must have required property 'course'"),
      fieldError('', 'schema', "must have required property 'mode'"),
    ]);
    expect(argumentErrorsOf(schema, 'text')).to.deep.equal([fieldError('', 'schema', 'must be object')]);
  });

  it('are counted to twenty at most', () => {
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`x${at}`, at]));
    expect(argumentErrorsOf(schema, many)).to.have.length(20);
  });

  it('are told by the schema at hand, also where two of them bear the same $id', () => {
    const named = (type: string) => ({ $id: 'https://x/y', type: 'object', properties: { a: { type } } });
    for (const _ of [1, 2]) {
      expect(argumentErrorsOf(named('string'), { a: 'x' })).to.deep.equal([]);
      expect(argumentErrorsOf(named('number'), { a: 'x' })).to.have.length(1);
    }
  });

  it('do not come of a dialect, a format or a keyword that is not known', () => {
    const foreign = {
      $schema: 'http://json-schema.org/draft-07/schema#',
      type: 'object',
      properties: { cpf: { type: 'string', format: 'cpf', 'x-mask': '000.000.000-00' } },
    };
    expect(schemaErrorsOf(foreign)).to.deep.equal([]);
    expect(argumentErrorsOf(foreign, { cpf: 'x' })).to.deep.equal([]);
  });
});

describe('problems of arguments in a known format', () => {
  it('are told', () => {
    const dated = { type: 'object', properties: { birth: { type: 'string', format: 'date' } } };
    expect(argumentErrorsOf(dated, { birth: '2001-02-29' })).to.deep.equal([
      fieldError('/birth', 'schema', 'must match format "date"'),
    ]);
    expect(argumentErrorsOf(dated, { birth: '2004-02-29' })).to.deep.equal([]);
  });
});

describe('problems of a schema', () => {
  it('name the place in it', () => {
    const wrong = { type: 'object', properties: { a: { type: 'text' } } };
    expect(schemaErrorsOf(schema)).to.deep.equal([]);
    expect(schemaErrorsOf(wrong).map(({ path }) => path)).to.include('/properties/a/type');
    expect(schemaErrorsOf({ type: 'string' })).to.deep.equal([
      fieldError('/type', 'one-of', { values: ['object'], message: 'must be "object"' }),
    ]);
  });

  it('are told of what only shows when it is used', () => {
    const lost = { type: 'object', properties: { a: { $ref: '#/$defs/none' } } };
    const broken = { type: 'object', properties: { a: { type: 'string', pattern: '(' } } };
    for (const wrong of [lost, broken]) {
      expect(schemaErrorsOf(wrong)).to.have.length(1);
      expect(argumentErrorsOf(wrong, { a: '' })[0]?.message).to.include('the schema itself is wrong');
    }
  });
});

describe('what was compiled of a schema', () => {
  const sized = (at: number) => ({
    type: 'object',
    description: `${at} ${'x'.repeat(60_000)}`,
    properties: { a: { type: 'string', enum: [`v${at}`] } },
  });
  const check = (at: number) => {
    const large = sized(at);
    expect(argumentErrorsOf(large, { a: `v${at}` })).to.deep.equal([]);
    return new WeakRef(large.properties.a.enum);
  };

  it('is let go of when enough others came after it', async () => {
    const first = check(0);
    for (let at = 1; at < 40; at += 1) check(at);
    expect(await isCollected(first)).to.equal(true);
  });
});

describe('a schema that is larger than any sensible one', () => {
  it('is refused before anything is made of it', () => {
    const large = { type: 'object', description: 'x'.repeat(70_000) };
    expect(schemaErrorsOf(large)).to.deep.equal([fieldError('', 'max-length', { limit: 64_000 })]);
  });

  it('tells no more of its values than a model reads', () => {
    const many = {
      type: 'object',
      properties: { a: { enum: Array.from({ length: 5_000 }, (_, at) => at) } },
    };
    const [problem] = argumentErrorsOf(many, { a: 'x' });
    expect(problem?.message.length).to.be.lessThan(2_100);
  });
});
