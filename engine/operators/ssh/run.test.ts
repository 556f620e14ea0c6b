import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { commandLine } from './_command.ts';

test.each([
  ['ls', [], undefined, 'ls'],
  ['ls', ['a b', "c'd", '$(rm -rf /)', 7, true], undefined, `ls 'a b' 'c'\\''d' '$(rm -rf /)' '7' 'true'`],
  ['ls', [], '/srv/my app', `cd '/srv/my app' || exit $?\nls`],
  ['ls', [], '~/my app', `cd ~/'my app' || exit $?\nls`],
  ['ls', [], '~', 'cd ~ || exit $?\nls'],
  ['ls', [], '~ada', `cd '~ada' || exit $?\nls`],
  ['ls', [], '-', `cd './-' || exit $?\nls`],
  ['ls', [], '', 'ls'],
  ['ls\n', [], undefined, 'ls\n'],
  ['ls \r\n', ['reboot'], undefined, `ls 'reboot'`],
  ['cd /srv\nls', ['a'], '~', `cd ~ || exit $?\nset -- 'a'\ncd /srv\nls "$@"`],
  ['ls # all', ['a\nb'], undefined, `set -- 'a\nb'\nls # all "$@"`],
])('the command %j with %j in %j is one line for the shell', (command, args, folder, line) => {
  expect(commandLine({ command, args, folder })).toBe(line);
});

test('a text with a zero is refused, and a command of nothing', () => {
  for (const given of [
    { command: ' \n', args: ['reboot'] },
    { command: 'a\0', args: [] },
    { command: 'a', args: ['b\0'] },
    { command: 'a', args: [], folder: '/\0' },
  ])
    expect(() => commandLine(given)).toThrow(expect.objectContaining({ code: 'bad_params' }));
});

test.each(['true', 'true\n', 'true # done', ': all\ntrue', 'cat <<EOF\nhi\nEOF', '# only', 'true \\'])(
  'no argument of the command %j is executed',
  (command) => {
    const hostile = ['\necho bad\n', "'; echo bad; '", '$(echo bad)', '`echo bad`', '" ; echo bad; "'];
    for (const args of [['echo', 'bad'], ...hostile.map((text) => [text])]) {
      const { stdout } = spawnSync('sh', ['-c', commandLine({ command, args })], { encoding: 'utf8' });
      expect(stdout.split('\n')).not.toContain('bad');
    }
  },
);
