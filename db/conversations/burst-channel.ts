import { type Channel, openChannel } from '../channel.ts';

/** The ids of turns that a burst revokes from their workers; see `bursts.ts`. */
const burstChannel = { channel: 'parley_bursts', applicationName: 'parley-bursts' };

export function openBurstChannel(databaseUrl: string, onTurn: (turnId: string) => void): Promise<Channel> {
  return openChannel(databaseUrl, burstChannel, onTurn);
}
