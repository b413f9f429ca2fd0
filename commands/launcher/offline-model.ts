import { LastingProcess } from './lasting-process.ts';

export interface OfflineModel {
  readonly process: LastingProcess;
  readonly settings: Promise<Record<string, string>>;
}

/** Starts the model that needs no key and no network. The system chooses its port; a restart keeps it. */
export function startOfflineModel(env: NodeJS.ProcessEnv): OfflineModel {
  let port = 0;
  let found: (port: number) => void;
  const listening = new Promise<number>(resolve => {
    found = resolve;
  });
  const command = () => ['node', 'dist/offline-model/main.js', '--exit-with-parent', '--port', String(port)];
  const process = new LastingProcess(
    () => ({ name: 'model', command: command(), env }),
    line => {
      port ||= Number(/^\{"listening": ?(\d+)\}$/.exec(line)?.[1] ?? 0);
      if (port) found(port);
    },
  );
  return { process, settings: listening.then(settingsFor) };
}

function settingsFor(port: number): Record<string, string> {
  return {
    OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1`,
    OPENAI_API_KEY: 'offline',
    OPENAI_MODEL: 'offline-extractive',
  };
}
