import { expect } from 'chai';
import fc from 'fast-check';
import { offeredSchemaOf } from '../../workers/domain/schemas/offered-schema.ts';
import { schemaErrorsOf } from '../../workers/domain/schemas/schema-errors.ts';
import { growthBeyondLinear } from '../support/growth.ts';

const text = { type: 'string' };

/** The schema of a field as a server sends it, and as a model is offered it. */
// biome-ignore format: a table
const FIELDS: readonly (readonly [title: string, sent: unknown, offered: unknown])[] = [
  ['a limit that is exclusive by a flag', { type: 'integer', minimum: 0, exclusiveMinimum: true },
    { type: 'integer', exclusiveMinimum: 0 }],
  ['a limit that is not', { type: 'integer', maximum: 9, exclusiveMaximum: false },
    { type: 'integer', maximum: 9 }],
  ['a limit in quotes', { type: 'string', maxLength: '9' }, { type: 'string', maxLength: 9 }],
  ['a limit that is none', { type: 'string', maxLength: 'x', multipleOf: 0 }, text],
  ['a tuple', { type: 'array', items: [text] }, { type: 'array', items: text }],
  ['a tuple of two', { type: 'array', items: [text, { type: 'number' }, text], additionalItems: false },
    { type: 'array', items: { anyOf: [text, { type: 'number' }] } }],
  ['a tuple of 2020-12', { type: 'array', prefixItems: [text], items: false },
    { type: 'array', items: text }],
  ['a list of anything', { type: 'array' }, { type: 'array', items: {} }],
  ['a pattern with a flag', { type: 'string', pattern: '(?i)^[a-z]+$' }, text],
  ['a pattern of another language', { type: 'string', pattern: '\\A\\p{Alpha}++\\z' }, text],
  ['a pattern', { type: 'string', pattern: '^[a-z]+$', nullable: true },
    { type: 'string', pattern: '^[a-z]+$', nullable: true }],
  [
    'a pattern with the slashes of a program',
    { type: 'string', pattern: '/^\\d{11}$/' },
    { type: 'string', pattern: '^\\d{11}$' },
  ],
  ['null for a field without a type', { nullable: true, anyOf: [text] }, { anyOf: [text] }],
  ['an example that is elsewhere', { type: 'string', example: { $ref: '#/components/examples/a' } }, text],
  ['a type of another language', { type: 'STRING' }, text],
  ['types of other languages', { type: ['int', 'none'] }, { type: ['integer', 'null'] }],
  ['any type', { type: 'any', divisibleBy: 2, description: 7 }, {}],
  ['a type that nobody knows', { type: 'banana', description: 'Fruta' }, { description: 'Fruta' }],
  ['a schema among its types', { type: ['string', { type: 'null' }] }, { anyOf: [text, { type: 'null' }] }],
  ['the name of its type alone', 'string', text],
  ['no schema', true, {}],
  ['identity, notes and marks of other programs',
    { $id: 'a', id: 'b', $comment: 'c', 'x-d': 1, xml: {}, type: 'string' }, text],
  ['an empty choice', { enum: [], anyOf: [], type: 'string' }, text],
  ['null as a value', { enum: [null, 'a'], default: null }, { enum: [null, 'a'], default: null }],
  ['fields as an empty list', { type: 'object', properties: [] }, { type: 'object', properties: {} }],
  ['fields that mark themselves as required',
    { type: 'object', properties: { b: { type: 'string', required: true }, c: { required: false } } },
    { type: 'object', properties: { b: text, c: {} }, required: ['b'] }],
  ['patterns of names', { type: 'object', patternProperties: { '^x': text, '(': text } },
    { type: 'object', patternProperties: { '^x': text } }],
  ['a reference to somewhere else', { $ref: 'http://a.example/b', description: 'c' }, { description: 'c' }],
];

