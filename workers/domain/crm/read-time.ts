import { instantOf } from '../time/instant.ts';

interface ParsedTime {
  readonly time: Date;
  readonly isSeconds: boolean;
}

const LATEST_TIME = Date.UTC(9999, 11, 31);
/** Below this, a number is seconds: as milliseconds it would be before April 1970, as seconds it is before 2286. */
const FIRST_MILLISECONDS = 10_000_000_000;

/** Milliseconds or seconds since 1970, or ISO 8601; local to the time zone without an offset. */
export function readTime(value: string | undefined, timeZone: string): ParsedTime | undefined {
  const text = value?.trim() ?? '';
  if (text.length > 40) return undefined;
  if (!/^[0-9]+(\.[0-9]+)?$/.test(text)) {
    const time = instantOf(text.replace(/^([0-9-]{10}) (?=[0-9])/, '$1T'), timeZone);
    return time && isInRange(time.getTime()) ? { time, isSeconds: false } : undefined;
  }
  const number = Number(text);
  const isSeconds = number < FIRST_MILLISECONDS;
  const time = Math.round(isSeconds ? number * 1_000 : number);
  return isInRange(time) ? { time: new Date(time), isSeconds } : undefined;
}

function isInRange(time: number): boolean {
  return time >= 0 && time <= LATEST_TIME;
}
