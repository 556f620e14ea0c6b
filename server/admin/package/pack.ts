import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { findOperatorFiles } from '../../base/authored/operator-files.ts';
import { buildEditorIfStale } from '../editor-build/build-editor.ts';
import { emit } from './emit.ts';
import { billOf, closureOf, editorPackages, licencesOf, type LockFile } from './third-party.ts';
import { linkedPage } from './texts.ts';
import { bundle, isVendored, vendorFile } from './vendor.ts';

/**
 * `npm run pack`: makes the npm package in dist/package and packs it as dist/weft-flow-<version>.tgz, and our other packages beside it
 * (docs/decisions/0030-npm-package.md). Files that nothing in it imports are left out.
 */
const root = fileURLToPath(new URL('../../..', import.meta.url));
const staging = join(root, 'dist/package');
/** Packages that `weft add` installs; nothing of them is in the core. */
const OWN_PACKAGES = join(root, 'server/packages');

interface Manifest {
  readonly version: string;
  readonly imports: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly [field: string]: unknown;
}

const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest;

/** Files that the package contains unchanged: texts for people, and data. */
const plainFiles = [
  'README.md',
  'LICENSE',
  'CHANGELOG.md',
  'SECURITY.md',
  'flows/examples',
  'docs/reference',
  'docs/deploy',
  'docs/images',
  'docs/examples',
  'server/flows/templates/shipped',
  'server/integrations/shop/shipped',
  'server/integrations/services/shipped',
  'server/integrations/services/catalog',
  'server/integrations/services/catalog.json',
];
const ENTRIES = ['server/index.js', 'server/weft.js', 'server/weft-flow.js', 'server/code-host.js'];
/** The module that the author's own files import, with its types. */
const MODULE = 'server/admin/cli/weft-module.ts';
/** Without a binary for the machine, code runs in QuickJS, and the installation must not fail. */
const OPTIONAL = 'isolated-vm';
/** A folder whose files are read by names that are put together at run time. */
const GUEST = 'server/integrations/sandbox/host/guest';

async function pack(): Promise<void> {
  const built = await buildEditorIfStale();
  if (built !== 'fresh' && built !== 'built') throw new Error('The editor was not built.');
  rmSync(staging, { recursive: true, force: true });
  const { files, imported } = emitFrom(await entries());
  const dependencies = usedDependencies(files, imported);
  for (const [path, text] of files) put(jsName(path), text);
  putTypes();
  copyPlainFiles();
  adaptPage();
  const installed = Object.keys(dependencies);
  await bundle([...imported].filter(isVendored), { root, to: staging, external: installed });
  put('package.json', `${JSON.stringify(packageManifest(dependencies), null, 2)}\n`);
  await putCatalog();
  putThirdParty([...imported].filter(isVendored).map(packageOf), installed);
  adaptLinks();
  for (const name of readdirSync(join(root, 'dist')))
    if (/\.tgz$|\.cdx\.json$|^SHA256SUMS$/.test(name)) rmSync(join(root, 'dist', name));
  packFolder(staging);
  for (const name of readdirSync(OWN_PACKAGES)) packOwn(name);
  cpSync(join(staging, 'sbom.cdx.json'), join(root, `dist/weft-flow-${manifest.version}.cdx.json`));
  putSums();
}

/** The sums of all that is published, as `sha256sum --check` reads them. */
function putSums(): void {
  const made = readdirSync(join(root, 'dist')).filter((name) => /\.tgz$|\.cdx\.json$/.test(name));
  const sumOf = (name: string): string => hash('sha256', readFileSync(join(root, 'dist', name)));
  writeFileSync(
    join(root, 'dist/SHA256SUMS'),
    made
      .sort()
      .map((name) => `${sumOf(name)}  ${name}\n`)
      .join(''),
  );
}

/** A package of ours beside the core: as it stands here, with the version and the licence of the project. */
function packOwn(name: string): void {
  const folder = join(root, 'dist/packages', name);
  rmSync(folder, { recursive: true, force: true });
  cpSync(join(OWN_PACKAGES, name), folder, { recursive: true });
  cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
  const file = join(folder, 'package.json');
  const own = JSON.parse(readFileSync(file, 'utf8')) as object;
  writeFileSync(file, `${JSON.stringify({ ...own, version: manifest.version }, null, 2)}\n`);
  packFolder(folder);
}

