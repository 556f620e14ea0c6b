import {
  type CodeFlow,
  makeRegistry,
  type Operator,
  type PackageLimits,
  type Registry,
  defineOperator,
  input,
  lazy,
  literal,
  manyInput,
  optionalInput,
  output,
  WeftError,
} from '#engine';
import { foreignOperator, isCodeFlow, limitedOperator } from '#engine/workbench';
import { registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';
import { markLoading } from './loading.ts';
import { z } from 'zod';

/** A user's file with its expected content: an operator or a flow. */
export interface AuthoredFile {
  /** `contract`: an operator that is also checked against the contract. */
  readonly kind: 'operator' | 'flow' | 'contract';
  readonly path: string;
  /** The operator's type, or the flow's id, derived from the file's path. */
  readonly name: string;
  /** Hash of its content, if it may be loaded again in this process. */
  readonly version?: string;
  /** If it comes from a package. */
  readonly limits?: PackageLimits | undefined;
}

/** A registry with the one operator of the file. Throws the fault of the file. */
export async function readOperator({ path, name, version, limits }: AuthoredFile): Promise<Registry> {
  const exported = await importFile(path, version);
  // A function gets the kit, for files that cannot import it.
  const operator = (typeof exported === 'function' ? await exported(kit) : exported) as Operator;
  // Checked first, because only a valid operator can be guarded.
  makeRegistry(new Map([[name, operator]]));
  const own = limits === undefined ? operator : limitedOperator(operator, limits);
  return makeRegistry(new Map([[name, foreignOperator(own)]]));
}

/** The flow of the file. Throws the fault of the file. */
export async function readCodeFlow({ path, name, version }: AuthoredFile): Promise<CodeFlow> {
  const exported = await importFile(path, version);
  if (!isCodeFlow(exported))
    throw new Error("It exports no flow: write export default flow('…', (f) => …), with flow from '#weft'.");
  if (exported.id === name) return exported;
  throw new Error(`Its flow has the id ${exported.id}, but the file is called ${name}; rename one of them.`);
}

/**
 * The names of the module that users' files import the builder and `defineOperator` from: in a checkout the first
 * (docs/decisions/0010-weft-specifier.md), in a project with the npm package that package's.
 */
const DOORS: ReadonlySet<string> = new Set(['#weft', 'weft-flow']);
const door = new URL('../../admin/cli/weft-module.ts', import.meta.url).href;

let hooked = false;

/**
 * Imports a user's file and returns its default export. `version` (a hash of its content) makes a changed file load
 * again. Both names work in the file wherever it is.
 */
async function importFile(path: string, version?: string): Promise<unknown> {
  markLoading();
  if (!hooked) registerHooks({ resolve: resolveDoor });
  hooked = true;
  const url = pathToFileURL(path);
  if (version !== undefined) url.searchParams.set('v', version);
  const { default: exported } = (await import(url.href)) as { default?: unknown };
  return exported;
}

const resolveDoor: Parameters<typeof registerHooks>[0]['resolve'] = (specifier, context, next) =>
  DOORS.has(specifier) ? { url: door, shortCircuit: true } : next(specifier, context);

/** Everything that defines an operator. A file that default-exports a function receives it. */
const kit = { defineOperator, input, output, optionalInput, manyInput, lazy, literal, WeftError, z };
