import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect } from 'chai';
import { dropEmptySettings } from '../../platform/config.ts';
import { root } from '../support/source-files.ts';

/** Its timer fires only while something else keeps the process alive. */
const program = `
  import { runProcess } from './platform/run-process.ts';
  await runProcess('idle', async () => ({ close: async () => console.log('closed') }));
  setTimeout(() => console.log('is alive'), 20).unref();
`;

describe('a process of the service', () => {
  it('stays alive without a connection until it is told to stop, and closes then', async () => {
    const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '--eval', program], {
      cwd: root,
      env: {
        ...dropEmptySettings(),
        DATABASE_URL: 'postgres://127.0.0.1/none',
        APP_ENV: 'development',
        SECRET_KEY: 'k'.repeat(40),
        LOG_LEVEL: 'silent',
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const lines: string[] = [];
    createInterface({ input: child.stdout }).on('line', line => {
      lines.push(line);
      if (line === 'is alive') child.kill('SIGTERM');
    });
    const [code] = await once(child, 'close');
    expect([...lines, code]).to.deep.equal(['is alive', 'closed', 0]);
  });
});
