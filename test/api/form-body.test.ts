import { expect } from 'chai';
import { decodeBody } from '../../api/guards/body-charset.ts';
import { parseForm } from '../../api/guards/form-body.ts';
import { MAX_DEPTH, MAX_VALUES } from '../../api/guards/json-bounds.ts';
import type { RefusalError } from '../../api/replies/envelope.ts';

describe('a form', () => {
  const parse = (form: string) =>
    parseForm(Buffer.from(form).toString('latin1'), bytes => decodeBody(bytes, 'UTF-8'));
  const rulesOf = (form: string) => {
    try {
      return [parse(form)];
    } catch (error) {
      const { data } = (error as RefusalError).failure as { data?: { fields?: readonly { rule: string }[] } };
      return data?.fields?.map(({ rule }) => rule);
    }
  };

  const read: readonly (readonly [string, object])[] = [
    ['', {}],
    ['&a=1&&b=&c', { a: '1', b: '', c: '' }],
    [
      'nome=Jo%C3%A3o+da+Silva&a=b=c&+q+=100%&r=%zz',
      { nome: 'João da Silva', a: 'b=c', q: '100%', r: '%zz' },
    ],
    ['cidade=São Paulo', { cidade: 'São Paulo' }],
    [
      'fields[email][value]=a%40b&fields[email][id]=email',
      { fields: { email: { value: 'a@b', id: 'email' } } },
    ],
    ['fields%5Bnome%5D=Ana', { fields: { nome: 'Ana' } }],
    ['leads[add][0][id]=1&leads[add][1][id]=2', { leads: { add: [{ id: '1' }, { id: '2' }] } }],
    ['custom[417]=x', { custom: { 417: 'x' } }],
    ['c[]=a', { c: ['a'] }],
    ['c=a&c=b&c=c', { c: ['a', 'b', 'c'] }],
    ['a=1&a[b]=2&a[b][c]=3&d[e]=4&d=5', { a: '1', 'a[b]': '2', 'a[b][c]': '3', d: { e: '4' } }],
    ['a[b=1&c]=2&[d]=3&e[f]g=4', { 'a[b': '1', 'c]': '2', '[d]': '3', 'e[f]g': '4' }],
    [`a${'[b]'.repeat(MAX_DEPTH - 1)}=1`, { a: nested(MAX_DEPTH - 1) }],
  ];
  function nested(levels: number): unknown {
    return levels === 0 ? '1' : { b: nested(levels - 1) };
  }

  it('is an object, with those that its brackets say, and loses nothing that it holds', () => {
    for (const [form, object] of read) expect(parse(form), form).to.deep.equal(object);
  });

  it('has the bounds of JSON', () => {
    expect(rulesOf(`a${'[b]'.repeat(MAX_DEPTH)}=1`)).to.deep.equal(['too-large']);
    expect(rulesOf(`a${'[b]'.repeat(300_000)}=1`)).to.deep.equal(['too-large']);
    expect(rulesOf('a=1&'.repeat(MAX_VALUES))).to.deep.equal(['too-large']);
    const deep = Array.from({ length: MAX_VALUES / 20 }, (_, at) => `a${at}${'[b]'.repeat(20)}=1`);
    expect(rulesOf(deep.join('&'))).to.deep.equal(['too-large']);
    expect(rulesOf('a=%E7')).to.deep.equal(['format']);
  });

  it('reaches nothing but itself by names of an object’s own machinery', () => {
    const parsed = parse('__proto__[x]=1&constructor[prototype][x]=2&a[__proto__][x]=3');
    expect(({} as { x?: string }).x).to.equal(undefined);
    expect(Object.keys(parsed)).to.deep.equal(['__proto__', 'constructor', 'a']);
    expect(Object.getPrototypeOf(parsed)).to.equal(Object.prototype);
  });
});