function packFolder(folder: string): void {
  const output = npm('pack', folder, '--pack-destination', join(root, 'dist'), '--json');
  const [{ filename, entryCount, size, unpackedSize }] = JSON.parse(output) as [Packed];
  const mb = (bytes: number): string => `${(bytes / 1024 ** 2).toFixed(1)} MB`;
  process.stdout.write(`dist/${filename}: ${entryCount} files, ${mb(size)}, ${mb(unpackedSize)} unpacked\n`);
}

interface Packed {
  readonly filename: string;
  readonly entryCount: number;
  readonly size: number;
  readonly unpackedSize: number;
}

async function entries(): Promise<string[]> {
  const { files } = await findOperatorFiles(join(root, 'engine/operators'));
  return [
    ...ENTRIES,
    MODULE,
    ...files.map(({ file }) => `engine/operators/${file}`),
    ...readdirSync(join(root, GUEST), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.js'))
      .map((name) => `${GUEST}/${name}`),
  ];
}

/** All modules reachable from the entries, in the form of the package, and the names of packages under which they import others. */
function emitFrom(paths: readonly string[]): { files: Map<string, string>; imported: Set<string> } {
  const files = new Map<string, string>();
  const imported = new Set<string>();
  const waiting = [...paths];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (files.has(path)) continue;
    const folder = dirname(path);
    const toVendor = (name: string): string => posix.relative(folder, vendorFile(name));
    const rename = (name: string): string => (isVendored(name) ? toVendor(name) : jsName(name));
    const source = readFileSync(join(root, path), 'utf8');
    const { text, imports, addresses } = emit(source, path.endsWith('.ts'), rename);
    files.set(path, text);
    for (const name of imports) {
      const own = ownFile(name, folder);
      if (own !== undefined) waiting.push(own);
      else if (!isBuiltin(name)) imported.add(name);
    }
    waiting.push(...addresses.map((name) => posix.join(folder, name)).filter(isModule));
  }
  return { files, imported };
}

