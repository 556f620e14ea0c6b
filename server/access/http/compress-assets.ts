import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

const compressible = /\.(?:js|css|svg|json|map)$/;
/** Smaller files gain nothing. */
const MIN_BYTES = 1024;

const asGzip = promisify(gzip);
const asBrotli = promisify(brotliCompress);

/**
 * Writes a `.gz` and a `.br` file beside each file of a folder, for browsers that accept them; once, when the editor
 * is built.
 */
export async function compressAssets(folder: string): Promise<void> {
  const names = readdirSync(folder).filter((name) => compressible.test(name));
  await Promise.all(names.map((name) => compress(join(folder, name))));
}

async function compress(file: string): Promise<void> {
  const bytes = readFileSync(file);
  if (bytes.length < MIN_BYTES) return;
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11 };
  const [zipped, brotlied] = await Promise.all([asGzip(bytes, { level: 9 }), asBrotli(bytes, { params })]);
  writeFileSync(`${file}.gz`, zipped);
  writeFileSync(`${file}.br`, brotlied);
}
