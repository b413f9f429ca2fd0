import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { makePdfOf, type Section } from '../test/support/pdf.ts';
import { say } from '../test/support/scripted-model.ts';
import { tokenFor } from './database.ts';
import { showImportedQuality } from './import-quality.ts';
import { describeTimes } from './percentiles.ts';
import { startServiceOfBench } from './service.ts';

/*
 * Imports of documents, with one `web` and two workers:
 *
 *   speed      a PDF made by a library until its passages are there, and turns beside it, compared with turns alone; then the
 *              same document again, and with one changed page
 *   quality    how well the passages of imported PDFs are found, compared with passages that were cut by hand
 */

const { values } = parseArgs({
  options: {
    store: { type: 'string', default: 'redis' },
    pages: { type: 'string', default: '300' },
    rate: { type: 'string', default: '10' },
    only: { type: 'string', default: 'speed,quality' },
  },
});
const only = values.only.split(',');
const pages = Number(values.pages);
const POLL_MS = 100;
const [WARM_UP_MS, ALONE_MS] = [5_000, 20_000];

interface Ended {
  readonly passages: number;
  readonly added: number;
  readonly kept: number;
  readonly removed: number;
}

if (only.includes('speed')) await measureSpeed();
if (only.includes('quality')) await showImportedQuality();
process.exit(0);

async function measureSpeed(): Promise<void> {
  const service = await startServiceOfBench(values.store);
  const { db, hostId, model } = service;
  model.script(say('Certo.'));
  const headers = { ...service.headers, authorization: `Bearer ${await tokenFor(db, hostId, 'manage')}` };
  const send = async (operation: string, body: object) => {
    const address = service.addressOf(`svcReasoning/${operation}`);
    const response = await fetch(address, {
      method: 'POST',
      headers,
      body: JSON.stringify({ hostId, ...body }),
    });
    return ((await response.json()) as { data: Record<string, string> }).data;
  };
  const { id: dataset_id } = await send('createDatasetsHelper', { datasetName: 'Livro' });
  const [first, changed] = [await bookOf(), await bookOf(pages / 2)];
  console.log(`${values.store}, a PDF of ${pages} pages and ${Math.round(first.length / 1024)} KiB`);
  await turnsUntil(delay(WARM_UP_MS));
  const alone = await turnsUntil(delay(ALONE_MS));
  const beside = await turnsUntil(importBook('first import', first));
  console.log(`turns alone:             ${describeTimes(alone)}`);
  console.log(`turns beside the import: ${describeTimes(beside)}`);
  await importBook('the same again', first);
  await importBook('one changed page', changed);
  await service.stop();

  async function importBook(name: string, book: Buffer): Promise<void> {
    const startedAt = performance.now();
    const content_base64 = book.toString('base64');
    const document = { dataset_id, name: 'Livro', external_key: 'livro', content_type: 'application/pdf' };
    const { jobId = '' } = await send('importDocumentHelper', { ...document, content_base64 });
    const ended = await untilEnded(jobId);
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
    console.log(`${name}: ${seconds} s, ${JSON.stringify(ended)}`);
  }

  async function untilEnded(jobId: string): Promise<Ended> {
    const address = new URL(`/jobs/${jobId}`, service.addressOf(''));
    for (;;) {
      const { data } = (await (await fetch(address, { headers })).json()) as {
        data: { state: string; data: Ended };
      };
      if (data.state === 'completed' || data.state === 'failed') return data.data;
      await delay(POLL_MS);
    }
  }

  /** At a fixed rate, each in a conversation of its own. */
  async function turnsUntil(end: Promise<unknown>): Promise<number[]> {
    let isOver = false;
    const over = end.then(() => (isOver = true));
    const times: Promise<number>[] = [];
    while (!isOver) {
      times.push(timeTurn());
      await delay(1_000 / Number(values.rate));
    }
    await over;
    return Promise.all(times);
  }

  async function timeTurn(): Promise<number> {
    const conversationId = await service.newConversation();
    const startedAt = performance.now();
    const { status } = await service.call('svcReasoning', {
      hostId,
      conversationId,
      question: 'Quando abre a secretaria?',
    });
    return status === 200 ? performance.now() - startedAt : Number.NaN;
  }
}

/** A chapter a page; one page may differ. */
function bookOf(changedPage?: number): Promise<Buffer> {
  const sections: Section[] = Array.from({ length: pages }, (_, page) => ({
    heading: `Capítulo ${page + 1}`,
    paragraphs: Array.from(
      { length: 6 },
      (_paragraph, at) =>
        `${page === changedPage ? 'Nesta edição, o' : 'O'} item ${page + 1}.${at} trata do assunto ${page * 7 + at}: a secretaria ` +
        `atende das ${7 + (at % 3)}h às ${17 + (page % 5)}h, na sala ${100 + page}, e responde a pedidos em até ${at + 2} dias úteis. ` +
        'Quem precisar de outro horário pede por escrito, com o número da matrícula e o motivo do pedido.',
    ),
  }));
  return makePdfOf('Livro do aluno', sections);
}
