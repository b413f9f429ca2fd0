/** The launcher's own word on the terminal, beside the lines of its processes. */
export function say(text: string): void {
  process.stderr.write(`parley  | ${text}\n`);
}
