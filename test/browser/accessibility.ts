import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect } from 'chai';
import type { Page } from 'playwright-core';

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Returns what axe finds on the page, each with the elements that have it; by all of its rules, or by some. */
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

/**
 * The controls that a person cannot bring into sight and press: each is scrolled to as far as wheel and finger can, which do not
 * move what is cut off, must lie inside of all that scrolls or cuts around it, and be what is met at its middle.
 */
const LIST_UNREACHABLE = `(() => {
  // An open dialog lies over the rest.
  const modal = [...document.querySelectorAll('dialog:modal, [role=menu], .rail.is-whole')].at(-1);
  // Nothing cuts a dialog.
  const around = element =>
    element ? [element, ...(element.localName === 'dialog' ? [] : around(element.parentElement))] : [];
  const scrolls = (element, axis) => ['auto', 'scroll'].includes(getComputedStyle(element)['overflow' + axis]);
  const cuts = (element, axis) => getComputedStyle(element)['overflow' + axis] !== 'visible';
  const nameOf = element => (element.getAttribute('aria-label') || element.labels?.[0]?.textContent || element.textContent).trim();
  const findFault = control => {
    control.scrollIntoView({ block: 'center', inline: 'center' });
    const parents = around(control.parentElement).filter(each => each !== document.body && each !== document.documentElement);
    for (const parent of parents) {
      if (!scrolls(parent, 'X')) parent.scrollLeft = 0;
      if (!scrolls(parent, 'Y')) parent.scrollTop = 0;
    }
    document.documentElement.scrollLeft = 0;
    const { left, right, top, bottom, width, height } = control.getBoundingClientRect();
    const [x, y] = [left + width / 2, top + height / 2];
    const page = { left: 0, right: innerWidth, top: 0, bottom: innerHeight };
    for (const each of [undefined, ...parents]) {
      const place = each?.getBoundingClientRect() ?? page;
      const name = each ? each.className || each.localName : 'the window';
      if ((!each || cuts(each, 'X')) && (left < place.left - 1 || right > place.right + 1)) return 'leaves ' + name;
      if ((!each || cuts(each, 'Y')) && (y < place.top || y > place.bottom)) return 'leaves ' + name;
    }
    const met = document.elementFromPoint(x, y);
    const isMet = control.contains(met) || [...(control.labels ?? [])].some(label => label.contains(met));
    return isMet ? undefined : 'is under ' + (met?.className || met?.localName);
  };
  return [...(modal ?? document).querySelectorAll('a[href], button, input, select, textarea, summary')]
    .filter(control => !control.matches('.skip, .unseen') && control.checkVisibility({ visibilityProperty: true }))
    .flatMap(control => {
      const fault = findFault(control);
      return fault ? [control.localName + ' "' + nameOf(control).slice(0, 40) + '" ' + fault] : [];
    });
})()`;

export const listUnreachable = (page: Page): Promise<string[]> => page.evaluate(LIST_UNREACHABLE);

/** Expects no findings of axe, nothing beyond the window and nothing out of reach, as it is and on a phone. */
export async function expectUsable(page: Page): Promise<void> {
  for (const width of [390, 1_280]) {
    await page.setViewportSize({ width, height: 800 });
    expect(await findViolations(page), `at ${width} pixels`).to.deep.equal([]);
    expect(await listUnreachable(page), `at ${width} pixels`).to.deep.equal([]);
    expect(await page.evaluate('document.documentElement.scrollWidth > innerWidth')).to.equal(false);
  }
}
