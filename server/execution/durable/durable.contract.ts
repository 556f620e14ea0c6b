import { describe } from 'vitest';
import { type ContractBed, useContractBed } from './testing/contract-bed.ts';
import type { OpenEngine } from './testing/durable-bed.ts';
import { endContract, forgetContract, versionContract, watchContract } from './testing/end-contract.ts';
import { calledFlowContract } from './testing/flow-contract.ts';
import { graphContract } from './testing/graph.contract.ts';
import { countContract, limitContract } from './testing/limit-contract.ts';
import { loopContract, sizeContract } from './testing/size-contract.ts';
import { bodyContract, itemContract } from './testing/item-contract.ts';
import { longLoopContract, stretchContract } from './testing/stretch-contract.ts';
import { stepContract, valueContract } from './testing/step-contract.ts';
import { answerContract, waitContract } from './testing/wait-contract.ts';

/** The guarantees that break first when an engine changes: steps, answers, limits and ends. */
export function durableCore(name: string, open: OpenEngine): void {
  describe(`durable runs over ${name}`, () => {
    const bed = useContractBed(open);
    stepContract(bed);
    itemContract(bed);
    bodyContract(bed);
    calledFlowContract(bed);
    answerContract(bed);
    limitContract(bed);
    endContract(bed);
  });
}

/** The whole contract except for long runs and random graphs. */
export function durableUsualContract(name: string, open: OpenEngine): void {
  describe(`durable runs over ${name}`, () => {
    const bed = useContractBed(open);
    usualContract(bed);
    loopContract(bed);
  });
}

/** The guarantees of durable runs, with any engine behind the port. */
export function durableContract(name: string, open: OpenEngine): void {
  describe(`durable runs over ${name}`, () => {
    const bed = useContractBed(open);
    usualContract(bed);
    loopContract(bed);
    graphContract(bed);
    sizeContract(bed);
    longLoopContract(bed);
  });
}

function usualContract(bed: ContractBed): void {
  stepContract(bed);
  itemContract(bed);
  bodyContract(bed);
  stretchContract(bed);
  calledFlowContract(bed);
  valueContract(bed);
  waitContract(bed);
  answerContract(bed);
  limitContract(bed);
  countContract(bed);
  endContract(bed);
  forgetContract(bed);
  versionContract(bed);
  watchContract(bed);
}
