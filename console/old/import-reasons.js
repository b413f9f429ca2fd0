/** Why a document was not imported, and what to do about it. @type {Record<string, string>} */
const texts = {
  'wrong-kind': 'o arquivo não é do tipo que o nome diz.',
  encrypted: 'ele tem senha. Salve uma cópia sem senha.',
  broken: 'ele está danificado. Abra e salve de novo.',
  'no-text': 'ele não tem texto, só imagens. Passe por um reconhecimento de texto (OCR).',
  'too-large': 'ele é grande demais. Divida-o.',
  'too-many-pages': 'ele tem páginas demais. Divida-o.',
  'too-many-passages': 'ele tem passagens demais. Divida-o.',
  'too-slow': 'a leitura demorou demais. Divida-o.',
  'too-much-memory': 'a leitura precisou de memória demais. Divida-o.',
  'front-matter-invalid': 'o começo entre “---” está errado.',
  'address-refused': 'este endereço não é permitido.',
  unreachable: 'o endereço não respondeu.',
  'dataset-deleted': 'a base foi excluída.',
  superseded: 'uma importação mais nova o substituiu.',
  interrupted: 'a importação foi interrompida. Importe de novo.',
};

/** @param {string | undefined} reason */
export const reasonText = reason => texts[reason ?? ''] ?? 'não foi possível ler o documento.';
