import { type CodeFlow, makeRegistry, type Operator, type Registry } from '#engine';
import { foreignOperator, isCodeFlow } from '#engine/workbench';
import { importFile } from './import-file.ts';
import { kit } from './kit.ts';

/** A user's file as what it should be: an operator or a flow. */
export interface AuthoredFile {
  /** `contract`: an operator that is also checked against the contract. */
  readonly kind: 'operator' | 'flow' | 'contract';
  readonly path: string;
  /** The operator's type, or the flow's id, derived from the file's path. */
  readonly name: string;
  /** Hash of its content, if it may be loaded again in this process. */
  readonly version?: string;
}

/** A registry with the one operator of the file. Throws what is wrong with it. */
export async function readOperator({ path, name, version }: AuthoredFile): Promise<Registry> {
  const exported = await importFile(path, version);
  // A function gets the kit, for files that cannot import it.
  const operator = (typeof exported === 'function' ? await exported(kit) : exported) as Operator;
  // It is checked first; only a valid operator can be guarded.
  makeRegistry(new Map([[name, operator]]));
  return makeRegistry(new Map([[name, foreignOperator(operator)]]));
}

/** The flow of the file. Throws what is wrong with it. */
export async function readCodeFlow({ path, name, version }: AuthoredFile): Promise<CodeFlow> {
  const exported = await importFile(path, version);
  if (!isCodeFlow(exported))
    throw new Error("It exports no flow: write export default flow('…', (f) => …), with flow from '#weft'.");
  if (exported.id === name) return exported;
  throw new Error(`Its flow has the id ${exported.id}, but the file is called ${name}; rename one of them.`);
}
