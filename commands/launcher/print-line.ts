/** Prints a line of the launcher, with the seconds since its start. */
export function printLine(text: string): void {
  process.stderr.write(`parley  | ${process.uptime().toFixed(1).padStart(5)} s  ${text}\n`);
}
