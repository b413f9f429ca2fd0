import { failure } from '../../queues/contract/failure.ts';
import type { ApiMiddleware } from '../context.ts';
import { RefusalError } from '../replies/envelope.ts';
import { makeSecretCheck } from './secret-check.ts';

/** HTTP Basic authentication for operators: any user name, and OPS_PASSWORD. */
export function makeOpsGuard(password: string): ApiMiddleware {
  const checkSecret = makeSecretCheck();
  return async (ctx, next) => {
    const [, encoded] = /^Basic +(\S+)$/i.exec(ctx.get('authorization')) ?? [];
    const credentials = Buffer.from(encoded ?? '', 'base64').toString();
    // Browsers send the first request without a password; it must not count as a failed attempt.
    const isRight =
      encoded !== undefined &&
      (await checkSecret(ctx, credentials.slice(credentials.indexOf(':') + 1), password));
    if (!isRight) {
      ctx.set('WWW-Authenticate', 'Basic realm="Parley operations", charset="UTF-8"');
      throw new RefusalError(failure('unauthorized'));
    }
    return next();
  };
}
