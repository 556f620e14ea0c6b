import { manyFlowsContract } from './many-flows.contract.ts';

manyFlowsContract({ engine: 'isolated-vm', flows: 600 });
manyFlowsContract({ engine: 'quickjs', flows: 600 });
