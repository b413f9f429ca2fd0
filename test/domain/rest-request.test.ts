import { expect } from 'chai';
import { formatRestAnswer } from '../../workers/domain/rest-tools/rest-answer.ts';
import { authorize } from '../../workers/domain/rest-tools/rest-auth.ts';
import type { RestFunction } from '../../workers/domain/rest-tools/rest-function.ts';
import { type RestRequest, requestOf } from '../../workers/domain/rest-tools/rest-request.ts';

const system = 'https://erp.example/api/';
const properties = { id: {}, tags: {}, filter: {}, nota: {} };
const called: RestFunction = {
  name: 'f',
  description: '',
  method: 'GET',
  path: '/notas/{id}',
  arguments: { type: 'object', properties },
};
const args = { id: 'é/1', tags: ['a b', 'c&d'], filter: { de: 1, ate: null } };

describe('the request of a REST function', () => {
  const requestFor = (more: Partial<RestFunction>, sent: Record<string, unknown> = args): RestRequest => {
    const built = requestOf(system, { ...called, ...more }, sent);
    if ('error' in built) throw new Error(built.error);
    return built;
  };
  const queryOf = (more: Partial<RestFunction>, sent?: Record<string, unknown>) =>
    requestFor(more, sent).url.split('?')[1];

  it('writes lists and objects in the query as its style says', () => {
    const styles: [Omit<NonNullable<RestFunction['query']>[number], 'argument'>, string, string][] = [
      [{}, 'tags=a%20b&tags=c%26d', 'de=1&ate='],
      [{ explode: false }, 'tags=a%20b,c%26d', 'filter=de,1,ate,'],
      [{ style: 'spaceDelimited' }, 'tags=a%20b%20c%26d', 'filter=de,1,ate,'],
      [{ style: 'pipeDelimited' }, 'tags=a%20b%7Cc%26d', 'filter=de,1,ate,'],
      [{ style: 'deepObject', name: 'f' }, 'f=a%20b,c%26d', 'f%5Bde%5D=1&f%5Bate%5D='],
    ];
    for (const [style, tags, filter] of styles) {
      const { id } = args;
      expect(queryOf({ query: [{ argument: 'tags', ...style }] }, { id, tags: args.tags })).to.equal(tags);
      expect(queryOf({ query: [{ argument: 'filter', ...style }] }, { id, filter: args.filter })).to.equal(
        filter,
      );
    }
  });

  it('writes deeper values of a deepObject as servers read them', () => {
    const filter = { de: 1, tags: ['a b', 'c'], ate: { dia: 2 } };
    const sent = queryOf({ query: [{ argument: 'filter', style: 'deepObject' }] }, { id: 1, filter });
    expect(decodeURIComponent(sent ?? '')).to.equal(
      'filter[de]=1&filter[tags]=a b&filter[tags]=c&filter[ate][dia]=2',
    );
  });

  it('has the items of a list in its path, and no place for an empty one', () => {
    expect(decodeURIComponent(requestFor({}, { id: [1, 'b'] }).url)).to.equal(`${system}notas/1,b`);
    expect(requestOf(system, called, { id: [] })).to.have.property('error');
    expect(requestOf(system, called, { id: ['..'] })).to.have.property('error');
  });

  it('has the other arguments in the query where the method has no body, else in the form of its body', () => {
    const sent = { id: 1, nota: 'oi', tags: ['a', 'b'], unknown: 'x' };
    for (const method of ['GET', 'HEAD', 'DELETE'] as const) {
      const { url, body } = requestFor({ method }, sent);
      expect([url, body]).to.deep.equal([`${system}notas/1?nota=oi&tags=a&tags=b`, undefined]);
    }
    const bodyOf = (body: RestFunction['body']) =>
      requestFor({ method: 'POST', ...(body ? { body } : {}) }, sent).body;
    const json = { type: 'application/json', text: '{"nota":"oi","tags":["a","b"]}' };
    expect([bodyOf(undefined), bodyOf('json')]).to.deep.equal([json, json]);
    const form = { type: 'application/x-www-form-urlencoded', text: 'nota=oi&tags=a&tags=b' };
    expect(bodyOf('form')).to.deep.equal(form);
    const parts = [
      ['nota', 'oi'],
      ['tags', 'a'],
      ['tags', 'b'],
    ];
    expect(bodyOf('multipart')).to.deep.equal({ parts });
    expect(bodyOf('text')).to.include({ text: 'oi\na\nb' });
    expect(requestFor({ method: 'POST' }, { id: 1 }).body).to.equal(undefined);
  });

  it('puts headers and cookies where they belong, and none for what is null', () => {
    const places = { headers: [{ argument: 'tags', name: 'X-Tags' }], cookies: [{ argument: 'nota' }] };
    const { headers } = requestFor(places, { id: 1, tags: ['a', 'b'], nota: 'x; y' });
    expect(headers).to.deep.equal({ 'X-Tags': 'a,b', cookie: 'nota=x%3B%20y' });
    expect(requestFor(places, { id: 1, tags: null }).headers).to.deep.equal({});
    expect(requestOf(system, { ...called, ...places }, { id: 1, tags: 'a\r\nB: c' })).to.have.property(
      'error',
    );
  });

  it('never leaves its path, whatever an argument says', () => {
    for (const id of ['..', '.', '../admin', '..\\admin', 'a/../b', '%2e%2e', '', undefined, null])
      expect(requestOf(system, called, { id }), String(id)).to.have.property('error');
    expect(requestOf(system, { ...called, path: '/{id}{nota}' }, { id: '.', nota: '.' })).to.have.property(
      'error',
    );
    for (const id of ['a?b=1', 'a#b', 'a/b', '//evil.example', '@evil.example', '..a']) {
      const { origin, pathname, search } = new URL(requestFor({}, { id }).url);
      expect([origin, decodeURIComponent(pathname), search]).to.deep.equal([
        'https://erp.example',
        `/api/notas/${id}`,
        '',
      ]);
    }
  });

  it('carries the secret in place of an argument of the same name', () => {
    const query = [{ argument: 'nota', name: 'key' }, { argument: 'tags' }];
    const sent = { id: 1, nota: 'meu', tags: ['a'] };
    const withKey = authorize(requestFor({ query }, sent), [{ kind: 'query', name: 'key', secret: 's&1' }]);
    expect(withKey.url).to.equal(`${system}notas/1?tags=a&key=s%261`);
    const headers = [{ argument: 'nota', name: 'x-key' }];
    const withHeader = authorize(requestFor({ headers }, sent), [
      { kind: 'header', name: 'X-Key', secret: 's1' },
    ]);
    expect(withHeader.headers).to.deep.equal({ 'X-Key': 's1' });
  });
});

