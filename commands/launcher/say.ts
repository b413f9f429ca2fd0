/** The launcher's own word on the terminal, beside the lines of its processes; with the seconds since it was started. */
export function say(text: string): void {
  process.stderr.write(`parley  | ${process.uptime().toFixed(1).padStart(5)} s  ${text}\n`);
}
