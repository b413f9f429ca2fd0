import { ServiceError } from './service.ts';

/** Reads JSON that somebody typed into this field; a list is an object, too. */
export function readObject(path: string, text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (value !== null && typeof value === 'object') return value as Record<string, unknown>;
  } catch {}
  const fields = [{ path, rule: 'format' as const, message: '' }];
  throw new ServiceError(400, '', { reason: 'body-invalid', fields });
}
