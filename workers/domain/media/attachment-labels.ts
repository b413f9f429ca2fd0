/** How a stored message says that it was spoken, and how long. */
export function spokenLabelOf(seconds: number): string {
  const whole = Math.max(1, Math.round(seconds));
  return `[áudio ${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}]`;
}
