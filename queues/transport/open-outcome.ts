import { RawJson } from '../../platform/raw-json.ts';
import type { Seal } from '../../platform/seal.ts';
import type { Outcome } from '../contract/failure.ts';

/** The data of a longer success is not parsed. */
const LONG = 65_536;
const CODES = [200, 201] as const;

/** The outcome of a job from its reply; the data of a long success is a `RawJson`. */
export async function openOutcome(seal: Seal, sealed: string, jobId: string): Promise<Outcome<unknown>> {
  const json = await seal.openBytes(sealed, jobId);
  for (const code of json.length > LONG ? CODES : []) {
    // As `JSON.stringify` writes a success.
    const start = Buffer.from(`{"code":${code},"data":`);
    if (json.subarray(0, start.length).equals(start))
      return { code, data: new RawJson(json.subarray(start.length, -1)) };
  }
  return JSON.parse(json.toString()) as Outcome<unknown>;
}
