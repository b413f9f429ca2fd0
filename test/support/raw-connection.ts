import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** A connection over which a test writes its own HTTP. */
export interface RawConnection {
  readonly socket: Socket;
  /** Everything that was received. */
  read(): string;
  readonly closed: Promise<void>;
}

export async function openConnection(baseURL: string): Promise<RawConnection> {
  const socket = connect(Number(new URL(baseURL).port), '127.0.0.1');
  // A reset is followed by `close`.
  socket.on('error', () => {});
  let text = '';
  socket.on('data', data => (text += String(data)));
  const closed = new Promise<void>(resolve => socket.once('close', () => resolve()));
  await once(socket, 'connect');
  return { socket, read: () => text, closed };
}
