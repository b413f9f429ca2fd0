import type { Ctx } from './context.ts';

/** Whether the caller reached the service by https: also where a proxy in front of this process does not say so, and a page does. */
export function isByHttps(ctx: Ctx): boolean {
  return ctx.secure || ctx.get('origin') === `https://${ctx.host}`;
}

/** As `https://parley.example`. */
export function baseAddressOf(ctx: Ctx): string {
  return `${isByHttps(ctx) ? 'https' : 'http'}://${ctx.host}`;
}
