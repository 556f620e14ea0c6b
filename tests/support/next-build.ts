import { cpSync, existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { product, tempFolder } from './server.ts';

export interface NextBuild {
  /** The folder of the program. */
  readonly folder: string;
  readonly version: string;
  /** The number of its last migration, one more than that of the build that is tested. */
  readonly format: number;
}

const VERSION = '99.0.0';

/**
 * A later build of the program: the same with another version and one more migration, which makes these statements. It is
 * removed after the test.
 */
export async function nextBuild(statements: readonly string[]): Promise<NextBuild> {
  // Beside an installed package are the packages that it needs; a checkout has them inside.
  const isPackage = basename(dirname(product)) === 'node_modules';
  const folder = isPackage ? `${product}-next-${process.pid}` : tempFolder('next');
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  if (isPackage) cpSync(product, folder, { recursive: true });
  else copyCheckout(folder);
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as object;
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...manifest, version: VERSION }));
  const { weftMigrations } = await import('../../server/storage/database/weft-tables.ts');
  const format = weftMigrations.length + 1;
  const tables = ['ts', 'js']
    .map((ending) => join(folder, `server/storage/database/weft-tables.${ending}`))
    .find((path) => existsSync(path)) as string;
  const text = readFileSync(tables, 'utf8').replace('export const weftMigrations', 'const released');
  const added = JSON.stringify({ n: format, name: 'a later change', statements });
  writeFileSync(tables, `${text}\nexport const weftMigrations = [...released, ${added}];\n`);
  return { folder, version: VERSION, format };
}

function copyCheckout(folder: string): void {
  for (const part of ['package.json', 'server', 'engine', 'shared'])
    cpSync(join(product, part), join(folder, part), { recursive: true });
  for (const part of ['node_modules', 'dist', 'editor'])
    if (existsSync(join(product, part))) symlinkSync(join(product, part), join(folder, part));
}
