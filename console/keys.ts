/** Makes a key for `Idempotency-Key`. Without TLS, browsers offer no `randomUUID`. */
export function makeKey(): string {
  return hexOf(crypto.getRandomValues(new Uint8Array(16)));
}

export function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('');
}
