import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { fieldError } from '../../platform/field-error.ts';
import { refusals } from '../../queues/contract/failure.ts';
import { type OperationName, operationNames, operationOf } from '../../queues/contract/operations/index.ts';
import {
  type Contract,
  eachAmong,
  expectAccepted,
  expectRefused,
  formsFor,
  isRepresentative,
  openContract,
} from '../support/contract.ts';
import { shapeErrors } from '../support/exact-shape.ts';
import { openOnce } from '../support/opened.ts';
import {
  addressOf,
  bodyOperations,
  bodySchemaOf,
  checkedOperations,
  type Fields,
  fieldsOf,
  filled,
  pathsOf,
  type Schema,
  send,
  takesLists,
  tokenFor,
  withField,
} from '../support/operation-calls.ts';
import { type ApiResponse, type CallOptions } from '../support/service.ts';

interface Sent {
  readonly body: string | Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
}

/** The statuses of these requests, sent sequentially over one keep-alive connection; fails if one is not answered. */
async function statusesOverOneConnection(url: string, requests: readonly Sent[]): Promise<number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const statuses: number[] = [];
  try {
    for (const { body, headers } of requests) {
      const sending = request(url, { method: 'POST', agent, headers, signal: AbortSignal.timeout(5_000) });
      sending.end(body);
      const [response] = (await once(sending, 'response')) as [IncomingMessage];
      await response.toArray();
      statuses.push(response.statusCode ?? 0);
    }
    return statuses;
  } finally {
    agent.destroy();
  }
}

/*
 * Rules for all operations, checked for every declared one: a new operation is covered at once. Successes are the
 * expensive part, because a worker runs each of them: what may be asked with one request is asked with one.
 */

const MIB = 1_048_576;
const bomb = gzipSync(Buffer.concat([Buffer.alloc(2 * MIB), Buffer.from(randomBytes(MIB).toString('hex'))]));
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/** The limit of a document is tested with documents. */
const smallBodyOperations = bodyOperations.filter(name => {
  const { extras = [] } = operationOf(name);
  return !extras.includes('upload') && !extras.includes('description');
});

