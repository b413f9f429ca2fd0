import type { Ctx } from './context.ts';

/** Whether the caller reached the service by https: also where a proxy in front of this process does not say so, and a page does. */
export function isByHttps(ctx: Ctx): boolean {
  return ctx.secure || ctx.get('origin') === `https://${ctx.host}`;
}

/** The caller writes the `Host` header: of the names in it, those that every machine gives itself are believed. */
const OWN_HOST = /^(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/i;

/** An address like `https://parley.example`. Undefined where no setting says it, and the caller reached the service by a name. */
export function baseAddressOf(ctx: Ctx, publicUrl: string | undefined): string | undefined {
  if (publicUrl !== undefined) return new URL(publicUrl).origin;
  return OWN_HOST.test(ctx.host) ? `${isByHttps(ctx) ? 'https' : 'http'}://${ctx.host}` : undefined;
}
