import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { MAX_VALUES } from '../../api/guards/json-bounds.ts';
import { type OperationName, operationOf } from '../../queues/contract/operations/index.ts';
import { declaredLengths, longList, longMap } from '../queues/declared-lengths.ts';
import { eachOf, expectRefused, openContract } from '../support/contract.ts';
import { openOnce } from '../support/opened.ts';
import { addressOf, bodyOperations, takesLists, tokenFor } from '../support/operation-calls.ts';

/*
 * Bodies of the maximum size, built to be as expensive as possible. Refusing them must be cheap, and the error
 * answers short. Values are counted, and unknown fields dropped, by the same code for all: so one operation of each way of reading stands for
 * the others, except in `npm run test:long`.
 */

const MIB = 1_048_576;
const MAX_ANSWER_LENGTH = 16_384;
const fillers = ['{}', '0'];

describe('a body that is as large as it may be', () => {
  const contract = openOnce(openContract);
  const call = (name: OperationName, body: string) =>
    contract.service.call(addressOf(name), new Uint8Array(gzipSync(body, { level: 1 })), {
      headers: { 'content-encoding': 'gzip' },
      token: tokenFor(contract.service, name),
    });
  const refused = async (name: OperationName, body: string) => {
    const { status, body: answer } = await call(name, body);
    expect(status, JSON.stringify(answer).slice(0, 200)).to.equal(400);
    expect(answer.data.fields.length).to.be.within(1, 20);
    expect(JSON.stringify(answer).length).to.be.below(MAX_ANSWER_LENGTH);
    return answer.data.fields.map(({ path }: { readonly path: string }) => path);
  };
  /** Built as text around a mark, because a list of this length should not be built of objects first. */
  const longBodies = (name: OperationName) =>
    declaredLengths(operationOf(name).body).flatMap(({ path, kind, bodyWith }) => {
      const around = JSON.stringify(bodyWith('mark'));
      const long = kind === 'list' ? longList : longMap;
      // The maximum number of values that is parsed.
      const size = (filler: string) => (MAX_VALUES - 100) * (filler.length + 1);
      return fillers.map(filler => ({ path, body: around.replace('"mark"', long(filler, size(filler))) }));
    });
  const withLengths = bodyOperations.filter(name => declaredLengths(operationOf(name).body).length > 0);

  eachOf(withLengths, 'is refused with the name of the list or map that is too long', async name => {
    for (const { path, body } of longBodies(name)) expect(await refused(name, body)).to.include(path);
  });

  /** One operation of each way of reading, and each that keeps what nobody knows. */
  const counted = process.env['RUNS']
    ? bodyOperations
    : [...new Map(bodyOperations.map(name => [wayOfReading(name), name])).values()];
  const keeping = bodyOperations.filter(name => operationOf(name).takesRecords);

  eachOf(
    [...new Set([...counted, ...keeping])],
    'may have very many fields that nobody knows, or a very long one',
    async name => {
      const json = JSON.stringify(contract.samples[name]);
      const start = json === '{}' ? '{' : `${json.slice(0, -1)},`;
      for (const more of [longMap('0', 110_000).slice(1), `"${'x'.repeat(MIB - 8_192)}":0}`]) {
        const { status, body } = await call(name, start + more);
        // Some samples can be created only once.
        expect(status, JSON.stringify(body).slice(0, 200)).to.be.oneOf([operationOf(name).status, 409]);
      }
    },
  );

  const deep = `${'['.repeat(28)}${']'.repeat(28)}`;
  const crowds = [
    longList('{}', MIB - 200),
    longList(deep, MIB - 200),
    longMap('0', MIB - 200),
    longList('0', MIB - 200),
  ];

  eachOf(counted, 'is refused for the number of its values, whatever is wrong beside it', async name => {
    const message = `holds over ${MAX_VALUES} values`;
    const fields = [{ path: '', rule: 'too-large', limit: MAX_VALUES, message }];
    for (const crowd of crowds)
      expectRefused(await call(name, `{"unknown":${crowd}}`), 'body-invalid', { fields });
    expectRefused(await call(name, crowds[0]?.slice(0, -1) ?? ''), 'body-invalid', { fields });
  });

  it('is taken with the most values that there may be, of which one more is too many', async () => {
    const { hostId, conversationId, question } = contract.samples.reason;
    const sent = { hostId, conversationId, question };
    const other = `${JSON.stringify(sent).slice(0, -1)},"text":${JSON.stringify('[{,":\\"'.repeat(9_999))}, "~": `;
    const withItems = (count: number) => `${other}[ ${Array(count).fill('{}').join(' , ')} ] , "!":[ ] }`;
    // The body object, five fields and the list.
    const most = MAX_VALUES - 7;
    expect((await call('reason', withItems(most))).status).to.equal(200);
    expect(await refused('reason', withItems(most + 1))).to.deep.equal(['']);
  });

  it('is taken with the longest dialogue, and the most events, that there may be', async () => {
    const { samples } = contract;
    const originalDialogue = Array.from({ length: 1_000 }, (_, at) => ({
      role: at % 2 ? 'assistant' : 'user',
      content: `${at}`,
    }));
    const asked = await call('reason', JSON.stringify({ ...samples.reason, originalDialogue }));
    expect(asked.status, JSON.stringify(asked.body).slice(0, 300)).to.equal(200);
    const events = Array(1_000).fill(samples.queueSearchEvents);
    expect((await call('queueSearchEvents', JSON.stringify(events))).status).to.equal(202);
  });

  it('is named by the beginning of a path that is too long', async () => {
    const agent = { frontSchema: { properties: { ['x'.repeat(900_000)]: { type: 1 } } } };
    const [path] = await refused('generateAgent', JSON.stringify({ agent, instructions: 'x' }));
    expect(path).to.match(/^agent\.frontSchema\.properties\.x+…/);
  });
});

function wayOfReading(name: OperationName): string {
  const { takesRecords = false, extras } = operationOf(name);
  return `${takesRecords} ${extras?.includes('upload')} ${extras?.includes('description')} ${takesLists(name)}`;
}