export function describeCalls(asked: readonly OperationName[]): void {
  const eachOf = eachAmong(asked);
  describe('every declared operation', () => {
    const contract = openOnce(() => openContract());
    const { service, samples } = contract;

    const ask = (name: OperationName, body: unknown = samples[name], options: CallOptions = {}) =>
      send(service, name, body, options);
    const answers = new Map<OperationName, Promise<ApiResponse>>();
    /** The answer to its sample, which is sent once. */
    const answerOf = (name: OperationName): Promise<ApiResponse> => {
      const answer =
        answers.get(name) ?? ask(name, undefined, { headers: { 'x-request-id': `my-Request:1.2_${name}` } });
      answers.set(name, answer);
      return answer;
    };

    eachOf(operationNames, 'answers with exactly what its shape declares', async name => {
      const operation = operationOf(name);
      const { status, body } = await answerOf(name);
      if (operation.responseForm) {
        expect([status, shapeErrors(operation.data, body)]).to.deep.equal([operation.status, []]);
        return;
      }
      const { data, ...envelope } = body;
      const message = { 200: 'Success', 201: 'Created', 202: 'Accepted' }[operation.status];
      expect({ status, envelope }).to.deep.equal({
        status: operation.status,
        envelope: { code: operation.status, message },
      });
      expect(shapeErrors(operation.data, data)).to.deep.equal([]);
    });

    eachOf(operationNames, 'answers under every path that it has', async name => {
      const { method } = operationOf(name);
      const sample = samples[name];
      await expectAccepted(name, answerOf(name));
      for (const path of pathsOf(name).slice(1)) {
        const body = method === 'GET' ? undefined : sample;
        const token = tokenFor(service, name);
        await expectAccepted(name, service.call(filled(path, sample), body, { method, token }));
      }
    });

    eachOf(operationNames, 'refuses other methods with 405 and says which it takes', async name => {
      for (const path of pathsOf(name)) {
        const methods = operationNames.filter(other => pathsOf(other).includes(path));
        const taken = methods.map(other => operationOf(other).method as string);
        for (const method of METHODS.filter(each => !taken.includes(each))) {
          const address = filled(path, samples[name]);
          const answer = await service.call(address, undefined, { method });
          const { hint } = answer.body.data;
          expectRefused(answer, 'method-not-allowed', hint ? { hint } : {});
          expect(answer.headers.get('allow')?.split(', ')).to.include.members(taken);
        }
      }
    });

    eachOf(operationNames, 'takes over a sane X-Request-Id and makes one otherwise', async name => {
      const refusedUnder = (id: string) =>
        ask(name, undefined, { headers: { 'x-request-id': id }, token: undefined });
      expect((await answerOf(name)).headers.get('x-request-id')).to.equal(`my-Request:1.2_${name}`);
      expect((await refusedUnder('mine')).body.data.requestId).to.equal('mine');
      for (const insane of formsFor(name, ['two words', 'x'.repeat(129), 'é', '<script>', ''])) {
        const { headers, body } = await refusedUnder(insane);
        expect(headers.get('x-request-id')).to.match(/^[0-9a-f-]{36}$/);
        expect(body.data.requestId).to.equal(headers.get('x-request-id'));
      }
    });

    describe('with a body', () => {
      const raw = (name: OperationName, body: string | Uint8Array, headers: Record<string, string> = {}) =>
        service.call(addressOf(name), body, { headers, token: tokenFor(service, name) });
      /** The sample as JSON, with additional raw fields. */
      const jsonWith = (name: OperationName, more: string) => {
        const json = JSON.stringify(samples[name]);
        return json === '{}' ? `{${more}}` : `${json.slice(0, -1)},${more}}`;
      };

      eachOf(bodyOperations, 'refuses what is not JSON with 400', async name => {
        const broken = ['{', '{"a":1,}', 'hostId=1', '\u0000', '{"a":"\n"}', '[1,2', 'NaN'];
        for (const form of formsFor(name, broken)) expectRefused(await raw(name, form), 'body-not-json');
      });

      eachOf(bodyOperations, 'refuses JSON that is no object with 400', async name => {
        const lists = takesLists(name) ? [] : ['[]', '[{}]'];
        for (const other of formsFor(name, ['"text"', '5', 'true', ...lists])) {
          const { status, body } = await raw(name, other);
          expect([status, body.message], other).to.deep.equal(refusals['body-invalid']);
          expect(body.data.fields, other).to.have.length(1);
        }
      });

      const nested = (depth: number) => `"deep":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}`;

      eachOf(
        bodyOperations,
        'takes what is odd and right: gzip, any JSON type, 32 levels, names of an object’s own machinery',
        async name => {
          const brackets = JSON.stringify('[{\\"'.repeat(99));
          const machinery = '"constructor":{"prototype":{"x":1}},"__proto__":{"y":1}';
          const odd = jsonWith(name, `${nested(32)},"text":${brackets},${machinery}`);
          const headers = { 'content-encoding': 'gzip', 'content-type': 'application/vnd.parley+json' };
          await expectAccepted(name, raw(name, gzipSync(odd), headers));
        },
      );

      eachOf(bodyOperations, 'refuses other content types with 415', async name => {
        const json = () => JSON.stringify(samples[name]);
        const ofRecords = ['text/plain', 'application/x-www-form-urlencoded'];
        const others = ['application/xml', 'multipart/form-data; boundary=x', 'nonsense'];
        const types = operationOf(name).takesRecords ? others : [...ofRecords, ...others];
        for (const type of formsFor(name, types))
          expectRefused(await raw(name, json(), { 'content-type': type }), 'body-not-supported');
      });

      eachOf(
        bodyOperations.filter(isRepresentative),
        'refuses another charset with 415, and bytes that its charset has not with 400',
        async name => {
          const latin = Buffer.from(jsonWith(name, '"text":"São João"'), 'latin1');
          const sendIn = (charset: string, bytes = latin) =>
            raw(name, bytes, { 'content-type': `application/json${charset}` });
          expectRefused(await sendIn('; charset=utf-16le'), 'body-not-supported');
          expectRefused(await sendIn('; charset=iso-8859-15'), 'body-not-supported');
          const undefinedThere = Buffer.from(jsonWith(name, '"text":"\u0081"'), 'latin1');
          for (const answer of [
            await sendIn(''),
            await sendIn('; charset=us-ascii'),
            await sendIn('; charset="windows-1252"', undefinedThere),
          ])
            expect([answer.status, answer.body.data.fields[0].path]).to.deep.equal([400, '']);
        },
      );

      const bodyOfMiB = (name: OperationName) => {
        const spent = Buffer.byteLength(jsonWith(name, '"filler":""'));
        return jsonWith(name, `"filler":"${'x'.repeat(MIB - spent)}"`);
      };

      eachOf(smallBodyOperations.filter(isRepresentative), 'takes a body of 1 MiB', async name => {
        const headers = { 'content-type': 'application/json; charset=utf-8' };
        await expectAccepted(name, raw(name, bodyOfMiB(name), headers));
      });

      eachOf(smallBodyOperations, 'refuses a body over 1 MiB with 413, one deflated too', async name => {
        const over = `${bodyOfMiB(name)} `;
        for (const encoding of formsFor(name, ['identity', 'gzip'])) {
          const body = encoding === 'gzip' ? gzipSync(over, { level: 1 }) : over;
          expectRefused(await raw(name, body, { 'content-encoding': encoding }), 'body-too-large');
        }
      });

      eachOf(bodyOperations, 'refuses what is nested over 32 levels with 400', async name => {
        const fields = [fieldError('', 'too-large', { limit: 32, message: 'is nested over 32 levels' })];
        for (const deep of formsFor(name, [jsonWith(name, nested(33)), '['.repeat(500_000)]))
          expectRefused(await raw(name, deep), 'body-invalid', { fields });
        expectRefused(await raw(name, '['.repeat(32)), 'body-not-json');
      });

      eachOf(bodyOperations, 'refuses broken gzip with 400, and other encodings with 415', async name => {
        const packed = gzipSync(JSON.stringify(samples[name]));
        const gzip = { 'content-encoding': 'gzip' };
        const broken = [packed.subarray(0, -12), Buffer.from('not gzip'), packed.toReversed()];
        for (const form of formsFor(name, broken))
          expectRefused(await raw(name, form, gzip), 'body-not-json');
        const other = await raw(name, packed, { 'content-encoding': 'zip' });
        expectRefused(other, 'body-not-supported');
        expect(other.body.message).to.include('Content-Encoding');
      });

      eachOf(
        smallBodyOperations.filter(isRepresentative),
        'answers the next request on a connection whose last body it refused',
        async name => {
          const headers = {
            authorization: `Bearer ${tokenFor(service, name)}`,
            'content-type': 'application/json',
          };
          const good = () => ({ headers, body: JSON.stringify(samples[name]) });
          const junk = 'x'.repeat(MIB / 4);
          // The rest of a body would be a bad request, 400: so one of those comes only after a good one.
          const sent = [
            { headers: { ...headers, 'content-encoding': 'gzip' }, body: junk },
            good(),
            { headers: { ...headers, 'content-encoding': 'br' }, body: junk },
            { headers: { ...headers, 'content-encoding': 'gzip' }, body: bomb },
            { headers: { ...headers, 'content-type': 'text/xml' }, body: junk },
            { headers: { ...headers, 'transfer-encoding': 'chunked' }, body: junk.repeat(5) },
            { headers: { 'content-type': 'application/json' }, body: junk },
            good(),
          ];
          const url = `${service.baseURL}${addressOf(name)}`;
          const { status } = operationOf(name);
          const statuses = await statusesOverOneConnection(url, sent);
          // A body that may have documents is no JSON before it is too long.
          const tooLong = name === 'reason' ? 400 : 413;
          expect(statuses).to.deep.equal([400, status, 400, tooLong, 415, tooLong, 401, status]);
        },
      );

      eachOf(
        checkedOperations,
        'ignores fields that it does not know, and names them in a header and in the log',
        async name => {
          const id = `unknown-fields-${name}`;
          const body = jsonWith(name, '"unknown":{"a":[1]},"toString":1,"":0,"São (1)\\r\\nX: \\ud800":2');
          const answer = await raw(name, body, { 'x-request-id': id });
          await expectAccepted(name, Promise.resolve(answer));
          const ignored = ['unknown', 'toString', '%22%22', 'S%C3%A3o%20%281%29%0D%0AX%3A%20%EF%BF%BD'];
          expect(answer.headers.get('parley-ignored-fields')).to.equal(ignored.join(', '));
          const line = await loggedLine(contract, id);
          const named = ['unknown', 'toString'];
          expect(line).to.deep.include({ ignoredFields: named, status: operationOf(name).status });
        },
      );

      eachOf(
        checkedOperations,
        'takes its fields in another spelling, and refuses two that differ',
        async name => {
          const sample = samples[name];
          const spelled = (field: string) => field.replaceAll('_', '').toUpperCase();
          const respelled = Object.entries(sample).map(([field, value]) => [spelled(field), value]);
          const answer = await ask(name, Object.fromEntries(respelled));
          // Some samples can be created only once.
          expect(answer.status, JSON.stringify(answer.body)).to.be.oneOf([operationOf(name).status, 409]);
          expect(answer.headers.get('parley-ignored-fields')).to.equal(null);
          for (const field of Object.keys(sample)) {
            const { status, body } = await ask(name, { ...sample, [spelled(field)]: { unlike: 1 } });
            expect([status, body.message], field).to.deep.equal(refusals['body-invalid']);
            const fields = [fieldError(spelled(field), 'both-given', { values: [field] })];
            expect(body.data.fields).to.deep.equal(fields);
          }
        },
      );
    });

    describe('names', () => {
      const namedIn = ({ body }: ApiResponse): unknown[] =>
        body.data.fields.map((field: Fields) => field['path']);

      eachOf(operationNames, 'each field that is wrong', async name => {
        const fields = fieldsOf(bodySchemaOf(name)).filter(field => canBeWrong(name, field));
        for (const [path, schema] of fields) {
          const answer = await ask(name, withField(samples[name], path, wrongFor(schema)));
          expect([answer.status, answer.body.message], path).to.deep.equal(refusals['body-invalid']);
          expect(namedIn(answer)).to.deep.equal([path]);
          expect(answer.body.data.fields[0].message).to.be.a('string').that.does.not.include('unlikely');
        }
      });

      const withFields = checkedOperations.filter(name => fieldsOf(bodySchemaOf(name)).length > 0);
      eachOf(withFields, 'all wrong fields at once, and those that are missing', async name => {
        const { properties = {}, required = [] } = bodySchemaOf(name);
        const fields = Object.entries(properties).filter(field => canBeWrong(name, field));
        const wrong = Object.fromEntries(fields.map(([field, schema]) => [field, wrongFor(schema)]));
        const named = namedIn(await ask(name, wrong));
        expect(Object.keys(wrong)).to.include.members(named);
        expect(named).to.have.length(Math.min(fields.length, 20));
        if (required.length > 0) expect(namedIn(await ask(name, {}))).to.have.members(required);
      });
    });
  });
}

/** The access log line is written a moment after the answer, when the connection has sent it. */
/** The line of the api: a turn has one of its worker, too. */
async function loggedLine({ service }: Contract, requestId: string): Promise<Fields> {
  for (;;) {
    const line = service.logged.find(
      each => each.includes(`"${requestId}"`) && each.includes('"request.finished"'),
    );
    if (line) return JSON.parse(line);
    await setImmediate();
  }
}

/** A path parameter is always text; only its format can be wrong. */
function canBeWrong(name: OperationName, [, { type, format, pattern, anyOf }]: [string, Schema]): boolean {
  return operationOf(name).method === 'POST'
    ? (type ?? anyOf) !== undefined
    : (format ?? pattern) !== undefined;
}

function wrongFor({ type, format, pattern, anyOf }: Schema): unknown {
  // Of a choice that has an object, the parts of that would be named.
  if (anyOf) return anyOf.some(({ type: one }) => one === 'object') ? 'unlikely' : { unlikely: 1 };
  const hasForm = format !== undefined || (pattern !== undefined && !new RegExp(pattern).test('unlikely'));
  const isFreeText = type === 'string' && !hasForm;
  return isFreeText ? { unlikely: 1 } : 'unlikely';
}
