import { listReceivedRecords, type ReceivedRecord } from '../../db/intake/intake-record-list.ts';
import { isFailure } from '../../queues/contract/failure.ts';
import type { DataOf } from '../../queues/contract/operations/index.ts';
import type { Handler } from '../runtime/job.ts';
import { readTimePage } from '../runtime/page.ts';

export const listIntakeRecords: Handler<'listIntakeRecords'> = ({ body: { kind, fate, ...body }, read }) =>
  read(async scope => {
    const page = await readTimePage(
      body,
      order => listReceivedRecords(scope, { kind, state: fate }, order),
      toRecordItem,
    );
    return isFailure(page) ? page : { code: 200, data: page };
  });

function toRecordItem(record: ReceivedRecord): DataOf<'listIntakeRecords'>['items'][number] {
  return {
    recordId: record.id,
    kind: record.kind,
    fate: record.state,
    status: record.status,
    entityTable: record.recordTable,
    entityId: record.recordId,
    reasons: record.reasons,
    warnings: record.warnings,
    body: record.body,
    arrivedAt: record.arrivedAt.toISOString(),
    finishedAt: record.finishedAt?.toISOString() ?? null,
  };
}
