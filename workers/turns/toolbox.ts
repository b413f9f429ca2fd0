import { functionNameOf } from '../domain/function-name.ts';
import type { Tool } from '../tools/tool.ts';
import type { Toolbox } from './call-tool.ts';

/** Each tool under a name of its own: where two are alike, the first keeps it. */
export function toolboxOf(tools: readonly Tool[]): Toolbox {
  const toolbox = new Map<string, Tool>();
  for (const tool of tools) {
    const name = functionNameOf(tool.name, taken => toolbox.has(taken));
    toolbox.set(name, { ...tool, name });
  }
  return toolbox;
}
