import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A TCP proxy whose target can be switched, like the address of a store with failover. */
export interface SwitchableProxy {
  readonly url: string;
  /** Applies to new connections; open ones keep their target. */
  switchTo(url: string): void;
  /** Open connections stay open and pass on nothing more, as if their machine had gone. */
  silence(): void;
  /** Open connections pass on what is asked, and no answer: all calls have their effect, and fail. */
  dropAnswers(): void;
  close(): Promise<void>;
}

export async function makeSwitchableProxy(first: string): Promise<SwitchableProxy> {
  let target = new URL(first);
  const sockets = new Set<Socket>();
  /** The connections to the target. */
  const targets = new Set<Socket>();
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.once('close', () => sockets.delete(socket));
    return socket;
  };
  const server = createServer(here => {
    const there = keep(connect(Number(target.port), target.hostname));
    targets.add(there);
    there.once('close', () => targets.delete(there));
    keep(here).pipe(there).pipe(here);
    here.once('close', () => there.destroy());
    there.once('close', () => here.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `redis://127.0.0.1:${port}/0`,
    switchTo: url => void (target = new URL(url)),
    silence() {
      for (const socket of sockets) socket.unpipe().pause();
    },
    dropAnswers() {
      // Read all the same: a target whose answers nobody takes would stop.
      for (const socket of targets) socket.unpipe().resume();
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
