import { expect } from 'chai';
import { openService } from '../support/service.ts';
import { openConsole, openView } from './console-page.ts';

/**
 * Acts as soon as the element is in the document, before it is painted: nobody is faster. An effect that a page leaves for later comes
 * after it, and must not put back what it knew before.
 */
const AT_ONCE = `(selector, act) => new Promise(resolve => {
  const look = () => {
    const found = document.querySelector(selector);
    if (!found) return;
    watch.disconnect();
    act(found);
    resolve();
  };
  const watch = new MutationObserver(look);
  watch.observe(document, { childList: true, subtree: true });
})`;

describe('what a person does before it is painted on the page at /console', () => {
  const service = openService();
  const { page, enter } = openConsole(service);
  const saveBar = () => page.getByText('Há mudanças que ainda não foram salvas.');
  beforeEach(() => enter('busca'));

  /** Goes there without another document. */
  const actIn = (view: string, selector: string, act: string) =>
    page.evaluate(`(() => {
      const done = (${AT_ONCE})('${selector}', ${act});
      location.hash = '${view}';
      return done;
    })()`);
  const actInAssistant = (part: string, ...acting: [selector: string, act: string]) =>
    actIn(`assistentes/${service.demo.avatarId}/${part}`, ...acting);

  const typing = (text: string) => `field => {
    field.value = '${text}';
    field.dispatchEvent(new Event('input', { bubbles: true }));
  }`;

  it('stays in the instructions of an assistant', async () => {
    await actInAssistant('', '.assistant textarea', typing('Seja breve.'));
    await saveBar().waitFor();
  });

  it('moves a step of its flow', async () => {
    const press = `grip => grip.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowDown', bubbles: true }))`;
    await actInAssistant('fluxo', '.grip', press);
    await saveBar().waitFor();
  });

  /** After the effects that wait for the next frame. */
  const painted = () =>
    page.evaluate('new Promise(resolve => requestAnimationFrame(() => setTimeout(setTimeout, 0, resolve)))');
  const search = () => page.getByRole('search').getByRole('searchbox');

  it('stays in a search that has just opened', async () => {
    await openView(page, 'testar');
    await actIn('busca', '[role=search] input', typing('Bia'));
    await painted();
    expect(await search().inputValue()).to.equal('Bia');
  });

  it('stays in a search that has just been emptied', async () => {
    await search().fill('Rosa');
    await page.keyboard.press('Enter');
    await page.evaluate(`(async type => {
      const field = document.querySelector('[role=search] input');
      field.value = '';
      field.dispatchEvent(new Event('input', { bubbles: true }));
      await undefined;
      type(field);
    })(${typing('Bia')})`);
    await painted();
    expect(await search().inputValue()).to.equal('Bia');
  });
});
