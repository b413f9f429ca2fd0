import type { DataOf } from '../../../queues/contract/operations/index.ts';
import { call, ServiceError } from '../../service.ts';

export type HostSettings = DataOf<'saveHost'>;

/** Only operators may call this. */
export async function readHostSettings(hostId: string): Promise<HostSettings> {
  // The session has chosen its host, so the list has only that one.
  const { items } = await call('listHosts', { limit: 50 });
  const host = items.find(({ id }) => id === hostId);
  if (!host) throw new ServiceError(404, '');
  return host;
}
