import { interruptContract } from './interrupt.contract.ts';

// All ways, of which each costs a process, are in `interrupt.full.test.ts`.
interruptContract('isolated-vm', 3);
interruptContract('quickjs', 7);
