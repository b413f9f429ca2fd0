import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import fc from 'fast-check';
import { cutDocuments } from '../../api/documents/cut-document.ts';
import type { RefusalError } from '../../api/replies/envelope.ts';
import { storableText } from '../../platform/storable-text.ts';
import { MAX_DOCUMENT_BYTES } from '../../queues/contract/body-limit.ts';
import { anyCharacter } from '../support/any-character.ts';

type Fields = Record<string, unknown>;

describe('a document in a body', () => {
  const refusalOf = async (json: string | Buffer) => {
    const refusal = await cutDocuments(Buffer.from(json)).then(
      cut => void JSON.parse(cut.json),
      (error: RefusalError) => error.failure?.code,
    );
    return refusal;
  };
  /** The body as it would be if nothing had been cut out. */
  const wholeOf = async (json: string | Buffer): Promise<Fields> => {
    const { json: around, documents } = await cutDocuments(Buffer.from(json));
    const body = JSON.parse(around) as Fields;
    for (const name of ['content', 'content_base64']) {
      const document = documents.get(String(body[name]));
      if (!document) continue;
      const { bytes, digest } = document;
      if (bytes) expect(digest).to.equal(createHash('sha256').update(bytes).digest('hex'));
      body[name] = bytes?.toString(name === 'content' ? 'utf8' : 'base64');
    }
    return body;
  };
  const sizes = [1, 262_143, 262_144, 262_145, 600_000];

  it('is the text that JSON has there, whatever is beside it', async () => {
    const name = fc.constantFrom('content', 'content_base64', 'name', 'a"b', '{', 'x\\');
    const value = fc.jsonValue({ maxDepth: 3 }).map(value => ({ content: value, deep: [value, 'content'] }));
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: anyCharacter }),
        fc.dictionary(name, value),
        async (content, others) => {
          const body = { ...others, content: storableText(content), content_base64: 'UGFybGV5' };
          expect(await wholeOf(JSON.stringify({ ...body, content }))).to.deep.equal(
            JSON.parse(JSON.stringify(body)),
          );
          expect(await wholeOf(JSON.stringify(body, null, '\t'))).to.deep.equal(
            JSON.parse(JSON.stringify(body)),
          );
        },
      ),
      { numRuns: process.env['RUNS'] ? 200 : 40 },
    );
  });

  it('is whole where a letter, a pair or an escape lies across the end of a step', async () => {
    for (const size of [1, 300_000])
      for (const letter of ['é', '😀', '\n', '"', '\\'])
        for (const shift of [0, 1, 2]) {
          const content = 'x'.repeat(shift) + letter.repeat(size / letter.length / 2);
          const escaped = JSON.stringify(content).replaceAll(
            /[\ud800-\udfff]/g,
            unit => `\\u${unit.charCodeAt(0).toString(16)}`,
          );
          for (const text of [JSON.stringify(content), escaped]) {
            const { content: read } = await wholeOf(`{"content":${text}}`);
            expect(read === content, `${letter} ${size} ${shift}`).to.equal(true);
          }
        }
  });

  it('in base64 is its bytes, with slashes escaped or not, and nothing where it is not base64', async () => {
    for (const size of sizes) {
      const bytes = Buffer.alloc(size, Buffer.from([0xff, 0xef, 1, 2, 3]));
      const text = JSON.stringify(bytes.toString('base64'));
      for (const json of [text, text.replaceAll('/', '\\/')]) {
        const { documents } = await cutDocuments(Buffer.from(`{"content_base64":${json}}`));
        expect([...documents.values()][0]?.bytes?.equals(bytes)).to.equal(true);
      }
    }
    const long = 'QUJD'.repeat(200_000);
    const wrongs = ['a', 'a=', 'QQ=', 'QUI==', 'QQ==QQ==', '####', 'QUJD!', `${long}=`, `${long}Q`];
    for (const wrong of [...wrongs, 'data:image/png,QUJD', 'data:;base64,#', `${long}data:;base64,QUJD`]) {
      const { documents } = await cutDocuments(Buffer.from(JSON.stringify({ content_base64: wrong })));
      expect([...documents.values()][0]?.bytes, wrong.slice(0, 9)).to.equal(undefined);
    }
  });

  it('in base64 is its bytes as gateways hand it over: a data URL, lines, the URL-safe alphabet, no padding', async () => {
    for (const size of [...sizes, 2, 3, 262_146]) {
      const bytes = Buffer.alloc(size, Buffer.from([0xff, 0xef, 0xbe, 1, 2, 3, 0xfb]));
      const plain = bytes.toString('base64');
      const lined = plain.replaceAll(/.{1,76}/g, '$&\r\n');
      const spellings = [
        `data:audio/ogg; codecs=opus;base64,${plain}`,
        `data:image/png;base64,\n${lined}`,
        lined,
        ` ${plain}\t`,
        bytes.toString('base64url'),
        plain.replaceAll('=', ''),
      ];
      for (const text of spellings) {
        const json = JSON.stringify({ content_base64: text });
        for (const sent of [json, json.replaceAll('/', '\\/')]) {
          const { documents } = await cutDocuments(Buffer.from(sent));
          expect([...documents.values()][0]?.bytes?.equals(bytes), text.slice(0, 40)).to.equal(true);
        }
      }
    }
  });

  it('is the last of several, also where letters of its name are escaped, and none within a list or object', async () => {
    expect(await wholeOf('{"content":"a","\\u0063ontent":"b","x":{"content":"c"}}')).to.deep.equal({
      content: 'b',
      x: { content: 'c' },
    });
    const cut = await cutDocuments(Buffer.from('{"content":"a","\\u0063ontent":"b"}'));
    expect(cut.documents.size).to.equal(2);
    expect(await wholeOf('{"content":{"a":"c","b":["d"]}}')).to.deep.equal({
      content: { a: 'c', b: ['d'] },
    });
    expect(await wholeOf('["content","content"]')).to.deep.equal(['content', 'content']);
    expect(await wholeOf('\ufeff{"content":"\ufeffa"}')).to.deep.equal({ content: '\ufeffa' });
  });

  it('lets other work run between many that are small or empty, as within one that is large', async () => {
    for (const document of ['"content":"a"', '"content":""']) {
      const progress = { isCut: false };
      const cutting = cutDocuments(Buffer.from(`{${Array(2_000).fill(document).join()}}`));
      void cutting.then(() => (progress.isCut = true));
      let turns = 0;
      while (!progress.isCut) {
        await nextTurn();
        turns += 1;
      }
      expect((await cutting).documents.size).to.equal(2_000);
      expect(turns, document).to.be.above(400);
    }
  });

  it('refuses what is not JSON with 400, and what is too long, in it or around it, with 413', async () => {
    for (const wrong of ['{"content":"a', '{"content":"\\x"}', '{"content":"a\nb"}', '{"content":"\\u12"}'])
      expect(await refusalOf(wrong), wrong).to.equal(400);
    expect(await refusalOf(`{"content":"${'a'.repeat(MAX_DOCUMENT_BYTES)}"}`)).to.equal(undefined);
    expect(await refusalOf(`{"content":"${'a'.repeat(MAX_DOCUMENT_BYTES + 1)}"}`)).to.equal(413);
    expect(await refusalOf(`{"name":"${'a'.repeat(2_000_000)}"}`)).to.equal(413);
    expect(await refusalOf(`{"content":"a","x":[${'0,'.repeat(600_000)}0]}`)).to.equal(413);
  });
});
