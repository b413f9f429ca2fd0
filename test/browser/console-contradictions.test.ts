import { expect } from 'chai';
import { checkContradictions } from '../../workers/knowledge/run-contradictions.ts';
import { openService } from '../support/service.ts';
import { openConsole } from './console-page.ts';

describe('contradictions on the page at /console', () => {
  const service = openService();
  const { demo, db } = service;
  const { watched, page, enter, button, dialog, dialogButton, check } = openConsole(service);

  const saysThat = (price: string) => `O ingresso do baile de máscaras custa R$ ${price},00.`;
  const plant = async (...prices: readonly string[]) => {
    const ids: string[] = [];
    for (const price of prices) {
      const content = `## Baile\n\n${saysThat(price)}`;
      ids.push((await demo.call('createChunk', { dataset_id: demo.datasetId, content })).body.data.chunk_id);
    }
    await checkContradictions({ owner: db, db }, new AbortController().signal, 0);
    return ids;
  };
  const cards = () => page.getByRole('article');
  const none = () => page.getByText('Nenhuma passagem diz o contrário de outra');

  it('show both sides with what differs marked; one is kept after a question, or both are', async () => {
    await enter('conhecimento');
    await page.locator('.tabs').getByRole('link', { name: 'Contradições' }).click();
    await none().waitFor();
    await check();
    const [wrong = '', right = ''] = await plant('180', '220');
    await page.reload();
    await cards().getByText('Outro preço').waitFor();
    expect(await cards().locator('mark').allInnerTexts()).to.have.members(['R$ 180,00', 'R$ 220,00']);
    const kept = page.locator('.contradiction-side', { hasText: '220' });
    expect(await kept.getByRole('link', { name: 'Baile' }).getAttribute('href')).to.include(right);
    await check();
    await button(`Este vale: ${saysThat('220')}`).click();
    await dialog().getByText('custa R$ 180,00.”, deixa de valer agora').waitFor();
    await check();
    await dialogButton('Cancelar').click();
    await button(`Este vale: ${saysThat('220')}`).click();
    await dialogButton('Este vale').click();
    await none().waitFor();
    expect(await db('chunks').whereNotNull('valid_until').pluck('id')).to.deep.equal([wrong]);

    await plant('260');
    await page.reload();
    await button('Não é contradição').click();
    await none().waitFor();
    expect(await db('contradictions').orderBy('found_at').pluck('state')).to.deep.equal([
      'resolved',
      'dismissed',
    ]);
    expect(watched.complaints).to.deep.equal([]);
  });
});
