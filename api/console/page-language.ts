import type { Ctx } from '../context.ts';

/** Who asks for none of them gets the first. */
const languages = ['pt', 'en', 'es'] as const;
export type Language = (typeof languages)[number];

/** The page sets it where a person chooses another language than the browser asks for. */
const LANGUAGE_COOKIE = 'parley-language';

/** The language of a page for this person. */
export function languageOf(ctx: Ctx): Language {
  ctx.vary('Accept-Language');
  ctx.vary('Cookie');
  const chosen = ctx.cookies.get(LANGUAGE_COOKIE);
  const asked = ctx.acceptsLanguages(...languages);
  return languages.find(each => each === chosen) ?? languages.find(each => each === asked) ?? languages[0];
}
