import { expect } from 'chai';
import type { FieldError } from '../../../platform/field-error.ts';
import { baseURLOf, readDescribed } from '../../../workers/domain/rest-tools/described-choice.ts';

const described = (paths: object) => JSON.stringify({ openapi: '3.1.0', paths });
const paths = (count: number, operation: object = {}) =>
  Object.fromEntries(
    Array.from({ length: count }, (_, at) => [`/p${at}`, { post: { operationId: `op${at}`, ...operation } }]),
  );
const SCHOOL = described({
  '/boletos/{cpf}': { get: { operationId: 'listar boletos', description: 'x'.repeat(900) } },
  '/lote': { post: { operationId: 'lote', requestBody: { content: { 'application/xml': {} } } } },
  '/a/../b': { get: { operationId: 'acima' } },
});
const take = (text: string, operations?: string[]) =>
  readDescribed(text, { kind: 'take', operations, max: 100 });
const errorsOf = (text: string, operations?: string[]) =>
  (take(text, operations) as FieldError[]).map(({ path, rule, message }) => `${path} ${rule}: ${message}`);

describe('a choice of operations of an OpenAPI file', () => {
  it('takes those that are named by id or name of a function, in that order', () => {
    for (const wanted of ['listar boletos', 'listar_boletos'])
      expect(take(SCHOOL, [wanted])).to.have.nested.property('functions[0].name', 'listar_boletos');
    expect(take(described(paths(3)), ['op2', 'op0'])).to.have.nested.property('functions[0].path', '/p2');
  });

  it('takes of two whose ids are alike but for their accents the one that is meant', () => {
    const alike = described({
      '/c': { get: { operationId: 'ação' } },
      '/d': { get: { operationId: 'acao' } },
      '/e': { get: { operationId: 'acao_2' } },
    });
    for (const [wanted, path] of [
      ['ação', '/c'],
      ['acao', '/d'],
      ['acao_2', '/e'],
      ['acao_3', '/c'],
    ] as const)
      expect(take(alike, [wanted]), wanted).to.have.nested.property('functions[0].path', path);
    expect(take(alike, ['ação', 'acao']))
      .to.have.property('functions')
      .with.lengthOf(2);
    expect(errorsOf(alike, ['ação', 'acao_3'])[0]).to.match(/^operations\[1\] taken/);
  });

  it('lists all that can be functions, without what only a model needs', () => {
    const listed = readDescribed(SCHOOL, { kind: 'list' });
    expect(listed).to.have.nested.property('functions').with.lengthOf(2);
    expect(listed).to.have.nested.property('functions[0].description').with.lengthOf(300);
    expect(listed).to.have.nested.property('functions[0].arguments').that.deep.equals({});
    expect(listed).to.have.nested.property('left[0].operation', 'lote');
  });

  const long = { requestBody: { content: { 'application/json': { schema: { $ref: '#/paths/x' } } } } };
  const large = { x: { properties: { a: { description: 'a'.repeat(14_000) } } }, ...paths(90, long) };
  const refused: readonly (readonly [
    title: string,
    text: string,
    operations: string[] | undefined,
    said: RegExp,
  ])[] = [
    ['no OpenAPI', '[1]', undefined, /^openapi type: must be/],
    [
      'of Swagger',
      'swagger: "2.0"',
      undefined,
      /^openapi unsupported: \/swagger is a description of Swagger 2/,
    ],
    ['of too many operations', described(paths(101)), undefined, /^operations required: .*101 operations/],
    [
      'of nothing but a loop',
      described({ '/a': { $ref: '#/paths/~1a' } }),
      undefined,
      /^openapi unknown: \/paths\/~1a leads/,
    ],
    ['asked for what it has not', SCHOOL, ['lote2'], /^operations\[0\] unknown: /],
    [
      'asked for what can be no function',
      SCHOOL,
      ['listar boletos', 'lote'],
      /^operations\[1\] unsupported: \/paths\/~1lote/,
    ],
    ['asked for one twice', SCHOOL, ['listar boletos', 'listar_boletos'], /^operations\[1\] taken: /],
    [
      'asked for a path that climbs',
      SCHOOL,
      ['acima'],
      /^operations\[0\] format: acima must have no segment/,
    ],
    ['asked for more than a body may have', described(large), undefined, /^operations too-large: /],
  ];
  for (const [title, text, operations, said] of refused)
    it(`is refused by its field where the file is ${title}`, () => {
      expect(errorsOf(text, operations)).to.have.length(1);
      expect(errorsOf(text, operations)[0]).to.match(said);
    });
});

describe('the address of a system with an OpenAPI file', () => {
  const erp = 'https://erp.example';

  it('is what is sent, or else the server of the file', () => {
    expect(baseURLOf(undefined, [`${erp}/api`, 'https://b.example'])).to.equal(`${erp}/api`);
    expect(baseURLOf(`${erp}/x`, ['https://b.example'])).to.equal(`${erp}/x`);
    expect(baseURLOf(`${erp}/x`, [])).to.equal(`${erp}/x`);
    expect(baseURLOf(undefined, [])).to.equal(undefined);
  });

  it('has the path of the file where that is all it says, at the origin that is sent', () => {
    expect(baseURLOf(`${erp}/openapi.json`, ['/api'])).to.equal(`${erp}/api`);
    expect(baseURLOf(undefined, ['/api'])).to.include({ path: 'baseURL', rule: 'required' });
    for (const other of ['//evil.example/api', '/\\evil.example', '/\t/evil.example'])
      expect(baseURLOf(`${erp}/x`, [other]), other).to.equal(`${erp}/x`);
    expect(baseURLOf('no address', ['/api'])).to.equal('no address');
  });
});
