/** A field of a Pix code: two digits for its id, two for its length, and its value. */
interface Field {
  readonly id: string;
  readonly value: string;
}

const PIX_SYSTEM = 'br.gov.bcb.pix';
const SYSTEM_ID = '00';
/** A key, or the address of a charge. */
const RECEIVER_IDS = new Set(['01', '25']);

/** The key of the receiver, or the address of the charge, in the text of a Pix code; undefined where it has none. */
export function findPixReceiver(code: string): string | undefined {
  const accounts = fieldsOf(code).filter(({ id }) => id >= '26' && id <= '51');
  return accounts
    .map(({ value }) => fieldsOf(value))
    .filter(fields => fields.some(({ id, value }) => id === SYSTEM_ID && value.toLowerCase() === PIX_SYSTEM))
    .flatMap(fields => fields.filter(({ id }) => RECEIVER_IDS.has(id)))
    .map(({ value }) => value)
    .find(value => value !== '');
}

function fieldsOf(text: string): Field[] {
  const fields: Field[] = [];
  for (let at = 0; at + 4 <= text.length; ) {
    const length = text.slice(at + 2, at + 4);
    // `-4` would lead back to this field, for ever.
    if (!/^[0-9]{2}$/.test(length)) break;
    const end = at + 4 + Number(length);
    fields.push({ id: text.slice(at, at + 2), value: text.slice(at + 4, end) });
    at = end;
  }
  return fields;
}
