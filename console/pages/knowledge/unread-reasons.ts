import type { DataOf } from '../../../queues/contract/operations/index.ts';

type Reason = NonNullable<DataOf<'listDocuments'>['items'][number]['reason']>;

/** Why a document was not imported, and what to do about it. */
const reasons: Readonly<Record<Reason, string>> = {
  'wrong-kind': 'o arquivo não é do tipo que o nome diz.',
  encrypted: 'ele tem senha. Salve uma cópia sem senha.',
  broken: 'ele está danificado. Abra e salve de novo.',
  'no-text':
    'ele não tem texto, só imagens. Importe de novo com “Ler páginas digitalizadas com um modelo”, ou passe por um reconhecimento de texto (OCR).',
  'too-large': 'ele é grande demais. Divida-o.',
  'too-many-pages': 'ele tem páginas demais. Divida-o.',
  'too-many-passages': 'ele tem passagens demais. Divida-o.',
  'too-slow': 'a leitura demorou demais. Divida-o.',
  'too-much-memory': 'a leitura precisou de memória demais. Divida-o.',
  'front-matter-invalid':
    'o começo parece dizer para quem ele é, e não dá para ler; ou isso foi dito duas vezes.',
  'filter-missing':
    'há trechos novos, e os de antes são só para algumas pessoas. Diga no começo do texto ou em “filter” para quem eles são.',
  'address-refused':
    'este endereço é de uma rede interna, e quem instalou o Parley não permite lê-lo (EGRESS_ALLOW).',
  unreachable:
    'o endereço não respondeu, recusou a leitura ou tem um certificado inválido. Veja se ele abre no navegador, e tente mais tarde.',
  gone: 'o endereço não existe (404). Confira como ele está escrito.',
  shrunk:
    'o endereço tem menos da metade do que tinha. O de antes continua valendo, a não ser que isso se repita.',
  'dataset-deleted': 'a base foi excluída.',
  superseded: 'uma importação mais nova o substituiu.',
  interrupted: 'a importação foi interrompida. Importe de novo.',
};

export const reasonText = (reason: Reason | undefined): string =>
  reason ? reasons[reason] : 'não foi possível ler o documento.';
