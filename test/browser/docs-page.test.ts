import { expect } from 'chai';
import type { Locator } from 'playwright-core';
import { operationNames, operationOf } from '../../queues/contract/operations/index.ts';
import { openService } from '../support/service.ts';
import { openPage } from './browser.ts';

describe('the page at /docs', () => {
  const service = openService();
  const { demo } = service;
  const watched = openPage({ viewport: { width: 1_280, height: 1_600 } });
  const { page } = watched;
  before(async () => {
    // The page draws all operations anew at each step: seconds, on a busy machine many.
    page.setDefaultTimeout(60_000);
    await page.goto(`${service.baseURL}/docs`);
    await page.locator('.opblock-tag').first().waitFor();
  });

  const openGroup = async (group: Locator) => {
    if ((await group.getAttribute('data-is-open')) !== 'true') await group.click();
  };
  const openOperation = async () => {
    await openGroup(page.locator('#operations-tag-conversations'));
    const block = page.locator('#operations-conversations-createConversation');
    if (!(await block.locator('.opblock-body').isVisible()))
      await block.locator('.opblock-summary-control').click();
    return block;
  };

  it('begins with what to do first, and groups that are closed', async () => {
    expect(await page.locator('.info').innerText()).to.include('Start here');
    // The webhooks have no group.
    expect(await page.locator('.opblock-tag-section .opblock').count()).to.equal(0);
    await page.locator('.operation-filter-input').waitFor();
  });

  it('shows the body and the answers of an operation that is opened', async () => {
    const block = await openOperation();
    await block.locator('.responses-table').first().waitFor();
    const text = await block.innerText();
    expect(text).to.include('Request body').and.include('hostSlug').and.include('x-choosen-host-id');
  });

  it('shows every operation, with its path and its summary', async () => {
    const shown: string[] = [];
    // One group at a time: from 150 rows on Swagger UI draws only those that are in sight.
    for (const section of await page.locator('.opblock-tag-section').all()) {
      const group = section.locator('.opblock-tag');
      await openGroup(group);
      await section.locator('.opblock').first().waitFor();
      shown.push(...(await section.locator('.opblock').allInnerTexts()));
      await group.click();
    }
    const squeezed = shown.map(text => text.replaceAll(/[\s\u200b]+/g, ' '));
    for (const name of operationNames) {
      const { method, path, summary } = operationOf(name);
      const address = path.replaceAll(/:(\w+)/g, '{$1}');
      const found = squeezed.find(text => text.includes(`${method} ${address} `) && text.includes(summary));
      expect(found, `${method} ${address} ${summary}`).to.be.a('string');
    }
  });

  it('takes an operation from the document as it is, without the headers of every response', async () => {
    await page.coverage.startJSCoverage();
    await page.goto(`${service.baseURL}/docs`);
    const block = await openOperation();
    await block.locator('.responses-table').first().waitFor();
    const scripts = await page.coverage.stopJSCoverage();
    const counts = scripts
      .flatMap(({ functions }) => functions)
      .filter(({ functionName }) => functionName === 'resolveOpenAPI31Strategy')
      .map(({ ranges }) => ranges[0]?.count);
    // It takes the whole document apart, each time.
    expect(new Set(counts)).to.deep.equal(new Set([0]));
    const text = await block.innerText();
    expect(text).to.include('Retry-After').and.not.include('X-Download-Options');
    expect(await page.locator('.info').innerText()).to.include('Every response has the header X-Request-Id');
  });

  it('tries an operation with the token that it is given', async () => {
    // From the beginning, so that a second try meets no open dialog.
    await page.goto(`${service.baseURL}/docs`);
    await page.locator('.auth-wrapper .authorize').first().click();
    const dialog = page.locator('.auth-container form', { hasText: 'token (http' });
    await dialog.locator('input').fill(demo.token);
    await dialog.locator('.authorize').click();
    await page.locator('.dialog-ux .close-modal').click();
    const block = await openOperation();
    await block.locator('.try-out__btn').click();
    await block.locator('textarea').fill(JSON.stringify({ hostId: demo.hostId, hostSlug: demo.slug }));
    await block.locator('.execute').click();
    const answer = block.locator('.live-responses-table .response').first();
    await answer.waitFor();
    expect(await answer.innerText())
      .to.include('200')
      .and.include('conversationId');
  });

  it('asks nothing of any other machine, and runs into nothing', () => {
    expect([watched.outside(service.baseURL), watched.complaints]).to.deep.equal([[], []]);
  });
});
