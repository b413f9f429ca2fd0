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
  demoTuning,
  isRight,
} from '../offline-model/demo-questions.ts';
import { withModelServer } from '../offline-model/with-model-server.ts';
import { type Service, startService } from '../support/service.ts';
import { root } from '../support/source-files.ts';

/* Typical questions to the demonstration with its knowledge, its retrieval and the offline model. */
describe('the demonstration, asked about what it knows and what it does not', () => {
  const answerTo = async (service: Service, { before, question }: DemoQuestion) => {
    const conversationId = await service.newConversation();
    if (before !== undefined) await service.ask(before, { conversationId });
    const { body } = await service.ask(question, { conversationId });
    return body.data.assistantResponse.string as string;
  };
  const wrongIn = async (service: Service, questions: readonly DemoQuestion[]) => {
    const wrong: string[] = [];
    for (const each of questions) {
      const answer = await answerTo(service, each);
      if (!isRight(each, answer)) wrong.push(`${each.question} → ${answer}`);
    }
    return wrong;
  };

  it('is right nine times in ten, and makes up nothing that it does not know', async function () {
    this.timeout(180_000);
    await withModelServer(async ({ url }) => {
      const service = await startService({ openaiBaseUrl: `${url}/v1`, openaiModel: 'offline-extractive' });
      try {
        for (const questions of [demoTuning, demoHeldOut]) {
          const known = questions.filter(({ holds }) => holds.length > 0);
          const wrong = await wrongIn(service, known);
          expect(wrong.length / questions.length, wrong.join('\n')).to.be.at.most(0.1);
          const unknown = questions.filter(({ holds }) => holds.length === 0);
          expect(await wrongIn(service, unknown)).to.deep.equal([]);
        }
      } finally {
        await service.close();
      }
    });
  });

  it('gives no amount, date or condition that was said of another subject', async function () {
    await withModelServer(async ({ url }) => {
      const service = await startService({ openaiBaseUrl: `${url}/v1`, openaiModel: 'offline-extractive' });
      try {
        expect(await wrongIn(service, demoOtherSubject)).to.deep.equal([]);
      } finally {
        await service.close();
      }
    });
  });

  it('answers the first question as docs/calls.md says', async () => {
    const page = readFileSync(join(root, 'docs', 'calls.md'), 'utf8');
    const shown = JSON.parse(/```json\n(\{\n {2}"code": 200[^]*?)```/.exec(page)?.[1] ?? '');
    await withModelServer(async ({ url }) => {
      const service = await startService({ openaiBaseUrl: `${url}/v1`, openaiModel: 'offline-extractive' });
      try {
        const { body } = await service.ask(shown.data.question);
        expect(Object.keys(body.data)).to.deep.equal(Object.keys(shown.data));
        const [source, shownSource] = [body, shown].map(({ data }) => data.sources[0]);
        expect(source.sentences).to.deep.equal(shownSource.sentences);
        expect(body.data.assistantResponse).to.deep.equal(shown.data.assistantResponse);
      } finally {
        await service.close();
      }
    });
  });

  it('prints what the README says when its commands are pasted', async () => {
    const readme = readFileSync(join(root, 'README.md'), 'utf8');
    const [, pasted = '', printed] = /```bash\n(BASE=[^]*?)```\n\n```text\n([^]*?)```/.exec(readme) ?? [];
    const folder = await mkdtemp(join(tmpdir(), 'parley-readme-'));
    await withModelServer(async ({ url }) => {
      const service = await startService({ openaiBaseUrl: `${url}/v1`, openaiModel: 'offline-extractive' });
      try {
        await mkdir(join(folder, '.data'));
        await writeFile(join(folder, '.data', 'demo-token'), `${service.demo.token}\n`);
        const script = pasted.replace('http://127.0.0.1:3000', service.baseURL);
        const { stdout } = await promisify(execFile)('bash', ['-c', script], { cwd: folder });
        expect(stdout).to.equal(printed);
      } finally {
        await service.close();
        await rm(folder, { recursive: true });
      }
    });
  });
});
