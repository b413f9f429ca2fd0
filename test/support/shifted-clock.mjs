/** Shifts the clock of a process by `?ms=`; loaded before its code. The monotonic clock is unchanged. */
const offsetMs = Number(new URL(import.meta.url).searchParams.get('ms'));
const RightDate = Date;
const now = () => RightDate.now() + offsetMs;

globalThis.Date = class Date extends RightDate {
  static now = now;
  constructor(...given) {
    super(...(given.length > 0 ? given : [now()]));
  }
};
const timeOrigin = performance.timeOrigin + offsetMs;
Object.defineProperty(performance, 'timeOrigin', { get: () => timeOrigin });
