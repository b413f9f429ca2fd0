import { expect } from 'chai';
import { eventually } from '../support/eventually.ts';
import { openEach } from '../support/opened.ts';
import { answer, startReceiver } from '../support/receiver.ts';
import { groupOf, makeInboxStage, rowOf } from './inbox-stage.ts';

describe('what a person writes on the page at /console', () => {
  const stage = makeInboxStage();
  const receiver = openEach(startReceiver);
  afterEach(() => stage.service.db('webhooks').delete());

  it('is told to the channel, and shows what becomes of it', async () => {
    let deliver = () => {};
    receiver.script((_received, response) => (deliver = () => void response.writeHead(204).end()));
    await stage.done('saveWebhook', { name: 'Canal', url: receiver.url, events: ['message.sent'] });
    const conversationId = await stage.begin('Lia');
    const page = await stage.enter('Bia');
    await rowOf(page, 'Lia').click();
    await page.getByLabel('Sua resposta').fill('Oi, Lia! *Abre* às 8h.');
    await page.keyboard.press('Control+Enter');
    await page.getByText('A caminho do canal').waitFor();
    await eventually(
      async () => receiver.received,
      received => received.length > 0,
    );
    expect(receiver.received[0]?.body.data).to.deep.include({
      conversationId,
      name: 'Bia',
      content: 'Oi, Lia! *Abre* às 8h.',
    });
    deliver();
    await page.getByText('Entregue ao canal').waitFor();
    expect(await page.getByText('A caminho do canal').count()).to.equal(0);
    await stage.service.db('deliveries').update({ state: 'dead' });
    await page.reload();
    await page.getByText('Não chegou ao canal', { exact: true }).waitFor();
  });

  it('says after the first failure that it has not arrived, and when it is tried again', async () => {
    receiver.script(answer(401));
    await stage.done('saveWebhook', { name: 'Canal', url: receiver.url, events: ['message.sent'] });
    await stage.begin('Lino');
    const page = await stage.enter('Bia');
    await rowOf(page, 'Lino').click();
    await page.getByLabel('Sua resposta').fill('Abre às 8h.');
    await page.keyboard.press('Control+Enter');
    await page.getByText('Abre às 8h.').last().waitFor();
    await page.getByText(/Ainda não chegou ao canal; nova tentativa às \d\d:\d\d/).waitFor();
    // Who attends may not look into the webhooks.
    expect(await page.locator('#views').getByText('Webhooks').count()).to.equal(0);
    receiver.script(answer(204));
    await stage.service.db('deliveries').where({ state: 'pending' }).update({ due_at: new Date() });
    await page.getByText('Entregue ao canal').waitFor();
    expect(await page.getByText('Ainda não chegou').count()).to.equal(0);
  });

  it('says where no webhook takes it to the channel, and is named as one’s own in the list', async () => {
    await stage.begin('Enzo');
    const page = await stage.enter('Bia');
    await rowOf(page, 'Enzo').click();
    await page.getByLabel('Sua resposta').fill('Abre às 8h.');
    await page.keyboard.press('Control+Enter');
    await page.getByText('Só no painel: nenhum webhook leva ao canal').waitFor();
    const row = groupOf(page, 'Com você').locator('.inbox-row', { hasText: 'Enzo' });
    await row.getByText('Você: Abre às 8h.').waitFor();
    expect(await row.innerText()).not.to.include('Bia');
  });
});