describe('the answer of a REST function', () => {
  const format = (text: string, pick?: string[]) =>
    formatRestAnswer({ status: 200, mediaType: 'application/json', text }, pick);

  it('is what the pointers name, each part in its place', () => {
    const answer = JSON.stringify({ a: { b: [{ c: 1, d: 2 }, { d: 3 }], 'x/y': 4 }, e: 5 });
    const picks: [string[], string][] = [
      [['/a/b/*/c', '/e'], '{"a":{"b":[{"c":1}]},"e":5}'],
      [['/a/b/1'], '{"a":{"b":[{"d":3}]}}'],
      [['/a/x~1y'], '{"a":{"x/y":4}}'],
      [['/*/b/*/d'], '{"a":{"b":[{"d":2},{"d":3}]}}'],
      [['/nada'], ''],
    ];
    for (const [pick, text] of picks) expect(format(answer, pick), pick.join()).to.equal(text);
    expect(format('{"__proto__": {"a": 1}}', ['/__proto__/a'])).to.equal('{"__proto__":{"a":1}}');
  });

  it('is given as it was written where it fits, and is named where it is no text', () => {
    for (const text of ['{"id": 12345678901234567890}', 'linha;valor\n1;2', '{"cut'])
      expect(format(text)).to.equal(text);
    expect(format(' ')).to.equal('O sistema respondeu 200, sem conteúdo.');
    expect(format('PK\0\0')).to.equal('[arquivo application/json]');
  });
});
