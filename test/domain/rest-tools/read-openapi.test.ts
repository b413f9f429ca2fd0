import { expect } from 'chai';
import { type DescribedSystem, readOpenApi } from '../../../workers/domain/rest-tools/read-openapi.ts';
import { argumentErrorsOf } from '../../../workers/domain/schemas/schema-errors.ts';

const SCHOOL = `
openapi: 3.0.3
info: { title: Boletos da escola, version: '1' }
servers:
  - url: https://{ambiente}.escola.example/{versao}/
    variables:
      ambiente: { default: api, enum: [api, homologacao] }
      versao: { default: v1 }
security: [{ chave: [] }]
paths:
  /boletos/{cpf}:
    parameters:
      - { name: cpf, in: path, required: true, schema: { type: string }, description: CPF do aluno }
      - { name: X-Chave, in: header, required: true, schema: { type: string } }
    get:
      operationId: listarBoletos
      summary: Lista os boletos
      description: Em aberto, do mais velho ao mais novo.
      parameters:
        - { name: 'situacao[]', in: query, schema: { type: array, items: { type: string } } }
        - { name: campos, in: query, explode: false, schema: { type: array, items: { type: string } } }
        - { name: vencimento, in: query, style: deepObject, schema: { $ref: '#/components/schemas/Periodo' } }
        - { name: filtro, in: query, content: { application/json: { schema: { $ref: '#/components/schemas/Periodo' } } } }
        - { name: X-Unidade, in: header, schema: { type: integer } }
        - { name: Accept, in: header, schema: { type: string } }
        - { name: sessao, in: cookie, schema: { type: string } }
    put:
      parameters: [{ $ref: '#/components/parameters/Id' }]
      requestBody:
        required: true
        content: { application/json: { schema: { $ref: '#/components/schemas/Boleto' } } }
  /anexos:
    post:
      operationId: anexar
      requestBody:
        content:
          multipart/form-data:
            schema:
              type: object
              required: [texto]
              properties: { texto: { type: string }, foto: { type: string, format: binary } }
  /sinal:
    post:
      operationId: sinal
      requestBody: { content: { text/plain: {} } }
  /token:
    post:
      operationId: token
      requestBody: { content: { application/xml: {}, application/x-www-form-urlencoded: { schema: { properties: { a: {} } } } } }
components:
  parameters:
    Id: { name: id, in: query, required: true, schema: { type: integer } }
  securitySchemes:
    senha: { type: http, scheme: Basic }
    chave: { type: apiKey, in: header, name: x-chave, description: Peça na secretaria }
    oauth: { type: oauth2, flows: {} }
    token: { type: http, scheme: bearer }
    outra: { type: apiKey, in: query, name: key }
    mtls: { type: mutualTLS }
  schemas:
    Periodo: { type: object, properties: { de: { type: string }, ate: { type: string } } }
    Boleto:
      allOf:
        - { $ref: '#/components/schemas/Titulo' }
        - { type: object, required: [valor], properties: { valor: { type: number }, pai: { $ref: '#/components/schemas/Boleto' } } }
    Titulo:
      type: object
      required: [id, linha]
      properties: { id: { type: string }, linha: { type: string, readOnly: true } }
`;

const read = (text: string | object) => readOpenApi(typeof text === 'string' ? text : JSON.stringify(text));
const systemOf = (text: string | object) => read(text) as DescribedSystem;
const refusalOf = (text: string | object) =>
  (read(text) as { path: string; rule: string }[]).map(({ path, rule }) => `${path} ${rule}`);
const leftOf = (text: string | object) => systemOf(text).left.map(({ path, rule }) => `${path} ${rule}`);
const described = (paths: object, others: object = {}) => ({ openapi: '3.1.0', paths, ...others });
const ofBody = (schema: object, type = 'application/json') => ({
  requestBody: { content: { [type]: { schema } } },
});

