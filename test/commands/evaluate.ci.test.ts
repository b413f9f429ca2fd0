import { expect } from 'chai';
import { TRIAL_PLATFORM } from '../../console/pages/inbox/conversation.ts';
import { readEvaluationCases } from '../../db/assistants/evaluation-cases.ts';
import { openOnce } from '../support/opened.ts';
import { runCommand, settingsOf } from '../support/run-command.ts';
import { fail, hold, type ModelScript, say } from '../support/scripted-model.ts';
import { openService } from '../support/service.ts';
import { makeFolder } from '../support/temp-folder.ts';

const OPENS = { question: 'Que horas abre a secretaria?', expect: { contains: '8h', askHumanHelp: false } };
const COSTS = {
  name: 'preço',
  question: 'Quanto custa a taxa?',
  expect: { contains: ['r$ 85'], unsupported: 1 },
};

describe('npm run evaluate', () => {
  const service = openService();
  const { demo, model } = service;
  const folder = openOnce(makeFolder);
  let subSlug: string;
  before(async () => {
    subSlug = (await service.db('avatars').where({ id: demo.avatarId }).first()).sub_slug;
  });
  beforeEach(() => model.script(answerRight));

  const answerRight: ModelScript = (request, response) => {
    const isAskedCosts = request.messages.at(-1)?.content === COSTS.question;
    return say(isAskedCosts ? 'Custa R$ 85,00.' : 'Às 8h.')(request, response);
  };
  const run = (...args: string[]) => {
    const { redisUrl } = service.settings;
    return runCommand('evaluate', ['--host', demo.slug, '--avatar', subSlug, ...args], {
      ...settingsOf(service, folder.path),
      ...(redisUrl === undefined ? {} : { REDIS_URL: redisUrl }),
    });
  };
  const { pathOf } = folder;
  const write = (name: string, ...cases: object[]) =>
    folder.write(name, cases.map(each => JSON.stringify(each)).join('\n'));
  const read = async (name: string) => JSON.parse(await folder.read(name));
  const verdictsOf = (report: {
    cases: { case: string; passed: boolean; failed: string[]; answer: string }[];
  }) => report.cases.map(({ case: name, passed, failed, answer }) => [name, passed, failed, answer]);

  it('passes through the queue, in the order of the file, the same each time, and leaves nothing behind', async () => {
    const file = await write('cases.jsonl', OPENS, COSTS);
    const first = await run('--file', file, '--report', pathOf('first.json'));
    expect(first.code, first.err).to.equal(0);
    expect(first.out).to.match(
      /passed\tQue horas abre a secretaria\?\t\t\d+\npassed\tpreço\t\t\d+\n2 passed, 0 failed, 0 worse/,
    );
    const again = await run('--file', file, '--report', pathOf('again.json'), '--at-once', '1');
    expect(again.code).to.equal(0);
    expect(verdictsOf(await read('again.json'))).to.deep.equal(verdictsOf(await read('first.json')));
    for (const table of ['conversations', 'messages', 'turns', 'services'])
      expect(await service.db(table).count(), table).to.deep.equal([{ count: '0' }]);
  });

  it('asks in a channel that the console does not show to those who attend', async () => {
    const held = hold(say('Às 8h.'));
    model.script(held.script);
    const running = run('--file', await write('asked.jsonl', OPENS));
    await held.held;
    expect(await service.db('conversations').select('platform')).to.deep.equal([
      { platform: TRIAL_PLATFORM },
    ]);
    held.release();
    expect((await running).code).to.equal(0);
  });

  it('fails with the names of the checks, and says what is worse than the baseline', async () => {
    const file = await write('cases.jsonl', OPENS, COSTS);
    await run('--file', file, '--report', pathOf('good.json'));
    model.script(say('Às 8h.'));
    const reports = ['--baseline', pathOf('good.json'), '--report', pathOf('bad.json')];
    const worse = await run('--file', file, ...reports);
    expect(worse.code).to.equal(1);
    expect(worse.out).to.match(/REGRESSED\tpreço\tcontains\t\d+\n1 passed, 1 failed, 1 worse/);
    expect((await read('bad.json')).regressions).to.deep.equal(['preço']);
    const fewer = await run('--file', await write('one.jsonl', OPENS), '--baseline', pathOf('good.json'));
    expect(fewer.code).to.equal(1);
    expect(fewer.out).to.contain('MISSING\tpreço');
    const same = await run('--file', file, '--baseline', pathOf('bad.json'));
    expect([same.code, /FAILED\tpreço/.test(same.out)]).to.deep.equal([1, true]);
    model.script(fail(400));
    const silent = await run('--file', await write('one.jsonl', OPENS));
    expect(silent.out).to.contain('\tanswer\t');
  });

  it('stores the cases only where all pass', async () => {
    const stored = () => demo.inHost(scope => readEvaluationCases(scope, demo.avatarId));
    const wrong = { ...COSTS, expect: { contains: 'xyz' } };
    await run('--file', await write('bad.jsonl', OPENS, wrong), '--store');
    expect(await stored()).to.deep.equal([]);
    const good = await run('--file', await write('good.jsonl', OPENS, COSTS), '--store');
    expect(good.out).to.contain('2 cases stored.');
    expect(await stored()).to.deep.equal([OPENS, COSTS]);
  });

  it('refuses a file with mistakes before it asks anything, naming each line', async () => {
    const asked = model.requests.length;
    const lines = [
      '{"question": "Oi?"}',
      'x',
      '{"question": "Oi?", "expect": {"contain": "y"}}',
      JSON.stringify(OPENS),
      JSON.stringify(OPENS),
    ];
    const refused = await run('--file', await folder.write('wrong.jsonl', lines.join('\n')));
    expect(refused.code).to.equal(1);
    expect(refused.err.trim().split('\n')).to.deep.equal([
      'line 1: expect is required',
      'line 2: is not JSON',
      'line 3: unknown field "contain"',
      'line 5: has the name of line 4',
    ]);
    const lost = await run('--file', pathOf('good.jsonl'), '--avatar', 'nobody');
    expect(lost.err).to.contain('no avatar "nobody"');
    expect(model.requests.length).to.equal(asked);
  });
});
