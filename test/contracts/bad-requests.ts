import * as fc from 'fast-check';
import { type OperationName, operationOf } from '../../queues/contract/operations/index.ts';
import { anyCharacter } from '../support/any-character.ts';
import {
  addressOf,
  bodySchemaOf,
  type Fields,
  fieldsOf,
  pathsIn,
  withField,
} from '../support/operation-calls.ts';

export interface RawRequest {
  readonly address: string;
  readonly body: string | Uint8Array | undefined;
  readonly headers: Record<string, string>;
}

const MIB = 1_048_576;

const awkwardText = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    '\0',
    'a\0b',
    '\ud800',
    '\udc00\ud800',
    '\ufeff',
    '\u202e',
    '__proto__',
    'null',
    'NaN',
  ),
  fc.constantFrom(
    "'; drop table hosts; --",
    '%00',
    '%s%n',
    '$1',
    '\\',
    '\\u0000',
    '../../x',
    '<script>',
    '{}',
  ),
  fc.constantFrom('0', 'f').map(digit => [8, 4, 4, 4, 12].map(length => digit.repeat(length)).join('-')),
  fc.constantFrom('x'.repeat(201), 'x'.repeat(16_001), 'á'.repeat(40_000), '🙂'.repeat(99)),
  fc.constantFrom('!['.repeat(2_000), '**_'.repeat(2_000), '-'.repeat(36)),
  fc.uuid().map(id => `{${id}}`),
  fc.string({ unit: anyCharacter }),
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: fc.integer({ min: 0xd7f0, max: 0xe010 }).map(code => String.fromCharCode(code)) }),
);
const awkwardName = fc.oneof(
  fc.constantFrom(
    '__proto__',
    'constructor',
    'prototype',
    'toString',
    'hasOwnProperty',
    'length',
    'then',
    '',
    '\0',
  ),
  awkwardText,
);
const awkwardNumber = fc.oneof(
  fc.constantFrom(0, -0, -1, 1.5, 1e21, 1e308, 5e-324, 2 ** 53, -(2 ** 63)),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);
/** Nested lists and objects, also beyond 32 levels. */
const nested = fc
  .tuple(fc.integer({ min: 1, max: 40 }), fc.boolean(), awkwardName)
  .map(([depth, isList, name]) => {
    let value: unknown = 'x';
    for (let level = 0; level < depth; level += 1) value = isList ? [value] : objectOf([[name, value]]);
    return value;
  });
const awkward: fc.Arbitrary<unknown> = fc.oneof(
  { arbitrary: awkwardText, weight: 4 },
  fc.constantFrom(null, true, false, [], {}, [[]], [null], [{}]),
  awkwardNumber,
  nested,
  fc.array(awkwardText, { maxLength: 5 }),
  fc.array(fc.tuple(awkwardName, awkwardText), { maxLength: 5 }).map(objectOf),
  fc.integer({ min: 1, max: 1_500 }).map(length => Array.from({ length }, () => 'x')),
  fc.jsonValue({ maxDepth: 4 }),
);

/** Values of the declared type, which pass the check of the body. */
const fits: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  string: awkwardText,
  object: fc.array(fc.tuple(awkwardName, awkward), { maxLength: 5 }).map(objectOf),
};

/** Bad requests for this operation, derived from a body with which it succeeds. */
export function badRequests(name: OperationName, sample: Fields): fc.Arbitrary<RawRequest> {
  const headers = fc.oneof({ arbitrary: fc.constant({}), weight: 6 }, awkwardHeaders);
  if (operationOf(name).method === 'GET') {
    const address = addressOf(name, sample);
    const above = address.slice(0, address.lastIndexOf('/') + 1);
    if (!operationOf(name).path.includes(':')) {
      const query = awkwardText.map(text => `?x=${encodeURIComponent(text.toWellFormed()).slice(0, 4_000)}`);
      return fc
        .record({ query, headers })
        .map(({ query, headers }) => ({ address: address + query, body: undefined, headers }));
    }
    return fc
      .record({ last: awkwardSegment, headers })
      .map(({ last, headers }) => ({ address: above + last, body: undefined, headers }));
  }
  const address = addressOf(name);
  const body = fc.oneof(
    { arbitrary: changeFields(name, sample).map(written), weight: 12 },
    { arbitrary: awkward.map(written), weight: 3 },
    { arbitrary: damageText(JSON.stringify(sample)), weight: 3 },
    { arbitrary: fc.uint8Array({ maxLength: 400 }), weight: 2 },
    {
      arbitrary: fc.integer({ min: MIB - 20, max: MIB + 20 }).map(size => `"${'x'.repeat(size)}"`),
      weight: 1,
    },
  );
  return fc.record({ address: fc.constant(address), body, headers });
}

