import { join } from 'node:path';
import { type CallSetup, TestCall } from '../../engine/testing/call.ts';
import type { Operator } from '#engine';
import { readOperator } from '../../server/base/authored/kinds.ts';
import { root } from './server.ts';
import { findPackage, limitsOf } from '../../server/base/authored/packages.ts';

export const packageFolder = join(root, 'server/packages/weft-python');

/** The operator as a server loads it from the installed package, with the limits that the package declares. */
export async function loadPython(): Promise<Operator> {
  const found = await findPackage(packageFolder);
  const [file] = found.files;
  if (file === undefined) throw new Error(`The package has no operator: ${JSON.stringify(found.problems)}`);
  const registry = await readOperator({
    kind: 'operator',
    path: file.path,
    name: file.type,
    limits: limitsOf(found),
  });
  return registry.operators.get('code.python') as Operator;
}

export interface PythonSetup extends CallSetup {
  readonly input?: unknown;
  readonly values?: Readonly<Record<string, unknown>>;
  readonly maxMs?: number;
}

/** A call of a node with this code. */
export class PythonRun extends TestCall {
  private readonly operator: Operator;

  constructor(operator: Operator, source: string, setup: PythonSetup = {}) {
    super(setup.input === undefined ? {} : { in: setup.input }, setup);
    this.operator = operator;
    this.params = { source, params: setup.values ?? {}, maxMs: setup.maxMs ?? 20_000 };
  }

  get printed(): string[] {
    return this.logs.map(({ level, text }) => `${level} ${text}`);
  }

  /** Its result. */
  async end(): Promise<unknown> {
    return await this.operator.run?.(this);
  }
}
