import { foreignOperator, type Operator } from '#engine';

/**
 * What an operator breaks of the contract that every operator keeps, a sentence each: for its author's own tests. `type` is
 * `group.name`. Throws `bad_operator` for what is no operator.
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
