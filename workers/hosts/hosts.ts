import { randomUUID } from 'node:crypto';
import type { Db } from '../../db/connection.ts';
import { setActor } from '../../db/hosts/actor.ts';
import { listAuditEntries } from '../../db/hosts/audit.ts';
import { listContracts as listStoredContracts, setContract } from '../../db/hosts/contracts.ts';
import { isWithinLimits } from '../../db/hosts/host-limits.ts';
import { changeHost, createHost as createStored, type Host, listHostPage } from '../../db/hosts/hosts.ts';
import {
  deleteSavedReply,
  findSavedReplyForUpdate,
  listSavedReplies as listAll,
  upsertSavedReply,
} from '../../db/hosts/saved-replies.ts';
import { withHosts } from '../../db/with-hosts.ts';
import { missingErrorsOf } from '../../platform/field-error.ts';
import { failure, fieldFailure, isFailure } from '../../queues/contract/failure.ts';
import { integer, object, patternText, text } from '../../queues/contract/shape.ts';
import { readPage } from '../bodies/page.ts';
import { readInstants } from '../bodies/read-instants.ts';
import { instantOf } from '../domain/time/instant.ts';
import { findFallbacksFailure, type ModelDirectory } from '../model/model-directory.ts';
import { actorOf, type Handler } from '../runtime/job.ts';

export function makeCreateHost(directory: ModelDirectory): Handler<'createHost'> {
  return async ({ body, commitAsOperator }) => {
    const refused = await findFallbacksFailure(directory, body.modelFallbacks);
    if (refused) return refused;
    return commitAsOperator(async tx => {
      const host = await createStored(tx, body);
      return host ? { code: 200, data: inOrder(host) } : failure('slug-taken');
    });
  };
}

export const saveContract: Handler<'saveContract'> = ({ hostId, body, commitAsOperator }) => {
  const { startsOn, price, services } = body;
  // 30 February has the form of a date, and so has the year 0, which PostgreSQL lacks.
  if (startsOn < '0001' || !instantOf(startsOn, 'UTC'))
    return Promise.resolve(fieldFailure('startsOn', 'date', 'must be a date such as `2026-03-01`'));
  return commitAsOperator(async tx => {
    const set = await setContract(tx, hostId, { startsOn, price, services });
    return { code: 200, data: { hostId, ...set } };
  });
};

export const listContracts: Handler<'listContracts'> = ({ read }) =>
  read(async scope => ({ code: 200, data: await listStoredContracts(scope) }));

export function makeSaveHost(directory: ModelDirectory): Handler<'saveHost'> {
  return async job => {
    const refused = await findFallbacksFailure(directory, job.body.modelFallbacks, job.hostId);
    if (refused) return refused;
    return job.commit(async scope => {
      const host = await changeHost(scope, job.body);
      // The host is missing only if the token was revoked since the request.
      return host ? { code: 200, data: inOrder(host) } : failure('operators-only');
    });
  };
}

const hostKey = object({ slug: text() });

export function makeListHosts(db: Db): Handler<'listHosts'> {
  return ({ operation, body, caller }) =>
    withHosts(db, caller.hostIds, scope =>
      readPage({ operation, body }, hostKey, {
        read: ({ limit, after }) => listHostPage(scope, { limit, after: after?.slug }),
        keyOf: ({ slug }) => ({ slug }),
        toItem: inOrder,
      }),
    );
}

/** The database stores the opening hours with their keys in an order of its own. */
function inOrder(host: Host): Host {
  return { ...host, businessHours: host.businessHours.map(({ days, from, to }) => ({ days, from, to })) };
}

/** The last millisecond of the year 9999. */
const LAST_MS = 253_402_300_799_999;
const changeKey = object({
  at: integer({ min: 0, max: LAST_MS }),
  id: patternText(/^[1-9]\d{0,17}$/, 'a whole number'),
});

export const listAudit: Handler<'listAudit'> = job =>
  job.read(async scope => {
    const { body } = job;
    const period = await readInstants(scope, { since: body.since, until: body.until });
    if (isFailure(period)) return period;
    return readPage(job, changeKey, {
      read: order => listAuditEntries(scope, { ...period, operation: body.operation }, order),
      keyOf: ({ createdAt, auditId }) => ({ at: Date.parse(createdAt), id: auditId }),
      toItem: entry => entry,
    });
  });

export const listSavedReplies: Handler<'listSavedReplies'> = ({ caller, read }) =>
  read(async scope => ({ code: 200, data: await listAll(scope, caller.tokenId) }));

export const saveSavedReply: Handler<'saveSavedReply'> = ({ operation, body, caller, commit }) =>
  commit(async scope => {
    const { tokenId } = caller;
    const earlier =
      body.id === undefined ? undefined : await findSavedReplyForUpdate(scope, body.id, tokenId);
    if (body.id !== undefined && !earlier) return failure('reply-not-found');
    // Staff who attend change no other configuration, so the audit names them only here.
    await setActor(scope.tx, actorOf({ operation, caller }));
    if (body.deleted && earlier) {
      await deleteSavedReply(scope, earlier.replyId);
      return { code: 200, data: { ...earlier, deleted: true } };
    }
    const { name = earlier?.name, text = earlier?.text, onlyMine = earlier?.onlyMine } = body;
    if (name === undefined || text === undefined)
      return failure('body-invalid', { fields: missingErrorsOf({ name, text }) });
    const id = earlier?.replyId ?? randomUUID();
    const saved = await upsertSavedReply(scope, { id, name, text, owner: onlyMine ? tokenId : null });
    if (!(await isWithinLimits(scope, 'saved_replies'))) return failure('host-full');
    return { code: 200, data: saved };
  });
