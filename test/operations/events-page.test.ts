import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { checkBody } from '../../queues/contract/check-body.ts';
import { type EventTypeName, eventBodyOf, eventTypeNames, eventTypes } from '../../queues/contract/events.ts';
import { headersOf } from '../../workers/events/attempt-delivery.ts';
import { makeSecret } from '../../workers/tools/webhook-secrets.ts';

const root = join(import.meta.dirname, '..', '..');
const page = readFileSync(join(root, 'docs', 'events.md'), 'utf8');
const run = promisify(execFile);

const exampleOf = (type: EventTypeName) => ({
  type,
  timestamp: '2026-03-02T14:05:09.120Z',
  data: eventTypes[type].example,
});
const blockOf = (language: string) => page.split(`\`\`\`${language}\n`)[1]?.split('\n```')[0] ?? '';

describe('docs/events.md', () => {
  it('has each event with its example, as the API document has it', () => {
    const blocks = eventTypeNames.map(
      name =>
        `- \`${name}\`: ${eventTypes[name].summary}.\n\n  \`\`\`json\n  ${JSON.stringify(exampleOf(name))}\n  \`\`\`\n`,
    );
    const expected = `<!-- examples -->\n\n${blocks.join('\n')}\n## Verifying`;
    expect(page).to.include(expected);
  });

  for (const name of eventTypeNames)
    it(`has an example of ${name} that its shape allows`, () => {
      expect(checkBody(eventBodyOf(name), exampleOf(name)).errors).to.deep.equal([]);
    });

  describe('shows code that verifies what is sent', () => {
    let folder: string;
    const secret = makeSecret();
    const body = JSON.stringify({ ...exampleOf('ticket.opened'), data: { subject: 'Informação “é” isto' } });
    const headers = headersOf({ id: 'a1', body, secrets: [makeSecret(), secret], now: new Date() });
    before(async () => {
      // In the project, so that the package is found.
      folder = await mkdtemp(join(root, 'node_modules', '.cache-events-'));
      await writeFile(join(folder, 'events.mjs'), blockOf('js'));
      await writeFile(join(folder, 'events.py'), blockOf('python'));
    });
    after(() => rm(folder, { recursive: true }));

    const commands = {
      Node: (sent: string[]) => {
        const script = `import('./events.mjs').then(({verifyEvent}) => { const [s, h, b] = process.argv.slice(1); verifyEvent(s, JSON.parse(h), b) })`;
        return run(process.execPath, ['--unhandled-rejections=strict', '-e', script, ...sent], {
          cwd: folder,
        });
      },
      Python: (sent: string[]) => {
        const script =
          'import sys, json, events; s, h, b = sys.argv[1:]; events.verify_event(s, json.loads(h), b)';
        return run('python3', ['-c', script, ...sent], { cwd: folder });
      },
    };
    for (const [language, command] of Object.entries(commands)) {
      it(`in ${language}, and refuses what was changed`, async function () {
        const isThere = await run(language === 'Node' ? process.execPath : 'python3', ['--version']).catch(
          () => undefined,
        );
        if (!isThere) return this.skip();
        const sent = [secret, JSON.stringify(headers), body];
        const fails = (changed: string[]) =>
          command(changed).then(
            () => false,
            () => true,
          );
        await command(sent);
        expect(await fails([secret, JSON.stringify(headers), `${body} `])).to.equal(true);
        expect(await fails([makeSecret(), JSON.stringify(headers), body])).to.equal(true);
        const old = headersOf({ id: 'a1', body, secrets: [secret], now: new Date(Date.now() - 600_000) });
        expect(await fails([secret, JSON.stringify(old), body])).to.equal(true);
      });
    }
  });
});
