import { manyFlowsContract } from './many-flows.contract.ts';

// With this much memory a host has place for some ten flows; `many-flows.full.test.ts` has hundreds.
manyFlowsContract({ engine: 'isolated-vm', flows: 40, processMb: 160 });
