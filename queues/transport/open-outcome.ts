import { RawJson } from '../../platform/raw-json.ts';
import type { Seal } from '../../platform/seal.ts';
import { isFailure, type Outcome } from '../contract/failure.ts';

/** The data of a longer success is not parsed. */
const LONG = 65_536;
const CODES = [200, 201] as const;

/** The reply of an outcome, whose data may be a `RawJson`. */
export async function sealOutcome(seal: Seal, outcome: Outcome<unknown>, jobId: string): Promise<string> {
  if (isFailure(outcome) || !(outcome.data instanceof RawJson)) return seal.seal(outcome, jobId);
  const { code, data } = outcome;
  return seal.sealBytes(Buffer.concat([startOf(code), data.bytes, Buffer.from('}')]), jobId);
}

/** As `JSON.stringify` writes a success. */
function startOf(code: number): Buffer {
  return Buffer.from(`{"code":${code},"data":`);
}

/** The outcome of a job from its reply; the data of a long success is a `RawJson`. */
export async function openOutcome(seal: Seal, sealed: string, jobId: string): Promise<Outcome<unknown>> {
  const json = await seal.openBytes(sealed, jobId);
  for (const code of json.length > LONG ? CODES : []) {
    const start = startOf(code);
    if (json.subarray(0, start.length).equals(start))
      return { code, data: new RawJson(json.subarray(start.length, -1)) };
  }
  return JSON.parse(json.toString()) as Outcome<unknown>;
}
