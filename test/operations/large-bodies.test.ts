import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { type OperationName, operationOf } from '../../queues/operations/index.ts';
import { type Contract, eachOf, openContract } from '../support/contract.ts';
import { declaredLengths, longList, longMap } from '../support/declared-lengths.ts';
import { addressOf, bodyOperations } from '../support/operation-calls.ts';

/*
 * Bodies that are as large as a body may be, and made to cost as much as one can. Refusing them costs little, and what
 * is said of them is short.
 */

const MIB = 1_048_576;
const LONGEST_ANSWER = 16_384;
const fillers = ['{}', '0'];

describe('a body that is as large as it may be', function () {
  this.timeout(60_000);
  let contract: Contract;
  before(async () => {
    contract = await openContract();
  });
  after(() => contract.close());
  const call = (name: OperationName, body: string) =>
    contract.service.call(addressOf(name), new Uint8Array(gzipSync(body, { level: 1 })), {
      headers: { 'content-encoding': 'gzip' },
    });
  const refused = async (name: OperationName, body: string) => {
    const { status, body: answer } = await call(name, body);
    expect(status, JSON.stringify(answer).slice(0, 200)).to.equal(400);
    expect(answer.data.fields.length).to.be.within(1, 20);
    expect(JSON.stringify(answer).length).to.be.below(LONGEST_ANSWER);
    return answer.data.fields.map(({ path }: { readonly path: string }) => path);
  };
  /** Written around a mark, since a list of this length is better not made of objects first. */
  const longBodies = (name: OperationName) =>
    declaredLengths(operationOf(name).body).flatMap(({ path, kind, bodyWith }) => {
      const around = JSON.stringify(bodyWith('mark'));
      const long = kind === 'list' ? longList : longMap;
      return fillers.map(filler => ({ path, body: around.replace('"mark"', long(filler, MIB - 200)) }));
    });
  const withLengths = bodyOperations.filter(name => declaredLengths(operationOf(name).body).length > 0);

  eachOf(withLengths, 'is refused with the name of the list or map that is too long', async name => {
    for (const { path, body } of longBodies(name)) expect(await refused(name, body)).to.include(path);
  });

  // A record is kept with all its fields; the others never look at them.
  const mostOf = (name: OperationName) => (operationOf(name).takesRecords ? 100_000 : MIB - 8_192);

  eachOf(bodyOperations, 'may have very many fields that nobody knows, or a very long one', async name => {
    const json = JSON.stringify(contract.samples[name]);
    const start = json === '{}' ? '{' : `${json.slice(0, -1)},`;
    for (const more of [longMap('0', mostOf(name)).slice(1), `"${'x'.repeat(MIB - 8_192)}":0}`]) {
      const { status, body } = await call(name, start + more);
      // Some samples can be made only once.
      expect(status, JSON.stringify(body).slice(0, 200)).to.be.oneOf([operationOf(name).status, 409]);
    }
  });

  it('is named by the beginning of a path that is too long', async () => {
    const properties = { ['x'.repeat(900_000)]: { type: 1 } };
    const agent = { frontSchema: { properties } };
    const [path] = await refused('generateAgent', JSON.stringify({ agent, instructions: 'x' }));
    expect(path).to.match(/^agent\.frontSchema\.properties\.x+…/);
  });
});
