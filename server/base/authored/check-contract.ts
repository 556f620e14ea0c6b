import { operatorContract } from '#engine/contract';
import { type AuthoredFile, readOperator } from './kinds.ts';

/** One rule that an operator was checked against. */
export interface RuleResult {
  readonly rule: string;
  /** How the rule is broken; empty if it is not. */
  readonly faults: readonly string[];
}

/** Checks the operator of a file against the contract, rule by rule. Throws errors that prevent the file from loading. */
export async function checkContract(
  file: AuthoredFile,
  report: (result: RuleResult) => unknown,
): Promise<void> {
  const { operators } = await readOperator(file);
  const operator = operators.get(file.name);
  if (!operator) return;
  for (const { name, check } of operatorContract(file.name, operator)) {
    await report({ rule: name, faults: await check() });
  }
}
