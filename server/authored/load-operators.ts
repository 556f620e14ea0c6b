import { joinRegistries, makeRegistry, type Operator, type Registry } from '#engine';
import type { OperatorInfo } from '#shared/catalog.ts';
import { loadBuiltIn } from './built-in.ts';
import type { Fault } from './fault.ts';
import { findOperatorFiles, type OperatorFile } from './operator-files.ts';

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

async function loadUsers(folder: string, builtIn: Registry, timeoutMs: number) {
  const { files, problems } = await findOperatorFiles(folder);
  const loaded = files.length > 0 ? await loadFiles(files, timeoutMs) : [];
  const operators = new Map<string, Operator>();
  const catalog: Record<string, OperatorInfo> = {};
  for (const [i, { type, file }] of files.entries()) {
    const result = loaded[i] as Registry | Fault;
    if ('message' in result) problems.push({ file, ...result });
    else if (builtIn.operators.has(type) || operators.has(type))
      problems.push({ file, message: clash(type, builtIn) });
    else {
      operators.set(type, result.operators.get(type) as Operator);
      Object.assign(catalog, result.catalog.operators);
    }
  }
  const own = { operators, catalog: { operators: catalog } };
  return { registry: files.length > 0 ? joinRegistries(builtIn, own) : builtIn, problems };
}

/** First in a separate process, then here. */
async function loadFiles(files: readonly OperatorFile[], timeoutMs: number): Promise<(Registry | Fault)[]> {
  const [{ readOperator }, { probeFiles }, { faultOf }, { within }] = await Promise.all([
    import('./kinds.ts'),
    import('./probe.ts'),
    import('./fault.ts'),
    import('./within.ts'),
  ]);
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