/** The file that an import leads to; undefined for packages. */
function ownFile(name: string, folder: string): string | undefined {
  if (name.startsWith('.')) return posix.join(folder, name);
  if (!name.startsWith('#')) return undefined;
  const [, place = '', rest = ''] = /^(#\w+\/)(.+)$/.exec(name) ?? [];
  const target = manifest.imports[name] ?? manifest.imports[`${place}*`]?.replace('*', rest);
  if (target === undefined) throw new Error(`package.json has no import ${name}.`);
  return posix.join(target);
}

function isModule(path: string): boolean {
  return /\.[tj]s$/.test(path) && existsSync(join(root, path));
}

function packageOf(name: string): string {
  return name.split('/', name.startsWith('@') ? 2 : 1).join('/');
}

/**
 * The dependencies that the modules import, or `require` on first use. An imported one must be
 * among those of the project, where its version is pinned.
 */
function usedDependencies(files: ReadonlyMap<string, string>, imported: ReadonlySet<string>) {
  const packages = new Set([...imported].map(packageOf));
  const missing = [...packages].filter((name) => manifest.dependencies[name] === undefined);
  if (missing.length > 0)
    throw new Error(`These packages are imported and not among the dependencies: ${missing.join(', ')}.`);
  const texts = [...files.values()];
  const isUsed = (name: string): boolean =>
    packages.has(name) || texts.some((text) => text.includes(`'${name}'`) || text.includes(`'${name}/`));
  return Object.fromEntries(
    Object.entries(manifest.dependencies).filter(([name]) => !isVendored(name) && isUsed(name)),
  );
}

function jsName(path: string): string {
  return path.replace(/\.ts$/, '.js');
}

function put(path: string, text: string): void {
  mkdirSync(dirname(join(staging, path)), { recursive: true });
  writeFileSync(join(staging, path), text);
}

/** The declarations of the module for authors and of all that they mention. */
function putTypes(): void {
  execFileSync('tsc', ['-b', join(root, 'server')], { stdio: 'inherit' });
  const seen = new Set<string>();
  const waiting = [MODULE];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (seen.has(path)) continue;
    seen.add(path);
    const text = readFileSync(declarationOf(path), 'utf8').replace(/^\/\/# sourceMappingURL=.*$/m, '');
    for (const [, name = ''] of text.matchAll(/(?:from |import\()["']([^"']+)["']/g)) {
      const own = ownFile(name, dirname(path));
      if (own !== undefined) waiting.push(own);
    }
    put(
      path.replace(/\.ts$/, '.d.ts'),
      text.replaceAll(/((?:from |import\()["'][^"']+)\.ts(?=["'])/g, '$1.js'),
    );
  }
}

/** The path to which the compiler writes it; code that also runs in browsers is a project of its own. */
function declarationOf(path: string): string {
  const [room = '', ...rest] = path.replace(/\.ts$/, '.d.ts').split('/');
  const places = ['types', 'check-types'].map((place) => join(root, room, '.cache', place, ...rest));
  const found = places.find((place) => existsSync(place));
  if (found === undefined) throw new Error(`The compiler wrote no declarations of ${path}.`);
  return found;
}

function copyPlainFiles(): void {
  const docs = readdirSync(join(root, 'docs')).filter((name) => name.endsWith('.md'));
  for (const path of [...plainFiles, ...docs.map((name) => `docs/${name}`)])
    cpSync(join(root, path), join(staging, path), { recursive: true });
  const isServed = (path: string): boolean => !/[/\\]\.[^/\\]+$/.test(path);
  cpSync(join(root, 'dist/editor'), join(staging, 'dist/editor'), { recursive: true, filter: isServed });
}

/** Pages name files of a checkout that the package has in another form, or not at all. */
function adaptLinks(): void {
  for (const path of readdirSync(staging, { recursive: true, encoding: 'utf8' })) {
    if (!path.endsWith('.md')) continue;
    const page = path.replaceAll('\\', '/');
    const text = readFileSync(join(staging, page), 'utf8');
    put(
      page,
      linkedPage(page, text, (target) => existsSync(join(staging, target))),
    );
  }
}

/** The editor names commands of a checkout by default; its page overrides them. */
function adaptPage(): void {
  const page = 'dist/editor/index.html';
  const text = readFileSync(join(staging, page), 'utf8');
  const commands = [
    ['npm run weft --', 'npx weft-flow'],
    ['npm start', 'npx weft-flow'],
  ] as const;
  put(
    page,
    commands.reduce((before, [from, to]) => {
      if (!before.includes(`content="${from}"`)) throw new Error(`The editor's page does not say ${from}.`);
      return before.replace(`content="${from}"`, `content="${to}"`);
    }, text),
  );
}

/** The manifest of the installed package: without development fields, and without Node, which must be installed. */
function packageManifest(dependencies: Manifest['dependencies']): object {
  const { name, version, description, license, type, engines, imports } = manifest;
  const { peerDependencies, peerDependenciesMeta } = manifest;
  const { [OPTIONAL]: isolates, ...needed } = dependencies;
  const own = Object.entries(imports).map(([alias, path]) => [alias, jsName(path)]);
  return {
    name,
    version,
    description,
    keywords: ['workflow', 'automation', 'visual', 'editor', 'engine', 'llm', 'awel'],
    license,
    type,
    engines,
    bin: { weft: 'server/weft.js', 'weft-flow': 'server/weft-flow.js' },
    exports: {
      '.': { types: `./${MODULE.replace(/\.ts$/, '.d.ts')}`, default: `./${jsName(MODULE)}` },
      './package.json': './package.json',
    },
    imports: Object.fromEntries(own),
    dependencies: needed,
    peerDependencies,
    peerDependenciesMeta,
    optionalDependencies: { [OPTIONAL]: isolates },
  };
}

/** The descriptions of the operators, with the hashes of the emitted files. */
async function putCatalog(): Promise<void> {
  const file = pathToFileURL(join(staging, 'server/base/authored/built-in.js')).href;
  const { writtenCatalog } = (await import(file)) as { writtenCatalog(): Promise<string> };
  put('engine/operators/catalog.json', await writtenCatalog());
}

/** A bill of materials, and the licences of all that is in the package or installed with it. */
function putThirdParty(vendored: readonly string[], installed: readonly string[]): void {
  const { packages: lock } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as LockFile;
  // A file of a package has none of its optional parts, which are native.
  const inside = closureOf([...vendored, ...editorPackages(root)], lock, false);
  const all = new Set([...inside, ...closureOf([...installed, OPTIONAL], lock)]);
  put('LICENCES-OF-OTHERS.md', licencesOf(root, lock, { inside, all }));
  put('sbom.cdx.json', billOf(npm('sbom', '--sbom-format=cyclonedx', '--package-lock-only'), lock, all));
}

function npm(...args: string[]): string {
  return execFileSync('npm', args, {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 ** 2,
    // A build leaves `production` here, with which npm would omit the packages of the editor.
    env: { ...process.env, NODE_ENV: undefined },
  });
}

await pack();
