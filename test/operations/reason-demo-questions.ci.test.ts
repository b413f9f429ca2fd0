import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import {
  type DemoQuestion,
  demoHeldOut,
  demoOtherSubject,
  demoSpanish,
  demoTuning,
  isRight,
  ownTableQuestions,
  ownTables,
} from '../offline-model/demo-questions.ts';
import { startModelServer } from '../offline-model/with-model-server.ts';
import { importAndWait, makeDataset } from '../support/imports.ts';
import { openOnce } from '../support/opened.ts';
import { openOwnService } from '../support/service.ts';
import { root } from '../support/source-files.ts';

/* Typical questions to the demonstration with its knowledge, its retrieval and the offline model. */
describe('the demonstration, asked about what it knows and what it does not', () => {
  const model = openOnce(startModelServer);
  const service = openOwnService(() => model.settings);
  const { demo } = service;

  const answerTo = async ({ before, question }: DemoQuestion) => {
    const conversationId = await service.newConversation();
    if (before !== undefined) await service.ask(before, { conversationId });
    return (await service.ask(question, { conversationId })).text;
  };
  const importTables = async () => {
    const datasetId = await makeDataset(service);
    for (const [name, content] of Object.entries(ownTables))
      await importAndWait(service, { dataset_id: datasetId, name, content_type: 'text/csv', content });
    await demo.call('linkDatasetAvatar', { datasetId, avatarId: demo.avatarId });
  };

  /* At least so many are right. What is not known is never answered with a figure. */
  for (const [name, questions, right] of [
    ['of the list it was tuned with', demoTuning, 34],
    ['of another list', demoHeldOut, 24],
    ['whose figure is known of another thing only', demoOtherSubject, 16],
    ['in Spanish', demoSpanish, 11],
    ['about tables of one’s own', ownTableQuestions, 11],
  ] as const)
    it(`is right in ${right} of ${questions.length} questions ${name}`, async function () {
      this.timeout(180_000);
      if (questions === ownTableQuestions) await importTables();
      const wrong: string[] = [];
      for (const each of questions) {
        const answer = await answerTo(each);
        if (isRight(each, answer)) continue;
        wrong.push(`${each.question} → ${answer}`);
        expect(each.holds, wrong.at(-1)).to.not.be.empty;
      }
      expect(questions.length - wrong.length, wrong.join('\n')).to.be.at.least(right);
    });

  it('answers the first question as docs/calls/conversations.md says', async () => {
    const page = readFileSync(join(root, 'docs', 'calls', 'conversations.md'), 'utf8');
    const shown = JSON.parse(/```json\n(\{\n {2}"code": 200[^]*?)```/.exec(page)?.[1] ?? '');
    const { body } = await service.ask(shown.data.question);
    expect(Object.keys(body.data)).to.deep.equal(Object.keys(shown.data));
    const [source, shownSource] = [body, shown].map(({ data }) => data.sources[0]);
    expect(source.sentences).to.deep.equal(shownSource.sentences);
    expect(body.data.assistantResponse).to.deep.equal(shown.data.assistantResponse);
  });

  it('prints what the README says when its commands are pasted', async () => {
    const readme = readFileSync(join(root, 'README.md'), 'utf8');
    const [, pasted = '', printed] = /```bash\n(BASE=[^]*?)```\n\n```text\n([^]*?)```/.exec(readme) ?? [];
    const [withholding = 'none'] = /^AVATAR_ID=[^]*?(?=```)/m.exec(readme) ?? [];
    const folder = await mkdtemp(join(tmpdir(), 'parley-readme-'));
    try {
      await mkdir(join(folder, '.data'));
      await writeFile(join(folder, '.data', 'demo-token'), `${demo.token}\n`);
      const script = `${pasted}${withholding}`.replace('http://127.0.0.1:3000', service.baseURL);
      const { stdout } = await promisify(execFile)('bash', ['-c', script], { cwd: folder });
      const [first, ...rest] = stdout.split(/(?<=\n)/);
      expect(first).to.equal(printed);
      expect(JSON.parse(rest.join('')).data).to.include({ on_unsupported: 'withhold' });
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
