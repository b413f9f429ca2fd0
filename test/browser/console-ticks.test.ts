import { expect } from 'chai';
import { openService } from '../support/service.ts';
import { openConsole } from './console-page.ts';

describe('boxes on the page at /console that are stored as they are ticked', () => {
  const service = openService();
  const { demo } = service;
  const { page, enter } = openConsole(service);
  const views = [
    { of: 'an assistant', view: () => `assistentes/${demo.avatarId}/leitura`, box: 'Guia do aluno' },
    { of: 'a dataset', view: () => `conhecimento/${demo.datasetId}/ajustes`, box: 'Lia' },
  ];

  const links = () =>
    service.db('dataset_avatars').where({ avatar_id: demo.avatarId, dataset_id: demo.datasetId });
  beforeEach(() => links().update({ deleted: false }));

  for (const { of, view, box } of views)
    it(`store the last tick of ${of} that comes while the one before is being stored`, async () => {
      await enter(view());
      const ticked = page.getByRole('checkbox', { name: box });
      await page.route(
        '**/unlinkDatasetAvatarHelper',
        async route => {
          const response = await route.fetch();
          await ticked.click();
          await route.fulfill({ response });
        },
        { times: 1 },
      );
      const linked = page.waitForResponse('**/linkDatasetAvatarHelper');
      await ticked.click();
      expect((await linked).status()).to.equal(200);
      expect(await links().where({ deleted: false })).to.have.length(1);
      expect(await ticked.isChecked()).to.equal(true);
    });
});
