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
])('the command %j with %j in %j is one line for the shell', (command, args, folder, line) => {
  expect(commandLine({ command, args, folder })).toBe(line);
});

test('a text with a zero is refused', () => {
  for (const given of [
    { command: 'a\0', args: [] },
    { command: 'a', args: ['b\0'] },
    { command: 'a', args: [], folder: '/\0' },
  ])
    expect(() => commandLine(given)).toThrow(expect.objectContaining({ code: 'bad_params' }));
});
