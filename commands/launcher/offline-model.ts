import { createRequire } from 'node:module';
import { dirname, extname, join } from 'node:path';
import { SupervisedProcess } from './supervised-process.ts';

const root = dirname(createRequire(import.meta.url).resolve('#package.json'));
/** From `dist` or from the sources, as this file; sources need the loader options of this process. */
const path = extname(import.meta.url) === '.js' ? 'dist/offline-model/main.js' : 'offline-model/main.ts';
const program = [...process.execArgv, join(root, path)];

export interface OfflineModel {
  readonly process: SupervisedProcess;
  readonly settings: Promise<Record<string, string>>;
}

/** Starts the offline model. The system chooses its port; a restart keeps it. */
export function startOfflineModel(env: NodeJS.ProcessEnv): OfflineModel {
  let port = 0;
  let found: (port: number) => void;
  const listening = new Promise<number>(resolve => {
    found = resolve;
  });
  const command = () => ['node', ...program, '--exit-with-parent', '--port', String(port)];
  const lasting = new SupervisedProcess(
    () => ({ name: 'model', command: command(), env }),
    line => {
      const [, listening] = /^\{"listening": ?(\d+)\}$/.exec(line) ?? [];
      if (listening === undefined) return false;
      port ||= Number(listening);
      found(port);
      return true;
    },
  );
  return { process: lasting, settings: listening.then(settingsFor) };
}

function settingsFor(port: number): Record<string, string> {
  return {
    OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1`,
    OPENAI_API_KEY: 'offline',
    OPENAI_MODEL: 'offline-extractive',
  };
}
