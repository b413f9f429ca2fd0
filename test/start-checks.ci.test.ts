import { expect } from 'chai';
import { Redis } from 'ioredis';
import { migrations } from '../db/migrations/list.ts';
import { SettingError, WRONG_SETTING_CODE } from '../platform/field-error.ts';
import { makeLog } from '../platform/log.ts';
import { findWeakSecrets } from '../platform/weak-secrets.ts';
import { openBackend } from '../queues/transport/backend.ts';
import { startWorkers } from '../workers/start.ts';
import { describeWithOneRedis, makeOwnRedis } from './support/own-redis.ts';
import type { OwnRedis } from './support/redis-server.ts';
import { runCommand } from './support/run-command.ts';
import { type Service, startService } from './support/service.ts';
import { spawnApi, spawnWorker } from './support/spawned-process.ts';

describe('what is checked at start', () => {
  const weak = (secretKey: string, appEnv: 'production' | 'development' = 'production') =>
    findWeakSecrets({ appEnv, secretKey, opsPassword: undefined });

  it('refuses in production secrets out of examples, and nowhere else', () => {
    const guessed = [
      'change-me-change-me-change-me-change-me',
      's'.repeat(40),
      'an example of a key, 32 letters long',
    ];
    for (const secret of guessed) {
      expect(weak(secret)).to.have.length(1);
      expect(weak(secret).join()).to.not.include(secret);
      expect(weak(secret, 'development')).to.deep.equal([]);
    }
    expect(weak('7c1f0be02a9d43e58c1b6f7d3a90e4528c1b6f7d3a90e452')).to.deep.equal([]);
  });

  it('ends the release step in production with a secret out of an example, before it changes anything', async () => {
    const settings = { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' };
    const { code, err } = await runCommand('migrate', [], {
      ...settings,
      APP_ENV: 'production',
      SECRET_KEY: 'change-me-change-me-change-me-change-me',
    });
    expect(code).to.equal(WRONG_SETTING_CODE);
    expect(err).to.include('SECRET_KEY').and.to.not.include('change-me');
  });

  it('refuses a queue that there is not before anything is asked, in one line like every wrong setting', async () => {
    const settings = { workerQueues: ['turns', 'truns'], databaseUrl: 'postgres://127.0.0.1:1/none' };
    const log = makeLog('test', 'silent');
    const error = await startWorkers(settings as never, log).catch((cause: unknown) => cause);
    expect(error).to.be.instanceOf(SettingError);
    expect((error as Error).message).to.match(/^setting "WORKER_QUEUES" has no queue "truns": /);
  });

  describeWithOneRedis('with a Redis that refuses the login', () => {
    let redis: OwnRedis;
    let admin: Redis;
    before(async () => {
      redis = await makeOwnRedis();
      admin = new Redis(redis.url);
      await admin.acl('SETUSER', 'reader', 'on', '>right', '~*', '&*', '+@all', '-set');
      await admin.acl('SETUSER', 'nobody', 'on', '>right', '~*', '-@all');
      await admin.config('SET', 'requirepass', 'right');
    });
    after(async () => {
      admin.disconnect();
      await redis.kill();
    });

    for (const [what, login] of Object.entries({
      'no password': '',
      'a wrong password': ':a-secret@',
      'a wrong user': 'x:a-secret@',
      'a user without rights': 'nobody:right@',
      'a user who may not write': 'reader:right@',
    }))
      it(`no process starts with ${what}, which is a wrong setting`, async () => {
        const redisUrl = redis.url.replace('redis://', `redis://${login}`);
        const options = { redisUrl, databaseUrl: '', onError: () => {} };
        const error = await openBackend(options).catch((cause: unknown) => cause);
        expect(error).to.be.instanceOf(SettingError);
        expect((error as Error).message)
          .to.match(/^setting "REDIS_URL" is refused by the server: /)
          .and.not.include('a-secret');
      });
  });

  describe('on a database that lacks a migration', () => {
    let service: Service;
    before(async () => {
      service = await startService({ workers: false });
      const { name } = migrations.at(-1) ?? { name: '' };
      await service.db('knex_migrations').where({ name }).delete();
    });
    after(() => service.close());

    it('neither api nor worker starts, and each says in one line what to do', async () => {
      const starts = [spawnApi, spawnWorker].map(spawn =>
        spawn(service).then(
          () => 'it started',
          (error: Error) => error.message,
        ),
      );
      for (const refused of await Promise.all(starts))
        expect(refused).to.include('the database lacks the migration').and.to.include('run the release step');
    });

    it('an api that runs already is not ready', async () => {
      const { status, body } = await service.call('/health/ready');
      expect(status).to.equal(503);
      expect(body.checks).to.include({ database: 'ok', migrations: 'down', queue: 'ok' });
      expect(body.reasons.migrations).to.include('lacks the migration');
    });
  });
});
