import { expect } from 'chai';
import type { Part } from '../../queues/transport/parts.ts';
import { keepConnected } from '../../queues/transport/redis/parts.ts';
import { eventually } from '../support/eventually.ts';

describe('the connections to Redis that are kept', () => {
  it('are no trouble of a part that was closed because its first connection failed, which BullMQ never forgets', async () => {
    const failed = Promise.reject(new Error('Connection is closed.'));
    failed.catch(() => {});
    let checks = 0;
    const parts = [
      { closing: Promise.resolve(), getBackend: () => ({ client: failed }) },
      {
        getBackend() {
          checks += 1;
          return { client: Promise.resolve({ status: 'ready' }) };
        },
      },
    ] as unknown as Part[];
    const ending = new AbortController();
    const errors: Error[] = [];
    keepConnected(parts, ending.signal, error => errors.push(error));
    await eventually(
      () => checks,
      seen => seen >= 1,
    );
    ending.abort();
    expect(errors).to.deep.equal([]);
  });
});
