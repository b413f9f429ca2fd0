import type { Db } from '../../db/connection.ts';
import { changeHost, type Host, listHostPage } from '../../db/hosts/hosts.ts';
import { withHosts } from '../../db/with-hosts.ts';
import { failure, isFailure } from '../../queues/contract/failure.ts';
import type { DataOf } from '../../queues/contract/operations/index.ts';
import { object, text } from '../../queues/contract/shape.ts';
import { readPage } from '../bodies/page.ts';
import { findFallbacksFailure, type ModelDirectory } from '../model/model-directory.ts';
import type { Handler } from '../runtime/job.ts';

export function makeSaveHost(directory: ModelDirectory): Handler<'saveHost'> {
  return async job => {
    const refused = await findFallbacksFailure(directory, job.body.modelFallbacks, job.hostId);
    if (refused) return refused;
    return job.commit(async scope => {
      const host = await changeHost(scope, job.body);
      // Only where the token was revoked since the request.
      return host ? { code: 200, data: toHostItem(host) } : failure('operators-only');
    });
  };
}

const key = object({ slug: text() });

export function makeListHosts(db: Db): Handler<'listHosts'> {
  return ({ operation, body, caller }) =>
    withHosts(db, caller.hostIds, async scope => {
      const page = await readPage({ operation, body }, key, {
        read: ({ limit, after }) => listHostPage(scope, { limit, after: after?.slug }),
        keyOf: ({ slug }) => ({ slug }),
        toItem: toHostItem,
      });
      return isFailure(page) ? page : { code: 200, data: page };
    });
}

function toHostItem({ businessHours, modelFallbacks, ...host }: Host): DataOf<'saveHost'> {
  return {
    ...host,
    businessHours: businessHours.map(({ days, from, to }) => ({ days: [...days], from, to })),
    modelFallbacks: [...modelFallbacks],
  };
}
