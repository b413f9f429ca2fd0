import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import { say } from '../support/scripted-model.ts';
import { PUBLIC, type Service, startService } from '../support/service.ts';
import { openBrowser, openWatchedPage, type WatchedPage } from './browser.ts';

/** The inbox, and people of the team who sign in to it, each in a browser of their own. */
export function makeInboxStage() {
  let service: Service;
  let browser: Browser;
  let opened: WatchedPage[] = [];
  before(async () => {
    service = await startService({ egressAllowPrivate: true });
    service.model.script(say('A secretaria atende **de segunda a sexta**.'));
    browser = await openBrowser();
  });
  afterEach(async () => {
    // A test may refuse a request.
    const complaints = opened
      .flatMap(each => each.complaints)
      .filter(text => !text.includes('Failed to load'));
    for (const { page } of opened) await page.context().close();
    opened = [];
    await service.db('people').delete();
    await service.db('conversations').update({ archived: true });
    expect(complaints).to.deep.equal([]);
  });
  after(() => service.close());

  const helper = async (name: string, body: object) => {
    const path = `${PUBLIC}/svcReasoning/${name}`;
    const { status, body: answer } = await service.call(path, { hostId: service.demo.hostId, ...body });
    expect(status, name).to.be.below(300);
    return answer.data;
  };
  return {
    get service() {
      return service;
    },
    helper,
    /** Signs in a person who may attend and no more; `init` runs in the page before its own scripts. */
    async enter(
      name: string,
      init?: string,
      email = `${name.split(' ')[0]}@horizonte.example`,
    ): Promise<Page> {
      const { personId } = await helper('savePersonHelper', { name, role: 'agent', email });
      const { link } = await helper('invitePersonHelper', { personId });
      const context = await browser.newContext({ viewport: { width: 1_280, height: 800 } });
      if (init !== undefined) await context.addInitScript(init);
      const watched = await openWatchedPage(context);
      opened.push(watched);
      const { page } = watched;
      await page.goto(link);
      await page.getByRole('button', { name: 'Entrar no painel' }).click();
      await page.locator('.inbox').waitFor();
      return page;
    },
    /** Somebody has asked something. */
    async begin(name: string): Promise<string> {
      const conversationId = await service.newConversation();
      const { status } = await service.ask('Oi! Que horas abre?', { conversationId, userData: { name } });
      expect(status, `the question of ${name}`).to.equal(200);
      return conversationId;
    },
    update: (conversationId: string, changes: object) =>
      helper('updateConversationHelper', { conversationId, ...changes }),
    write: (conversationId: string, content: string) =>
      helper('appendMessageHelper', { conversationId, author: 'user', content }),
    /** The id of the only person of this name. */
    personOf: async (name: string): Promise<string> =>
      (await service.db('people').where({ name }).first()).id,
    stateOf: (id: string) => service.db('conversations').where({ id }).first(),
  };
}

export const groupOf = (page: Page, title: string) => page.getByRole('region', { name: title, exact: true });
export const rowOf = (page: Page, name: string) => page.locator('.inbox-row', { hasText: name });
