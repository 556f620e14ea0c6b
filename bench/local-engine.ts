import type { LiveFlow } from '../server/flows/service/flow-types.ts';
import { expressionTools } from '../server/base/adapters/expression-tools.ts';
import { createHost } from '../server/base/adapters/node-host.ts';
import { loadOperators } from '../server/base/authored/load-operators.ts';
import { compile, type Host, type Plan } from '#engine';
import type { Flow } from '#shared/flow.ts';

/** The engine as the server sets it up, for measuring in this process. */
export interface LocalEngine {
  readonly host: Host;
  live(flow: Flow): LiveFlow;
  /** The plan of the flow's trigger, which is called `trigger`. */
  plan(flow: Flow): Plan;
}

export async function createLocalEngine(): Promise<LocalEngine> {
  const { registry } = await loadOperators({ builtIn: true });
  const live = (flow: Flow): LiveFlow => {
    const version = '0'.repeat(16);
    const compiled = compile(flow, version, registry, expressionTools('UTC'));
    return { id: flow.id, version, flow, compiled };
  };
  return {
    host: createHost(),
    live,
    plan: (flow) => live(flow).compiled.plans.get('trigger') as Plan,
  };
}

/** The expressions of a node's params, as the engine evaluates them: a function of the node's input. */
export function paramsOf(plan: Plan, node: string): (input: unknown) => unknown {
  const step = plan.steps.find((one) => one.id === node);
  const make = step?.makeParams;
  if (make === undefined) throw new Error(`${node} has no expression`);
  const call = { input: undefined as unknown };
  return (input) => {
    call.input = input;
    return make(call as never);
  };
}
