import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createRequire } from 'node:module';
import { beforeAll, describe, test } from 'vitest';
import { expect } from '../../support/expect.ts';
import { packageFolder } from '../../support/python.ts';
import { tempFolder } from '../../support/server.ts';
import { openRow } from '../../editor/support/fixtures.ts';
import { useOwnStage, useStage } from '../../editor/support/stage.ts';

/** A server with the package for Python, and one without it. */
const cwd = tempFolder('with-python');

beforeAll(() => {
  const modules = join(cwd, 'node_modules');
  mkdirSync(modules, { recursive: true });
  cpSync(packageFolder, join(modules, 'weft-python'), { recursive: true });
  symlinkSync(
    dirname(createRequire(import.meta.url).resolve('pyodide/package.json')),
    join(modules, 'pyodide'),
  );
  writeFileSync(join(cwd, 'weft.config.json'), JSON.stringify({ packages: ['weft-python'] }));
});

const stage = useOwnStage({ cwd });
const without = useStage();

const pythonFlow = (id: string) => ({
  flow: {
    format: 1,
    id,
    nodes: {
      start: { operator: 'trigger.manual' },
      py: { operator: 'code.python', params: { source: 'def main(n):\n    return n * 2  # twice' } },
    },
    edges: [{ from: 'start.out', to: 'py.in' }],
  },
  layout: { format: 1, nodes: { start: { x: 0, y: 0 }, py: { x: 300, y: 0 } } },
});

describe('Python in the editor', () => {
  test('Does the picker tell the package where it is missing?', async () => {
    const flow = await openRow(without);
    await flow.clickEmpty();
    await flow.key('n');
    await flow.page.keyboard.type('pandas');
    await expect(flow.picker.getByRole('status')).toContainText('code.python comes with a package');
    await expect(flow.picker.getByRole('status')).toContainText('add weft-python');
  });

  test('Is a node found by the words of its trade, and its code coloured and checked?', async () => {
    const flow = await openRow(stage, undefined, pythonFlow);
    await flow.clickEmpty();
    await flow.key('n');
    await flow.page.keyboard.type('pandas');
    await expect(flow.picker.getByRole('option').first()).toHaveAttribute('data-operator', 'code.python');
    await expect(flow.picker.getByRole('status')).toHaveCount(0);
    await flow.key('Escape');
    await flow.select('py');
    const code = flow.page.getByRole('textbox', { name: 'Code', exact: true });
    await expect(code.locator('.cm-hole-call').first()).toHaveText('def');
    await expect(code.locator('.cm-code-comment')).toHaveText('# twice');
    await code.click();
    await flow.page.keyboard.press('ControlOrMeta+a');
    await flow.page.keyboard.type('import numpy');
    await expect(flow.page.getByText('The code imports numpy (line 1)').first()).toBeVisible();
  });
});
