import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { operationOf } from '../../queues/contract/operations/index.ts';
import { recordsOf } from '../support/conversation-records.ts';
import { eventually } from '../support/eventually.ts';
import type { Fields } from '../support/operation-calls.ts';
import { fail, type ModelScript, say } from '../support/scripted-model.ts';
import { type ApiResponse, openService } from '../support/service.ts';

/** All of them begin together: on a busy machine the last one waits for seconds before its turn is recorded. */
const timeLimitMs = 8_000;
/** A busy machine may add this. A turn that does not end at its deadline does not end within this either. */
const lateMs = 2_500;

const json = (body: string, status = 200, headers: Record<string, string> = {}): ModelScript => {
  return (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
  };
};
const choices = [{ message: { role: 'assistant', content: 'Ufa.' } }];
const completion = (fields: object) => JSON.stringify({ model: 'scripted', choices, ...fields });
const content = (value: unknown) => json(completion({ choices: [{ message: { content: value } }] }));

/** Each with its acceptable statuses. */
const failures: Record<string, [ModelScript, ...number[]]> = {
  'a refusal for too many requests': [json('{}', 429, { 'retry-after': '1' }), 503, 408],
  'an error of its own': [fail(500), 503, 408],
  'a refusal of our key': [fail(401), 503],
  'an unknown model': [fail(404), 503],
  'a reset': [(_request, response) => void response.socket?.destroy(), 503, 408],
  'a reset in the middle': [
    (_request, response) => {
      response.writeHead(200, { 'content-length': 1_000 }).write('{"choi');
      response.socket?.destroySoon();
    },
    503,
    408,
  ],
  'no answer at all': [() => {}, 408],
  'an answer that drips': [(_request, response) => drip(response), 408],
  'an empty object': [json('{}'), 503, 408],
  null: [json('null'), 503, 408],
  'a list': [json('[]'), 503, 408],
  'no body': [json(''), 503, 408],
  'a page for people': [
    (_request, response) =>
      void response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Bad gateway</h1>'),
    503,
    408,
  ],
  'half of its JSON': [json(completion({}).slice(0, -9)), 503, 408],
  'an empty text': [content(''), 503, 408],
  'a blank text': [content(' \n'), 503, 408],
  'a text that is none': [content({ a: 1 }), 503, 408],
  'a call of a tool that nobody offered': [
    json(completion({ choices: [{ message: { content: null, tool_calls: [{}] } }] })),
    503,
    408,
  ],
  'no choices': [json(completion({ choices: [null] })), 503, 408],
  'a text far too long': [content('x'.repeat(200_000)), 503, 408],
};

/** Questions whose model fails shortly before the deadline. */
const late = Array.from({ length: 3 }, (_, n) => `tarde ${n}`);

/** Unusual, but valid answers. */
const oddities: Record<string, [ModelScript, string]> = {
  'NUL and half a surrogate pair': [content('a\0b\ud83d c'), 'ab\ufffd c'],
  'a model that is not named': [json(completion({ model: undefined })), 'Ufa.'],
  'a model named by nonsense': [json(completion({ model: { a: 'b\0' } })), 'Ufa.'],
  'a model with NUL in its name': [json(completion({ model: 'gpt\0\ud83d' })), 'Ufa.'],
  'tokens that are no number': [json(completion({ usage: { total_tokens: 'many' } })), 'Ufa.'],
  'less than no tokens': [json(completion({ usage: { total_tokens: -4.5 } })), 'Ufa.'],
  'more tokens than there are numbers': [json(completion({ usage: { total_tokens: 1e300 } })), 'Ufa.'],
};

