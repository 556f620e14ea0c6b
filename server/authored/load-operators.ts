import { readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { makeRegistry, type Operator, type Registry } from '#engine';
import { type Fault, faultOf } from './fault.ts';
import { readOperator } from './kinds.ts';
import { probeFiles } from './probe.ts';
import { within } from './within.ts';

/** A file in the user's folder that yielded no operator; the others work. */
export interface OperatorProblem extends Fault {
  /** Path below the folder. */
  readonly file: string;
}

export interface LoadOptions {
  readonly builtIn: boolean;
  /** The user's own operators, `<group>/<name>.ts`, `.js` or `.mjs`; a missing folder counts as empty. */
  readonly folder?: string;
  /** How long one of the user's files may take to load. */
  readonly timeoutMs?: number;
}

const BUILT_IN = fileURLToPath(new URL('../../engine/operators/', import.meta.url));
const LOAD_TIMEOUT_MS = 10_000;

/**
 * Loads operators by their path: `text/template.ts` is `text.template`. Files that begin with `_` and tests are
 * ignored. A fault in a user's file is a problem; a fault in a built-in one is a bug and throws.
 */
export async function loadOperators(
  options: LoadOptions,
): Promise<{ registry: Registry; problems: OperatorProblem[] }> {
  const builtIn = options.builtIn ? await loadBuiltIn() : makeRegistry(new Map());
  if (options.folder === undefined) return { registry: builtIn, problems: [] };
  return await loadUsers(options.folder, builtIn, options.timeoutMs ?? LOAD_TIMEOUT_MS);
}

async function loadBuiltIn(): Promise<Registry> {
  const { files } = await findOperatorFiles(BUILT_IN);
  return makeRegistry(new Map(await Promise.all(files.map(importBuiltIn))));
}

async function importBuiltIn({ path, type }: OperatorFile): Promise<[string, Operator]> {
  const { default: operator } = (await import(pathToFileURL(path).href)) as { default: Operator };
  return [type, operator];
}

async function loadUsers(folder: string, builtIn: Registry, timeoutMs: number) {
  const { files, problems } = await findOperatorFiles(folder);
  const loaded = await loadFiles(files, timeoutMs);
  const operators = new Map(builtIn.operators);
  const catalog = { ...builtIn.catalog.operators };
  for (const [i, { type, file }] of files.entries()) {
    const result = loaded[i] as Registry | Fault;
    if ('message' in result) problems.push({ file, ...result });
    else if (operators.has(type)) problems.push({ file, message: clash(type, builtIn) });
    else {
      operators.set(type, result.operators.get(type) as Operator);
      Object.assign(catalog, result.catalog.operators);
    }
  }
  return { registry: { operators, catalog: { operators: catalog } }, problems };
}

/** First in a separate process, then here. */
async function loadFiles(files: readonly OperatorFile[], timeoutMs: number): Promise<(Registry | Fault)[]> {
  const authored = files.map(({ path, type }) => ({ kind: 'operator' as const, path, name: type }));
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

// ------------------------------------------------------------------------------------------------------ the folder

export interface OperatorFile {
  readonly path: string;
  /** Path below the folder. */
  readonly file: string;
  readonly type: string;
}

const OPERATOR_FILE = /^(?!_)(.+?)\.(?:ts|js|mjs)$/;
const NO_OPERATOR = /\.(?:test|spec|d)\.(?:ts|js|mjs)$/;
const HIDDEN = /^[._]|^node_modules$/;

/** The files in a folder that contain operators, by their path, and the problems of files whose path names none. */
export async function findOperatorFiles(
  folder: string,
): Promise<{ files: OperatorFile[]; problems: OperatorProblem[] }> {
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
        problems.push({ file: group.name, message: 'It must be in a folder, which is its group.' });
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

/** The name of the operator in a file, or undefined if the file is none. */
function operatorName(file: string): string | undefined {
  return NO_OPERATOR.test(file) ? undefined : OPERATOR_FILE.exec(file)?.[1];
}
