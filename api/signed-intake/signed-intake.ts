import type { Token } from '../../db/hosts/tokens.ts';
import type { SigningSource } from '../../db/intake/crm-sources.ts';
import { failure } from '../../queues/contract/failure.ts';
import { operationOf } from '../../queues/contract/operations/index.ts';
import type { ApiMiddleware, Ctx } from '../context.ts';
import { enabledHostsOf } from '../guards/authenticate.ts';
import { holdBytes } from '../guards/held-bytes.ts';
import { hasBody, limitBodyTime, parseBytes, readBytes } from '../guards/read-body.ts';
import { timeLimitOf } from '../guards/time-limit.ts';
import { makeUnknownCallerLimits } from '../guards/unknown-caller-limits.ts';
import { RefusalError } from '../replies/envelope.ts';
import type { RouteParts } from '../request.ts';
import { runInRequestSpan } from '../request-span.ts';
import { receiveRecords } from './received-records.ts';
import type { SignatureResult } from './signature-check.ts';
import { receiveSigned } from './signed-intake-call.ts';

/*
 * Signed records need no token: they go to an address of their source. The source counts as a token of its host with the scope
 * `intake`, with the same limits, turns and logs.
 */

/** All three operations have the same time limits. */
const received = operationOf('receiveTicket');
const MAX_ADDRESS_LENGTH = 64;
/** A slow stranger must not hold one of the few places for long. */
const READ_WITHIN_MS = 5_000;

export function makeSignedIntake(parts: RouteParts, pace: ApiMiddleware): ApiMiddleware[] {
  const hold: ApiMiddleware = (ctx, next) => {
    holdBytes(ctx, parts.heldBytes, ctx.state.signed?.body.length ?? 0);
    return next();
  };
  return [makeSignatureGuard(parts), parts.rateLimit, hold, pace, makeReceiver(parts)];
}

/** Responds with the same 401 to an unknown address, a wrong signature and a replay. */
function makeSignatureGuard(parts: RouteParts): ApiMiddleware {
  const limits = makeUnknownCallerLimits();
  const { timeLimitMs, timeoutRefusal } = timeLimitOf(received, parts.timeoutMs);
  return async (ctx, next) => {
    ctx.state.operation = receiveSigned.name;
    const address = String(ctx['params'].address).slice(0, MAX_ADDRESS_LENGTH);
    const read = () =>
      limitBodyTime(ctx, readBytes(ctx, ''), Math.min(timeLimitMs, READ_WITHIN_MS), timeoutRefusal).catch(
        async (error: unknown) => {
          await limits.noteFailed(ctx, address);
          throw error;
        },
      );
    const source = await limits.finding(ctx, () => parts.signatures.findSource(address));
    const body = await limits.reading(ctx, { address, hostId: source?.host.host_id }, read);
    const result = await checkSignature(ctx, parts, source, body);
    if ('refused' in result) {
      parts.signatures.onRefused(result.refused);
      await limits.noteFailed(ctx, address);
      refuseSignature(ctx);
    }
    ctx.state.token = tokenOf(result.source);
    enabledHostsOf(ctx.state.token, received);
    ctx.state.signed = { ...result, body };
    return next();
  };
}

function checkSignature(
  ctx: Ctx,
  { signatures }: RouteParts,
  source: SigningSource | undefined,
  body: Buffer,
): Promise<SignatureResult> {
  const { method, url } = ctx;
  const request = { method, url: ctx.originalUrl || url, body, header: (name: string) => ctx.get(name) };
  return signatures.check(source, request, ctx.state.arrivedAt);
}

function refuseSignature(ctx: Ctx): never {
  ctx.set('WWW-Authenticate', 'Signature');
  throw new RefusalError(failure('signature-invalid'));
}

function tokenOf({ id, name, host }: SigningSource): Token {
  const validity = { expiresAt: null, revokedAt: null, expired: false, revoked: false };
  return { id, name, kind: 'host', scopes: ['intake'], hosts: [host], ...validity };
}

function makeReceiver(parts: RouteParts): ApiMiddleware {
  const receive = async (ctx: Ctx) => {
    const { signed } = ctx.state;
    if (!signed) throw new Error('no signed body: makeSignatureGuard must run first');
    hasBody(ctx, true);
    const { value } = await parseBytes(ctx, signed.body, { hasExactIntegers: true, takesForms: true });
    // An earlier request with this signature stored them.
    if (await receiveRecords(ctx, parts, signed, value)) return;
    parts.signatures.onRefused('replayed');
    refuseSignature(ctx);
  };
  return ctx => runInRequestSpan(ctx, receiveSigned.name, () => receive(ctx));
}
