import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { compressAssets } from './compress-assets.ts';

test('each asset that gains by it gets two compressed forms, which hold the same', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'weft-assets-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const script = 'console.log("Weft");\n'.repeat(200);
  writeFileSync(join(folder, 'main.js'), script);
  writeFileSync(join(folder, 'small.js'), 'export {};');
  writeFileSync(join(folder, 'font.woff2'), 'x'.repeat(5000));
  await compressAssets(folder);
  expect(readdirSync(folder).sort()).toEqual([
    'font.woff2',
    'main.js',
    'main.js.br',
    'main.js.gz',
    'small.js',
  ]);
  expect(gunzipSync(readFileSync(join(folder, 'main.js.gz'))).toString()).toBe(script);
  expect(brotliDecompressSync(readFileSync(join(folder, 'main.js.br'))).toString()).toBe(script);
});
