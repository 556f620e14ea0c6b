import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A package of the lock file, by its folder below the project. */
interface Locked {
  /** Its real name, if it is installed under another one. */
  readonly name?: string;
  readonly version: string;
  readonly license?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

type Lock = Readonly<Record<string, Locked>>;

/** `package-lock.json`. */
export interface LockFile {
  readonly packages: Lock;
}

/** The folders of these packages and of all their dependencies, as installed by npm; with optional ones unless they are left out. */
export function closureOf(names: Iterable<string>, lock: Lock, withOptional = true): Set<string> {
  const found = new Set<string>();
  const waiting = [...names].map((name) => ({ name, from: '' }));
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const path = pathOf(next.name, next.from, lock);
    if (path === undefined || found.has(path)) continue;
    found.add(path);
    const { dependencies, optionalDependencies, peerDependencies } = lock[path] as Locked;
    const optional = withOptional ? optionalDependencies : {};
    for (const name of Object.keys({ ...dependencies, ...optional, ...peerDependencies }))
      waiting.push({ name, from: path });
  }
  return found;
}

/** Resolves like Node: in the folder of the importer, and in those above it. Undefined for a missing optional one. */
function pathOf(name: string, from: string, lock: Lock): string | undefined {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
    const path = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`;
    if (lock[path]) return path;
    if (folder === '') return undefined;
  }
}

/** The names of the packages that the sources of the editor import. */
export function editorPackages(root: string): string[] {
  const files = readdirSync(join(root, 'editor'), { recursive: true, encoding: 'utf8' });
  const sources = files.filter(
    (file) => /\.(?:tsx?|css)$/.test(file) && !/\.test\.|[/\\]testing[/\\]|^\./.test(file),
  );
  const imported = sources.flatMap((file) => {
    // Types are not in the package.
    const text = readFileSync(join(root, 'editor', file), 'utf8').replaceAll(
      /^(?:import|export) type [^;]*;/gm,
      '',
    );
    return [...text.matchAll(/(?:from|import|url)\s*\(?\s*['"]([a-z@][^'"]*)['"]/g)].map(
      ([, name = '']) => name,
    );
  });
  return [...new Set(imported.map((name) => name.split('/', name.startsWith('@') ? 2 : 1).join('/')))];
}

/**
 * The list of licences: each package with its version and licence, and the texts for those whose code is in the package itself.
 * `inside` and `all` are folders below `root`.
 */
export function licencesOf(
  root: string,
  lock: Lock,
  { inside, all }: { readonly inside: ReadonlySet<string>; readonly all: ReadonlySet<string> },
): string {
  const paths = [...all].sort();
  const lines = paths.map((path) => {
    const { version, license = 'see its files' } = lock[path] as Locked;
    return `| ${nameOf(path)} | ${version} | ${license} | ${inside.has(path) ? 'in this package' : 'installed with it'} |`;
  });
  const texts = paths.filter((path) => inside.has(path)).flatMap((path) => textOf(root, path));
  return [
    '# Licences of what Weft is made with',
    '',
    'Weft itself is under the licence in the file LICENSE.',
    '',
    '| package | version | licence | |',
    '|---|---|---|---|',
    ...lines,
    '',
    ...texts,
  ].join('\n');
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
}

function textOf(root: string, path: string): string[] {
  const files = readdirSync(join(root, path)).filter((file) => /^(?:licen[cs]e|copying|notice)/i.test(file));
  const texts = files.map((file) => readFileSync(join(root, path, file), 'utf8').trim());
  return texts.length === 0 ? [] : [`## ${nameOf(path)}`, '', '```', ...texts, '```', ''];
}

/** The part of npm's bill of materials that is read. */
interface Bom {
  readonly components: readonly {
    readonly 'bom-ref': string;
    readonly externalReferences?: readonly { readonly type: string }[];
  }[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn?: readonly string[] }[];
}

/** npm's bill of materials (CycloneDX) of the project, reduced to packages in ours or installed with it. */
export function billOf(text: string, lock: Lock, all: ReadonlySet<string>): string {
  const bom = JSON.parse(text) as Bom;
  const wanted = new Set(
    [...all].map((path) => `${lock[path]?.name ?? nameOf(path)}@${lock[path]?.version}`),
  );
  const components = bom.components
    .filter((component) => wanted.has(component['bom-ref']))
    // The registry of this machine is irrelevant for the packages.
    .map(({ externalReferences = [], ...component }) => ({
      ...component,
      externalReferences: externalReferences.filter(({ type }) => type !== 'distribution'),
    }));
  const refs = new Set(components.map((component) => component['bom-ref']));
  const missing = [...wanted].filter((ref) => !refs.has(ref));
  if (missing.length > 0) throw new Error(`npm's bill of materials lacks ${missing.join(', ')}.`);
  const [own, ...others] = bom.dependencies;
  const dependencies = [own, ...others.filter(({ ref }) => refs.has(ref))].map((entry) => ({
    ref: entry?.ref,
    dependsOn: entry?.dependsOn?.filter((ref) => refs.has(ref)) ?? [],
  }));
  return `${JSON.stringify({ ...bom, components, dependencies }, null, 2)}\n`;
}
