import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { write } from '../support/flows.ts';
import { readFileSync } from 'node:fs';
import { runProgram } from '../support/process.ts';
import { scratchFolder } from '../support/scratch.ts';
import { root } from '../support/server.ts';

/** Points from 0 (nothing is left open) to 10 that `systemd-analyze security` may give at most, and what no rule may lack. */
const units = [
  ['weft.service', 1.5],
  ['weft-code.service', 0.8],
] as const;

describe.each(units)('%s', (name, most) => {
  const file = join(root, 'docs/deploy', name);

  test('has no mistakes', async () => {
    // The unit names programs of the machine that it is installed on; this one has its Node elsewhere.
    const folder = scratchFolder('unit');
    const text = readFileSync(file, 'utf8').replace('/usr/bin/node', process.execPath);
    const unit = write(folder, name, text);
    const { code, stderr } = await runProgram('systemd-analyze', ['verify', unit]);
    expect({ code, about: stderr.split('\n').filter((line) => line.includes(name)) }).toEqual({
      code: 0,
      about: [],
    });
  });

  test(`is exposed to at most ${most} of 10`, async () => {
    const { stdout } = await runProgram('systemd-analyze', [
      'security',
      '--offline=true',
      '--no-pager',
      file,
    ]);
    const found = Number(/Overall exposure level for \S+: ([\d.]+)/.exec(stdout)?.[1]);
    expect(found).toBeLessThanOrEqual(most);
    for (const rule of ['NoNewPrivileges=', 'ProtectSystem=', 'UMask=', 'PrivateTmp='])
      expect(stdout).toMatch(new RegExp(`✓ ${rule}`));
  });
});
