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
import { root } from '../support/source-files.ts';

const page = readFileSync(join(root, 'docs', 'events.md'), 'utf8');
const run = promisify(execFile);

const timestamp = '2026-03-02T14:05:09.120Z';
const exampleOf = (type: EventTypeName) => ({ type, timestamp, data: eventTypes[type].example });
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

    // Each prints whether it takes each of some events, which are its argument.
    const programs = {
      Node: [
        process.execPath,
        '-e',
        `import('./events.mjs').then(({ verifyEvent }) => {
          const takes = event => { try { verifyEvent(...event); return true } catch { return false } };
          console.log(JSON.stringify(JSON.parse(process.argv[1]).map(takes)));
        })`,
      ],
      Python: [
        'python3',
        '-c',
        `import sys, json, events
def takes(event):
    try:
        events.verify_event(*event)
        return True
    except Exception:
        return False
print(json.dumps([takes(event) for event in json.loads(sys.argv[1])]))`,
      ],
    };
    for (const [language, [program = '', ...args]] of Object.entries(programs))
      it(`in ${language}, and refuses what was changed`, async function () {
        const old = headersOf({ id: 'a1', body, secrets: [secret], now: new Date(Date.now() - 600_000) });
        const sent = [
          [secret, headers, body],
          [secret, headers, `${body} `],
          [makeSecret(), headers, body],
          [secret, old, body],
        ];
        const ran = run(program, [...args, JSON.stringify(sent)], { cwd: folder });
        const said = await ran.catch((error: NodeJS.ErrnoException) => {
          if (error.code === 'ENOENT') return undefined;
          throw error;
        });
        if (!said) return this.skip();
        expect(JSON.parse(said.stdout)).to.deep.equal([true, false, false, false]);
      });
  });
});
