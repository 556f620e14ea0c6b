import { interruptContract } from './interrupt.contract.ts';

interruptContract('isolated-vm');
interruptContract('quickjs');
