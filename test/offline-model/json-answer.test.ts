import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { expect } from 'chai';
import * as fc from 'fast-check';
import type { JsonSchema } from '../../offline-model/json-schema.ts';
import { knowledge, model } from './chat-samples.ts';
import { withModelServer } from './with-model-server.ts';

const insight = {
  type: 'object',
  additionalProperties: false,
  required: 'dialogue_summary main_topic user_name heat_score sentiment_score categories level next'.split(
    ' ',
  ),
  properties: {
    dialogue_summary: { type: 'string', minLength: 10, maxLength: 500 },
    main_topic: { type: 'string', maxLength: 80 },
    user_name: { type: ['string', 'null'] },
    heat_score: { type: 'number', minimum: 0, maximum: 100 },
    sentiment_score: { type: 'number', minimum: -1, maximum: 1 },
    categories: { type: 'array', minItems: 2, maxItems: 5, uniqueItems: true, items: { type: 'string' } },
    level: { enum: ['alto', 'baixo'] },
    next: { anyOf: [{ type: 'null' }, { $ref: '#/$defs/step' }] },
  },
  $defs: {
    step: {
      type: 'object',
      required: ['at', 'done', 'steps'],
      properties: {
        at: { type: 'string', format: 'date-time' },
        done: { type: 'boolean' },
        steps: { type: 'array', items: { $ref: '#/$defs/step' } },
      },
    },
  },
};

const ajv = new Ajv2020({ strict: false });
addFormats.default(ajv);

const text = fc.record({
  type: fc.constant('string'),
  minLength: fc.nat(20),
  maxLength: fc.integer({ min: 20, max: 90 }),
});
const span = fc.tuple(fc.integer({ min: -50, max: 50 }), fc.nat(50));
const number = fc
  .tuple(fc.constantFrom('number', 'integer'), span)
  .map(([type, [minimum, width]]) => ({ type, minimum, maximum: minimum + width }));
const leaf: fc.Arbitrary<JsonSchema> = fc.oneof(
  text,
  number,
  fc.record({ enum: fc.uniqueArray(fc.oneof(fc.string(), fc.integer()), { minLength: 1 }) }),
  fc.constantFrom<JsonSchema>(
    { type: 'boolean' },
    { type: 'null' },
    { type: ['null', 'integer'] },
    { const: 'x' },
    { type: 'string', format: 'uuid' },
    { type: 'string', format: 'email' },
    { type: 'integer', exclusiveMinimum: 3 },
    { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1 },
    { type: 'integer', multipleOf: 7, minimum: 1 },
  ),
);

const names = fc.constantFrom(
  'summary',
  'main_topic',
  'user_name',
  'email',
  'x',
  'description',
  '__proto__',
  'constructor',
);
const schemas = fc.letrec<{ schema: JsonSchema }>(tie => ({
  schema: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    leaf,
    fc
      .tuple(tie('schema'), fc.nat(3))
      .map(([items, minItems]): JsonSchema => ({ type: 'array', items, minItems })),
    fc.uniqueArray(fc.tuple(names, tie('schema')), { selector: ([name]) => name, maxLength: 4 }).map(
      (pairs): JsonSchema => ({
        type: 'object',
        properties: Object.fromEntries(pairs),
        required: pairs.map(([name]) => name),
      }),
    ),
    fc.tuple(tie('schema'), leaf).map(([first, second]): JsonSchema => ({ anyOf: [first, second] })),
  ),
})).schema;

