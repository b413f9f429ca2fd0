import { parseSync } from 'oxc-parser';
import { sourceFiles } from './source-files.ts';

export interface FoundExpression {
  readonly path: string;
  readonly source: string;
  readonly flags: string;
}

/** Every regular expression literal in these files, and every place that constructs one. */
export function regularExpressionsIn(isOurs: (path: string) => boolean) {
  const found: FoundExpression[] = [];
  const made: string[] = [];
  for (const { path, text } of sourceFiles().filter(file => isOurs(file.path))) {
    visit(parseSync(path, text).program, node => {
      const { type, regex, callee } = node as ExpressionNode;
      if (type === 'Literal' && regex) found.push({ path, source: regex.pattern, flags: regex.flags });
      if (callee?.name === 'RegExp') made.push(path);
    });
  }
  return { found, made: [...new Set(made)] };
}

interface ExpressionNode {
  readonly type?: string;
  readonly regex?: { readonly pattern: string; readonly flags: string } | null;
  readonly callee?: { readonly name?: string };
}

function visit(node: unknown, look: (node: object) => void): void {
  if (node === null || typeof node !== 'object') return;
  look(node);
  for (const child of Object.values(node)) visit(child, look);
}