/** The sample with wrong, missing, additional and unusual fields. */
function changeFields(name: OperationName, sample: Fields): fc.Arbitrary<Fields> {
  const declared = fieldsOf(bodySchemaOf(name));
  const known = new Set([...declared.map(([path]) => path), ...pathsIn(sample)]);
  const paths = known.size > 0 ? [...known] : ['unknown'];
  const free = declared.filter(([, { type, properties, format }]) => type && !properties && !format);
  const fitting = free.flatMap(([path, { type = '' }]) => {
    const values = fits[type];
    return values ? [fc.record({ path: fc.constant(path), value: values })] : [];
  });
  const change = fc.oneof(
    { arbitrary: fc.record({ path: fc.constantFrom(...paths), value: awkward }), weight: 3 },
    { arbitrary: fc.record({ path: fc.constantFrom(...paths), value: fc.constant(undefined) }), weight: 1 },
    { arbitrary: fc.record({ name: awkwardName, value: awkward }), weight: 2 },
    ...(fitting.length > 0 ? [{ arbitrary: fc.oneof(...fitting), weight: 6 }] : []),
  );
  return fc.array(change, { minLength: 1, maxLength: 4 }).map(changes =>
    changes.reduce<Fields>((body, each) => {
      if ('path' in each) return withField(body, each.path, each.value);
      return objectOf([...Object.entries(body), [each.name, each.value]]);
    }, sample),
  );
}

/** The text with some bytes replaced: it may be no valid UTF-8. */
function damageText(text: string): fc.Arbitrary<Uint8Array> {
  const bytes = Buffer.from(text);
  return fc
    .tuple(fc.nat(bytes.length), fc.nat(20), fc.uint8Array({ maxLength: 8 }))
    .map(([at, cut, put]) => Buffer.concat([bytes.subarray(0, at), put, bytes.subarray(at + cut)]));
}

const visible = fc
  .oneof(fc.integer({ min: 0x21, max: 0x7e }), fc.integer({ min: 0xa1, max: 0xff }))
  .map(code => String.fromCharCode(code));
/** No request with these headers may succeed or change anything. */
const awkwardHeaders = fc.oneof(
  fc.constantFrom<Record<string, string>>(
    { 'content-type': 'text/plain' },
    { 'content-type': 'application/json; charset=nonsense' },
    { 'content-type': 'multipart/form-data; boundary=x' },
    { 'content-encoding': 'gzip' },
    { 'content-encoding': 'br' },
    { 'content-encoding': 'deflate' },
    { 'content-encoding': 'nonsense' },
    { 'idempotency-key': 'two words' },
    { 'idempotency-key': '' },
    { 'idempotency-key': 'k'.repeat(256) },
    { prefer: ',;=,,"' },
  ),
  fc.string({ unit: visible, minLength: 1 }).map(value => ({ 'x-choosen-host-id': value })),
);
const awkwardSegment = fc
  .oneof(
    fc.constantFrom(...'% %zz %E0%A4%A %00 %2e%2e%2f. %2f a%2Fb ; :x %F0%9F%99%82 a?x=% *'.split(' ')),
    // Clients resolve `.` and `..` as the folder itself and its parent.
    fc.webSegment().filter(segment => !/^\.{1,2}$/.test(segment)),
    fc.stringMatching(/^k[0-9a-f]{30,42}$/),
    fc.integer({ min: 1, max: 4_000 }).map(length => 'k'.repeat(length)),
    awkwardText.map(text => encodeURIComponent(text.toWellFormed()).slice(0, 4_000)),
  )
  // Without a name, the address is the list.
  .filter(segment => segment !== '' && !segment.startsWith('?'));

/** `__proto__` must be an ordinary property here. */
function objectOf(entries: readonly (readonly [string, unknown])[]): Fields {
  return Object.fromEntries(entries);
}

function written(value: unknown): string {
  return JSON.stringify(value) ?? '';
}
