export function buildConsole(options?: { readonly watch?: boolean }): Promise<void>;
