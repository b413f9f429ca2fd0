import { expect } from 'chai';
import { fieldError } from '../../platform/field-error.ts';
import { type FormField, parseForm } from '../../workers/domain/schemas/form-answer.ts';
import { isCollected } from '../support/is-collected.ts';

const problemsIn = (fields: Record<string, FormField>, answer: unknown) => {
  const read = parseForm(fields, JSON.stringify(answer));
  return 'errors' in read ? read.errors : [];
};

describe('the answer of a form', () => {
  it('is of the type of its field, and among its values', () => {
    const fields: Record<string, FormField> = {
      size: { type: 'string', enum: ['P', 'M'] },
      'a/b': { type: 'integer' },
      list: { type: 'array', items: { type: 'integer' } },
      map: { type: 'object' },
    };
    const good = { size: 'M', 'a/b': 1, list: [1], map: [{ name: 'k', value: 'v' }] };
    expect(problemsIn(fields, good)).to.deep.equal([]);
    expect(problemsIn(fields, { size: 'G', 'a/b': 1.5, list: ['1'], map: [{ name: 'k' }] })).to.deep.equal([
      fieldError('/size', 'schema', 'must be one of ["P","M"]'),
      fieldError('/a~1b', 'schema', 'must be integer'),
      fieldError('/list', 'schema', 'must have integer items'),
      fieldError('/map', 'schema', 'must be object, or names with values'),
    ]);
  });

  it('has every field, no other, and at most twenty problems', () => {
    const many = Object.fromEntries(
      Array.from({ length: 50 }, (_, at) => [`f${at}`, { type: 'string' as const }]),
    );
    expect(problemsIn(many, {})).to.have.length(20);
    expect(problemsIn({ a: { type: 'string' } }, { b: 1 })).to.deep.equal([
      fieldError('', 'schema', "must have required property 'a'"),
      fieldError('', 'schema', 'must not have "b"'),
    ]);
    expect(problemsIn({ a: { type: 'string' } }, [])).to.deep.equal([
      fieldError('', 'schema', 'must be object'),
    ]);
  });

  it('leaves nothing behind of the fields that came with a request', async () => {
    const read = parseForm({ size: { type: 'string', enum: ['P', 'M'] } }, '{"size":"P"}');
    expect(read).to.deep.equal({ values: { size: 'P' } });
    expect(await isCollected(readOnce())).to.equal(true);
  });
});

function readOnce(): WeakRef<object> {
  const values = Array.from({ length: 100 }, (_, at) => `v${at}`);
  parseForm({ size: { type: 'string', enum: values } }, '{"size":"v1"}');
  return new WeakRef(values);
}
