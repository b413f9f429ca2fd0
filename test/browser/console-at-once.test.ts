import { openService } from '../support/service.ts';
import { openConsole } from './console-page.ts';

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

describe('what a person does before an assistant is painted on the page at /console', () => {
  const service = openService();
  const { page, enter } = openConsole(service);
  const saveBar = () => page.getByText('Há mudanças que ainda não foram salvas.');
  beforeEach(() => enter('busca'));

  /** Goes to the assistant without another document. */
  const actIn = (part: string, selector: string, act: string) =>
    page.evaluate(`(() => {
      const done = (${AT_ONCE})('${selector}', ${act});
      location.hash = 'assistentes/${service.demo.avatarId}/${part}';
      return done;
    })()`);

  it('stays in the instructions', async () => {
    const type = `field => {
      field.value = 'Seja breve.';
      field.dispatchEvent(new Event('input', { bubbles: true }));
    }`;
    await actIn('', '.assistant textarea', type);
    await saveBar().waitFor();
  });

  it('moves a step of the flow', async () => {
    const press = `grip => grip.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowDown', bubbles: true }))`;
    await actIn('fluxo', '.grip', press);
    await saveBar().waitFor();
  });
});
