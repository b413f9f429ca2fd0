import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { eventually } from '../support/eventually.ts';
import { groupOf, makeInboxStage, rowOf, untilFollowing } from './inbox-stage.ts';

/** Records what is told aloud, in a browser in which the person answers so to the question for the permission. */
const recordAlerts = (permission: string) => `
  window.told = [];
  window.asked = 0;
  window.sounds = 0;
  window.Notification = class extends EventTarget {
    static permission = localStorage.permission ?? 'default';
    static requestPermission() {
      window.asked += 1;
      localStorage.permission = this.permission = '${permission}';
      return Promise.resolve(this.permission);
    }
    constructor(title) {
      super();
      window.told.push(title);
      window.lastTold = this;
    }
    close() {}
  };
  window.AudioContext = class extends AudioContext {
    constructor() {
      super();
      window.sounds += 1;
    }
  };`;

/** Answers this request of two tabs when both have sent it: they know the same at the same moment. Returns what ends that. */
async function answerTogether(page: Page, path: string): Promise<() => Promise<void>> {
  let answerFirst: (() => void) | undefined;
  await page.context().route(`**/${path}`, async route => {
    const response = await route.fetch();
    if (answerFirst) {
      answerFirst();
      answerFirst = undefined;
    } else await new Promise<void>(resolve => (answerFirst = resolve));
    await route.fulfill({ response });
  });
  return async () => {
    await page.context().unrouteAll({ behavior: 'ignoreErrors' });
    answerFirst?.();
  };
}

describe('what is new on the page at /console', () => {
  const stage = makeInboxStage();
  const told = (page: Page) => page.evaluate<string[]>('window.told');
  const untilTold = (page: Page, count: number) =>
    eventually(
      () => told(page),
      all => all.length >= count,
    );
  const untilTitled = (page: Page, title: string) => eventually(() => page.title(), title);
  const alertSwitch = (page: Page) => page.getByRole('switch', { name: 'Avisos com som' });

  it('is told aloud when a person has chosen so: who waits, what was passed to them, who answers them', async () => {
    const [ana, davi] = [await stage.begin('Ana'), await stage.begin('Davi')];
    const page = await stage.enter('Bia', recordAlerts('granted'));
    await rowOf(page, 'Davi').waitFor();
    // Nobody is asked for a permission, and nothing is told, before that.
    await stage.update(davi, { ask_human_help: true });
    await groupOf(page, 'Esperam por uma pessoa').getByText('Davi').waitFor();
    expect(await page.evaluate('[window.told, window.asked, window.sounds]')).to.deep.equal([[], 0, 0]);
    await alertSwitch(page).click();
    await page.getByText('Avisos ligados neste navegador').waitFor();
    expect(await page.evaluate('[window.told, window.asked, window.sounds]')).to.deep.equal([[], 1, 1]);
    await stage.update(ana, { ask_human_help: true });
    expect(await untilTold(page, 1)).to.deep.equal(['Ana espera por uma pessoa da equipe']);
    await untilTitled(page, '(2) Atendimento · Parley');
    await stage.update(davi, { assigned_person_id: await stage.personOf('Bia') });
    expect((await untilTold(page, 2)).at(-1)).to.equal('A conversa com Davi foi passada a você');
    await groupOf(page, 'Com você').getByRole('img', { name: 'mensagem nova' }).waitFor();
    await untilTitled(page, '(2) Atendimento · Parley');
    // A message that is seen as it comes is not told.
    await rowOf(page, 'Davi').click();
    await untilTitled(page, '(1) Atendimento · Parley');
    await stage.write(davi, 'Obrigado por pegar!');
    await page.locator('.bubble', { hasText: 'Obrigado por pegar!' }).waitFor();
    await rowOf(page, 'Ana').click();
    await page.getByRole('heading', { name: 'Ana' }).waitFor();
    await stage.write(davi, 'Mais uma pergunta');
    expect((await untilTold(page, 3)).slice(2)).to.deep.equal(['Davi respondeu a você']);
    expect(await page.evaluate('window.sounds')).to.equal(4);
    await rowOf(page, 'Davi').getByRole('img', { name: 'mensagem nova' }).waitFor();
    await untilTitled(page, '(2) Atendimento · Parley');
    // A click on it leads there.
    await page.evaluate(`window.lastTold.dispatchEvent(new Event('click'))`);
    await page.getByRole('heading', { name: 'Davi' }).waitFor();
    await untilTitled(page, '(1) Atendimento · Parley');
  });

  it('is told once where several tabs have the console open, and not for what the person does', async () => {
    const names = ['Gil', 'Ivo', 'Noa', 'Rui', 'Zoe'];
    const ids = new Map<string, string>();
    for (const name of names) ids.set(name, await stage.begin(name));
    const page = await stage.enter('Bia', recordAlerts('granted'));
    await alertSwitch(page).click();
    const other = await page.context().newPage();
    await Promise.all([untilFollowing(other), other.goto(page.url())]);
    await rowOf(other, 'Noa').waitFor();
    expect(await alertSwitch(other).getAttribute('aria-checked')).to.equal('true');
    const release = await answerTogether(page, 'conversationsListHelper');
    for (const [at, name] of names.entries()) {
      await stage.update(ids.get(name) ?? '', { ask_human_help: true });
      for (const each of [page, other])
        await groupOf(each, 'Esperam por uma pessoa').getByText(name, { exact: true }).waitFor();
      const all = await eventually(
        async () => [...(await told(page)), ...(await told(other))],
        found => found.length > at,
      );
      expect(all.toSorted()).to.deep.equal(
        names.slice(0, at + 1).map(each => `${each} espera por uma pessoa da equipe`),
      );
    }
    await release();
    await other.close();
    const before = await told(page);
    await rowOf(page, 'Noa').click();
    await page.getByRole('button', { name: 'Assumir', exact: true }).click();
    await page.getByText('Você atende esta conversa.').waitFor();
    await page.getByRole('button', { name: 'Devolver ao assistente' }).click();
    await groupOf(page, 'Com o assistente').waitFor();
    expect(await told(page)).to.deep.equal(before);
  });

  it('is only heard where the browser refuses, which is said in words, until it is switched off', async () => {
    const page = await stage.enter('Bia', recordAlerts('denied'));
    await alertSwitch(page).click();
    await page.getByText('Só o som: o navegador recusou as notificações.').waitFor();
    await stage.update(await stage.begin('Gil'), { ask_human_help: true });
    await eventually(() => page.evaluate('window.sounds'), 2);
    expect(await told(page)).to.deep.equal([]);
    await alertSwitch(page).click();
    await page.getByText('Só o som').waitFor({ state: 'detached' });
    expect(await alertSwitch(page).getAttribute('aria-checked')).to.equal('false');
  });
});
