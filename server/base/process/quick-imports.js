import { existsSync, readFileSync } from 'node:fs';
import { createRequire, registerHooks } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = new URL('../../../', import.meta.url).href;
const zod = new URL('./', pathToFileURL(createRequire(import.meta.url).resolve('zod/package.json'))).href;
const locales = `${zod}v4/locales/index.js`;
/** @type {{ imports: Record<string, string> }} */
const { imports } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'));

/** A checkout runs its sources, the npm package what was made of them. */
const own = imports['#engine']?.endsWith('.ts')
  ? { ending: '.ts', format: 'module-typescript' }
  : { ending: '.js', format: 'module' };

/** What a specifier may be to be resolved here; anything else is out of the ordinary. */
const OWN_FILE = /^\.\.?\/[\w./-]+\.[jt]s$/;
const ZOD_FILE = /^\.\.?\/[\w./-]+\.js$/;
const ROOM = /^(?:server|engine|shared)\//;

/**
 * Lets imports between the project's own files, and those within zod, be resolved without the disk: Node looks for links
 * and a `package.json` in every folder of a path, for each of hundreds of files (docs/decisions/0029-quick-start.md). All
 * other imports, such as those of a user's files, are left to Node. Returns what takes it back.
 */
export function importQuickly() {
  const hooks = registerHooks({
    resolve(specifier, context, next) {
      const { parentURL = '' } = context;
      return resolved(specifier, parentURL) ?? next(specifier, context);
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
 */
function resolved(specifier, parent) {
  if (parent.startsWith(zod)) {
    return ZOD_FILE.test(specifier) ? existing(new URL(specifier, parent).href, 'module') : undefined;
  }
  if (!parent.startsWith(root) || !ROOM.test(parent.slice(root.length))) return undefined;
  if (specifier === 'zod') return existing(`${zod}index.js`, 'module');
  const url = OWN_FILE.test(specifier) ? new URL(specifier, parent).href : aliased(specifier);
  return url?.endsWith(own.ending) ? existing(url, own.format) : undefined;
}

/**
 * Node words the error for a file that is not there.
 * @param {string} url
 * @param {string} format
 */
function existing(url, format) {
  return existsSync(fileURLToPath(url)) ? { url, format, shortCircuit: true } : undefined;
}

/**
 * `#engine`, `#shared/…` and the like, as package.json says.
 * @param {string} specifier
 */
function aliased(specifier) {
  if (!specifier.startsWith('#')) return undefined;
  const [, folder = '', file] = /^(#\w+\/)([\w./-]+\.[jt]s)$/.exec(specifier) ?? [];
  const target = file === undefined ? imports[specifier] : imports[`${folder}*`]?.replace('*', file);
  return target === undefined ? undefined : new URL(target, root).href;
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
