import type { Operator } from '#engine';
import { foreignOperator } from '#engine/workbench';

/**
 * The rules of the operator contract that an operator breaks, a sentence each, for its author's own tests. `type` is
 * `group.name`. Throws `bad_operator` if it is not an operator.
 */
export async function brokenRules(type: string, operator: Operator): Promise<string[]> {
  // Only tests need it, so a server does not load it with every operator.
  const { operatorContract } = await import('#engine/contract');
  const broken: string[] = [];
  for (const { name, check } of operatorContract(type, foreignOperator(operator))) {
    for (const fault of await check()) broken.push(`${name}: ${fault}`);
  }
  return broken;
}
