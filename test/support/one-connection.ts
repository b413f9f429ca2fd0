import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';

export interface Sent {
  readonly body: string | Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
}

/** The statuses of these requests, sent sequentially over one keep-alive connection; fails if one is not answered. */
export async function statusesOverOneConnection(url: string, requests: readonly Sent[]): Promise<number[]> {
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