describe('offline model: JSON answers', () => {
  it('fills a schema of a conversation with values that are valid and texts that were said', async () => {
    const said = 'Meu nome é Carla Dias. Quero saber da bolsa de estudos. A bolsa cobre a matrícula?';
    const [value] = await jsonFor([insight], said);
    expect(errorsOf(insight, value)).to.equal(null);
    expect(value).to.have.property('user_name', 'Carla Dias');
    expect(value).to.have.property('level', 'alto');
    expect(value).to.have.nested.property('next.done', false);
    expect(value).to.have.property('main_topic').that.includes('bolsa');
    expect(value)
      .to.have.property('dialogue_summary')
      .that.satisfies((text: string) => said.includes(text));
  });

  it('fills a form with what was said of its fields, and invents nothing else', async () => {
    const form = {
      type: 'object',
      properties: {
        nome: { type: 'string', minLength: 2 },
        curso: { type: 'string', minLength: 2 },
        modalidade: { enum: ['presencial', 'a distância'] },
        cpf: { type: 'string', minLength: 11, maxLength: 14 },
        mes: { type: 'integer', minimum: 1, maximum: 12 },
        bolsa: { type: 'boolean' },
        valor: { type: 'number' },
      },
    };
    const [full, bare] = [
      'Me chamo Ana Souza, CPF 529.982.247-25. Quero o curso de Direito no modo a distancia. Mês: 7; bolsa: sim; valor = R$ 1.120,50',
      'Quero o boleto',
    ];
    const [[filled], [empty]] = await Promise.all([jsonFor([form], full), jsonFor([form], bare)]);
    expect(filled).to.deep.equal({
      nome: 'Ana Souza',
      curso: 'Direito',
      modalidade: 'a distância',
      cpf: '529.982.247-25',
      mes: 7,
      bolsa: true,
      valor: 1120.5,
    });
    expect(empty).to.deep.include({ nome: 'não informado', cpf: 'não informado', bolsa: false, valor: 0 });
    expect([errorsOf(form, filled), errorsOf(form, empty)]).to.deep.equal([null, null]);
  });

  it('writes a value that is valid against any schema of the kinds it knows', async () => {
    const samples = fc.sample(schemas, { numRuns: process.env['RUNS'] ? 200 : 60, seed: 20 });
    const values = await jsonFor(samples, 'Quanto custa a matrícula? Escreva para ana@exemplo.br.');
    const wrong = samples.map((schema, at) => errorsOf(schema, values[at])).filter(Boolean);
    expect(wrong).to.deep.equal([]);
  });

  it('ends on schemas that refer to themselves without end', async () => {
    const loop = {
      $ref: '#/$defs/a',
      $defs: { a: { allOf: [{ $ref: '#/$defs/b' }, { $ref: '#/$defs/b' }] }, b: { $ref: '#/$defs/a' } },
    };
    const bush = {
      type: 'object',
      properties: Object.fromEntries('abcdefgh'.split('').map(key => [key, { $ref: '#' }])),
    };
    const well = { type: 'object', required: ['deeper'], properties: { deeper: { $ref: '#' } } };
    const values = await jsonFor([loop, bush, well], 'oi');
    expect(values).to.have.length(3);
    expect(JSON.stringify(values[2]).length).to.be.below(1000);
    expect(JSON.stringify(values[1]).length).to.be.below(200_000);
  });

  it('answers json_object with an object', async () => {
    await withModelServer(async ({ client }) => {
      const messages = [{ role: 'user', content: 'Resuma: a prova foi adiada.' }] as const;
      const format = { type: 'json_object' } as const;
      const completion = await client.chat.completions.create({
        model,
        messages: [...messages],
        response_format: format,
      });
      expect(JSON.parse(completion.choices[0]?.message.content ?? '')).to.be.an('object').and.not.be.empty;
    });
  });
});

async function jsonFor(schemas: readonly object[], content: string): Promise<unknown[]> {
  const answers: unknown[] = [];
  await withModelServer(async ({ client }) => {
    for (const schema of schemas) {
      const completion = await client.chat.completions.create({
        model,
        messages: [knowledge, { role: 'user', content }],
        response_format: { type: 'json_schema', json_schema: { name: 'answer', schema: { ...schema } } },
      });
      answers.push(JSON.parse(completion.choices[0]?.message.content ?? ''));
    }
  });
  return answers;
}

function errorsOf(schema: object, value: unknown): unknown {
  const validate = ajv.compile(schema);
  return validate(value) ? null : { errors: validate.errors, schema, value };
}
