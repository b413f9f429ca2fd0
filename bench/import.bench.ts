import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { makePdfOf, type Section } from '../test/support/pdf.ts';
import { say } from '../test/support/scripted-model.ts';
import { tokenFor } from './database.bench.ts';
import { showImportedQuality } from './import-quality.bench.ts';
import { describeTimes } from './percentiles.bench.ts';
import { type ServiceOfBench, startServiceOfBench } from './service.bench.ts';

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

if (only.includes('speed')) await measureSpeed(await startServiceOfBench(values.store));
if (only.includes('quality')) await showImportedQuality();
process.exit(0);

async function measureSpeed(service: ServiceOfBench): Promise<void> {
  service.model.script(say('Certo.'));
  const token = await tokenFor(service.db, service.hostId, 'manage');
  const headers = { ...service.headers, authorization: `Bearer ${token}` };
  const { id = '' } = await send(service, headers, 'createDatasetsHelper', { datasetName: 'Livro' });
  const importBook = makeImporter(service, headers, id);
  const [first, changed] = [await bookOf(), await bookOf(pages / 2)];
  console.log(`${values.store}, a PDF of ${pages} pages and ${Math.round(first.length / 1024)} KiB`);
  await turnsUntil(service, delay(WARM_UP_MS));
  const alone = await turnsUntil(service, delay(ALONE_MS));
  const beside = await turnsUntil(service, importBook('first import', first));
  console.log(`turns alone:             ${describeTimes(alone)}`);
  console.log(`turns beside the import: ${describeTimes(beside)}`);
  await importBook('the same again', first);
  await importBook('one changed page', changed);
  await service.stop();
}

type Headers = Readonly<Record<string, string>>;

async function send(
  { addressOf, hostId }: ServiceOfBench,
  headers: Headers,
  operation: string,
  more: object,
) {
  const body = JSON.stringify({ hostId, ...more });
  const response = await fetch(addressOf(`svcReasoning/${operation}`), { method: 'POST', headers, body });
  return ((await response.json()) as { data: Record<string, string> }).data;
}

function makeImporter(service: ServiceOfBench, headers: Headers, dataset_id: string) {
  return async (name: string, book: Buffer): Promise<void> => {
    const startedAt = performance.now();
    const document = { dataset_id, name: 'Livro', external_key: 'livro', content_type: 'application/pdf' };
    const body = { ...document, content_base64: book.toString('base64') };
    const { jobId = '' } = await send(service, headers, 'importDocumentHelper', body);
    const ended = await untilEnded(new URL(`/jobs/${jobId}`, service.addressOf('')), headers);
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
    console.log(`${name}: ${seconds} s, ${JSON.stringify(ended)}`);
  };
}

async function untilEnded(address: URL, headers: Headers): Promise<object> {
  for (;;) {
    const response = await fetch(address, { headers });
    const { data } = (await response.json()) as { data: { state: string; data: object } };
    if (data.state === 'completed' || data.state === 'failed') return data.data;
    await delay(POLL_MS);
  }
}

/** Asks at a fixed rate, each in a new conversation. */
async function turnsUntil(service: ServiceOfBench, end: Promise<unknown>): Promise<number[]> {
  const over = new AbortController();
  const ended = end.finally(() => over.abort());
  const times: Promise<number>[] = [];
  while (!over.signal.aborted) {
    times.push(timeTurn(service));
    await delay(1_000 / Number(values.rate));
  }
  await ended;
  return Promise.all(times);
}

async function timeTurn({ call, hostId, newConversation }: ServiceOfBench): Promise<number> {
  const conversationId = await newConversation();
  const startedAt = performance.now();
  const turn = { hostId, conversationId, question: 'Quando abre a secretaria?' };
  const { status } = await call('svcReasoning', turn);
  return status === 200 ? performance.now() - startedAt : Number.NaN;
}

/** A book with a chapter per page; one page may differ. */
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
