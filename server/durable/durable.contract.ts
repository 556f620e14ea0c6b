import { describe } from 'vitest';
import { useContractBed } from './testing/contract-bed.ts';
import type { OpenEngine } from './testing/durable-bed.ts';
import { endContract, forgetContract, versionContract, watchContract } from './testing/end-contract.ts';
import { graphContract } from './testing/graph.contract.ts';
import { countContract, limitContract } from './testing/limit-contract.ts';
import { sizeContract } from './testing/size-contract.ts';
import { stepContract, valueContract } from './testing/step-contract.ts';
import { answerContract, waitContract } from './testing/wait-contract.ts';

/** The guarantees of durable runs, with any engine behind the port. */
export function durableContract(name: string, open: OpenEngine): void {
  describe(`durable runs over ${name}`, () => {
    const bed = useContractBed(open);
    stepContract(bed);
    valueContract(bed);
    waitContract(bed);
    answerContract(bed);
    limitContract(bed);
    countContract(bed);
    endContract(bed);
    forgetContract(bed);
    versionContract(bed);
    watchContract(bed);
    graphContract(bed);
    sizeContract(bed);
  });
}
