import { expect } from 'chai';
import type { Page } from 'playwright-core';
import type { OperationName } from '../../queues/contract/operations/index.ts';
import { openOwnService, type Service } from '../support/service.ts';
import { makePageOpener } from './browser.ts';

/** The inbox, and people of the team who sign in to it, each in a browser of their own. */
export function makeInboxStage() {
  const service = openOwnService({ egressAllowPrivate: true });
  const { db, model } = service;
  const { opened, open } = makePageOpener();
  const steps = makeInboxSteps(service);
  before(() => model.say('A secretaria atende **de segunda a sexta**.'));
  afterEach(async () => {
    await db('people').delete();
    await db('conversations').update({ archived: true });
    // A test may refuse a request.
    const complaints = opened.flatMap(each => each.complaints);
    expect(complaints.filter(text => !text.includes('Failed to load'))).to.deep.equal([]);
  });

  return {
    service,
    ...steps,
    /** Signs in a person who may attend and no more; `init` runs in the page before its own scripts. */
    async enter(name: string, init = '', email = `${name.split(' ')[0]}@horizonte.example`): Promise<Page> {
      const { personId } = await steps.done('savePerson', { name, role: 'agent', email });
      const { link } = await steps.done('invitePerson', { personId });
      const page = await open();
      // Also in tabs that are opened later.
      await page.context().addInitScript(init);
      await page.goto(link);
      await Promise.all([
        untilFollowing(page),
        page.getByRole('button', { name: 'Entrar no painel' }).click(),
      ]);
      await page.locator('.inbox').waitFor();
      return page;
    },
    /** The id of the only person of this name. */
    personOf: async (name: string): Promise<string> => (await db('people').where({ name }).first()).id,
  };
}

/** What becomes of conversations, whoever looks at them. */
export function makeInboxSteps({ db, demo }: Pick<Service, 'db' | 'demo'>) {
  const done = async (name: OperationName, body: object) => {
    const { status, body: answer } = await demo.call(name, body);
    expect(status, name).to.be.below(300);
    return answer.data;
  };
  return {
    /** The data of a success. */
    done,
    async begin(name: string, question = 'Oi! Que horas abre?'): Promise<string> {
      const conversationId = await demo.newConversation();
      const { status } = await demo.ask(question, { conversationId, userData: { name } });
      expect(status, `the question of ${name}`).to.equal(200);
      return conversationId;
    },
    update: (conversationId: string, changes: object) =>
      done('updateConversation', { conversationId, ...changes }),
    write: (conversationId: string, content: string, author = 'user', name?: string) =>
      done('appendMessage', { conversationId, author, content, name }),
    /** The answer in it rests on a passage. */
    async cite(conversationId: string): Promise<void> {
      const { id: chunkId, dataset_id: datasetId } = await db('chunks')
        .where({ host_id: demo.hostId })
        .first();
      const sources = JSON.stringify([{ chunkId, datasetId, sentences: [] }]);
      await db('messages')
        .where({ conversation_id: conversationId, author: 'assistant' })
        .update({ sources });
    },
    stateOf: (id: string) => db('conversations').where({ id }).first(),
  };
}

/** Until a page has read the conversations that there are, and is told of what becomes of them from then on. */
export const untilFollowing = (page: Page) => page.waitForResponse('**/console/events');
export const groupOf = (page: Page, title: string) => page.getByRole('region', { name: title, exact: true });
export const rowOf = (page: Page, name: string) => page.locator('.inbox-row', { hasText: name });
