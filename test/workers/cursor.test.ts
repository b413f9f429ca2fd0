import { expect } from 'chai';
import { integer, object, uuid } from '../../queues/contract/shape.ts';
import { decodeCursor, encodeCursor } from '../../workers/bodies/page.ts';

const ID = '11111111-1111-4111-8111-111111111111';

/** Each list is called with some of these in `operations/list-pages`. */
describe('the cursor of a list', () => {
  const shape = object({ at: integer({ min: 0 }), id: uuid() });
  const key = { at: 1_700_000_000_000_001, id: ID };
  const list = { operation: 'listMessages', hostId: ID, ofId: ID } as const;
  const own = encodeCursor(list, key);
  const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

  it('is the key of its last item, however the id of the row was written', () => {
    expect(decodeCursor(list, shape, own)).to.deep.equal(key);
    const ofId = 'AAAAAAAA-AAAA-4AAA-8AAA-AAAAAAAAAAAA';
    const lower = { ...list, ofId: ofId.toLowerCase() };
    expect(decodeCursor({ ...list, ofId }, shape, encodeCursor(lower, key))).to.deep.equal(key);
  });

  it('is none of another operation, host or row, nor of a list without them', () => {
    for (const other of [
      { ...list, operation: 'listTickets' as const },
      { ...list, hostId: ID.replace('1', '2') },
      { ...list, ofId: ID.replace('1', '2') },
      { operation: list.operation, ofId: ID },
      { operation: list.operation, hostId: ID },
    ])
      expect(decodeCursor(other, shape, own), JSON.stringify(other)).to.equal(undefined);
  });

  it('is none where it is cut, added to, or written in another way', () => {
    const { operation, hostId, ofId } = list;
    const others = [
      '',
      'x',
      own.slice(0, -2),
      own.slice(1),
      `${own}!`,
      `${own}=`,
      `${own}\n`,
      own.toUpperCase(),
      ...[{}, [], null, 7, 'x', key, { ...list, key: {} }, { ...list, key: [] }, { ...list, key: null }].map(
        encoded,
      ),
      encoded({ hostId, operation, ofId, key }),
      encoded({ ...list, key: { id: key.id, at: key.at } }),
      encoded({ ...list, key: { ...key, more: 1 } }),
      encoded({ ...list, key, more: 1 }),
    ];
    for (const cursor of others) expect(decodeCursor(list, shape, cursor), cursor).to.equal(undefined);
  });

  it('is none where a value of its key has another shape', () => {
    for (const other of [
      { at: -1 },
      { at: 0.5 },
      { at: '1' },
      { at: null },
      { id: '' },
      { id: 'x' },
      { id: [] },
    ])
      expect(decodeCursor(list, shape, encoded({ ...list, key: { ...key, ...other } }))).to.equal(undefined);
  });
});
