import { expect } from 'chai';
import { eventually } from '../support/eventually.ts';
import { openOnce } from '../support/opened.ts';
import { startReceiver } from '../support/receiver.ts';
import { call, fail, hold, type ModelRequest, rounds, say, sayInPieces } from '../support/scripted-model.ts';
import { openService } from '../support/service.ts';
import { openBrowser, openWatchedPage } from './browser.ts';
import { enterAgain, enterConsole, leaveConsole, sendQuestion } from './console-page.ts';

const BOLETO = '23793381286000782713695000063305975520000370000';
const PIX =
  '00020126580014br.gov.bcb.pix0136123e4567-e12b-12d1-a456-4266554400005204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***63041D3D';
/** A minimal image. */
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

const isTurn = ({ headers }: ModelRequest) => headers['x-parley-purpose'] === 'turn';

describe('a conversation on the page at /console', () => {
  const service = openService();
  /** Elsewhere there are pictures. */
  const elsewhere = openOnce(startReceiver);
  const openSigned = async (script = '') => {
    const opened = await openWatchedPage(await openBrowser(), {
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    await opened.page.addInitScript(script);
    await enterConsole(opened.page, service);
    return opened;
  };
  const watched = openOnce(
    () => openSigned(),
    ({ page }) => page.close(),
  );
  before(() =>
    elsewhere.script((_received, response) =>
      response.writeHead(200, { 'content-type': 'image/png' }).end(PIXEL),
    ),
  );
  beforeEach(async () => {
    await leaveConsole(watched.page, service.baseURL);
    watched.forget();
  });

  const enter = async () => {
    await enterAgain(watched.page, 'testar');
    return watched.page;
  };

  it('shows each kind of item as a customer would see it, and asks no other machine for any of them', async () => {
    const page = await enter();
    const answer = [
      'O *vestibular* é **domingo**, às `8h`. ~~Sábado~~ não.',
      `![Mapa do campus](${elsewhere.url}/mapa.png)`,
      `[Portal do aluno](${elsewhere.url}/portal)`,
      `${elsewhere.url}/boas-vindas.mp3`,
      BOLETO,
      PIX,
    ].join('\n\n');
    service.model.script(say(answer));
    await sendQuestion(page, 'Como pago?');
    const items = page.locator('.theirs .item');
    expect(await items.evaluateAll(all => all.map(item => item.className))).to.deep.equal(
      ['text', 'image', 'site', 'audio', 'boleto', 'pix'].map(type => `item item-${type}`),
    );
    expect(await items.first().innerHTML()).to.equal(
      'O <em>vestibular</em> é <strong>domingo</strong>, às <code>8h</code>. <s>Sábado</s> não.',
    );
    expect(await page.locator('.item-site a').getAttribute('href')).to.equal(`${elsewhere.url}/portal`);
    expect(await page.locator('.item-audio audio').getAttribute('src')).to.equal(
      `${elsewhere.url}/boas-vindas.mp3`,
    );
    expect([watched.outside(service.baseURL), watched.complaints]).to.deep.equal([[], []]);
  });

  it('copies a boleto and a Pix code to the letter', async () => {
    const page = await enter();
    service.model.script(say(`${BOLETO}\n\n${PIX}`));
    await sendQuestion(page, 'Como pago?');
    for (const [type, code] of [
      ['boleto', BOLETO],
      ['pix', PIX],
    ]) {
      await page.locator(`.item-${type} button`).click();
      await page.locator(`.item-${type} [role=status]`, { hasText: 'Copiado' }).waitFor();
      expect(await page.evaluate('navigator.clipboard.readText()')).to.equal(code);
    }
  });

  it('copies a Pix code where the browser has no clipboard for pages without TLS', async () => {
    const without = 'Object.defineProperty(navigator, "clipboard", { value: undefined })';
    const { page } = await openSigned(without);
    service.model.script(say(PIX));
    await sendQuestion(page, 'Como pago?');
    await page.locator('.item-pix button').click();
    await page.locator('.item-pix [role=status]', { hasText: 'Copiado' }).waitFor();
    const question = page.getByLabel('Mensagem', { exact: true });
    await question.focus();
    await page.keyboard.press('Control+V');
    await eventually(() => question.inputValue(), PIX);
    await page.close();
  });

  it('fetches a picture when the person asks to see it', async () => {
    const page = await enter();
    service.model.script(say(`![Mapa](${elsewhere.url}/campus.png)`));
    await sendQuestion(page, 'Onde fica?');
    expect(elsewhere.received.map(({ path }) => path)).not.to.include('/campus.png');
    await page.getByRole('button', { name: 'Mostrar imagem' }).click();
    await page.waitForFunction('document.querySelector(".item-image img")?.naturalWidth > 0');
    expect(elsewhere.received.map(({ path }) => path)).to.include('/campus.png');
    expect(watched.complaints).to.deep.equal([]);
  });

  it('goes on in the same conversation, and begins another when asked to', async () => {
    const page = await enter();
    service.model.script(say('Certo.'));
    const from = service.model.requests.length;
    await sendQuestion(page, 'Perdi o meu crachá roxo.');
    await sendQuestion(page, 'Onde peço outro?');
    await page.getByRole('button', { name: 'Nova conversa' }).click();
    await sendQuestion(page, 'Bom dia');
    const turns = service.model.requests.slice(from).filter(isTurn);
    const told = turns.map(({ messages }) => JSON.stringify(messages).includes('crachá roxo'));
    expect(told).to.deep.equal([true, true, false]);
  });

  it('shows after a reload what was said, for each assistant, and begins anew when asked to', async () => {
    const { demo, db, model } = service;
    const second = { host_id: demo.hostId, sub_slug: 'segunda', name: 'Bia' };
    await db('avatars').insert(second);
    const page = await enter();
    const avatar = page.getByLabel('Assistente');
    const [first = '', other] = await avatar.locator('option').allInnerTexts();
    expect(other).to.equal('Bia');
    model.script(say(`Certo.\n\n${PIX}`));
    await sendQuestion(page, 'Perdi o meu crachá roxo.');
    const shown = await page.locator('.log').innerText();
    expect(shown).to.include(first).and.include('crachá roxo');
    await avatar.selectOption({ label: 'Bia' });
    await sendQuestion(page, 'Oi, Bia');
    await page.reload();
    await page.locator('.ours', { hasText: 'Oi, Bia' }).waitFor();
    await avatar.selectOption({ label: first });
    expect(await page.locator('.log').innerText()).to.equal(shown);
    expect(await page.locator('.item-pix').count()).to.equal(1);
    await sendQuestion(page, 'Onde peço outro?');
    const told = JSON.stringify(model.requests.filter(isTurn).at(-1)?.messages);
    expect(told).to.include('crachá roxo').and.not.include('Oi, Bia');
    await page.getByRole('button', { name: 'Nova conversa' }).click();
    const isEmpty = page.getByText('Escreva para começar a conversa.');
    await isEmpty.waitFor();
    await page.reload();
    await isEmpty.waitFor();
    await db('avatars').where(second).delete();
  });

  it('shows who is writing, and after a reload waits on for the answer, which is made once', async () => {
    const page = await enter();
    const held = hold(say('Aqui está.'));
    service.model.script(held.script);
    const from = service.model.requests.length;
    await page.getByLabel('Mensagem', { exact: true }).fill('Demora?');
    await page.keyboard.press('Enter');
    const writing = page.getByText('Lia está digitando…');
    await writing.waitFor();
    await held.held;
    await page.reload();
    await writing.waitFor();
    held.release();
    await page.locator('.theirs .item', { hasText: 'Aqui está.' }).waitFor();
    expect(await page.locator('.ours').count()).to.equal(1);
    expect(service.model.requests.slice(from).filter(isTurn)).to.have.length(1);
  });

  it('shows the answer while it is generated, as text, and then as a customer sees it', async () => {
    const page = await enter();
    let goOn = () => {};
    const waiting = new Promise<void>(resolve => (goOn = resolve));
    const pieces = ['A **secretaria** <b>', 'atende</b> das 8h.'];
    service.model.script(sayInPieces(pieces, async at => (at === 1 ? waiting : undefined)));
    await page.getByLabel('Mensagem', { exact: true }).fill('Que horas?');
    await page.keyboard.press('Enter');
    await page.locator('.theirs', { hasText: 'A **secretaria** <b>' }).waitFor();
    goOn();
    await page.locator('.theirs .item', { hasText: 'A secretaria atende das 8h.' }).waitFor();
    expect(await page.locator('.theirs').count()).to.equal(1);
    expect(watched.complaints).to.deep.equal([]);
  });

  it('leaves everything in an answer that looks like a page or a script as text', async () => {
    const page = await enter();
    const attacks = [
      '<img src=x onerror="window.hit=1"> <script>window.hit=1</script>',
      '*<b onclick="window.hit=1">negrito</b>* `<svg onload="window.hit=1">`',
      '[clique](javascript:window.hit=1) ![x](data:text/html,<script>window.hit=1</script>)',
      '[site](https://example.com/"onmouseover="window.hit=1)',
    ];
    service.model.script(say(attacks.join('\n\n')));
    await sendQuestion(page, '<img src=x onerror="window.hit=1">');
    expect(await page.locator('.log img, .log script, .log svg, .log b, .log [onclick]').count()).to.equal(0);
    const addresses = await page
      .locator('.log a')
      .evaluateAll(all => all.map(link => link.getAttribute('href')));
    for (const address of addresses) expect(address).to.match(/^https:\/\/example\.com\//);
    expect(await page.evaluate('window.hit')).to.equal(undefined);
    expect(await page.locator('.log').innerText()).to.include('<script>window.hit=1</script>');
    expect([watched.outside(service.baseURL), watched.complaints]).to.deep.equal([[], []]);
  });

  it('says where an answer comes from, which of its figures have no source, and what it took', async () => {
    const page = await enter();
    service.model.script(
      say(({ messages }) => {
        const [, passage = ''] = /(A biblioteca central[^\n]*?\.)\s/.exec(JSON.stringify(messages)) ?? [];
        return `${passage}\n\nA multa é de R$ 7.431,00.`;
      }),
    );
    await sendQuestion(page, 'Qual é o horário da biblioteca central?');
    const log = page.getByRole('log', { name: 'Mensagens' });
    await log.getByText('Sem fonte: R$ 7.431,00').waitFor();
    await log.locator('.sources button').first().click();
    await page.getByRole('dialog').getByText('biblioteca central').first().waitFor();
    await page.keyboard.press('Escape');
    await log.getByText(/Respondeu em/).click();
    await log.getByText(/token/).waitFor();
  });

  it('says of the demo model that it follows no instructions, and only of that one', async () => {
    const { db, demo, model } = service;
    const ofDemo = { host_id: demo.hostId, sub_slug: 'principal' };
    const note = watched.page.getByText('ele não segue instruções');
    model.script(say('Certo.'));
    const page = await enter();
    await sendQuestion(page, 'Oi');
    expect(await note.count()).to.equal(0);
    await db('avatars').where(ofDemo).update({ model: 'offline-extractive' });
    await sendQuestion(page, 'Oi');
    await note.waitFor();
    await db('avatars').where(ofDemo).update({ model: '' });
  });

  it('tells that a person was called for, and gives the conversation back', async () => {
    const page = await enter();
    const handover = page.locator('.handover');
    const ask = call([['ask_human_help', { reason: 'customer_request' }]]);
    service.model.script(rounds(ask, say('Vou chamar alguém.')));
    await sendQuestion(page, 'Quero falar com uma pessoa');
    await handover.waitFor();
    await page.getByRole('button', { name: 'Devolver ao assistente' }).click();
    await handover.waitFor({ state: 'hidden' });
    service.model.script(say('Aqui estou.'));
    await sendQuestion(page, 'Oi');
    expect(await handover.isVisible()).to.equal(false);
  });

  it('shows a failure with its message and the request id, and asks again when told to', async () => {
    const page = await enter();
    service.model.script(fail(400));
    await page.getByLabel('Mensagem', { exact: true }).fill('Oi?');
    await page.keyboard.press('Enter');
    const trouble = page.locator('.trouble');
    await trouble.waitFor();
    await trouble.getByText('Detalhes').click();
    expect(await trouble.innerText()).to.match(/Código 503\n+Pedido [\w-]{8,}/);
    service.model.script(say('Agora sim.'));
    await trouble.getByRole('button', { name: 'Tentar de novo' }).click();
    await page.locator('.theirs .item', { hasText: 'Agora sim.' }).waitFor();
    expect(await trouble.count()).to.equal(0);
    expect(await page.locator('.ours').count()).to.equal(1);
  });
});