describe('an OpenAPI description', () => {
  const { functions, baseURLs, auth, left } = systemOf(SCHOOL);
  const functionOf = (name: string) => functions.find(each => each.name === name);

  it('becomes functions, the same of YAML and of JSON, whose arguments have their places', () => {
    expect(left).to.deep.equal([]);
    const text = { type: 'string' };
    expect(functionOf('listarBoletos')).to.deep.equal({
      name: 'listarBoletos',
      description: 'Lista os boletos – Em aberto, do mais velho ao mais novo.',
      method: 'GET',
      path: '/boletos/{cpf}',
      query: [
        { argument: 'situacao', name: 'situacao[]' },
        { argument: 'campos', explode: false },
        { argument: 'vencimento', style: 'deepObject' },
        { argument: 'filtro' },
      ],
      headers: [{ argument: 'X-Unidade' }],
      cookies: [{ argument: 'sessao' }],
      arguments: {
        type: 'object',
        properties: {
          cpf: { type: 'string', description: 'CPF do aluno' },
          situacao: { type: 'array', items: text },
          campos: { type: 'array', items: text },
          vencimento: { $ref: '#/$defs/Periodo' },
          filtro: { type: 'string', contentMediaType: 'application/json', description: '(JSON: de, ate)' },
          'X-Unidade': { type: 'integer' },
          sessao: text,
        },
        required: ['cpf'],
        $defs: { Periodo: { type: 'object', properties: { de: text, ate: text } } },
      },
    });
    expect(systemOf(JSON.stringify({ openapi: '3.1.0', paths: { '/a': { get: {} } } }))).to.deep.equal(
      systemOf('openapi: 3.1.0\npaths: { /a: { get: {} } }'),
    );
  });

  it('keeps two arguments of one name apart, merges the parts of its body, and asks for nothing that only an answer has', () => {
    const put = functionOf('put_boletos_cpf');
    expect(put).to.deep.include({ query: [{ argument: 'id_query', name: 'id' }], body: 'json' });
    expect(put?.arguments['required']).to.deep.equal(['id', 'valor', 'cpf', 'id_query']);
    expect(Object.keys(put?.arguments['properties'] as object)).to.deep.equal([
      'id',
      'valor',
      'pai',
      'cpf',
      'id_query',
    ]);
  });

  it('has bodies as a form, as multipart without its files, and as text', () => {
    expect(functionOf('token')?.body).to.equal('form');
    expect(functionOf('sinal')).to.deep.include({ body: 'text' });
    expect(functionOf('anexar')).to.deep.include({ body: 'multipart' });
    expect(functionOf('anexar')?.arguments['properties']).to.deep.equal({ texto: { type: 'string' } });
  });

  it('proposes together what is wanted together, and names what a tool cannot send', () => {
    const apiKey = (name: string, place = 'header') => ({ type: 'apiKey', in: place, name });
    const securitySchemes = {
      a: apiKey('app_key'),
      b: apiKey('app_secret'),
      c: apiKey('sid', 'cookie'),
      q: apiKey('token', 'query'),
      r: apiKey('r'),
      tls: { type: 'mutualTLS' },
      jwt: { type: 'http', scheme: 'bearer' },
      basic: { type: 'http', scheme: 'basic' },
    };
    const authOf = (security: unknown, operation = {}) =>
      systemOf(described({ '/a': { get: operation } }, { security, components: { securitySchemes } })).auth;
    const [a, b] = ['app_key', 'app_secret'].map(name => ({ kind: 'header' as const, name }));
    const [q, jwt] = [{ kind: 'query', name: 'token' }, { kind: 'bearer' }];
    const ofAll = authOf([{ a: [], b: [] }]);
    expect(ofAll[0]).to.deep.equal([a, b]);
    expect(ofAll.filter(each => Array.isArray(each))).to.have.length(1);
    expect(authOf(undefined, { security: [{ b: [], a: [] }] })[0]).to.deep.equal([b, a]);
    expect(authOf([{ a: [], b: [] }, { a: [] }]).slice(0, 2)).to.deep.equal([a, [a, b]]);
    expect(authOf([{ a: [] }, { b: [] }]).slice(0, 2)).to.deep.equal([a, b]);
    expect(authOf([{ a: [], c: [], tls: [] }])[0]).to.deep.equal({ ...a, missing: ['sid', 'tls'] });
    expect(
      authOf([
        { c: [], a: [] },
        { a: [], b: [] },
      ])[0],
    ).to.deep.equal([a, b]);
    expect(authOf([{ a: [], q: [], tls: [] }])[0]).to.deep.equal([
      { ...a, missing: ['tls'] },
      { ...q, missing: ['tls'] },
    ]);
    const missing = { missing: ['r'] };
    const most = [a, b, q].map(each => ({ ...each, ...missing }));
    expect(authOf([{ a: [], b: [], q: [], r: [] }])[0]).to.deep.equal(most);
    expect(authOf([{ jwt: [], basic: [] }])[0]).to.deep.equal({ ...jwt, missing: ['basic'] });
  });

  it('is of a version that is written as a number, as YAML takes it without quotes', () => {
    for (const version of ['3.0', '3.1'])
      expect(systemOf(`openapi: ${version}\npaths: { /a: { get: {} } }`).functions, version).to.have.length(
        1,
      );
    expect(refusalOf('openapi: 3.2\npaths: {}')).to.deep.equal(['/openapi unsupported']);
  });

  it('lets each choice of a body have its own values of a field that tells them apart', () => {
    const choice = (kind: string, field: string) => ({
      type: 'object',
      required: ['tipo', field],
      properties: { tipo: { type: 'string', enum: [kind] }, [field]: { type: 'string' } },
    });
    const body = ofBody({ oneOf: [choice('F', 'cpf'), choice('J', 'cnpj')] });
    const [made] = systemOf(described({ '/a': { post: body } })).functions;
    const args = made?.arguments ?? {};
    for (const sent of [
      { tipo: 'F', cpf: '1' },
      { tipo: 'J', cnpj: '2' },
    ])
      expect(argumentErrorsOf(args, sent)).to.deep.equal([]);
    expect(argumentErrorsOf(args, { tipo: 'X' })).not.to.deep.equal([]);
  });

  it('takes the listed values of a field in the type that it has', () => {
    for (const [type, values, sent] of [
      ['integer', ['1', '2'], 1],
      ['number', ['1.5'], 1.5],
      ['string', [1, true], '1'],
      ['boolean', ['true', 'false'], false],
    ] as const) {
      const parameters = [{ name: 'a', in: 'query', schema: { type, enum: values } }];
      const [made] = systemOf(described({ '/a': { get: { parameters } } })).functions;
      expect(argumentErrorsOf(made?.arguments ?? {}, { a: sent }), type).to.deep.equal([]);
    }
  });

  it('leaves out a path with a query or a space, which a function that is written out cannot have', () => {
    expect(leftOf(described({ '/a?b=1': { get: {} }, '/c d': { get: {} } }))).to.deep.equal([
      '/paths/~1a?b=1/get unsupported',
      '/paths/~1c d/get unsupported',
    ]);
  });

  it('tells where it is, with the defaults of its variables first', () => {
    expect(baseURLs).to.deep.equal([
      'https://api.escola.example/v1',
      'https://homologacao.escola.example/v1',
    ]);
    const of = (servers: unknown) => systemOf(described({ '/a': { get: { servers } } })).baseURLs;
    expect(of([{ url: '/api/' }, { url: 'ftp://a' }, { url: 'https://{x}' }, 7])).to.deep.equal(['/api']);
  });

  it('proposes how to sign in, first as all of it does, and asks no model for what that is', () => {
    expect(auth).to.deep.equal([
      { kind: 'header', name: 'x-chave', description: 'Peça na secretaria' },
      { kind: 'basic' },
      { kind: 'bearer' },
      { kind: 'query', name: 'key' },
    ]);
    expect(functionOf('listarBoletos')?.arguments['properties']).not.to.have.property('X-Chave');
  });

  it('names by its place what cannot be a function, and keeps the others', () => {
    const get = { operationId: 'a' };
    const system = described(
      {
        '/a': { get, post: { ...get, ...ofBody({ type: 'array', items: {} }) } },
        '/b': { post: ofBody({}, 'application/xml'), put: { parameters: [{ $ref: 'outro.yaml#/a' }] } },
        '/c': { $ref: '#/paths/~1d' },
        '/d': { $ref: '#/paths/~1c' },
        '/e/{f}': {
          post: ofBody({ required: ['a'], properties: { a: { format: 'binary' } } }, 'multipart/form-data'),
        },
        '/f/{g}': { get: { parameters: [{ in: 'path', name: 'g', required: true, style: 'matrix' }] } },
        '/g': { get: { ...get, servers: [{ url: 'https://b.example' }] } },
        '/h': { post: ofBody({ $ref: '#/components/schemas/A' }) },
      },
      {
        servers: [{ url: 'https://a.example' }],
        components: { schemas: { A: { $ref: '#/components/schemas/A' } } },
      },
    );
    expect(systemOf(system).functions.map(({ name }) => name)).to.deep.equal(['a']);
    expect(leftOf(system)).to.have.members([
      '/paths/~1a/post/requestBody/content/application~1json/schema unsupported',
      '/paths/~1b/post/requestBody/content unsupported',
      '/paths/~1b/put/parameters/0 unknown',
      '/paths/~1c unknown',
      '/paths/~1d unknown',
      '/paths/~1e~1{f}/post/requestBody/content/multipart~1form-data/schema/properties/a unsupported',
      '/paths/~1f~1{g}/get/parameters/0 unsupported',
      '/paths/~1g/get unsupported',
      '/paths/~1h/post/requestBody/content/application~1json/schema unknown',
    ]);
  });

  it('may have names of prototypes, operations of one name, and schemas that contain themselves', () => {
    const parameters = [
      { in: 'query', name: '__proto__' },
      { in: 'query', name: 'constructor', required: true },
    ];
    const text = JSON.stringify(
      described({ '/a/{toString}': { get: { operationId: 'x', parameters }, delete: { operationId: 'x' } } }),
    );
    const [first, second] = systemOf(text).functions;
    expect(second?.name).to.equal('x_2');
    expect(first?.query?.map(({ argument }) => argument)).to.deep.equal(['__proto__', 'constructor']);
    expect(first?.arguments['required']).to.deep.equal(['constructor', 'toString']);
    expect({}).not.to.have.property('get');
  });

  it('is refused by name where it is none, or of another version', () => {
    expect(refusalOf('swagger: "2.0"\npaths: {}')).to.deep.equal(['/swagger unsupported']);
    expect(refusalOf('openapi: 4.0.0')).to.deep.equal(['/openapi unsupported']);
    expect(refusalOf('openapi: 3.1')).to.deep.equal(['/paths required']);
    expect(refusalOf('[1]')).to.deep.equal([' type']);
    for (const text of ['', '{"openapi": ', 'a: b: c', 'a: 1\n---\nb: 2', '!!js/function x'])
      expect(refusalOf(text), text).to.deep.equal([' unreadable']);
  });

  const anchors = Array.from({ length: 30 }, (_, at) => `b${at}: &b${at} [*b${at - 1}, *b${at - 1}]`);
  const operations = (count: number, operation: object) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`/p${at}`, { post: operation }]));
  const HUGE: readonly (readonly [title: string, text: string, refusal: string])[] = [
    ['too long', ' '.repeat(5 * 1_048_576 + 1), ' max-length'],
    ['of anchors that multiply', `b-1: &b-1 [1]\n${anchors.join('\n')}`, ' too-large'],
    ['of an anchor within itself', 'openapi: 3.1.0\npaths: &a { /a: *a }', ' too-large'],
    ['nested deeply in JSON', `{"a":${'['.repeat(1e6)}${']'.repeat(1e6)}}`, ' too-large'],
    ['nested deeply in YAML', '- '.repeat(1e6), ' unreadable'],
    [
      'of merges that multiply',
      `a: &a { ${Array.from({ length: 9_000 }, (_, at) => `k${at}: 1`).join(', ')} }\n${Array.from({ length: 9_000 }, (_, at) => `b${at}: { <<: *a }`).join('\n')}`,
      ' unreadable',
    ],
    ['of 10,000 operations', JSON.stringify(described(operations(10_000, {}))), '/paths max-items'],
    ['of a million values', `[${'1,'.repeat(1e6)}1]`, ' too-large'],
  ];
  for (const [title, text, refusal] of HUGE)
    it(`is refused by name where it is ${title}`, () => {
      expect(refusalOf(text)).to.deep.equal([refusal]);
    });

  it('is read in part where all its operations have a body that is too large', () => {
    const schemas = { A: { properties: { a: { description: 'a'.repeat(65_000) } } } };
    const paths = operations(2_000, ofBody({ $ref: '#/components/schemas/A' }));
    const left = leftOf(described(paths, { components: { schemas } }));
    expect([left[0], left[250], left[251], left[1_999]]).to.deep.equal([
      '/paths/~1p0/post max-length',
      '/paths/~1p250/post max-length',
      '/paths/~1p251/post too-large',
      '/paths/~1p1999/post too-large',
    ]);
  });

  it('has addresses of a bounded length, whatever its variables name', () => {
    const variables = Object.fromEntries(
      Array.from({ length: 40 }, (_, at) => [`a${at}`, { default: `{a${at + 1}}{a${at + 1}}` }]),
    );
    const of = (url: string) =>
      systemOf(described({ '/a': { get: {} } }, { servers: [{ url, variables }] })).baseURLs;
    expect(of('https://a.example/{a0}')).to.deep.equal([]);
    expect(of(`https://a.example/${'{a1}'.repeat(1_000)}`)).to.deep.equal([]);
  });
});
