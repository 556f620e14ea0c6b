import { readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { z } from 'zod';
import {
  defineOperator,
  input,
  lazy,
  literal,
  makeRegistry,
  manyInput,
  type Operator,
  optionalInput,
  output,
  type Registry,
  WeftError,
} from '#engine';

/**
 * What a file outside of this repository needs to define an operator. It is handed in, since such a file cannot import
 * `#engine`: it default-exports a function that takes this and returns the operator.
 */
const kit = { defineOperator, input, output, optionalInput, manyInput, lazy, literal, WeftError, z };
export type OperatorKit = typeof kit;

/** A file in the user's folder that gave no operator; the others work. */
export interface OperatorProblem {
  /** Path below the folder. */
  readonly file: string;
  readonly message: string;
}

export interface LoadOptions {
  readonly builtIn: boolean;
  /** The user's own operators, `<group>/<name>.ts`, `.js` or `.mjs`; a folder that does not exist is an empty one. */
  readonly folder?: string;
  /** How long one of the user's files may take to load. */
  readonly timeoutMs?: number;
}

const BUILT_IN = fileURLToPath(new URL('../engine/operators/', import.meta.url));
const LOAD_TIMEOUT_MS = 10_000;

/**
 * Loads operators by their place: `text/template.ts` is `text.template`. Files that begin with `_` and tests are left out.
 * What is wrong with a user's file is a problem; what is wrong with one of ours is a bug and throws.
 */
export async function loadOperators(
  options: LoadOptions,
): Promise<{ registry: Registry; problems: OperatorProblem[] }> {
  const builtIn = options.builtIn ? await loadBuiltIn() : makeRegistry(new Map());
  if (options.folder === undefined) return { registry: builtIn, problems: [] };
  return await loadUsers(options.folder, builtIn, options.timeoutMs ?? LOAD_TIMEOUT_MS);
}

async function loadBuiltIn(): Promise<Registry> {
  const { files } = await findFiles(BUILT_IN);
  const load = async ({ path, type }: OperatorFile) => [type, await importOperator(path)] as const;
  return makeRegistry(new Map(await Promise.all(files.map(load))));
}

async function loadUsers(folder: string, builtIn: Registry, timeoutMs: number) {
  const { files, problems } = await findFiles(folder);
  const loaded = await Promise.all(files.map((file) => loadUsersFile(file, timeoutMs)));
  const operators = new Map(builtIn.operators);
  const catalog = { ...builtIn.catalog.operators };
  for (const [i, { type, file }] of files.entries()) {
    const result = loaded[i] as Registry | string;
    if (typeof result === 'string') problems.push({ file, message: result });
    else if (operators.has(type)) problems.push({ file, message: clash(type, builtIn) });
    else {
      operators.set(type, result.operators.get(type) as Operator);
      Object.assign(catalog, result.catalog.operators);
    }
  }
  return { registry: { operators, catalog: { operators: catalog } }, problems };
}

function clash(type: string, builtIn: Registry): string {
  return builtIn.operators.has(type)
    ? `There is a built-in operator ${type} already; give this one another name.`
    : `Another file is the operator ${type} already; give one of them another name.`;
}

/** A registry of this one operator, or what is wrong with it. */
async function loadUsersFile({ path, type }: OperatorFile, timeoutMs: number): Promise<Registry | string> {
  try {
    return makeRegistry(new Map([[type, await within(timeoutMs, importOperator(path))]]));
  } catch (error) {
    return error instanceof Error ? error.message : `It threw ${String(error)}.`;
  }
}

/** The default export, or what it returns when it is a function. Whether that is an operator is for the registry to say. */
async function importOperator(path: string): Promise<Operator> {
  const { default: exported } = (await import(pathToFileURL(path).href)) as { default?: unknown };
  return (typeof exported === 'function' ? await exported(kit) : exported) as Operator;
}

async function within<T>(ms: number, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`It did not load within ${ms} ms.`)), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

// ------------------------------------------------------------------------------------------------------ the folder

interface OperatorFile {
  readonly path: string;
  /** Path below the folder. */
  readonly file: string;
  readonly type: string;
}

const OPERATOR_FILE = /^(?!_)(.+?)\.(?:ts|js|mjs)$/;
const NO_OPERATOR = /\.(?:test|spec|d)\.(?:ts|js|mjs)$/;
const HIDDEN = /^[._]|^node_modules$/;

async function findFiles(folder: string): Promise<{ files: OperatorFile[]; problems: OperatorProblem[] }> {
  const files: OperatorFile[] = [];
  const problems: OperatorProblem[] = [];
  const list = async (place: string) => {
    try {
      return (await readdir(place, { withFileTypes: true })).sort((a, b) => (a.name < b.name ? -1 : 1));
    } catch (error) {
      if (place !== folder || (error as NodeJS.ErrnoException).code !== 'ENOENT') {
        problems.push({
          file: relative(folder, place),
          message: `It cannot be read: ${(error as Error).message}`,
        });
      }
      return [];
    }
  };
  for (const group of await list(folder)) {
    if (HIDDEN.test(group.name)) continue;
    if (group.isFile()) {
      if (operatorName(group.name))
        problems.push({ file: group.name, message: 'It must lie in a folder, which is its group.' });
      continue;
    }
    const place = join(folder, group.name);
    for (const { name: fileName } of await list(place)) {
      const name = operatorName(fileName);
      const file = join(group.name, fileName);
      if (name) files.push({ path: join(place, fileName), file, type: `${group.name}.${name}` });
    }
  }
  return { files, problems };
}

/** The name of the operator that a file holds, or undefined when it holds none. */
function operatorName(file: string): string | undefined {
  return NO_OPERATOR.test(file) ? undefined : OPERATOR_FILE.exec(file)?.[1];
}
