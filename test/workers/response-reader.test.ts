import { randomUUID } from 'node:crypto';
import { mock } from 'node:test';
import { expect } from 'chai';
import fc from 'fast-check';
import { makeTokenBucket } from '../../platform/token-bucket.ts';
import { ResponseTooLargeError } from '../../workers/tools/response-meter.ts';
import { type BodyForm, readParsed } from '../../workers/tools/response-reader.ts';

const MIB = 1_048_576;
const EVENTS: BodyForm = { events: { isRight: () => true, maxBytes: 8 * MIB } };
const FORMS = { 'a body': {}, 'an event': EVENTS } as const;

describe('what the address of a tenant answers', () => {
  const respond = (pieces: readonly string[], status = 200) =>
    new Response(ReadableStream.from(pieces.map(piece => Buffer.from(piece))), { status });
  const read = (body: string | readonly string[], form: BodyForm = {}, hostId: string = randomUUID()) =>
    readParsed(respond([body].flat()), hostId, form).text();
  const isRefused = (reading: Promise<string>) =>
    reading.then(
      () => false,
      (error: unknown) => error instanceof ResponseTooLargeError,
    );
  const large = JSON.stringify({ large: 'x'.repeat(100_000) });
  const small = JSON.stringify({ small: 'x'.repeat(1_000) });

  /** Reads for two hosts, works on each message for 20 ms, and returns the shortest pause between two. */
  async function shortestPause(message: string, form: BodyForm): Promise<number> {
    const worked = await Promise.all(
      Array.from({ length: 6 }, async (_, at) => {
        const { body } = readParsed(respond([`${message}\n\n`]), `host ${at % 2}`, form);
        const reader = body?.getReader();
        // A body is parsed at its end, and an event when it comes.
        while ((await reader?.read())?.done === false && !form.events);
        const startedAt = performance.now();
        while (performance.now() - startedAt < 20);
        return { startedAt, endedAt: performance.now() };
      }),
    );
    const sorted = worked.toSorted((one, other) => one.startedAt - other.startedAt);
    return Math.min(...sorted.slice(1).map(({ startedAt }, at) => startedAt - (sorted[at]?.endedAt ?? 0)));
  }

  for (const [title, form] of Object.entries(FORMS)) {
    const prefix = title === 'a body' ? '' : 'data: ';

    it(`is parsed one by one, with a pause as long as the work on each, where it is large: ${title}`, async () => {
      expect(await shortestPause(prefix + large, form)).to.be.at.least(20);
      // A pause is a timer, and none of these ends.
      mock.timers.enable({ apis: ['setTimeout'] });
      await shortestPause(prefix + small, form).finally(() => mock.timers.reset());
    });

    it(`is refused where it is too large, has too many values or is too deep: ${title}`, async () => {
      const deep = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
      const digits = `2.${'4703282292'.repeat(10)}e-324`;
      const kept = [
        `"${'1'.repeat(4 * MIB - 100)}"`,
        `[${Array(20_000).fill('{}').join()}]`,
        `[${Array(5_000).fill(digits).join()}]`,
        `"${'[{,'.repeat(100_000)}\\"${'['.repeat(100_000)}"`,
        deep(2_000),
      ];
      const refused = [
        `"${'1'.repeat(4 * MIB)}"`,
        `[${Array(30_000).fill('{}').join()}]`,
        `[${Array(20_000).fill(digits).join()}]`,
        `{"a":${'[{"a":'.repeat(1_000)}1${'}]'.repeat(1_000)}}`,
        deep(2_001),
      ];
      for (const json of kept) {
        const body = `${prefix}${json}\n\n`;
        expect((await read(body, form)) === body, json.slice(0, 40)).to.equal(true);
      }
      for (const json of refused) {
        const pieces = `${prefix}${json}\n\n`.match(/[^]{1,60000}/g) ?? [];
        expect(await isRefused(read(pieces, form)), json.slice(0, 40)).to.equal(true);
      }
    });
  }

  it('is passed on by whole events, and otherwise as it came, however it was cut into pieces', async () => {
    const part = fc.constantFrom('data: {}', 'é: "', '\n', '\r', '\r\n', '\n\n', '\r\n\r\n', ':', '\\"', '[');
    const pieces = fc.array(fc.array(part, { maxLength: 8 }).map(parts => parts.join('')));
    await fc.assert(
      fc.asyncProperty(pieces, async sent => {
        const { body } = readParsed(respond(sent), randomUUID(), EVENTS);
        const passed: string[] = [];
        for await (const piece of body ?? []) passed.push(Buffer.from(piece).toString());
        expect(passed.join('')).to.equal(sent.join(''));
        for (let count = 1; count < passed.length; count += 1)
          expect(passed.slice(0, count).join('')).to.match(/(?:\n\n|\r\r|\r\n\r\n)$/);
      }),
    );
  });

  it('may be longer as a stream than as one message, and is refused beyond the limit of its form', async () => {
    const event = `data: "${'x'.repeat(MIB)}"\r\n\r\n`;
    expect(await read(Array(7).fill(event), EVENTS)).to.have.length(7 * event.length);
    expect(await isRefused(read(Array(8).fill(event), EVENTS))).to.equal(true);
    const short = { maxBytes: 1_000 };
    expect(await read(['x'.repeat(500), 'x'.repeat(500)], short)).to.have.length(1_000);
    expect(await isRefused(read('x'.repeat(1_001), short))).to.equal(true);
  });

  it('is one message where it is a refusal, because libraries parse that as a whole', async () => {
    const body = Array(8).fill(`${Array(10_000).fill('{}').join()},\n\n`);
    expect(await isRefused(readParsed(respond(body, 400), randomUUID(), EVENTS).text())).to.equal(true);
    expect(await isRefused(readParsed(respond(body, 200), randomUUID(), EVENTS).text())).to.equal(false);
  });

  it('has no more messages than its form allows: events, lines and items of a list', async () => {
    const makeLimit = () => makeTokenBucket(20, 0);
    const [whole, events] = [{ makeLimit }, { ...EVENTS, makeLimit }];
    expect(await isRefused(read(`[${Array(20).fill('[{},{}]').join()}]`, whole))).to.equal(false);
    expect(await isRefused(read(`[${Array(21).fill('{}').join()}]`, whole))).to.equal(true);
    expect(await isRefused(read(`{"a":[${Array(21).fill('{}').join()}]}`, whole))).to.equal(false);
    expect(await isRefused(read('data: {}\n\n'.repeat(16), events))).to.equal(false);
    for (const text of ['data: {}\n\n', 'a\n'.repeat(16), ':\r\n'.repeat(16), '\r'])
      expect(await isRefused(read(text.repeat(200), events)), text).to.equal(true);
  });

  it('is read more slowly where a host sends more than its share, and no other host waits for that', async () => {
    const flooding = randomUUID();
    const ended: string[] = [];
    const values = (count: number) =>
      `data: [${Array(count / 2)
        .fill('{}')
        .join()}]\n\n`;
    await read(Array(320).fill(values(1_000)), EVENTS, flooding);
    const more = read(values(10_000), EVENTS, flooding).then(() => ended.push('more'));
    const other = read(Array(100).fill(values(100)), EVENTS).then(() => ended.push('other'));
    await Promise.all([more, other]);
    expect(ended).to.deep.equal(['other', 'more']);
  });
});