/** Whole schemas. */
// biome-ignore format: a table
const SCHEMAS: readonly (readonly [title: string, sent: object, offered: object | undefined])[] = [
  ['nothing', {}, { type: 'object', properties: {} }],
  ['fields alone', { properties: { a: text } }, { type: 'object', properties: { a: text } }],
  ['an old dialect',
    { $schema: 'http://json-schema.org/draft-04/schema#', id: 'x', type: 'OBJECT', required: 'a' },
    { type: 'object', properties: {}, required: ['a'] }],
  ['definitions',
    { definitions: { endereço: { properties: { pai: { $ref: '#/definitions/endereço' } } }, unused: text },
      properties: { a: { $ref: '#/definitions/endere%C3%A7o' }, b: { $ref: '#/definitions/endereço' } } },
    { type: 'object', properties: { a: { $ref: '#/$defs/endere_C3_A7o' }, b: { $ref: '#/$defs/endere_o' } },
      $defs: { endere_C3_A7o: { properties: { pai: { $ref: '#/$defs/endere_o' } } },
        endere_o: { properties: { pai: { $ref: '#/$defs/endere_o' } } } } }],
  ['definitions of OpenAPI, and one name of two places',
    { components: { schemas: { A: { items: [text] } } }, $defs: { A: text },
      properties: { a: { $ref: '#/components/schemas/A' }, b: { $ref: '#/$defs/A' } } },
    { type: 'object', properties: { a: { $ref: '#/$defs/A' }, b: { $ref: '#/$defs/A_2' } },
      $defs: { A: { items: text }, A_2: text } }],
  ['a reference at the top',
    { $ref: '#/definitions/A', definitions: { A: { type: 'object', properties: { a: text } } } },
    { type: 'object', properties: { a: text } }],
  ['a choice at the top',
    { properties: { a: text }, required: ['a'],
      oneOf: [{ properties: { b: text }, required: ['b'] }, { required: ['c'] }, { type: 'null' }],
      type: 'object', allOf: [{ properties: { d: text }, required: ['d'] }] },
    { type: 'object', properties: { d: text, b: text, a: text }, required: ['d', 'a'] }],
  ['a top that refers to itself', { allOf: [{ $ref: '#' }], properties: { a: { $ref: '#' } } },
    { type: 'object', properties: { a: { $ref: '#/$defs/_' } },
      $defs: { _: { properties: { a: { $ref: '#/$defs/_' } }, allOf: [{ $ref: '#/$defs/_' }] } } }],
  ['values in place of fields', { enum: [{ a: 'b' }], const: {}, items: {} },
    { type: 'object', properties: {} }],
  ['a list in place of an object', { type: 'array', items: text }, undefined],
  ['a text in place of an object', { type: ['string', 'null'] }, undefined],
];

/** Parts of schemas, right and wrong. */
const values = fc.letrec<{ schema: unknown }>(tie => {
  const part = fc.oneof({ maxDepth: 5 }, fc.jsonValue({ maxDepth: 1 }), tie('schema'));
  const keyword = fc.constantFrom(
    ...'type properties required items prefixItems $ref allOf anyOf oneOf not if pattern minimum'.split(' '),
    ...'exclusiveMinimum maxLength multipleOf definitions $defs additionalProperties title format'.split(' '),
  );
  const value = fc.oneof(
    part,
    fc.array(part, { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', '__proto__', 'required'), part, { maxKeys: 3 }),
    fc.constantFrom('string', 'object', 'array', '#', '#/definitions/a', '#/properties/b', '(', true, 3),
  );
  return { schema: fc.dictionary(keyword, value, { maxKeys: 5 }) };
}).schema;

describe('the schema of a tool as it is offered', () => {
  for (const [title, sent, offered] of FIELDS)
    it(`has a field with ${title} in the form that model servers take`, () => {
      const schema = offeredSchemaOf({ type: 'object', properties: { a: sent } });
      expect(schema?.['properties']).to.deep.equal({ a: offered });
    });

  for (const [title, sent, offered] of SCHEMAS)
    it(`${offered ? 'is an object' : 'is none'} where it has ${title}`, () => {
      expect(offeredSchemaOf({ ...sent })).to.deep.equal(offered);
    });

  it('is a schema without faults, whatever was sent, and the same where it is offered again', () => {
    fc.assert(
      fc.property(values, sent => {
        const offered = offeredSchemaOf(sent as Record<string, unknown>);
        if (!offered) return;
        expect(schemaErrorsOf(offered)).to.deep.equal([]);
        for (const name of ['anyOf', 'oneOf', 'allOf', 'enum', 'not', '$ref'])
          expect(offered).not.to.have.property(name);
        expect(offeredSchemaOf(offered)).to.deep.equal(offered);
      }),
      { numRuns: 1_000 },
    );
  });

  it('is none where its references make it far larger than it was', () => {
    const levels = 30;
    const deep = JSON.parse(`${'{"properties":{"a":'.repeat(levels)}{}${'}}'.repeat(levels)}`) as object;
    const properties = Object.fromEntries(
      Array.from({ length: 400 }, (_, at) => [
        `p${at}`,
        { $ref: `#/deep${'/properties/a'.repeat(at % levels)}` },
      ]),
    );
    expect(offeredSchemaOf({ properties, deep: [deep] })).to.not.equal(undefined);
    const wide = { properties: Object.fromEntries(Array.from({ length: 90 }, (_, at) => [`w${at}`, deep])) };
    expect(offeredSchemaOf({ properties, deep: wide })).to.equal(undefined);
  });

  it('is written in time that grows with its length, also where its top refers to itself a hundred times', () => {
    const sized = (length: number) => ({ allOf: Array.from({ length: length / 14 }, () => ({ $ref: '#' })) });
    expect(
      growthBeyondLinear(
        text => offeredSchemaOf(sized(text.length)),
        length => 'x'.repeat(length),
      ),
    ).to.equal(undefined);
  });
});
