import type { Ctx } from './context.ts';

/** Whether the caller reached the service by https: the proxy in front of this process may not say so, but the page does. */
export function isByHttps(ctx: Ctx): boolean {
  return ctx.secure || ctx.get('origin') === `https://${ctx.host}`;
}

/** The caller writes the `Host` header, so it is believed only for the names that every machine gives itself. */
const OWN_HOST = /^(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/i;

/**
 * Returns an address like `https://parley.example`. Undefined if no setting has it and the caller used another name than the
 * machine's own.
 */
export function baseAddressOf(ctx: Ctx, publicUrl: string | undefined): string | undefined {
  if (publicUrl !== undefined) return new URL(publicUrl).origin;
  return OWN_HOST.test(ctx.host) ? `${isByHttps(ctx) ? 'https' : 'http'}://${ctx.host}` : undefined;
}
