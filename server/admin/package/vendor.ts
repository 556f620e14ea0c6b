import { build } from 'vite';

/**
 * Packages that are in ours as one file each: installed, they would be half of the total (42 of 148 MB, mostly
 * source maps, declarations and code for browsers), and one file is 1.1 MB of them.
 */
const VENDORED =
  /^(?:@(?:opentelemetry|ai-sdk|modelcontextprotocol)\/|(?:linkedom|mammoth|turndown|node-sql-parser)(?:\/|$))/;
/** The folder of those files. */
export const VENDOR = 'vendor';

export function isVendored(name: string): boolean {
  return VENDORED.test(name);
}

/** The name of its file. */
export function vendorFile(name: string): string {
  return `${VENDOR}/${name.replace('@', '').replaceAll('/', '-').replace(/\.js$/, '')}.js`;
}

/** Writes the files of these packages; `external` imports are left to the installation. */
export async function bundle(
  names: readonly string[],
  {
    root,
    to,
    external,
  }: { readonly root: string; readonly to: string; readonly external: readonly string[] },
): Promise<void> {
  const input = Object.fromEntries(names.map((name) => [vendorFile(name).replace(/\.js$/, ''), name]));
  await build({
    configFile: false,
    root,
    logLevel: 'warn',
    publicDir: false,
    ssr: { noExternal: true, external: [...external], target: 'node' },
    build: {
      ssr: true,
      outDir: to,
      emptyOutDir: false,
      minify: false,
      target: 'node24',
      rolldownOptions: {
        input,
        output: { format: 'es', entryFileNames: '[name].js', chunkFileNames: `${VENDOR}/[name]-[hash].js` },
      },
    },
  });
}
