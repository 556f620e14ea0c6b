import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempFolder } from '../../testing/platform-bed.ts';

const root = new URL('../../../', import.meta.url).href;

/** Runs a module in a process of its own, with the project's imports resolved quickly or by Node, and parses its output. */
function printed(code: string, quickly: boolean): unknown {
  const hooks = `${root}server/base/process/quick-imports.js`;
  const start = quickly ? `(await import('${hooks}')).importQuickly();` : '';
  const all = `import { registerHooks } from 'node:module'; ${start} const root = '${root}';\n${code}`;
  return JSON.parse(
    execFileSync(process.execPath, ['--input-type=module', '-e', all], { encoding: 'utf8' }),
  ) as unknown;
}

const everyImport = `
  const seen = {};
  registerHooks({
    resolve(specifier, context, next) {
      const { url, format } = next(specifier, context);
      seen[context.parentURL + ' ' + specifier] = url + ' ' + format;
      return { url, format };
    },
  });
  await import(root + 'server/main.ts');
  await import(root + 'server/admin/cli/weft-module.ts');
  console.log(JSON.stringify(Object.fromEntries(Object.entries(seen).sort())));`;

test('every import of the server leads to the same file as without', () => {
  const own = (found: unknown) =>
    Object.entries(found as Record<string, string>)
      .filter(([key, url]) => url.startsWith(root) && !`${key} ${url}`.includes('/locales/'))
      // Where zod is, the hooks find out before they are there.
      .filter(([key]) => !key.endsWith(' zod/package.json'))
      // Node finds out the format of some files only when it loads them.
      .map(([key, url]) => [key, url.replace(/ (commonjs|undefined|null)$/, '')]);
  const quick = own(printed(everyImport, true));
  expect(quick.length).toBeGreaterThan(500);
  expect(quick).toEqual(own(printed(everyImport, false)));
});

test('each language of zod exists, and is loaded on first use', () => {
  const code = `
    const loaded = [];
    registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) });
    const { z } = await import(root + 'server/admin/cli/weft-module.ts');
    const before = loaded.filter((url) => url.includes('/locales/')).length;
    z.config(z.locales.de());
    const { message } = z.string().safeParse(1).error.issues[0];
    console.log(JSON.stringify({ before, message, names: Object.keys(z.locales) }));`;
  const quick = printed(code, true) as { before: number; message: string; names: string[] };
  const usual = printed(code, false) as typeof quick;
  expect(quick).toEqual({ ...usual, before: 2 });
  expect(usual.before).toBeGreaterThan(50);
});

test('a file that is not there is named with the file that wants it', () => {
  const code = `
    registerHooks({
      resolve: (specifier, context, next) =>
        next(specifier, { ...context, parentURL: root + 'server/main.ts' }),
    });
    const { code, message } = await import('./base/process/nothing.ts').catch((e) => e);
    console.log(JSON.stringify({ code, message }));`;
  const failure = printed(code, true) as { code: string; message: string };
  expect(failure.code).toBe('ERR_MODULE_NOT_FOUND');
  expect(failure.message).toMatch(/nothing\.ts.*server\/main\.ts/);
});

test("a user's files outside of the project are resolved by Node", async () => {
  const folder = await tempFolder();
  mkdirSync(join(folder, 'node_modules', 'zod'), { recursive: true });
  writeFileSync(join(folder, 'node_modules', 'zod', 'package.json'), '{"main":"main.cjs"}');
  writeFileSync(join(folder, 'node_modules', 'zod', 'main.cjs'), 'module.exports = 7;');
  writeFileSync(join(folder, 'own.ts'), "export { default } from 'zod';");
  const code = `console.log(JSON.stringify((await import(${JSON.stringify(join(folder, 'own.ts'))})).default))`;
  expect(printed(code, true)).toBe(7);
});
