import { createHash } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import { documentPlaces, takeDocuments } from '../../api/documents/take-documents.ts';
import type { RefusalError } from '../../api/replies/envelope.ts';
import { storableText } from '../../platform/storable-text.ts';
import { MAX_DOCUMENT_BYTES } from '../../queues/contract/body-limit.ts';
import { anyCharacter } from '../support/any-character.ts';

type Fields = Record<string, unknown>;

describe('a document in a body', () => {
  const take = async (json: string) => {
    const body = JSON.parse(json) as Fields;
    return { body, documents: await takeDocuments(body, documentPlaces) };
  };
  /** The body as it would be if nothing had been taken out. */
  const wholeOf = async (json: string): Promise<Fields> => {
    const { body, documents } = await take(json);
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

  it('in base64 is its bytes, and nothing where it is not base64', async () => {
    for (const size of sizes) {
      const bytes = Buffer.alloc(size, Buffer.from([0xff, 0xef, 1, 2, 3]));
      const { documents } = await take(JSON.stringify({ content_base64: bytes.toString('base64') }));
      expect([...documents.values()][0]?.bytes?.equals(bytes)).to.equal(true);
    }
    const long = 'QUJD'.repeat(200_000);
    // biome-ignore format: a list
    const wrongs = [
      'a', 'a=', 'Q=Q=', 'QQ=', 'QUI==', 'QQ==QQ==', 'QQ======', '####', 'QUJD!', `${long}=`, `${long}Q`,
    ];
    for (const wrong of [...wrongs, 'data:image/png,QUJD', 'data:;base64,#', `${long}data:;base64,QUJD`]) {
      const { documents } = await take(JSON.stringify({ content_base64: wrong }));
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
        const { documents } = await take(JSON.stringify({ content_base64: text }));
        expect([...documents.values()][0]?.bytes?.equals(bytes), text.slice(0, 40)).to.equal(true);
      }
    }
  });

  it('has its name in any spelling, and is none within a list or object', async () => {
    const { body, documents } = await take(
      '{"\\u0063ontent":"a","contentBase64":"UUFB","x":{"content":"c"}}',
    );
    expect(documents.get(String(body['content']))?.bytes?.toString()).to.equal('a');
    expect(documents.get(String(body['contentBase64']))?.bytes?.toString()).to.equal('QAA');
    expect([body['x'], documents.size]).to.deep.equal([{ content: 'c' }, 2]);
    expect(await wholeOf('{"content":{"a":"c","b":["d"]}}')).to.deep.equal({ content: { a: 'c', b: ['d'] } });
    expect(await wholeOf('["content","content"]')).to.deep.equal(['content', 'content']);
  });

  it('is at most 16 MiB, all of a body together', async () => {
    const refusalOf = (...lengths: number[]) => {
      const body = Object.fromEntries(
        lengths.map((length, at) => [`${'_'.repeat(at)}content`, 'a'.repeat(length)]),
      );
      return takeDocuments(body, documentPlaces).then(
        () => undefined,
        (error: RefusalError) => error.failure?.code,
      );
    };
    expect(await refusalOf(MAX_DOCUMENT_BYTES)).to.equal(undefined);
    expect(await refusalOf(MAX_DOCUMENT_BYTES + 1)).to.equal(413);
    expect(await refusalOf(MAX_DOCUMENT_BYTES, 1)).to.equal(413);
  });
});
