/** @type {Record<string, string>} */
const contentTypes = {
  pdf: 'application/pdf',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  md: 'text/markdown',
  markdown: 'text/markdown',
  txt: 'text/plain',
  html: 'text/html',
  htm: 'text/html',
  csv: 'text/csv',
};
/** `fromCharCode` takes its characters as arguments, of which there may be only so many. */
const SLICE_LENGTH = 32_768;

/**
 * A file as importDocumentHelper takes it. A file of the same name replaces the one before.
 * @param {File} file
 */
export async function readDocument(file) {
  const { name } = file;
  const bytes = new Uint8Array(await file.arrayBuffer());
  const extension = name.split('.').at(-1)?.toLowerCase() ?? '';
  return {
    name,
    external_key: name,
    content_type: contentTypes[extension] ?? (file.type || 'text/plain'),
    content_base64: toBase64(bytes),
  };
}

/** @param {Uint8Array} bytes */
function toBase64(bytes) {
  let text = '';
  for (let from = 0; from < bytes.length; from += SLICE_LENGTH) {
    text += String.fromCharCode(...bytes.subarray(from, from + SLICE_LENGTH));
  }
  return btoa(text);
}
