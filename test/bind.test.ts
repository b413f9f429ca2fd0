import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mock } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { type Address, bind } from '../api/bind.ts';
import { choosePort } from '../commands/launcher/start-parts.ts';
import { SettingError } from '../platform/field-error.ts';

const host = '127.0.0.1';

describe('the address of the API', () => {
  const occupy = async () => {
    const other = createServer().listen(0, host);
    await once(other, 'listening');
    return { other, port: (other.address() as AddressInfo).port };
  };
  const refusalOf = async (address: Address) => {
    const server = createServer();
    const refused = await bind(server, address).then(
      () => undefined,
      (error: Error) => error,
    );
    server.close();
    expect(refused).to.be.instanceOf(SettingError);
    return refused?.message;
  };

  it('is taken as soon as a process that still holds the port is gone', async () => {
    const { other, port } = await occupy();
    const server = createServer();
    const refused = new Promise(resolve => server.once('error', resolve));
    const bound = bind(server, { port, host });
    await refused;
    other.close();
    await bound;
    expect((server.address() as AddressInfo).port).to.equal(port);
    server.close();
  });

  it('is a wrong setting, named in one line, while another program keeps the port', async () => {
    const { other, port } = await occupy();
    // Its pauses take five seconds.
    mock.timers.enable({ apis: ['setTimeout'] });
    const trying = { isOver: false };
    const refusal = refusalOf({ port, host }).finally(() => (trying.isOver = true));
    while (!trying.isOver) {
      mock.timers.tick(250);
      await nextTurn();
    }
    mock.timers.reset();
    expect(await refusal).to.equal(`setting "PORT": another program uses port ${port}`);
    other.close();
  });

  it('is a wrong setting, named in one line, on no address of this machine', async () => {
    const reason = 'setting "HOST": 192.0.2.1 is not an address of this machine';
    expect(await refusalOf({ port: 0, host: '192.0.2.1' })).to.equal(reason);
    const chosen = choosePort(0, false, '192.0.2.1').catch((error: Error) => error.message);
    expect(await chosen).to.equal(reason);
  });
});
