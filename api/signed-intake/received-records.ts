import { RawJson } from '../../platform/raw-json.ts';
import { type Failure, isFailure, type Outcome } from '../../queues/contract/failure.ts';
import type { RecordSource } from '../../queues/contract/operation.ts';
import { type OperationName, operationOf } from '../../queues/contract/operations/index.ts';
import type { Ctx, SignedBody } from '../context.ts';
import { callerOf } from '../guards/host-choice.ts';
import { mapServerErrorTo503 } from '../guards/time-limit.ts';
import { refuseField } from '../guards/validate.ts';
import { messages, RefusalError, sendOutcome } from '../replies/envelope.ts';
import { type RouteParts, validateRequest } from '../request.ts';

/*
 * A signed body is a record or a list of records. Each record is a job: a refused one affects no other, and a large list gains
 * nothing in the fair order over hosts.
 */

export const MAX_RECORDS = 100;

const receivers = {
  tickets: 'receiveTicket',
  deals: 'receiveDeal',
  objects: 'receiveObject',
} as const satisfies Record<string, OperationName>;

/**
 * The database is exact to a microsecond; with this step, the last of several records with one id in a list is the latest
 * arrival.
 */
const ORDER_STEP_MS = 0.001;

/** Sends the answer; returns false, and sends nothing, if an earlier request with this signature stored every record. */
export async function receiveRecords(
  ctx: Ctx,
  parts: RouteParts,
  signed: SignedBody,
  value: unknown,
): Promise<boolean> {
  const records: readonly unknown[] = Array.isArray(value) ? value : [value];
  refuseWrongLength(records.length);
  // A header that names another host refuses the whole request, not each record.
  callerOf(ctx, operationOf(receivers[signed.source.kind]), {});
  const outcomes = await Promise.all(records.map((record, at) => receive(ctx, parts, signed, record, at)));
  if (outcomes.every(({ code }) => code === 401)) return false;
  // A source repeats the whole list; records that are stored already stay unchanged then.
  const whole = Array.isArray(value) ? outcomes.find(isTemporary) : outcomes[0];
  if (whole) sendOutcome(ctx, whole, 'bare');
  else {
    ctx.status = outcomes.every(({ code }) => code === 202) ? 202 : 200;
    ctx.body = outcomes.map(lineOf);
  }
  return true;
}

function refuseWrongLength(length: number): void {
  if (length > 0 && length <= MAX_RECORDS) return;
  const limit = MAX_RECORDS;
  if (length > 0) refuseField('', 'max-items', { limit, message: `must contain at most ${limit} records` });
  refuseField('', 'min-items', { limit: 1, message: 'must contain at least 1 record' });
}

async function receive(
  ctx: Ctx,
  parts: RouteParts,
  { source: { id, kind, ack }, message }: SignedBody,
  record: unknown,
  at: number,
): Promise<Outcome<unknown>> {
  const name = receivers[kind];
  const source: RecordSource = { id, ack, message: message === undefined ? undefined : `${message} ${at}` };
  try {
    // The records of a list would all have this key.
    const { idempotencyKey: _, ...request } = validateRequest(ctx, name, record, parts);
    // Without rounding to the step, two records could get one time.
    const arrivedAt = (Math.round(request.arrivedAt / ORDER_STEP_MS) + at) * ORDER_STEP_MS;
    return mapServerErrorTo503(
      operationOf(name),
      await parts.dispatcher.ask({ ...request, arrivedAt, source }),
    );
  } catch (error) {
    if (error instanceof RefusalError) return error.failure;
    throw error;
  }
}

function isTemporary(outcome: Outcome<unknown>): outcome is Failure {
  return isFailure(outcome) && (outcome.code === 503 || outcome.code === 429);
}

function lineOf(outcome: Outcome<unknown>) {
  if (isFailure(outcome)) return { ...outcome, data: outcome.data ?? {} };
  const { code, data } = outcome;
  const value = data instanceof RawJson ? data.parse() : data;
  return { code, message: messages[code], data: value };
}
