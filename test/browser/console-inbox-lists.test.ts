import { expect } from 'chai';
import { openView } from './console-page.ts';
import { groupOf, makeInboxStage, rowOf } from './inbox-stage.ts';

describe('many conversations on the page at /console', () => {
  const stage = makeInboxStage();
  /** Conversations of so many people, of which nothing has changed for so many hours. */
  const add = (
    count: number,
    name: string,
    state: { platform: string; hoursAgo: number; unanswered?: boolean },
  ) =>
    stage.service.db.raw(
      `with begun as (
        insert into conversations (host_id, user_name, platform, unanswered_at, last_message_at, updated_at)
        select ?, ? || ' ' || n, ?, case when ? then now() end, at, at
        from generate_series(1, ?::integer) n, (select now() - ? * interval '1 hour' as at) moment returning host_id, id, last_message_at
      )
      insert into messages (host_id, conversation_id, author, content, created_at)
        select host_id, id, 'user', 'Oi!', last_message_at from begun`,
      [stage.service.demo.hostId, name, state.platform, state.unanswered ?? false, count, state.hoursAgo],
    );

  it('are counted as far as they are read, and filtered by the service: by channel, and what has no answer', async () => {
    await add(150, 'Nova', { platform: 'api', hoursAgo: 1 });
    await add(2, 'Antiga', { platform: 'whatsapp', hoursAgo: 300 });
    await add(1, 'Recente', { platform: 'whatsapp', hoursAgo: 0 });
    await add(1, 'Calada', { platform: 'api', hoursAgo: 400, unanswered: true });
    const page = await stage.enter('Bia');
    const assistant = groupOf(page, 'Com o assistente');
    await assistant.locator('.count', { hasText: '100+' }).waitFor();
    // However old it is, who got no answer is seen at once.
    await groupOf(page, 'Sem resposta').getByText('Calada 1').waitFor();
    await page.getByLabel('Canal').selectOption('whatsapp');
    await assistant.getByText('Antiga 2').waitFor();
    await assistant.locator('.count').getByText('3', { exact: true }).waitFor();
    expect(await groupOf(page, 'Sem resposta').count()).to.equal(0);
    // Between those that were read, the ones that were not are not left out.
    await page.getByLabel('Canal').selectOption('');
    await assistant.locator('.count', { hasText: '100+' }).waitFor();
    await page.getByRole('button', { name: 'Sem resposta' }).click();
    await assistant.waitFor({ state: 'detached' });
    await groupOf(page, 'Sem resposta').getByText('Calada 1').waitFor();
    expect(await page.locator('.inbox-row').count()).to.equal(1);
  });

  it('show who sent what could not be read, although no message tells of it', async () => {
    const unread = 'Áudio ou arquivo que não pôde ser lido';
    const old = await stage.begin('Rui');
    await stage.service.db('conversations').where({ id: old }).update({ unanswered_at: new Date() });
    const row = { host_id: stage.service.demo.hostId, user_name: 'Noa', unanswered_at: new Date() };
    await stage.service.db('conversations').insert(row);
    const page = await stage.enter('Bia');
    for (const [name, heading] of [
      ['Noa', unread],
      ['Rui', 'Que horas abre?'],
    ] as const) {
      await groupOf(page, 'Sem resposta')
        .locator('.inbox-row', { hasText: name })
        .getByText(unread)
        .waitFor();
      await rowOf(page, name).click();
      await page.getByRole('heading', { name }).waitFor();
      const log = page.getByRole('log', { name: 'Mensagens' });
      await log.getByText(heading).first().waitFor();
      await log.getByText(unread).waitFor();
      expect(await log.getByText('Ainda não há mensagens').count()).to.equal(0);
    }
  });

  it('are filtered by who attends, which stays as it is on another page', async () => {
    for (const [name, assigned_to] of Object.entries({ Ana: 'Bia', Noa: 'Caio Reis', Zoe: 'Bia, Caio Reis' }))
      await stage.update(await stage.begin(name), { ask_human_help: true, assigned_to });
    await stage.begin('Rui');
    const page = await stage.enter('Bia');
    await rowOf(page, 'Rui').waitFor();
    await page.getByLabel('Quem atende').selectOption('Caio Reis');
    await rowOf(page, 'Ana').waitFor({ state: 'detached' });
    expect((await page.locator('.inbox-row strong').allInnerTexts()).toSorted()).to.deep.equal([
      'Noa',
      'Zoe',
    ]);
    await openView(page, 'busca');
    await openView(page, 'atendimento');
    await rowOf(page, 'Noa').waitFor();
    expect(await rowOf(page, 'Ana').count()).to.equal(0);
  });
});
