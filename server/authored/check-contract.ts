import { operatorContract } from '#engine/contract';
import { type AuthoredFile, readOperator } from './kinds.ts';

/** One rule that an operator was held to. */
export interface RuleResult {
  readonly rule: string;
  /** What breaks it; empty when it is kept. */
  readonly faults: readonly string[];
}

/** Holds the operator of a file to the contract, rule by rule. Throws what keeps the file from being loaded. */
export async function checkContract(
  file: AuthoredFile,
  tell: (result: RuleResult) => unknown,
): Promise<void> {
  const { operators } = await readOperator(file);
  const operator = operators.get(file.name);
  if (!operator) return;
  for (const { name, check } of operatorContract(file.name, operator)) {
    await tell({ rule: name, faults: await check() });
  }
}
