import { existsSync, readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';

const root = new URL('../../', import.meta.url).href;
const zod = `${root}node_modules/zod/`;
const locales = `${zod}v4/locales/index.js`;

/** What a specifier may be to be resolved here; anything else is out of the ordinary. */
const OWN_FILE = /^\.\.?\/[\w./-]+\.ts$/;
const ZOD_FILE = /^\.\.?\/[\w./-]+\.js$/;
const ROOM = /^(?:server|engine|shared)\//;

/**
 * Lets imports between the project's own files, and those within zod, be resolved without the disk: Node looks for links
 * and a `package.json` in every folder of a path, for each of hundreds of files (docs/decisions/0026-quick-start.md). All
 * other imports, such as those of a user's files, are left to Node. Returns what takes it back.
 */
export function importQuickly() {
  const alias = aliases();
  const hooks = registerHooks({
    resolve(specifier, context, next) {
      const { parentURL = '' } = context;
      const found = parentURL.startsWith(root) ? resolved(specifier, parentURL, alias) : undefined;
      return found ?? next(specifier, context);
    },
    load(url, context, next) {
      const loaded = next(url, context);
      return url === locales ? withLazyLocales(loaded) : loaded;
    },
  });
  return () => hooks.deregister();
}

/**
 * @param {string} specifier
 * @param {string} parent
 * @param {(specifier: string) => string | undefined} alias
 */
function resolved(specifier, parent, alias) {
  if (parent.startsWith(zod)) {
    return ZOD_FILE.test(specifier) ? existing(new URL(specifier, parent).href, 'module') : undefined;
  }
  if (!ROOM.test(parent.slice(root.length))) return undefined;
  if (specifier === 'zod') return existing(`${zod}index.js`, 'module');
  const url = OWN_FILE.test(specifier) ? new URL(specifier, parent).href : alias(specifier);
  return url === undefined ? undefined : existing(url, 'module-typescript');
}

/**
 * Node words the error for a file that is not there.
 * @param {string} url
 * @param {string} format
 */
function existing(url, format) {
  return existsSync(fileURLToPath(url)) ? { url, format, shortCircuit: true } : undefined;
}

/** `#engine`, `#shared/…` and the like, as package.json says. */
function aliases() {
  /** @type {{ imports: Record<string, string> }} */
  const { imports } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'));
  return (/** @type {string} */ specifier) => {
    if (!specifier.startsWith('#')) return undefined;
    const [, folder = '', file] = /^(#\w+\/)([\w./-]+\.ts)$/.exec(specifier) ?? [];
    const target = file === undefined ? imports[specifier] : imports[`${folder}*`]?.replace('*', file);
    return target?.endsWith('.ts') ? new URL(target, root).href : undefined;
  };
}

/**
 * Zod imports its messages in 60 languages, a file each. Here each is imported when it is called for, with the same
 * names; where zod's file is not what it was, nothing is changed.
 * @param {import('node:module').LoadFnOutput} loaded
 */
function withLazyLocales(loaded) {
  const { source: text } = loaded;
  const lines = (typeof text === 'string' ? text : new TextDecoder().decode(text)).trim().split('\n');
  const names = lines.map((line) => /^export \{ default as (\w+) \} from "(\.\/[\w-]+\.js)";$/.exec(line));
  if (names.some((name) => name === null)) return loaded;
  const source = [
    `import { createRequire } from 'node:module';`,
    `const require = createRequire(import.meta.url);`,
    ...names.map((m) => `export const ${m?.[1]} = (...a) => require('${m?.[2]}').default(...a);`),
  ];
  return { ...loaded, source: source.join('\n') };
}
