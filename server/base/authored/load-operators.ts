import type { FastifyBaseLogger } from 'fastify';
import { joinRegistries, makeRegistry, type Operator, type PackageLimits, type Registry } from '#engine';
import type { OperatorInfo } from '#shared/catalog.ts';
import type { Package } from '#shared/package-api.ts';
import { loadBuiltIn } from './built-in.ts';
import type { Fault } from './fault.ts';
import { findOperatorFiles, type OperatorFile } from './operator-files.ts';

/** A file in the user's folder that yielded no operator; the others work. */
export interface OperatorProblem extends Fault {
  /** Path below the folder. */
  readonly file: string;
}

/** Where operators are looked for. */
export interface LoadOptions {
  readonly builtIn: boolean;
  /** The user's own operators, `<group>/<name>.ts`, `.js` or `.mjs`; a missing folder counts as empty. */
  readonly folder?: string;
  /** Folders of npm packages with operators. */
  readonly packages?: readonly string[];
  /** How long one of the user's files may take to load, in milliseconds. */
  readonly timeoutMs?: number;
}

/** The operators that were found, and those that could not be loaded. */
export interface LoadedOperators {
  readonly registry: Registry;
  readonly problems: OperatorProblem[];
  readonly packages: readonly Package[];
}

const LOAD_TIMEOUT_MS = 10_000;

/**
 * Loads operators by their path: `text/template.ts` is `text.template`. Files that begin with `_` and tests are
 * ignored. A fault in a user's file or in a package is a problem; a fault in a built-in one is a bug and throws.
 */
export async function loadOperators(options: LoadOptions): Promise<LoadedOperators> {
  const builtIn = options.builtIn ? await loadBuiltIn() : makeRegistry(new Map());
  const timeoutMs = options.timeoutMs ?? LOAD_TIMEOUT_MS;
  const { folder, packages = [] } = options;
  const own = folder === undefined ? undefined : await loadUsers(folder, builtIn, timeoutMs);
  const registry = own?.registry ?? builtIn;
  const problems = own?.problems ?? [];
  return { problems, ...(await loadPackages(packages, registry, { builtIn, timeoutMs })) };
}

async function loadUsers(folder: string, builtIn: Registry, timeoutMs: number) {
  const { files, problems } = await findOperatorFiles(folder);
  const { own, faults } = await loadBeside(builtIn, files, {
    timeoutMs,
    taken: (type) => clash(type, builtIn),
  });
  problems.push(...faults);
  return { registry: files.length > 0 ? joinRegistries(builtIn, own) : builtIn, problems };
}

/** One after the other: the first of two operators with a name counts. */
async function loadPackages(
  folders: readonly string[],
  before: Registry,
  { builtIn, timeoutMs }: { readonly builtIn: Registry; readonly timeoutMs: number },
): Promise<Pick<LoadedOperators, 'registry' | 'packages'>> {
  let registry = before;
  const packages: Package[] = [];
  for (const folder of folders) {
    const { findPackage, limitsOf } = await import('./packages.ts');
    const { folder: _, files, problems, ...facts } = await findPackage(folder);
    const limits = limitsOf(facts);
    const taken = (type: string): string =>
      builtIn.operators.has(type)
        ? `There is a built-in operator ${type}.`
        : `There already is an operator ${type}.`;
    const { own, faults } = await loadBeside(registry, files, { timeoutMs, taken, limits });
    const failed = faults.map(({ file, message }) => ({ code: 'package_operator' as const, file, message }));
    packages.push({ ...facts, operators: [...own.operators.keys()], problems: [...problems, ...failed] });
    if (own.operators.size > 0) registry = joinRegistries(registry, own);
  }
  return { registry, packages };
}

interface Loading {
  readonly timeoutMs: number;
  /** The message for a name that is taken. */
  readonly taken: (type: string) => string;
  readonly limits?: PackageLimits;
}

/** The operators of the files that load and whose names are not taken. */
async function loadBeside(
  before: Registry,
  files: readonly OperatorFile[],
  { timeoutMs, taken, limits }: Loading,
): Promise<{ readonly own: Registry; readonly faults: OperatorProblem[] }> {
  const loaded = files.length > 0 ? await loadFiles(files, timeoutMs, limits) : [];
  const operators = new Map<string, Operator>();
  const catalog: Record<string, OperatorInfo> = {};
  const faults: OperatorProblem[] = [];
  for (const [i, { type, file }] of files.entries()) {
    const result = loaded[i] as Registry | Fault;
    if ('message' in result) faults.push({ file, ...result });
    else if (before.operators.has(type) || operators.has(type)) faults.push({ file, message: taken(type) });
    else {
      operators.set(type, result.operators.get(type) as Operator);
      Object.assign(catalog, result.catalog.operators);
    }
  }
  return { own: { operators, catalog: { operators: catalog } }, faults };
}

/** Loads files in a separate process first, then here. */
async function loadFiles(
  files: readonly OperatorFile[],
  timeoutMs: number,
  limits: PackageLimits | undefined,
): Promise<(Registry | Fault)[]> {
  const [{ readOperator }, { probeFiles }, { faultOf }, { within }] = await Promise.all([
    import('./kinds.ts'),
    import('./probe.ts'),
    import('./fault.ts'),
    import('./within.ts'),
  ]);
  const authored = files.map(({ path, type }) => ({
    kind: 'operator' as const,
    path,
    name: type,
    limits,
  }));
  const faults = await probeFiles(authored, timeoutMs);
  return await Promise.all(
    authored.map(async (file, i) => {
      try {
        return faults.get(i) ?? (await within(timeoutMs, readOperator(file)));
      } catch (error) {
        return faultOf(error, file.path);
      }
    }),
  );
}

function clash(type: string, builtIn: Registry): string {
  return builtIn.operators.has(type)
    ? `There already is a built-in operator ${type}; give this one another name.`
    : `Another file already is the operator ${type}; give one of them another name.`;
}

/** Loads the built-in operators, the user's own and those of packages; a broken file affects only its own operator. */
export async function readOperators(
  {
    operators: folder,
    packages: folders,
  }: { readonly operators: string; readonly packages: readonly string[] },
  log: Pick<FastifyBaseLogger, 'warn'>,
): Promise<Pick<LoadedOperators, 'registry' | 'packages'>> {
  const { problems, ...loaded } = await loadOperators({ builtIn: true, folder, packages: folders });
  for (const { file, message } of problems) log.warn({ file, problem: message }, 'an operator was skipped');
  for (const { name, problems: faults } of loaded.packages)
    for (const { code, file, message } of faults)
      log.warn({ package: name, code, file, problem: message }, 'a part of a package was skipped');
  return loaded;
}
