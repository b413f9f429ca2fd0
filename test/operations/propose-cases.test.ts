import { expect } from 'chai';
import { makeAvatarWithKnowledge } from '../support/avatar-with-knowledge.ts';
import { expectRefused } from '../support/contract.ts';
import { importAndWait } from '../support/imports.ts';
import { openService } from '../support/service.ts';

describe('the cases that are proposed from a dataset', () => {
  const service = openService();
  const { demo, acme } = service;

  let made = 0;
  const open = async (...passages: string[]) => {
    const { avatarId, datasetId, chunkIds } = await makeAvatarWithKnowledge(
      demo,
      `made-${(made += 1)}`,
      passages,
    );
    return {
      chunkIds,
      datasetId,
      propose: async () => (await demo.call('proposeCases', { avatarId, datasetId })).body.data,
      store: (...questions: string[]) =>
        demo.call('saveEvaluationCases', {
          avatarId,
          cases: questions.map(question => ({ question, expect: {} })),
        }),
      stored: async () => (await demo.call('listEvaluationCases', { avatarId })).body.data.cases,
    };
  };

  it('name their passages and tell those that are stored, as they are stored; nothing is stored by it', async () => {
    const { chunkIds, propose, store, stored } = await open('## Taxa\n\nR$ 85.', '## Endereço\n\nRua A.');
    await store('qual e o endereco');
    const { passages, pages, proposed } = await propose();
    expect({ passages, pages }).to.deep.equal({ passages: 2, pages: 1 });
    expect(proposed).to.have.deep.members([
      { question: 'Qual é a taxa?', chunkIds: [chunkIds[0]], stored: false },
      { question: 'qual e o endereco', chunkIds: [chunkIds[1]], stored: true },
    ]);
    expect(await stored()).to.have.length(1);
  });

  it('are with those that are stored no more than thirty', async () => {
    const passages = Array.from({ length: 40 }, (_, at) => `## Taxa do curso ${at}\n\nR$ ${at}.`);
    const { propose, store } = await open(...passages);
    expect((await propose()).proposed).to.have.length(30);
    await store(...Array.from({ length: 29 }, (_, at) => `Caso ${at}?`));
    expect((await propose()).proposed).to.have.length(1);
  });

  it('count a document with several headings once', async () => {
    const { datasetId, propose } = await open();
    const document = { name: 'Guia', external_key: 'guia', content_type: 'text/markdown' };
    const content = '# Taxa\n\nR$ 85.\n\n# Prova\n\nEm 9 de maio.';
    await importAndWait(service, { ...document, dataset_id: datasetId, content });
    expect(await propose()).to.deep.include({ passages: 2, pages: 1 });
  });

  it('are of an avatar of the host, and of what it reads', async () => {
    const { propose } = await open();
    expect(await propose()).to.deep.include({ passages: 0, pages: 0, proposed: [] });
    const ofDemo = { avatarId: demo.avatarId, datasetId: demo.datasetId };
    expectRefused(await acme.call('proposeCases', ofDemo), 'avatar-not-found');
    const { avatarId } = acme;
    expectRefused(await acme.call('proposeCases', { ...ofDemo, avatarId }), 'dataset-not-found');
  });
});
