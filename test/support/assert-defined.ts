export function assertDefined<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('The row was not made.');
  return value;
}
