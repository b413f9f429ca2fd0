/* Runs one command after another as `node <program> …` would, each from its start, in a process that has loaded their modules. */

const streams = { out: process.stdout, err: process.stderr };
let runs = 0;
let said;
let ended;

process.exit = code => {
  // The code that follows, such as a handler of this error, would not have run.
  ended ??= { ...said, code: code ?? process.exitCode ?? 0 };
  throw new Error('the command has ended');
};
for (const [name, stream] of Object.entries(streams))
  stream.write = (text, ...rest) => {
    said[name] += text;
    rest.find(each => typeof each === 'function')?.();
    return true;
  };

process.on('message', command => void run(command));
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));

async function run({ program, args, settings }) {
  said = { out: '', err: '' };
  ended = undefined;
  process.argv = [process.execPath, program, ...args];
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, settings);
  process.exitCode = undefined;
  runs += 1;
  await import(`${program}?${runs}`).catch(error => {
    said.err += error.stack;
    process.exitCode = 1;
  });
  process.send(ended ?? { ...said, code: process.exitCode ?? 0 });
}
