/* Runs one command after another as `node <program> …` would, each from its start, in a process that has loaded their modules. */

const write = { out: process.stdout, err: process.stderr };
let runs = 0;

class Exit extends Error {}

process.exit = code => {
  process.exitCode = code ?? process.exitCode ?? 0;
  throw new Exit();
};

process.on('message', async ({ program, args, settings }) => {
  const said = { out: '', err: '' };
  for (const [name, stream] of Object.entries(write))
    stream.write = (text, ...rest) => {
      said[name] += text;
      rest.find(each => typeof each === 'function')?.();
      return true;
    };
  process.argv = [process.execPath, program, ...args];
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, settings);
  process.exitCode = undefined;
  runs += 1;
  try {
    await import(`${program}?${runs}`);
  } catch (error) {
    if (!(error instanceof Exit)) {
      said.err += error.stack;
      process.exitCode = 1;
    }
  }
  process.send({ code: process.exitCode ?? 0, ...said });
});
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
