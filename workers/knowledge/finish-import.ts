import { endImport, type ImportEnd, type OpenImport } from '../../db/knowledge/document-imports.ts';
import type { HostScope } from '../../db/with-hosts.ts';
import type { UnreadableReason } from '../../queues/contract/operations/document-shape.ts';
import { addEvent } from '../runtime/add-event.ts';

interface Finish extends ImportEnd {
  readonly reason?: UnreadableReason;
}

/** Ends the import, and tells of it. False where it has ended already, or was deleted with its document: then nothing is told. */
export async function finishImport(scope: HostScope, order: OpenImport, end: Finish): Promise<boolean> {
  if (!(await endImport(scope, order.id, end))) return false;
  const { id: jobId, documentId, datasetId } = order;
  const { reason = null, counts = { added: 0, kept: 0, removed: 0 } } = end;
  await addEvent(scope, {
    type: 'import.finished',
    data: { jobId, documentId, datasetId, reason, ...counts },
  });
  return true;
}
