type Config = Readonly<Record<string, unknown>>;

/**
 * Attempts to run a command that is not allowed; each would create `mark`. `allowed` is the only allowed argument
 * list.
 */
export function stdioForms(allowed: readonly string[], mark: string): readonly Config[] {
  const [command = '', ...args] = allowed;
  const touch = `require('fs').writeFileSync('${mark}','')`;
  const python = `open('${mark}','w')`;
  const sh = `touch ${mark}`;
  const others: readonly (readonly string[])[] = [
    ['npx', '-c', sh],
    ['npx', '--yes', '--call', sh],
    ['npm', 'exec', '-c', sh],
    ['npm', 'explore', '.', '--', 'touch', mark],
    ['node', '-e', touch],
    ['node', '--eval', touch],
    ['node', '-p', touch],
    ['node', '--import', `data:text/javascript,${touch}`],
    [process.execPath, '-e', touch],
    ['python', '-c', python],
    ['python3', '-c', python],
    ['sh', '-c', sh],
    ['/bin/sh', '-c', sh],
    ['bash', '-lc', sh],
    ['busybox', 'touch', mark],
    ['env', 'touch', mark],
    ['env', `NODE_OPTIONS=--require=${mark}`, ...allowed],
    ['env', 'LD_PRELOAD=/tmp/x.so', ...allowed],
    ['env', '-S', sh],
    ['xargs', '-a', '/etc/hostname', 'touch', mark],
    ['nice', ...allowed],
    ['timeout', '9', 'touch', mark],
    ['touch', mark],
    ['perl', '-e', `open(F,">${mark}")`],
    ['deno', 'eval', touch],
    ['uvx', '--from', '.', 'touch', mark],
    ['docker', 'run', '-v', '/:/x', 'alpine'],
    ['git', '-c', `core.pager=${sh}`, 'log'],
    // the allowed one, and a little more, less, or otherwise
    [...allowed, '--inspect=0.0.0.0'],
    [command, '--require', mark, ...args],
    [command, '-e', touch, ...args],
    [command],
    [...allowed, ''],
    ['', ...allowed],
    [` ${command}`, ...args],
    [`${command} `, ...args],
    [`${command}\0`, ...args],
    [[command, ...args].join(' ')],
    [`${command};${sh}`, ...args],
    [`./../..${command}`, ...args],
    [command.replace(/\/([^/]+)$/, '/./$1'), ...args],
    [command.replace(/\/([^/]+)$/, '//$1'), ...args],
    [command.toUpperCase(), ...args],
    [command, ...args.map(argument => `${argument}/../x.js`)],
    [command, ...args.toReversed(), '--'],
    [`$(${sh})`],
    [`\`${sh}\``],
    ['-c', sh],
  ];
  const fields: readonly Config[] = [
    { env: { NODE_OPTIONS: `--require ${mark}` } },
    { env: { LD_PRELOAD: '/tmp/x.so' } },
    { env: { PATH: '/tmp' } },
    { env: {} },
    { cwd: '/tmp' },
    { shell: true },
    { stderr: 'inherit' },
    { url: 'https://mcp.example/' },
    { headers: { A: 'b' } },
    { constructor: {} },
  ];
  return [
    ...others.map(([first, ...rest]) => ({ command: first, args: rest })),
    ...fields.map(more => ({ command, args, ...more })),
    { command: allowed },
    { command, args: args.join(' ') },
    { command, args: Object.fromEntries(args.entries()) },
    { command, args: [...args, 7] },
    { command, args: [args] },
    { args: allowed },
    {},
  ];
}
