import { hostileContract } from './operators.hostile.contract.ts';

hostileContract({ isSample: false });
