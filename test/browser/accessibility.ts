import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What axe finds on the page, each with the elements that have it; by all of its rules, or by some. */
export async function findViolations(page: Page, rules?: readonly string[]): Promise<string[]> {
  const options = rules ? { runOnly: { type: 'rule', values: rules } } : {};
  if (!(await page.evaluate('Boolean(globalThis.axe)'))) await page.evaluate(source);
  const { violations } = await page.evaluate<{
    violations: { id: string; nodes: { target: string[] }[] }[];
  }>(`axe.run(document, ${JSON.stringify(options)})`);
  return violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`,
  );
}
