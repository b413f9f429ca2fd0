import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { eventually } from '../support/eventually.ts';
import { expectUsable } from './accessibility.ts';
import { makeInboxStage, rowOf } from './inbox-stage.ts';

describe('the consents of a person on the page at /console', () => {
  const stage = makeInboxStage();

  it('are listed beside the conversation, and who attends records what the person says on the phone', async () => {
    const conversationId = await stage.begin('Ada');
    const said = { version: '2026-03', textDigest: '9f86d081884c', channel: 'whatsapp' };
    await stage.done('saveConsent', { conversationId, ...said });
    const page = await stage.enter('Bia');
    await page.setViewportSize({ width: 1_280, height: 800 });
    await rowOf(page, 'Ada').click();
    const consents = page.getByRole('region', { name: 'Consentimentos' });
    await consents.getByText('Dado').waitFor();
    expect(await consents.innerText())
      .to.include('Versão 2026-03')
      .and.include('WhatsApp');
    await consents.getByRole('button', { name: 'Retirar a versão 2026-03' }).click();
    await expectUsable(page);
    await consents.getByRole('button', { name: 'Salvar' }).click();
    await consents.getByText('Retirado').waitFor();
    const stored = await stage.service.db('consents').where({ conversation_id: conversationId });
    expect(
      stored.map(({ text_digest, channel, withdrawn }) => [text_digest, channel, withdrawn]),
    ).to.deep.equal([
      ['9f86d081884c', 'whatsapp', false],
      ['9f86d081884c', 'telefone', true],
    ]);
    await consents.getByRole('button', { name: 'Registrar o que disse' }).click();
    await consents.getByLabel('Versão do texto').fill('2026-04');
    await consents.getByLabel('Resumo digital do texto').fill('abc');
    await consents.getByRole('button', { name: 'Salvar' }).click();
    await eventually(
      () => consents.getByRole('listitem').count(),
      count => count === 2,
    );
    expect(await consents.getByRole('listitem').first().innerText())
      .to.include('2026-04')
      .and.include('Dado');
    await expectUsable(page);
  });

  it('are recorded by the digest of the text that is pasted, and nothing else of it', async () => {
    const conversationId = await stage.begin('Eva');
    const page = await stage.enter('Bia');
    await rowOf(page, 'Eva').click();
    const consents = page.getByRole('region', { name: 'Consentimentos' });
    await consents.getByRole('button', { name: 'Registrar o que disse' }).click();
    await consents.getByLabel('Versão do texto').fill('2026-05');
    const text = `Aceito receber avisos.\n${'Posso desistir quando quiser. '.repeat(200)}\n`;
    await consents.getByLabel('Ou o próprio texto').fill(text);
    await expectUsable(page);
    await consents.getByRole('button', { name: 'Salvar' }).click();
    await consents.getByText('Dado', { exact: true }).waitFor();
    const stored = await stage.service.db('consents').where({ conversation_id: conversationId });
    const digest = createHash('sha256').update(text.trim()).digest('hex');
    expect(stored.map(({ version, text_digest }) => [version, text_digest])).to.deep.equal([
      ['2026-05', digest],
    ]);
  });
});
