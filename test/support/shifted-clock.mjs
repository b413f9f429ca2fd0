/** Loaded before a process's own code, as `shifted-clock.mjs?ms=-60000`: its clock is wrong by that. Spans are measured as ever. */
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