describe('when the model gives nothing usable', () => {
  const service = openService({ requestTimeoutMs: timeLimitMs });
  const answers = new Map<string, { answer: ApiResponse; tookMs: number; conversationId: string }>();
  const scripts: Record<string, ModelScript> = {};
  for (const [name, [script]] of Object.entries(failures)) scripts[name] = script;
  const callsFor = (name: string) =>
    service.model.requests.filter(request => request.messages.at(-1)?.content === name).length;

  let [startedAt, endedAt] = [0, 0];
  let callsInTime: number[] = [];
  for (const name of late) {
    // The longest pause, before the last attempt, exceeds the deadline.
    scripts[name] = async (request, response) => {
      if (callsFor(name) === 3) await delay(startedAt + timeLimitMs - 150 - performance.now());
      await fail(500)(request, response);
    };
  }

  /** All concurrently: many of them use the whole time limit. */
  before(async () => {
    service.model.script((request, response) =>
      (scripts[request.messages.at(-1)?.content ?? ''] ?? say('Certo.'))(request, response),
    );
    const names = Object.keys(scripts);
    const conversations = await Promise.all(names.map(() => service.newConversation()));
    startedAt = performance.now();
    const asked = names.map(async (name, at) => {
      const conversationId = conversations[at] ?? '';
      const askedAt = performance.now();
      const answer = await service.ask(name, { conversationId });
      answers.set(name, { answer, tookMs: performance.now() - askedAt, conversationId });
    });
    await Promise.all(asked);
    endedAt = performance.now();
    callsInTime = late.map(callsFor);
  });

  it('an error shortly before the deadline: no call follows a 408, and nobody waits for one', async () => {
    const ended = late.map(name => answers.get(name) ?? expect.fail());
    expect(ended.map(({ answer }) => answer.status)).to.include(408);
    const states = async () => {
      const records = await Promise.all(
        ended.map(({ conversationId }) => recordsOf(service.db, conversationId)),
      );
      return records.flatMap(({ turns }) => turns.map(turn => turn.state));
    };
    const isOver = (state: string) => state === 'unanswered';
    await eventually(states, seen => seen.filter(isOver).length === late.length, lateMs);
    await delay(endedAt + 1_000 - performance.now());
    expect(late.map(callsFor)).to.deep.equal(callsInTime);
  });

  for (const [name, [, ...statuses]] of Object.entries(failures))
    it(`${name}: the turn fails, and its question stays`, async () => {
      const { answer, tookMs, conversationId } = answers.get(name) ?? expect.fail();
      const { status, body, headers } = answer;
      expect(statuses).to.include(status);
      if (status === 408) expect(tookMs).to.be.above(timeLimitMs - 20);
      expect(body).to.have.all.keys('code', 'message', 'data');
      expect(body.code).to.equal(status);
      expect(headers.get('retry-after') !== null).to.equal(status === 503);
      expect(body.data.requestId).to.equal(headers.get('x-request-id'));
      const { turns, said, replies } = await recordsOf(service.db, conversationId);
      expect(turns.map(turn => [turn.id, turn.state])).to.deep.equal([[body.data.turnId, 'unanswered']]);
      expect(said.map(message => [message.author, message.content])).to.deep.equal([['user', name]]);
      expect(replies).to.equal(0);
    });

  it('the next turn of the same conversation works at once', async () => {
    const next = [...answers.values()].map(({ conversationId }) =>
      service.ask('E agora?', { conversationId }),
    );
    const statuses = (await Promise.all(next)).map(({ status }) => status);
    expect(statuses).to.deep.equal(statuses.map(() => 200));
  });

  it('20 MB: the turn fails, and the rest of them is not awaited', async () => {
    let sent = 0;
    scripts['muito'] = (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{"choices":[{"message":{"content":"');
      const megabyte = 'x'.repeat(1_048_576);
      const more = () => {
        while (sent < 20 && !response.destroyed) {
          sent += 1;
          if (!response.write(megabyte)) return void response.once('drain', more);
        }
        response.end('"}}]}');
      };
      more();
    };
    const { status, body } = await service.ask('muito');
    expect([status, body.code]).to.deep.equal([503, 503]);
    expect(sent).to.be.below(20);
  });

  it('errors that pass: it is asked again, and the turn is answered', async () => {
    let attempts = 0;
    scripts['insiste'] = (request, response) => {
      attempts += 1;
      return (attempts < 3 ? fail(attempts === 1 ? 429 : 502) : say('Enfim.'))(request, response);
    };
    const { status, data, text } = await service.ask('insiste');
    expect([status, text]).to.deep.equal([200, 'Enfim.']);
    expect(data.restStatus.map((call: Fields) => call['status'])).to.deep.equal([429, 502, 200]);
    expect(data.restStatus[0].error).to.equal('refused with 429');
    expect(data.tokensControl).to.deep.equal([{ model: 'scripted', tokens: 42 }]);
  });

  it('an error that stays: it is not asked again', async () => {
    for (const name of ['a refusal of our key', 'an unknown model']) expect(callsFor(name)).to.equal(1);
  });

  it('whatever it gives: what it said is in no log', () => {
    expect(service.logged.join('')).to.not.include('Bad gateway');
    expect(service.logged.join('')).to.not.include('scripted failure');
  });
});

describe('when the model gives something unusual, but valid', () => {
  const service = openService();

  for (const [name, [script, text]] of Object.entries(oddities))
    it(`${name}: the turn is answered, with every field of its type`, async () => {
      service.model.script(script);
      const conversationId = await service.newConversation();
      const turn = await service.ask(name, { conversationId });
      expect([turn.status, turn.text]).to.deep.equal([200, text]);
      expect(operationOf('reason').data.validate(turn.data, { convert: false }).error).to.equal(undefined);
      const { said } = await recordsOf(service.db, conversationId);
      expect(said.at(-1)).to.include({ author: 'assistant', content: text });
    });
});

async function drip(response: ServerResponse): Promise<void> {
  response.writeHead(200, { 'content-type': 'application/json' });
  while (!response.destroyed) {
    response.write(' ');
    await delay(100);
  }
}
