import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { eventually } from '../support/eventually.ts';
import { insertIndexedRecord } from '../support/searched-records.ts';
import { openOwnService } from '../support/service.ts';
import { openBrowser, openWatchedPage, type WatchedPage } from './browser.ts';
import { enterAgain, enterConsole, leaveConsole } from './console-page.ts';
import { groupOf, makeInboxSteps, untilFollowing } from './inbox-stage.ts';

/** How soon a message must show without a reload. */
const SOON_MS = 2_000;
/** Of the time of a page, between two looks at it. */
const STEP_MS = 5;

describe('attending on the page at /console', () => {
  const service = openOwnService();
  const { demo, model } = service;
  /** Of people with a session each: the tests use them one after another, because a page takes a second to open. */
  const desks: WatchedPage[] = [];
  let taken = 0;
  before(() => model.say('A secretaria atende **de segunda a sexta**.'));
  afterEach(async () => {
    for (const { page } of desks.slice(0, taken)) await leaveConsole(page, service.baseURL);
    taken = 0;
    await service.db('conversations').update({ archived: true });
  });
  after(async () => {
    for (const { page } of desks) await page.close();
  });

  const openDesk = async (token = demo.token): Promise<WatchedPage> => {
    const desk = await openWatchedPage(await openBrowser());
    await enterConsole(desk.page, { ...service, token }, 'atendimento');
    return desk;
  };
  /** A person at a page of their own. */
  const enter = async (name?: string): Promise<Page> => {
    const { page } = (desks[taken] ??= await openDesk());
    taken += 1;
    await leaveConsole(page, service.baseURL);
    await Promise.all([untilFollowing(page), enterAgain(page, 'atendimento', name)]);
    return page;
  };
  const { begin, cite, update, write, stateOf } = makeInboxSteps(service);
  const askHelp = (conversationId: string) => update(conversationId, { ask_human_help: true });
  const openRow = (page: Page, name: string) => page.locator('.inbox-row', { hasText: name }).click();

  it('shows what waits for a person first, the one who waits longest at the top', async () => {
    const [ana, bruno] = [await begin('Ana'), await begin('Bruno'), await begin('Clara')];
    for (const id of [ana, bruno]) await askHelp(id);
    // Who writes again while it waits keeps its place.
    await write(ana, 'Alguém aí?');
    const page = await enter();
    await groupOf(page, 'Com o assistente').getByText('Clara').waitFor();
    const waiting = groupOf(page, 'Esperam por uma pessoa').locator('.inbox-row strong');
    // Each list is read by itself.
    await waiting.nth(1).waitFor();
    expect(await waiting.allInnerTexts()).to.deep.equal(['Ana', 'Bruno']);
    const groups = await page
      .locator('.group')
      .evaluateAll(all => all.map(each => each.getAttribute('aria-label')));
    expect(groups).to.deep.equal(['Esperam por uma pessoa', 'Com o assistente']);
    await untilTitled(page, '(2) Atendimento · Parley');
  });

  it('shows a hand-over and a message without a reload', async () => {
    const conversationId = await begin('Davi');
    const page = await enter();
    await openRow(page, 'Davi');
    await page.locator('.bubble', { hasText: 'de segunda a sexta' }).waitFor();
    await askHelp(conversationId);
    await groupOf(page, 'Esperam por uma pessoa').getByText('Davi').waitFor();
    await write(conversationId, 'Alguém *aí*?');
    const bubble = page.locator('.bubble', { hasText: 'Alguém aí?' });
    await bubble.waitFor();
    expect(await bubble.innerHTML()).to.include('<strong>aí</strong>');
    expect(await page.locator('.bubble').count()).to.equal(3);
    await askHelp(await begin('Elisa'));
    await groupOf(page, 'Esperam por uma pessoa').getByText('Elisa').waitFor();
  });

  it('is told of a message: an open page shows it within two seconds, and does not ask while nothing happens', async () => {
    const conversationId = await begin('Téo');
    // Its clock stays with a page.
    const { page } = await openDesk();
    await page.clock.install();
    await Promise.all([untilFollowing(page), page.reload()]);
    await openRow(page, 'Téo');
    // From here on, what is new shows only because the page is told.
    await page.locator('.bubble', { hasText: 'Oi! Que horas abre?' }).waitFor();
    await write(conversationId, 'Uma pergunta');
    await page.locator('.bubble', { hasText: 'Uma pergunta' }).waitFor();
    // It may have shown before this page was told, and looked again.
    await page.clock.runFor(SOON_MS);
    const asked: string[] = [];
    page.on('request', request => asked.push(new URL(request.url()).pathname.split('/').at(-1) ?? ''));
    // From then on, its time passes only as the test says, however slow the machine is.
    await page.clock.pauseAt((await page.evaluate<number>('Date.now()')) + 2 * SOON_MS);
    expect(asked).to.deep.equal([]);
    await write(conversationId, 'Mais uma');
    let passedMs = 0;
    await eventually(async () => {
      await page.clock.runFor(STEP_MS);
      passedMs += STEP_MS;
      return page.locator('.bubble', { hasText: 'Mais uma' }).count();
    }, 1);
    expect(passedMs).to.be.at.most(SOON_MS);
    expect(asked).to.deep.equal(['conversationsListHelper', 'messagesListHelper']);
    await page.close();
  });

  it('shows a colleague who writes, and not oneself', async () => {
    await begin('Zeca');
    const [bia, caio] = [await enter('Bia'), await enter('Caio')];
    for (const page of [bia, caio]) await openRow(page, 'Zeca');
    await bia.getByLabel('Sua resposta').fill('Oi, Ze');
    await caio.getByText('Bia está escrevendo…').waitFor();
    expect(await bia.getByText('está escrevendo').count()).to.equal(0);
    await bia.getByRole('button', { name: 'Enviar' }).click();
    await caio.locator('.by-human', { hasText: 'Oi, Ze' }).waitFor();
    expect(await caio.getByText('está escrevendo').count()).to.equal(0);
  });

  it('stays at the last message when the place for it gets smaller', async () => {
    await begin('Iago', 'Preciso de ajuda com a matrícula. '.repeat(100));
    const page = await enter('Bia');
    await openRow(page, 'Iago');
    await page.locator('.bubble', { hasText: 'de segunda a sexta' }).waitFor();
    const below = `(log => log.scrollHeight - log.scrollTop - log.clientHeight)(document.querySelector('.log'))`;
    await eventually(
      () => page.evaluate<number>(`document.querySelector('.log').scrollTop`),
      scrolled => scrolled > 0,
    );
    await page.getByLabel('Sua resposta').fill('Oi!\n'.repeat(5));
    await eventually(
      () => page.evaluate<number>(below),
      pixels => pixels < 2,
    );
  });

  const addWaiting = (count: number) =>
    service.db.raw(
      `with begun as (
        insert into conversations (host_id, user_name, ask_human_help, last_message_at)
        select ?, 'Pessoa ' || n, true, now() from generate_series(1, ?::integer) n returning host_id, id
      )
      insert into messages (host_id, conversation_id, author, content, created_at)
        select host_id, id, 'user', 'Oi!', now() from begun`,
      [demo.hostId, count],
    );
  const untilTitled = (page: Page, title: string) => eventually(() => page.title(), title, 90_000);

  it('shows each of thousands of conversations that change between two looks', async () => {
    const page = await enter();
    await untilTitled(page, 'Atendimento · Parley');
    // One look reads a thousand.
    const count = 1_050;
    await addWaiting(count);
    await untilTitled(page, `(${count}) Atendimento · Parley`);
    await askHelp(await begin('Tardia'));
    await untilTitled(page, `(${count + 1}) Atendimento · Parley`);
  });

  it('draws of hundreds of conversations those in sight, wherever the list is', async () => {
    const count = 300;
    await addWaiting(count);
    const page = await enter();
    await untilTitled(page, `(${count}) Atendimento · Parley`);
    const isFilled = `(() => {
      const { left, top, bottom } = document.querySelector('.inbox-groups').getBoundingClientRect();
      return [top + 60, (top + bottom) / 2, bottom - 20].every(y => document.elementFromPoint(left + 40, y)?.closest('.inbox-row'));
    })()`;
    for (const part of [0, 0.3, 0.7, 1]) {
      await page.evaluate(
        `(list => list.scrollTo(0, ${part} * list.scrollHeight))(document.querySelector('.inbox-groups'))`,
      );
      await eventually(() => page.evaluate<boolean>(isFilled), Boolean);
      // Some eleven are in sight, and eight before and after them are drawn for the keyboard.
      expect(await page.locator('.inbox-row').count()).to.be.within(11, 40);
    }
  });

  it('asks who takes over, once, answers in that name, gives back and closes', async () => {
    const conversationId = await begin('Fábio');
    await askHelp(conversationId);
    const page = await enter();
    await openRow(page, 'Fábio');
    await page.getByRole('button', { name: 'Assumir' }).click();
    await page.getByLabel('Seu nome').fill('Bia');
    await page.keyboard.press('Enter');
    await page.getByText('Você atende esta conversa.').waitFor();
    expect(await stateOf(conversationId)).to.include({ assigned_to: 'Bia', ask_human_help: true });
    // However long the list takes, what is sent or pressed next is done.
    let answer = () => {};
    const answered = new Promise<void>(resolve => (answer = resolve));
    await page.route('**/conversationsListHelper', route => answered.then(() => route.continue()));
    const reply = page.getByLabel('Sua resposta');
    for (const content of ['Oi, Fábio!', 'Aqui é a Bia.']) {
      await reply.fill(content);
      await reply.press('Control+Enter');
      await eventually(async () => (await reply.inputValue()) === '', Boolean);
    }
    const stored = await service.db('messages').where({ conversation_id: conversationId, author: 'human' });
    expect(stored.map(({ name }) => name)).to.deep.equal(['Bia', 'Bia']);
    await page.getByRole('button', { name: 'Devolver ao assistente' }).click();
    await groupOf(page, 'Com o assistente').getByText('Fábio', { exact: true }).waitFor();
    expect(await stateOf(conversationId)).to.include({ assigned_to: null, ask_human_help: false });
    await page.getByRole('button', { name: 'Encerrar', exact: true }).click();
    await page.getByRole('button', { name: 'Reabrir' }).waitFor();
    answer();
    await page.getByRole('button', { name: 'Encerradas' }).click();
    await groupOf(page, 'Encerradas').getByText('Fábio', { exact: true }).waitFor();
  });

  it('suggests nothing that no passage carries', async () => {
    await begin('Gil');
    const page = await enter('Bia');
    await openRow(page, 'Gil');
    model.say('Não encontrei isso.');
    await page.getByRole('button', { name: 'Sugerir resposta' }).click();
    await page.getByText('O assistente não tem sugestão').waitFor();
    expect(await page.getByLabel('Sua resposta').inputValue()).to.equal('');
    model.say('A secretaria atende **de segunda a sexta**.');
  });

  it('opens what the CRM knows of the person beside the conversation', async () => {
    const id = await begin('Rosa');
    const contact = { host_id: demo.hostId, name: 'Rosa', email: 'rosa@horizonte.example' };
    const [{ id: contact_id }] = await service.db('contacts').insert(contact).returning('id');
    await service.db('conversations').where({ id }).update({ wpp_id: '5511987654321', contact_id });
    const lead = { firstname: 'Rosa', lastname: 'Quintanilha', mobilephone: '5511987654321' };
    await insertIndexedRecord(service.db, demo.hostId, 'leads', lead);
    const page = await enter('Bia');
    await openRow(page, 'Rosa');
    const about = page.getByRole('complementary', { name: 'Sobre a pessoa' });
    await about.getByText('+55 11 98765-4321').waitFor();
    await about.getByText('rosa@horizonte.example').waitFor();
    await about.getByRole('button', { name: 'Lead: Rosa Quintanilha' }).click();
    await page.getByRole('dialog', { name: 'Rosa Quintanilha' }).getByText('Telefone').waitFor();
    expect(page.url()).to.include(id);
  });

  it('keeps a note within the team, and stays at notes until the answer is chosen again', async () => {
    const conversationId = await begin('Íris');
    const page = await enter('Bia');
    await openRow(page, 'Íris');
    const choice = page.getByRole('button', { name: 'Nota interna' });
    await choice.click();
    await page.getByLabel('Sua nota interna').fill('Já ligou duas vezes.');
    // A text that is typed as a note must not become an answer.
    await page.reload();
    expect(await page.getByLabel('Sua nota interna').inputValue()).to.equal('Já ligou duas vezes.');
    await page.getByRole('button', { name: 'Anotar' }).click();
    await page.locator('.by-note', { hasText: 'Já ligou duas vezes.' }).waitFor();
    await page.getByText('Bia (nota interna)').waitFor();
    await write(conversationId, 'De outra mesa', 'note', 'Caio');
    await page.locator('.by-note', { hasText: 'De outra mesa' }).waitFor();
    expect(await stateOf(conversationId)).to.include({ assigned_to: null, ask_human_help: false });
    expect(await service.db('messages').where({ conversation_id: conversationId })).to.have.length(2);
    await choice.click();
    await page.getByLabel('Sua resposta').waitFor();
  });

  it('opens the passage under an answer to who attends and may not read the knowledge', async () => {
    await cite(await begin('Olga'));
    const token = await service.makeToken({ hostIds: [demo.hostId], scopes: ['reason', 'search'] });
    const { page } = await openDesk(token);
    await openRow(page, 'Olga');
    await page.locator('.log button.source').first().click();
    await page.locator('.passage-text').waitFor();
    await page.close();
  });

  it('names each to the other when two people take over, one after the other or at the same moment', async () => {
    await askHelp(await begin('Gina'));
    const [bia, caio] = [await enter('Bia'), await enter('Caio')];
    for (const page of [bia, caio]) await openRow(page, 'Gina');
    // At the same moment: each has looked, and seen nobody, before the other's name is stored.
    const both = Promise.all([bia, caio].map(page => page.waitForRequest('**/updateConversationHelper')));
    for (const page of [bia, caio])
      await page.route('**/updateConversationHelper', route => both.then(() => route.continue()));
    await Promise.all(
      [bia, caio].map(page => page.getByRole('button', { name: 'Assumir', exact: true }).click()),
    );
    await bia.locator('.banner', { hasText: 'Caio' }).waitFor();
    await caio.locator('.banner', { hasText: 'Bia' }).waitFor();
    await askHelp(await begin('Gustavo'));
    for (const page of [bia, caio]) await openRow(page, 'Gustavo');
    await bia.getByRole('button', { name: 'Assumir', exact: true }).click();
    await caio.getByText('Bia atende esta conversa.').waitFor();
    await caio.getByRole('button', { name: 'Assumir também' }).click();
    await bia.getByText('Você e Caio atendem esta conversa.').waitFor();
    await caio.getByText('Você e Bia atendem esta conversa.').waitFor();
  });

  it('leaves what looks like markup as text, wherever it comes from', async () => {
    const attack = '<img src=x onerror="window.hit=1">';
    const conversationId = await begin(attack, attack);
    await update(conversationId, { ask_human_help: true, assigned_to: attack });
    await write(conversationId, attack, 'human', attack);
    const page = await enter();
    await page.locator('.inbox-row').click();
    await page.locator('.by-human', { hasText: attack }).waitFor();
    const images = await page.locator('main img, main script').count();
    expect([images, await page.evaluate('window.hit')]).to.deep.equal([0, undefined]);
    for (const { complaints, outside } of desks)
      expect([complaints, outside(service.baseURL)]).to.deep.equal([[], []]);
  });
});
