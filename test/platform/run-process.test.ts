import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { dropEmptySettings } from '../../platform/config.ts';
import { WRONG_SETTING_CODE } from '../../platform/field-error.ts';
import { root } from '../support/source-files.ts';

/** Its timer fires only while something else keeps the process alive. */
const idle = `
  import { runProcess } from './platform/run-process.ts';
  await runProcess('idle', async () => ({ close: async () => console.log('closed') }));
  setTimeout(() => console.log('is alive'), 20).unref();
`;
/** Its launcher dies during the start. */
const orphaned = `
  import { once } from 'node:events';
  import { runProcess } from './platform/run-process.ts';
  await runProcess('orphaned', async () => {
    process.disconnect();
    await once(process, 'disconnect');
    return { close: async () => console.log('closed') };
  });
`;
const misconfigured = `
  import { runProcess } from './platform/run-process.ts';
  import { SettingError } from './platform/field-error.ts';
  await runProcess('misconfigured', () => Promise.reject(new SettingError('setting "X" is wrong')));
`;

describe('a process of the service', () => {
  const run = (program: string) =>
    spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '--eval', program], {
      cwd: root,
      env: {
        ...dropEmptySettings(),
        DATABASE_URL: 'postgres://127.0.0.1/none',
        APP_ENV: 'development',
        SECRET_KEY: 'k'.repeat(40),
        LOG_LEVEL: 'silent',
      },
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    });

  it('stays alive without a connection until it is told to stop, and closes then', async () => {
    const child = run(idle);
    const lines: string[] = [];
    createInterface({ input: child.stdout as Readable }).on('line', line => {
      lines.push(line);
      if (line === 'is alive') child.kill('SIGTERM');
    });
    const [code] = await once(child, 'close');
    expect([...lines, code]).to.deep.equal(['is alive', 'closed', 0]);
  });

  it('ends when its launcher died while it started', async () => {
    const child = run(orphaned);
    const output = text(child.stdout as Readable);
    const [code] = await once(child, 'close');
    expect([await output, code]).to.deep.equal(['closed\n', 0]);
  });

  it('exits with the code for a wrong setting when its start finds one, so that it is not restarted', async () => {
    const [code] = await once(run(misconfigured), 'close');
    expect(code).to.equal(WRONG_SETTING_CODE);
  });
});
