import { randomBytes, randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { Knex } from 'knex';
import { createHost } from '../../db/hosts/hosts.ts';
import { makeToken } from '../../db/hosts/token-text.ts';
import { revokeToken } from '../../db/hosts/tokens.ts';
import { refusals } from '../../queues/contract/failure.ts';
import { tokenScopes } from '../../queues/contract/operation.ts';
import { type OperationName, operationNames, operationOf } from '../../queues/contract/operations/index.ts';
import { eachAmong, expectAccepted, expectRefused, formsFor, openContract } from '../support/contract.ts';
import { openOnce } from '../support/opened.ts';
import {
  bodySchemaOf,
  comparable,
  type Fields,
  fieldsOf,
  type Schema,
  send,
  withField,
} from '../support/operation-calls.ts';
import { type Samples, samplesOf } from '../support/samples.ts';
import type { CallOptions } from '../support/service.ts';
import { waitForLock } from '../support/wait-for-lock.ts';

/* Authorization and tenant isolation. */

/** Operations for operators know no tenant: test/operations/hosts.test.ts has theirs. */
const ofTenants = operationNames.filter(name => !operationOf(name).isForOperators);
const hostBound = ofTenants.filter(name => operationOf(name).hosts === 'one');
const hostNaming = hostBound.filter(name => !operationOf(name).takesRecords);
const scoped = operationNames.filter(name => operationOf(name).scope !== undefined);

export function describeTenancy(asked: readonly OperationName[]): void {
  const eachOf = eachAmong(asked);
  describe('every operation', () => {
    const { service, demo, acme, samples } = openOnce(() => openContract());

    const ask = (name: OperationName, options: CallOptions, body: unknown = samples[name]) =>
      send(service, name, body, options);
    const misspelt = () => {
      const { token } = demo;
      return token.slice(0, -1) + (token.endsWith('a') ? 'b' : 'a');
    };

    describe('with a token that is not in force', () => {
      let expired: string;
      let revoked: string;
      before(async () => {
        const hostIds = [demo.hostId];
        expired = await service.makeToken({ hostIds, expiresAt: new Date(Date.now() - 1_000) });
        revoked = await service.makeToken({ hostIds, name: 'revoked' });
        const { id } = await service.db('tokens').where({ name: 'revoked' }).first('id');
        await revokeToken(service.db, id);
      });

      eachOf(operationNames, 'refuses any token that is not in force with 401', async name => {
        const tokens = ['', 'svc_short', misspelt(), makeToken().text, expired, revoked];
        const basic = { token: undefined, headers: { authorization: `Basic ${demo.token}` } };
        // Of what one place looks up for all of them, each is asked with one in turn.
        const forms = formsFor<CallOptions>(name, [...tokens.map(token => ({ token })), basic]);
        const answers = [{ token: undefined }, ...forms].map(options => ask(name, options));
        for (const answer of await Promise.all(answers)) {
          expectRefused(answer, 'unauthorized');
          expect(answer.headers.get('www-authenticate')).to.equal('Bearer');
        }
      });
    });

    describe('while nobody can read the tokens', () => {
      let locking: Knex.Transaction;
      before(async () => {
        locking = await service.db.transaction();
        await locking.raw('lock table tokens in access exclusive mode');
      });
      after(async () => {
        if (!locking.isCompleted()) await locking.rollback();
      });

      eachOf(operationNames, 'refuses a malformed token without asking the database', async name => {
        for (const token of formsFor(name, ['malformed', misspelt()]))
          expectRefused(await ask(name, { token }), 'unauthorized');
      });

      it('asks it for one that is well-formed', async () => {
        const wellFormed = ask('reason', { token: makeToken().text });
        await waitForLock(locking);
        await locking.rollback();
        expectRefused(await wellFormed, 'unauthorized');
      });
    });

    eachOf(scoped, 'refuses a token without its scope with 403, and takes one with it alone', async name => {
      const { scope, orScope, isForOperators } = operationOf(name);
      const hostIds = isForOperators ? ('all' as const) : [demo.hostId];
      const others = tokenScopes.filter(other => other !== scope && other !== orScope);
      const without = await service.makeToken({ hostIds, scopes: others });
      const hint = `it needs the scope ${[scope, orScope].filter(Boolean).join(' or ')}`;
      expectRefused(await ask(name, { token: without }), 'forbidden', { hint });
      const alone = await service.makeToken({ hostIds, scopes: scope ? [scope] : [] });
      await expectAccepted(name, ask(name, { token: alone }));
    });

    for (const kind of ['domain', 'operator'] as const)
      describe(`for the bearer of ${kind === 'operator' ? 'an' : 'a'} ${kind} token`, () => {
        let token: string;
        let outside: string[];
        before(async () => {
          const other = await createHost(service.db, { slug: `beside-${kind}`, name: 'Other' });
          const hostIds = kind === 'domain' ? [demo.hostId, acme.hostId] : ('all' as const);
          token = await service.makeToken({ hostIds });
          outside = kind === 'domain' ? [other?.id ?? '', randomUUID()] : [randomUUID()];
        });
        const bare = (name: OperationName) => {
          const { choosenHostId: _, ...body } = samples[name];
          return body;
        };
        const inBody = (name: OperationName, choosenHostId: string) =>
          ask(name, { token }, { ...bare(name), choosenHostId });
        const inHeader = (name: OperationName, hostId: string) =>
          ask(name, { token, headers: { 'x-choosen-host-id': hostId } }, bare(name));

        eachOf(hostBound, 'asks with 409 which host is meant, naming those there are', async name => {
          const rows = await service.db('hosts').orderBy('slug').select('id', 'slug', 'name');
          const seen = rows.filter(
            ({ id }) => kind === 'operator' || [demo.hostId, acme.hostId].includes(id),
          );
          expect(seen.length).to.equal(kind === 'domain' ? 2 : rows.length);
          const availableHosts = seen.map(row => ({
            host_id: row.id,
            host_slug: row.slug,
            host_name: row.name,
          }));
          expectRefused(await ask(name, { token }, bare(name)), 'host-not-chosen', { availableHosts });
        });

        const places = kind === 'domain' ? 'in the body or in the header' : 'in the header';
        eachOf(hostBound, `takes the host chosen ${places}`, async name => {
          const { hostId } = demo;
          const mayBeInBody = kind === 'domain' && !operationOf(name).takesRecords;
          if (mayBeInBody) await expectAccepted(name, inBody(name, hostId));
          await expectAccepted(name, inHeader(name, hostId.toUpperCase()));
        });

        eachOf(
          hostBound,
          'refuses with 403 a choice among hosts that the token does not span',
          async name => {
            for (const hostId of outside) {
              if (!operationOf(name).takesRecords)
                expectRefused(await inBody(name, hostId), 'host-forbidden');
              expectRefused(await inHeader(name, hostId), 'host-forbidden');
            }
          },
        );

        eachOf(hostNaming, 'refuses with 403 a body about another host than the chosen one', async name => {
          expectRefused(await inHeader(name, acme.hostId), 'host-forbidden');
        });
      });

    describe('for another tenant', () => {
      let own: Samples;
      before(async () => {
        own = await samplesOf(service, acme);
      });

      eachOf(ofTenants, 'makes no difference between an id of ours and a random one', async name => {
        const { token } = acme;
        await expectAccepted(name, ask(name, { token }, own[name]));
        for (const [path] of fieldsOf(bodySchemaOf(name)).filter(isIdentifying)) {
          const value = valueAt(samples[name], path);
          const ours = Array.isArray(value) ? value[0] : value;
          expect(ours, `the sample body of ${name} has no ${path}`).to.be.a('string');
          const askWith = (id: string) =>
            ask(name, { token }, withField(own[name], path, Array.isArray(value) ? [id] : id));
          const answer = await askWith(ours);
          expect(comparable(answer), path).to.deep.equal(comparable(await askWith(unlike(ours))));
          expect(answer.status, path).to.be.oneOf(isHost(path) ? [403] : refusedWith(name, path));
          // By a name of its own, such as the name of what is not there.
          const named = operationOf(name).refusals.map(refusal => refusals[refusal][1] as string);
          if (answer.status >= 403 && !isHost(path)) expect(named, path).to.include(answer.body.message);
        }
      });

      eachOf(hostBound, 'refuses a host in the header that is not the token’s, known or not', async name => {
        for (const hostId of [demo.hostId, ...formsFor(name, [randomUUID(), 'no-uuid'])]) {
          const options = { token: acme.token, headers: { 'x-choosen-host-id': hostId } };
          const { choosenHostId: _, ...body } = own[name];
          expectRefused(await ask(name, options, body), 'host-forbidden');
        }
      });
    });
  });
}

function isIdentifying([path, schema]: [string, Schema]): boolean {
  return isUuid(schema) || isHost(path) || path === 'jobId';
}

/** A single UUID, a list, or either. */
function isUuid({ format, items, anyOf = [] }: Schema): boolean {
  return format === 'uuid' || items?.format === 'uuid' || anyOf.some(isUuid);
}

/** A filter finds nothing; a chunk is not moved; an agent is processed as sent. */
function refusedWith(name: OperationName, path: string): number[] {
  // An accepted event is answered with 202 whatever it names.
  if (operationOf(name).status === 202 && name !== 'importDocument') return [202, 403];
  const narrowing: Readonly<Record<string, readonly string[]>> = {
    listDatasets: ['avatarIds'],
    readChunks: ['dataset_ids', 'chunk_ids'],
    listFlows: ['avatarIds'],
    listConversations: ['contactId', 'assigned_person_id', 'team_id'],
    listTickets: ['contactId', 'ticketId'],
    listLeads: ['contactId', 'leadId'],
    listDocuments: ['dataset_id'],
    listConsents: ['conversationId', 'contactId'],
  };
  if (narrowing[name]?.includes(path) || (name === 'generateAgent' && path.startsWith('agent.')))
    return [200];
  return name === 'editChunk' && path === 'dataset_id' ? [400] : [403, 404, 409];
}

function isHost(path: string): boolean {
  return ['choosenHostId', 'hostId', 'host_id', 'hostSlug', 'host_slug'].includes(path);
}

function valueAt(body: Fields, path: string): unknown {
  return path.split('.').reduce<unknown>((at, field) => (at as Fields | undefined)?.[field], body);
}

/** A valid id that belongs to nothing. */
function unlike(id: string): string {
  const drawn = (hex: string) => randomBytes(hex.length).toString('hex').slice(hex.length);
  const other = id.replaceAll(/[0-9a-f]{8,}/g, drawn);
  return other === id ? 'nobody' : other;
}
