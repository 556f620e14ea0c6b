import { build } from 'vite';

/**
 * Packages that are in ours as one file each: installed with what they need, they would be half of the total, mostly source maps,
 * declarations and code for browsers (decision 30). A package whose names are read from CommonJS stays outside: of its file only
 * the default can be imported.
 */
const VENDORED_SCOPES = ['@opentelemetry/', '@ai-sdk/', '@modelcontextprotocol/'];
const VENDORED: ReadonlySet<string> = new Set([
  '@fastify/static',
  'fast-xml-parser',
  'hucre',
  'imapflow',
  'linkedom',
  'mammoth',
  'markdown-it',
  'mysql2',
  'node-sql-parser',
  'nodemailer',
  'postal-mime',
  'ssh2',
  'turndown',
]);
/** The folder of those files. */
export const VENDOR = 'vendor';

export function isVendored(name: string): boolean {
  if (VENDORED_SCOPES.some((scope) => name.startsWith(scope))) return true;
  return VENDORED.has(name.split('/', name.startsWith('@') ? 2 : 1).join('/'));
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
    // CommonJS has it, and ssh2 reads it when it is loaded.
    define: { __dirname: 'import.meta.dirname' },
    ssr: { noExternal: true, external: [...external], target: 'node' },
    build: {
      ssr: true,
      outDir: to,
      emptyOutDir: false,
      minify: false,
      target: 'node24',
      rolldownOptions: {
        input,
        // Native parts that ssh2 tries, and does without.
        external: [/\.node$/, 'cpu-features'],
        output: { format: 'es', entryFileNames: '[name].js', chunkFileNames: `${VENDOR}/[name]-[hash].js` },
      },
    },
  });
}
