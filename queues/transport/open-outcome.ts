import { setImmediate as nextTurn } from 'node:timers/promises';
import { Gate } from '../../platform/gate.ts';
import { joinPieces, lengthOfPieces, RawJson } from '../../platform/raw-json.ts';
import { runInSlices } from '../../platform/run-in-slices.ts';
import type { Seal } from '../../platform/seal.ts';
import { isFailure, type Outcome } from '../contract/failure.ts';

/** The data of a longer success is not parsed. */
const LONG = 65_536;
const CODES = [200, 201] as const;
/** To seal or open megabytes takes steps of tens of milliseconds. As long as one took, the process does other work. */
const longOnes = new Gate({ maxTotal: 1, maxPerKey: 1 }, { forAll: 1 });
const MEGABYTE = 1_048_576;

/** Whose reply it is; `hostId` is null where the caller is of several hosts. */
export interface ReplyOwner {
  readonly jobId: string;
  readonly hostId: string | null;
}

/** The reply of an outcome, whose data may be a `RawJson`. */
export async function sealOutcome(seal: Seal, outcome: Outcome<unknown>, owner: ReplyOwner): Promise<string> {
  const { jobId } = owner;
  if (isFailure(outcome)) return seal.seal(outcome, jobId);
  const { code, data } = outcome;
  if (Array.isArray(data) && data.length > 1)
    return sealOutcome(seal, { code, data: await runInSlices(writeList(data)) }, owner);
  if (!(data instanceof RawJson)) return seal.seal(outcome, jobId);
  const json = [startOf(code), ...data.pieces, Buffer.from('}')];
  if (data.length <= MEGABYTE) return seal.sealPieces(json, jobId);
  const sealed = await longOnes.run(placeOf(owner), () => seal.sealPieces(json, jobId));
  // To send it is a step of its own.
  await nextTurn();
  return sealed;
}

function placeOf({ hostId }: ReplyOwner) {
  return { key: hostId ?? '' };
}

/** As `JSON.stringify` writes a success. */
function startOf(code: number): Buffer {
  return Buffer.from(`{"code":${code},"data":`);
}

/** Lists have megabytes: an entry is a step. */
function* writeList(entries: readonly unknown[]): Generator<void, RawJson> {
  const pieces: Buffer[] = [];
  let text = '[';
  for (const [at, entry] of entries.entries()) {
    text += `${at > 0 ? ',' : ''}${JSON.stringify(entry) ?? null}`;
    if (text.length < LONG) continue;
    pieces.push(Buffer.from(text));
    text = '';
    yield;
  }
  return new RawJson([...pieces, Buffer.from(`${text}]`)]);
}

/** The outcome of a job from its reply; the data of a long success is a `RawJson`. */
export async function openOutcome(seal: Seal, sealed: string, owner: ReplyOwner): Promise<Outcome<unknown>> {
  const openIt = () => seal.openPieces(sealed, owner.jobId);
  const json = await (sealed.length > MEGABYTE ? longOnes.run(placeOf(owner), openIt) : openIt());
  const [first = Buffer.alloc(0), ...rest] = json;
  for (const code of lengthOfPieces(json) > LONG ? CODES : []) {
    const start = startOf(code);
    if (!first.subarray(0, start.length).equals(start)) continue;
    const pieces = [first.subarray(start.length), ...rest];
    pieces.push((pieces.pop() as Buffer).subarray(0, -1));
    return { code, data: new RawJson(pieces) };
  }
  return JSON.parse(joinPieces(json).toString()) as Outcome<unknown>;
}
