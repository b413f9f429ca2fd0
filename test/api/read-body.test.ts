import { PassThrough } from 'node:stream';
import { expect } from 'chai';
import type { Ctx } from '../../api/context.ts';
import { documentPlaces } from '../../api/documents/take-documents.ts';
import { makeBodyReader } from '../../api/guards/read-body.ts';
import type { RefusalError } from '../../api/replies/envelope.ts';

describe('a body that is read', () => {
  function contextOf(request: PassThrough) {
    const sent = new Map<string, string>();
    const ctx = {
      req: Object.assign(request, { headers: {}, complete: false, socket: { bytesRead: 13 } }),
      request: { length: undefined, charset: '' },
      res: {},
      is: () => 'application/json',
      set: (name: string, value: string) => sent.set(name, value),
      state: {},
    } as unknown as Ctx;
    return { ctx, sent };
  }

  it('is given up at the time limit of its request, and its connection is closed', async () => {
    const request = new PassThrough();
    request.write('{"question":');
    const { ctx, sent } = contextOf(request);
    const read = makeBodyReader({ timeLimitMs: 5, timeoutRefusal: 'deadline' });
    const error = await read(ctx, async () => {}).then(
      () => undefined,
      (refusal: RefusalError) => refusal,
    );
    expect(error?.failure.code).to.equal(408);
    expect(sent.get('Connection')).to.equal('close');
    expect(ctx.state.body).to.equal(undefined);
  });

  it('is given up where next to nothing comes of it, long before that limit', async () => {
    const { ctx, sent } = contextOf(new PassThrough());
    const limits = { timeLimitMs: 60_000, slowWithinMs: 5 };
    for (const [timeoutRefusal, code] of [
      ['deadline', 408],
      ['overloaded', 503],
    ] as const) {
      const error = await makeBodyReader({ ...limits, timeoutRefusal })(ctx, async () => {}).then(
        () => undefined,
        (refusal: RefusalError) => refusal,
      );
      expect([error?.failure.code, sent.get('Connection')]).to.deep.equal([code, 'close']);
    }
  });

  it('is handed on when it ends in time', async () => {
    const { ctx, sent } = contextOf(new PassThrough().end('{"question":"Oi?"}'));
    await makeBodyReader({ timeLimitMs: 60_000, timeoutRefusal: 'deadline' })(ctx, async () => {});
    expect(ctx.state.body).to.deep.equal({ question: 'Oi?' });
    expect(sent.size).to.equal(0);
  });

  it('may be larger than others only by its documents, and is JSON', async () => {
    const limits = { timeLimitMs: 60_000, timeoutRefusal: 'deadline', bytePlaces: documentPlaces } as const;
    const read = async (json: string) => {
      const { ctx } = contextOf(new PassThrough().end(json));
      const code = await makeBodyReader(limits)(ctx, async () => {}).then(
        () => undefined,
        (refusal: RefusalError) => refusal.failure.code,
      );
      return [code, ctx.state.documents?.size];
    };
    const long = 'é'.repeat(1_000_000);
    expect(await read(`\ufeff{"content":"${long}"}`)).to.deep.equal([undefined, 1]);
    expect(await read(`{"name":"${long}","content":"a"}`)).to.deep.equal([413, 1]);
    expect(await read(`{"content":"a","x":[${'0,'.repeat(1_000_000)}0]}`)).to.deep.equal([400, undefined]);
    for (const wrong of ['{"content":"a', '{"content":"\\x"}', '{"content":"a\nb"}', '{"content":"\\u12"}'])
      expect(await read(wrong), wrong).to.deep.equal([400, undefined]);
  });
});
