import { request } from 'node:http';
import { expect } from 'chai';
import { NotFoundError } from 'openai';
import { model, turn } from './chat-samples.ts';
import { withModelServer } from './with-model-server.ts';

const question = { role: 'user', content: 'oi' };

// biome-ignore format: a table
const badBodies: readonly (readonly [title: string, body: unknown, param: string | null])[] = [
  ['no messages', { model }, 'messages'],
  ['an empty list of messages', { model, messages: [] }, 'messages'],
  ['messages that are no list', { model, messages: 'oi' }, 'messages'],
  ['a message without a role', { model, messages: [{ content: 'oi' }] }, 'messages.0.role'],
  ['an unknown role', { model, messages: [question, { role: 'chefe', content: 'oi' }] }, 'messages.1.role'],
  ['content that is a number', { model, messages: [{ role: 'user', content: 5 }] }, 'messages.0.content'],
  ['no model', { messages: [question] }, 'model'],
  ['a stream flag that is text', { model, messages: [question], stream: 'yes' }, 'stream'],
  ['more than one choice', { model, messages: [question], n: 2 }, 'n'],
  ['an unknown response format', { model, messages: [question], response_format: { type: 'xml' } },
    'response_format.type'],
  ['a forced tool that is not offered', { model, messages: [question], tools: [], tool_choice: 'required' },
    'tool_choice'],
  ['a list instead of an object', [], null],
  ['null', null, null],
];

describe('offline model: refusals', () => {
  for (const [title, body, param] of badBodies)
    it(`refuses ${title} with 400 and names the field`, async () => {
      await withModelServer(async ({ url }) => {
        const answer = await post(url, JSON.stringify(body));
        expect(answer.status).to.equal(400);
        expect(answer.json).to.have.property('error').that.includes({ type: 'invalid_request_error', param });
        expect(answer.json).to.have.nested.property('error.message').that.is.a('string').and.is.not.empty;
      });
    });

  it('refuses what is not JSON with 400', async () => {
    await withModelServer(async ({ url }) => {
      for (const body of ['', '{', 'oi', '\u0000\u0001']) {
        const answer = await post(url, body);
        expect(answer.status).to.equal(400);
        expect(answer.json).to.have.nested.property('error.code', 'invalid_json');
      }
    });
  });

  it('refuses an unknown model so that the client sees a NotFoundError with its code', async () => {
    await withModelServer(async ({ client }) => {
      const failure = await client.chat.completions.create({ model: 'gpt-9', messages: turn('oi') }).then(
        () => expect.fail('answered'),
        (error: unknown) => error,
      );
      expect(failure).to.be.instanceOf(NotFoundError);
      expect(failure).to.include({ status: 404, code: 'model_not_found', param: 'model' });
    });
  });

  it('answers 404 on unknown paths and 405 with Allow on wrong methods', async () => {
    await withModelServer(async ({ url }) => {
      const unknown = await fetch(`${url}/v1/embeddings`, { method: 'POST', body: '{}' });
      expect(unknown.status).to.equal(404);
      expect(await unknown.json()).to.have.nested.property('error.code', 'unknown_url');
      expect((await fetch(`${url}/v1/models/gpt-9`)).status).to.equal(404);
      expect((await fetch(`${url}/constructor`)).status).to.equal(404);
      const wrong = await fetch(`${url}/v1/chat/completions`);
      expect([wrong.status, wrong.headers.get('allow')]).to.deep.equal([405, 'POST']);
      expect((await fetch(`${url}/v1/models`, { method: 'DELETE' })).headers.get('allow')).to.equal('GET');
    });
  });

  it('refuses a body over 20 MB with 413, announced or in pieces, and goes on serving', async () => {
    await withModelServer(async ({ url, client }) => {
      const announced = await post(url, ' '.repeat(20 * 1024 * 1024 + 1));
      expect(announced.status).to.equal(413);
      expect(announced.json).to.have.nested.property('error.code', 'request_too_large');
      const status = await new Promise<number | undefined>((resolve, reject) => {
        const sending = request(`${url}/v1/chat/completions`, { method: 'POST' }, response => {
          response.resume();
          resolve(response.statusCode);
        });
        sending.on('error', reject);
        for (let megabyte = 0; megabyte < 21; megabyte += 1) sending.write(Buffer.alloc(1024 * 1024, ' '));
        sending.end();
      });
      expect(status).to.equal(413);
      expect((await client.models.list()).data).to.have.length(1);
    });
  });

  it('goes on serving after a client that left in the middle of its body', async () => {
    await withModelServer(async ({ url, client }) => {
      await new Promise(resolve => {
        const sending = request(`${url}/v1/chat/completions`, {
          method: 'POST',
          headers: { 'content-length': '100' },
        });
        sending.on('error', resolve);
        sending.write('{"model"', () => sending.destroy(new Error('left')));
      });
      expect((await client.models.list()).data).to.have.length(1);
    });
  });

  it('takes NUL, lone surrogates and markup in a question as text', async () => {
    await withModelServer(async ({ client }) => {
      for (const content of ['\u0000', '\ud800', '<trecho', '</trecho>', '?'.repeat(5000), '']) {
        const completion = await client.chat.completions.create({ model, messages: turn(content) });
        expect(completion.choices[0]?.message.content).to.be.a('string').and.not.equal('');
      }
    });
  });
});

async function post(url: string, body: string): Promise<{ status: number; json: unknown }> {
  const response = await fetch(`${url}/v1/chat/completions`, { method: 'POST', body });
  return { status: response.status, json: await response.json() };
}
