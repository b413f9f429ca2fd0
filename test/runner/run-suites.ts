import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import Mocha from 'mocha';
import { clearSettings } from '../../platform/config.ts';
import { mochaHooks } from '../support/hooks.ts';

/*
 * Runs the test files with matching paths in its own process and sends the result to its parent. The mocha command
 * is not used, because one file that does not load ends its run; here it is counted.
 */

interface Counts {
  passed: number;
  failed: number;
  pending: number;
}

const [pathPattern = '', namePattern = ''] = process.argv.slice(2);
const loaded: unknown = createRequire(import.meta.url)('../../.mocharc.cjs');
const { timeout, slow } = loaded as { readonly timeout: number; readonly slow: number };
const mocha = new Mocha({ timeout, slow, rootHooks: mochaHooks, reporter: 'dot', forbidOnly: true });

clearSettings();
process.on('disconnect', () => process.exit(1));
if (namePattern !== '') mocha.grep(new RegExp(namePattern));
const files = filesMatching(new RegExp(pathPattern));
const broken = await loadEach(files);
const counts: Counts = { passed: 0, failed: 0, pending: 0 };
const failedFiles = new Set(broken);
const runner = mocha.run(() => {
  const suites = { suites: files.length, failedSuites: failedFiles.size, brokenSuites: broken.length };
  process.send?.({ ...counts, ...suites }, () => process.exit());
});
runner.on('pass', () => (counts.passed += 1));
runner.on('pending', () => (counts.pending += 1));
runner.on('fail', test => {
  counts.failed += 1;
  failedFiles.add(test.file ?? '');
});

/** Browser tests are excluded: they need a browser. */
function filesMatching(pattern: RegExp): string[] {
  const all = readdirSync('test', { recursive: true, encoding: 'utf8' }).map(name => join('test', name));
  const tests = all.filter(path => path.endsWith('.test.ts') && !path.startsWith(join('test', 'browser')));
  return tests.filter(path => pattern.test(path)).toSorted();
}

async function loadEach(paths: readonly string[]): Promise<string[]> {
  const unloadable: string[] = [];
  for (const path of paths) {
    mocha.files = [path];
    await mocha.loadFilesAsync().catch((error: Error) => {
      process.stderr.write(`${path}: ${error.message}\n`);
      unloadable.push(path);
    });
  }
  return unloadable;
}
